import { expect, test } from 'vitest'
import { type Joined, refuseDifferences } from '../../../engine/exports/joined-studies.ts'
import type { Difference } from '../../../engine/model/differences.ts'
import type { Aoi, Item, Recording, Snapshot, Study } from '../../../engine/model/study.ts'

const item = (filename: string): Item => ({
  ...{ id: filename, filename, cdnUrl: '', type: 'images' },
  ...{ stimuliDurationMs: null, widthPx: null, heightPx: null },
})
const aoi = (itemId: string, name: string, tags?: string[]): Aoi => ({
  ...{ id: `${itemId} ${name}`, itemId, name, parts: [] },
  ...(tags ? { tags } : {}),
})
const study = (name: string, more: Partial<Study> = {}): Joined => ({
  parameters: { minFixationDurationMs: 60, itemId: name },
  snapshot: {
    study: {
      ...{ id: name, name, isServiceBasicSurveyEnabled: false, steps: [] },
      items: [item('a.png'), item('b.png')],
      aois: [aoi('a.png', 'Logo')],
      ...more,
    },
  } as unknown as Snapshot,
})
const recorded = (name: string, recording: Recording) => study(name, { recording })

function refusal(joined: Joined[], despite: Difference[] = []): string | null {
  try {
    refuseDifferences(joined, despite)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

test('studies with equal items, AOIs, screens, rates and settings are joined, whatever their order', () => {
  expect(refusal([study('A')])).toBeNull()
  expect(refusal([study('A'), study('B', { items: [item('b.png'), item('a.png')] }), study('C')])).toBeNull()
})

test('what differs is told with its values and studies, all at once, and accepted by name', () => {
  const joined = [
    recorded('A', { screenWidthPx: 1920, screenHeightPx: 1080, nominalSamplingRateHz: 60 }),
    recorded('B', { screenWidthPx: 1280, screenHeightPx: 720, nominalSamplingRateHz: 60 }),
    recorded('C', { screenWidthPx: 1920, screenHeightPx: 1080 }),
  ]
  const screens = 'screens (1920 × 1080 px in A and C; 1280 × 720 px in B)'
  const rates = 'rates (60 Hz in A and B; unknown in C)'
  expect(refusal(joined)).toBe(
    `the studies differ in ${screens}, ${rates}: add --despite screens,rates to join them all the same`,
  )
  expect(refusal(joined, ['screens'])).toBe(
    `the studies differ in ${rates}: add --despite rates to join them all the same`,
  )
  expect(refusal(joined, ['screens', 'rates'])).toBeNull()
})

test('an item or an AOI that a study lacks is named', () => {
  const own = [aoi('a.png', 'Logo'), aoi('a.png', 'Price')]
  const joined = [study('A'), study('B', { items: [item('a.png')], aois: own })]
  expect(refusal(joined)).toContain('items (b.png is not in B), aois (Price of a.png is not in A)')
})

test('studies whose AOIs have the same tags may have other items', () => {
  const [one, other] = [aoi('a.png', 'Logo', ['brand']), aoi('x.png', 'Sign', ['brand'])]
  const sites = [study('A', { aois: [one] }), study('B', { items: [item('x.png')], aois: [other] })]
  expect(refusal(sites)).toBeNull()
  const odd = study('C', { items: [item('y.png')], aois: [aoi('y.png', 'Sign', ['text'])] })
  expect(refusal([...sites, odd])).toContain('items (')
})

test('settings that an analysis of one name has differently are named, those of items and people are not', () => {
  const other = study('B')
  other.parameters = { minFixationDurationMs: 80, itemId: 'x', ignored: ['p'], offsets: [] }
  expect(refusal([study('A'), other])).toContain('settings (minFixationDurationMs)')
  expect(refusal([study('A'), other], ['settings'])).toBeNull()
})

test('a message stays a sentence, however many studies differ', () => {
  const joined = Array.from({ length: 9 }, (_, i) => recorded(`S${i}`, { nominalSamplingRateHz: i < 5 ? 60 : i }))
  expect(refusal(joined)).toContain('rates (60 Hz in S0 and S1 and S2 and 2 more; 5 Hz in S5; 6 Hz in S6; 2 more)')
})
