import { expect, test } from 'vitest'
import { readLinkAddress } from '../../../engine/access/link.ts'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { keptDirectory } from '../kept.ts'
import { GOLDEN_STUDY, importGolden } from '../studies.ts'

const dataDir = await keptDirectory()
await importGolden(dataDir)
const snapshot = (await openStudies(dataDir).current(GOLDEN_STUDY))!

const read = (query: string) => readLinkAddress(`/studies/${GOLDEN_STUDY}/groups?${query}`, false, snapshot, null)

test.each([
  ['filtr=participant_age+%3E+30', 'must spell its parameter filter, got "filtr"'],
  ['Filter=participant_age+%3E+30', 'must spell its parameter filter, got "Filter"'],
  ['participants=10000000-0000-4000-8000-000000000001', 'must spell its parameter participant, got "participants"'],
  ['itm=10000000-0000-4000-8000-000000000001', 'must spell its parameter item, got "itm"'],
  ['itemId=10000000-0000-4000-8000-000000000001', 'must spell its parameter item, got "itemId"'],
  ['participantQualityGradeItmMin=3', 'must spell its parameter participantQualityGradeItemMin'],
  ['filter=true&filter=participant_age+%3E+30', 'must give filter once, got "true and participant_age > 30"'],
])('a link is refused whose address would show more than was meant: %s', (query, message) => {
  expect(() => read(query)).toThrow(message)
})

test('parameters of the page that bound nothing stay in the address', () => {
  const query = 'text=1&cells=40&title=x&item=&unit=tests&filter=participant_age+%3E+30'
  expect(read(query)).toMatchObject({
    filter: 'participant_age > 30',
    path: `/studies/${GOLDEN_STUDY}/groups?${query}`,
  })
})
