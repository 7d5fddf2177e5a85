import { expect, test } from 'vitest'
import { comparisonsTable, withinTable } from '../../../../engine/analysis/charts/analysis-tables.ts'
import { comparisonsAnswer } from '../../../../engine/analysis/charts/comparisons-answer.ts'
import { type AskedMixed, mixedAnswer } from '../../../../engine/analysis/charts/mixed-answer.ts'
import { mixedTable } from '../../../../engine/analysis/charts/mixed-table.ts'
import { withinAnswer } from '../../../../engine/analysis/charts/within-answer.ts'
import { encodeTable } from '../../../../engine/formats/encode-table.ts'
import { defaultParameters } from '../../../../engine/model/parameters.ts'
import { MEASURES } from '../../../../isomorphic/measures.ts'
import { importedLetters } from './letters.ts'

/** Gaze of eight participants every 30 ms, after a sample elsewhere: in the AOI Target or Other. */
const GAZE = ['TTTTTTOO', 'TTTTTTTO', 'TTTTTOOO', 'TTTTTTTO', 'TTOOOOOO', 'TOOOOOOO', 'TTTOOOOO', 'TOOOOOOO']
const [YOUNG, OLD] = ['participant_age <= 24', 'participant_age > 24']

const { pool, snapshot } = await importedLetters(
  GAZE.map((letters) => `-${letters}`),
  30,
)

const asked = (groups: string[], measure = 'aoi_gaze_total_time_spent_ms'): AskedMixed => ({
  ...{ snapshot, groups, formulaGuard: false, samplesMax: 1e6 },
  aois: snapshot.study.aois,
  measure: MEASURES.find(({ column }) => column === measure)!,
  parameters: { ...defaultParameters(), movingMedianRangeMs: 20 },
})
const answerOf = (groups: string[], measure?: string) =>
  mixedAnswer(asked(groups, measure), { pool, signal: new AbortController().signal })
const csvOf = async (answer: Awaited<ReturnType<typeof answerOf>>) =>
  new TextDecoder().decode(await encodeTable(mixedTable(answer, snapshot.study), 'csv', {}, false))

test('groups and AOIs are compared at once, with n and an interval beside every mean', async () => {
  const answer = await answerOf([YOUNG, OLD])
  // 30 ms a letter.
  expect(answer.groups.map(({ values }) => values)).toEqual([
    [
      [180, 210, 150, 210],
      [60, 30, 90, 30],
    ],
    [
      [60, 30, 90, 30],
      [180, 210, 150, 210],
    ],
  ])
  const [young] = answer.groups
  expect(young.participantIds).toHaveLength(4)
  // Deviations −7.5, 22.5, −37.5, 22.5, whose squares sum to 2475; t(0.975, 3) = 3.182446.
  expect(young.cells[0]).toMatchObject({ n: 4, mean: 187.5, sd: expect.closeTo(Math.sqrt(825), 9) })
  expect(young.cells[0].low).toBeCloseTo(187.5 - (3.182446 * Math.sqrt(825)) / 2, 4)
  expect(answer.noTest).toBeNull()
  // All have the same mean over the AOIs, and the AOIs the same mean over all participants.
  const [group, condition, interaction] = answer.anova!
  expect([group.f, condition.squares, interaction.df, interaction.errorDf]).toEqual([null, 0, 1, 6])
  // Differences 120, 180, 60, 180: effects ± 67.5, deviations −15, 45, −75, 45; the other group mirrors them.
  expect(interaction.squares).toBeCloseTo(2 * 4 * 2 * 67.5 ** 2, 6)
  expect(interaction.errorSquares).toBeCloseTo(2 * (9900 / 2), 6)
  expect(interaction.f).toBeCloseTo(44.181818, 5)
  expect(answer.contrasts[2]).toMatchObject({
    ...{ effect: 'interaction', n: [4, 4], means: [135, -135], test: { statistic: 270, p: 2 / 70, isExact: true } },
    pHolm: 2 / 70,
  })
  expect(answer.methods).toContain('2 groups of 4 and 4 participants and between 2 areas of interest')
})

test('its table has a row for each mean, effect and difference, no NaN, and the seed in its notes', async () => {
  const csv = await csvOf(await answerOf([YOUNG, OLD]))
  const rows = csv.trim().split(/\r?\n/)
  const counts = ['mean', 'anova', 'difference'].map(
    (kind) => rows.filter((row) => row.includes(`_ms,${kind},`)).length,
  )
  expect(counts).toEqual([4, 3, 3])
  expect(rows[1]).toContain('| seed = 1')
  expect(csv).not.toContain('NaN')
})

test('too few participants are described, and a sentence says why nothing is tested', async () => {
  const two = await answerOf(['participant_age <= 22', OLD])
  expect(two.anova).toBeNull()
  expect(two.noTest).toBe(
    'the groups have 2 and 4 participants with a value in every AOI: at least 3 are needed in each',
  )
  expect(two.groups[0].cells[0]).toMatchObject({ n: 2, mean: 195 })
  expect(two.contrasts.map(({ test: own, difference, pHolm }) => [own, difference, pHolm])).toEqual(
    Array(3).fill([null, null, null]),
  )
  const one = await answerOf(['participant_age <= 21', OLD])
  expect(one.groups[0].cells[0]).toEqual({ n: 1, mean: 180, sd: null, low: null, high: null })
  const empty = await answerOf(['participant_age > 90', OLD])
  expect(empty.groups[0].cells[0]).toEqual({ n: 0, mean: null, sd: null, low: null, high: null })
  expect(empty.contrasts[0]).toMatchObject({ n: [0, 4], means: [null, 120] })
  for (const answer of [two, one, empty]) {
    const csv = await csvOf(answer)
    expect(csv).not.toMatch(/NaN|Infinity/)
    expect(csv).toContain('| no test: the groups have')
  }
})

test('three against four have p, three against three none', async () => {
  const testOf = async (first: string, second: string) => (await answerOf([first, second])).contrasts[2]
  const three = 'participant_age BETWEEN 22 AND 24'
  expect((await testOf(three, OLD)).test).toMatchObject({ p: 1 / 35, isExact: true })
  const none = await testOf(three, 'participant_age > 25')
  expect([none.test, none.n, none.difference?.value]).toEqual([null, [3, 3], 280])
})

test('groups that share participants are not compared', async () => {
  const shared = await answerOf(['participant_age <= 25', OLD])
  expect(shared).toMatchObject({ sharedParticipants: 1, anova: null, contrasts: [] })
  expect(shared.noTest).toBe(
    '1 participant is in more than one group: give the groups conditions that exclude each other',
  )
  expect(await csvOf(shared)).toContain('| no test: 1 participant is in more than one group')
})

test('comparisons of groups and of AOIs alone have tables without NaN for nobody and for one, with the seed', async () => {
  const run = { pool, signal: new AbortController().signal }
  const { study } = snapshot
  const of = { ...asked([]), item: study.items[0], participantIndex: null }
  for (const few of ['participant_age > 90', 'participant_age = 21']) {
    const groups = [few, OLD]
    const compared = await comparisonsAnswer(of, { ...of, groups, kind: 'mann-whitney' }, run)
    const within = await withinAnswer({ ...of, parameters: { ...of.parameters, filter: few } }, run)
    for (const table of [comparisonsTable(compared, groups, study), withinTable(within, study)]) {
      const csv = new TextDecoder().decode(await encodeTable(table, 'csv', {}, false))
      expect(csv).not.toMatch(/NaN|Infinity/)
      expect(csv).toContain('| seed = 1')
    }
  }
})
