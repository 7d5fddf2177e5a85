import { expect, test } from 'vitest'
import { distinctNames } from '../../../engine/text/distinct-names.ts'

const numbered = (text: string, n: number) => (n === 1 ? text : `${text}_${n}`)

test('each name is another, also where case does not count, and where a number was given before', () => {
  expect(distinctNames(['a', 'A', 'a_2', 'b', 'a', 'a_2'], numbered)).toEqual([
    'a',
    'A_2',
    'a_2_2',
    'b',
    'a_3',
    'a_2_3',
  ])
})

test('tens of thousands of equal texts ask for each name a few times', () => {
  let asked = 0
  const names = distinctNames(Array(20_000).fill('same'), (text, n) => {
    asked++
    return numbered(text, n)
  })
  expect(new Set(names).size).toBe(20_000)
  expect(asked).toBeLessThan(5 * 20_000)
})
