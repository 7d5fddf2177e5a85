import { expect, test } from 'vitest'
import type { Participant } from '../../../dashboard/core/api.ts'
import { splitsOf } from '../../../dashboard/ui/people/splits.ts'

test('an attribute splits participants if it has two to four values; those without one are in no group', () => {
  const people = ['a', 'b', 'c', 'd', 'e', ''].map((mood, i) => ({
    ...{
      id: `${i}`,
      displayGender: i < 2 ? 'female' : i < 5 ? 'male' : '',
      tags: i === 0 ? ['pilot'] : [],
      age: 20 + i,
    },
    externalData: { mood, four: i < 4 ? mood : '', one: 'same' },
  })) as unknown as Participant[]
  const facts = { hasTags: true, externalDataNames: ['mood', 'four', 'one'] }
  const membersOf = splitsOf(facts, people, null).map(({ label, groups }) => [
    label,
    ...groups.map(({ name, members }) => `${name}: ${members.map(({ id }) => id).join()}`),
  ])
  expect(membersOf).toEqual([
    ['Gender', 'female: 0,1', 'male: 2,3,4'],
    ['four', 'a: 0', 'b: 1', 'c: 2', 'd: 3'],
    ['Tag pilot', 'pilot: 0', 'not pilot: 1,2,3,4,5'],
  ])
})
