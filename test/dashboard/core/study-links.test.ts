import { expect, test } from 'vitest'
import { carrying } from '../../../dashboard/core/view/study-links.ts'

const ITEM = '/studies/s/items/one'
const here = (path: string) => ({
  path,
  query: new URLSearchParams('filter=a&gazeVelocityThreshold=90&participant=p&aois=1.3&layers=aois'),
})

test.each([
  ['the replay of the item', `${ITEM}/replay`, 'filter=a&gazeVelocityThreshold=90&participant=p&aois=1.3'],
  ['the pupils of the item', `${ITEM}/pupils`, 'filter=a&gazeVelocityThreshold=90&participant=p&aois=1.3'],
  [
    'transitions, from which one comes back',
    `${ITEM}/transitions`,
    'filter=a&gazeVelocityThreshold=90&participant=p&aois=1.3',
  ],
  ['another item', '/studies/s/items/two', 'filter=a&gazeVelocityThreshold=90&participant=p'],
  ['the quality of tests', '/studies/s/quality', 'filter=a&gazeVelocityThreshold=90&participant=p'],
  ['the study, which is of all', '/studies/s', 'filter=a&gazeVelocityThreshold=90'],
  ['its report', '/studies/s/report', 'filter=a&gazeVelocityThreshold=90'],
])(
  'a link from an item carries tests, settings, participant and chosen AOIs to %s as far as it shows them',
  (_, path, carried) => {
    expect(carrying(here(ITEM), path)).toBe(`${path}?${carried}`)
  },
)

test('a link contains its own parameters, and omits those that it removes', () => {
  const own = { participant: 'q', filter: null, item: 'one' }
  expect(carrying(here('/studies/s/quality'), ITEM, own)).toBe(
    `${ITEM}?gazeVelocityThreshold=90&participant=q&item=one`,
  )
  expect(carrying({ path: ITEM, query: new URLSearchParams() }, ITEM)).toBe(ITEM)
})
