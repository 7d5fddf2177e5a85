import { expect, test } from 'vitest'
import { type AskedClusters, clustersAnswer, clustersPlan } from '../../../../engine/analysis/charts/clusters-answer.ts'
import { clustersTable } from '../../../../engine/analysis/charts/clusters-table.ts'
import { settingsNotes } from '../../../../engine/exports/columns/notes.ts'
import { encodeTable } from '../../../../engine/formats/encode-table.ts'
import { defaultParameters, type Parameters } from '../../../../engine/model/parameters.ts'
import { importedLetters } from './letters.ts'

/** Gaze of six participants every 50 ms: in the AOI Target or Other, four times a bin. */
const GAZE = ['TTTOTTOO', 'TTTTTOOO', 'TTTOTTTO', 'TTTTTTOO', 'TTTOTOOO', 'TTTTTTTO']

const { pool, snapshot } = await importedLetters(GAZE, 50)

function asked(given: Partial<Parameters>, more: Partial<AskedClusters> = {}): AskedClusters & { samplesMax: number } {
  const parameters = { ...defaultParameters(), movingMedianRangeMs: 20, binMs: 200, ...given }
  const conditions = { groups: [], signal: 'looks' as const, design: 'within' as const }
  return { snapshot, parameters, formulaGuard: false, samplesMax: 1e6, ...conditions, ...more }
}
const run = () => ({ pool, signal: new AbortController().signal })

test('two AOIs are compared within the participants who saw both', async () => {
  const answer = await clustersAnswer(asked({ aoiNames: ['Target', 'Other'] }), run())
  // Differences 0.5, 1, 0.5, 1, 0.5, 1: t = 0.75 / √(0.075 / 6). In the second bin 0, −0.5, 0.5, 0, −0.5, 0.5.
  expect(answer.bins).toMatchObject([
    { startMs: 0, n: [6, 6], means: [0.875, 0.125], difference: 0.75, t: 6.708204, df: 5, threshold: 2.570582 },
    { startMs: 200, n: [6, 6], means: [0.5, 0.5], difference: 0, t: 0 },
  ])
  expect(answer.clusters).toEqual([{ fromMs: 0, toMs: 200, firstBin: 0, bins: 1, mass: 6.708204, p: 2 / 64 }])
  expect(answer).toMatchObject({ arrangements: 64, isExact: true, noP: null, leftOutParticipants: 0 })
  expect(answer.methods).toContain('two conditions within 6 participants')
  expect(answer.methods).toContain('all 64 arrangements')
  const csv = new TextDecoder().decode(await encodeTable(clustersTable(answer), 'csv', {}, false))
  expect(csv).toContain('looks,within,Target,Other,,0,6,6,0.875,0.125,0.75,')
  expect(csv).not.toContain('NaN')
})

test('groups of participants are compared at one AOI, and too few have no p, which the notes say', async () => {
  const groups = ['participant_age <= 23', 'participant_age > 23']
  const given = { aoiNames: ['Target'], clusterAlpha: 0.5 }
  const answer = await clustersAnswer(asked(given, { groups, design: 'between' }), run())
  // 0.75, 1, 0.75 against 1, 0.75, 1: 1 / 12 less.
  expect(answer.bins[0]).toMatchObject({ n: [3, 3], difference: -0.083333, df: 4 })
  expect(answer.noP).toBe('so few participants allow 20 arrangements, so that p is at least 0.1')
  expect(answer.clusters.every(({ p }) => p === null)).toBe(true)
  const csv = new TextDecoder().decode(await encodeTable(clustersTable(answer), 'csv', {}, false))
  expect(csv).toContain('| no p: so few participants')
})

test('the first AOI is compared as a share of looks at further ones, with the denominator of AOIs', async () => {
  const groups = ['participant_age <= 23', 'participant_age > 23']
  const given = { aoiNames: ['Other', 'Target'], denominator: 'aois' as const }
  const answer = await clustersAnswer(asked(given, { groups, design: 'between' }), run())
  // Looks at Other among four: 1, 0, 1 against 0, 1, 0 in the first bin; 2, 3, 1 against 2, 3, 1 in the second.
  expect(answer.bins.map(({ means }) => means)).toEqual([
    [0.166667, 0.083333],
    [0.5, 0.5],
  ])
  const alone = await clustersAnswer(asked({ ...given, aoiNames: ['Other'] }, { groups, design: 'between' }), run())
  expect(alone.bins[1]).toMatchObject({ n: [3, 3], means: [1, 1], difference: 0, t: null })
})

test('groups that share participants, and empty ones, are answered with a sentence', async () => {
  const between = { groups: ['participant_age <= 23', 'participant_age >= 23'], design: 'between' as const }
  const shared = await clustersAnswer(asked({ aoiNames: ['Target'] }, between), run())
  expect(shared).toMatchObject({ sharedParticipants: 1, bins: [], clusters: [] })
  expect(shared.noP).toBe('1 participant is in both groups: compare within participants, or filter them')
  const within = await clustersAnswer(asked({ aoiNames: ['Target'] }, { groups: between.groups }), run())
  expect(within).toMatchObject({ leftOutParticipants: 5, clusters: [], leastP: null })
  expect(within.noP).toBe('1 participant has values of both conditions: at least 2 are needed')
  const empty = { groups: ['participant_age > 90', 'participant_age > 20'], design: 'between' as const }
  const none = await clustersAnswer(asked({ aoiNames: ['Target'] }, empty), run())
  expect(none.noP).toBe('the groups have 0 and 6 participants with values: at least 2 are needed in each')
  expect(none.bins[0]).toMatchObject({ n: [0, 6], means: [null, 0.875], difference: null, t: null })
})

test('conditions that are not two are refused, and the seed is in the notes', () => {
  const refused = (given: Partial<Parameters>, more: Partial<AskedClusters> = {}) => {
    expect(() => clustersPlan(asked(given, more))).toThrow(/^(aoiNames|group1|group2|design) must be/)
  }
  refused({})
  refused({ aoiNames: ['Target'] })
  refused({ aoiNames: ['Target'] }, { groups: ['participant_age > 1'] })
  refused({ aoiNames: ['Target', 'Other'] }, { design: 'between' })
  refused({}, { signal: 'pupil-size' })
  const plan = clustersPlan(asked({ aoiNames: ['Target', 'Other'], clusterSeed: 7 }))
  expect(settingsNotes(plan)).toContain(
    'ClusterSettings [clusterAlpha = 0.05; clusterPermutations = 1000; clusterSeed = 7]',
  )
})
