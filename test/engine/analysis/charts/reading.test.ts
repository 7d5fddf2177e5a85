import { expect, test } from 'vitest'
import { comparisonsAnswer } from '../../../../engine/analysis/charts/comparisons-answer.ts'
import { readingAnswer } from '../../../../engine/analysis/charts/reading-answer.ts'
import { readingTable } from '../../../../engine/analysis/charts/reading-table.ts'
import { encodeTable } from '../../../../engine/formats/encode-table.ts'
import { defaultParameters, type Parameters } from '../../../../engine/model/parameters.ts'
import { READING_MEASURES } from '../../../../isomorphic/measures.ts'
import { importedStudy } from '../../kept.ts'
import { exported } from '../../studies.ts'
import { TEXT_WORDS, textBundle } from './text-bundle.ts'

const { pool, snapshot } = await importedStudy(textBundle())

const SETTINGS = { movingMedianRangeMs: 20 }
const subjectOf = (participantIndex: number | null, given: Partial<Parameters> = {}) => ({
  snapshot,
  item: snapshot.study.items[0],
  participantIndex,
  parameters: { ...defaultParameters(), ...SETTINGS, ...given },
  formulaGuard: false,
})
const run = () => ({ pool, signal: new AbortController().signal })
const answerOf = (participantIndex: number | null = null, given: Partial<Parameters> = {}) =>
  readingAnswer(subjectOf(participantIndex, given), run())
const measureOf = ({ measures }: Awaited<ReturnType<typeof answerOf>>, name: string) =>
  measures.find(({ column }) => column === name)!

test('skipping is the percent of readers who skipped a word, of those who got that far', async () => {
  const answer = await answerOf()
  expect(answer.words.map(({ line, place, text }) => [line, place, text])).toEqual(TEXT_WORDS)
  expect(answer.counted).toEqual({ tests: 3, participants: 3 })
  const skipped = measureOf(answer, 'word_skipped')
  // The third reader looks at the last word of each line only; the second never at "away".
  expect(skipped.n).toEqual([3, 3, 3, 3, 2])
  expect(skipped.means).toEqual([33.333333, 66.666667, 0, 33.333333, 0])
  // 0, 25 and 60 % of the words that each got to.
  expect(skipped.ofText).toEqual({ n: 3, mean: 28.333333, sd: 30.138569 })
  expect(measureOf(answer, 'first_pass_duration_ms').n).toEqual([2, 1, 3, 2, 2])
})

test('means and deviations are those of the rows of the export, one value for each reader', async () => {
  const answer = await answerOf()
  const [head, ...lines] = (await exported(pool, snapshot, 'reading', SETTINGS)).csv.toString().trimEnd().split('\n')
  const rows = lines.map((line) => line.split(','))
  const at = (name: string) => head.split(',').indexOf(name)
  for (const { column } of READING_MEASURES) {
    const own = measureOf(answer, column)
    for (const [w, { aoiId }] of answer.words.entries()) {
      const cells = rows.flatMap((row) => (row[at('aoi_id')] === aoiId ? [row[at(column)]] : []))
      const values = cells.filter((cell) => cell !== '').map((cell) => ({ true: 100, false: 0 })[cell] ?? Number(cell))
      expect(own.n[w]).toBe(values.length)
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      expect(own.means[w]).toBeCloseTo(mean, 5)
      const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
      if (values.length < 2) expect(own.sds[w]).toBeNull()
      else expect(own.sds[w]).toBeCloseTo(Math.sqrt(squares / (values.length - 1)), 5)
    }
  }
})

test('one reader has their own values, and n tells where they have none', async () => {
  const second = await answerOf(1)
  expect(second.counted).toEqual({ tests: 1, participants: 1 })
  const skipped = measureOf(second, 'word_skipped')
  expect([skipped.n, skipped.means]).toEqual([
    [1, 1, 1, 1, 0],
    [0, 100, 0, 0, null],
  ])
  expect(measureOf(second, 'regression_in_count').means).toEqual([0, 1, 0, 0, 0])
})

test('the table has a row for each word, without NaN, and the settings that assign lines', async () => {
  const answer = await answerOf(null, { lines: 'warp' })
  expect(answer.methods).toContain('assigned to lines by “warp”')
  const csv = new TextDecoder().decode(await encodeTable(readingTable(answer), 'csv', {}, false))
  const [head, first, ...others] = csv.trimEnd().split('\n')
  expect(head).toMatch(/^aoi_id,line_index,place,word,first_pass_duration_n,first_pass_duration_mean_ms,/)
  expect(head).toContain(',word_skipped_mean_percents,')
  expect(first).toContain(',1,1,The,2,')
  expect(first).toContain('lines = warp')
  expect(others).toHaveLength(4)
  const nobody = await answerOf(null, { filter: "participant_external_id = 'P99'" })
  expect(nobody.methods).toBe('No reading measures were averaged, since no test that is kept is of an item with words.')
  expect(measureOf(nobody, 'word_skipped')).toMatchObject({ n: [0, 0, 0, 0, 0], ofText: { n: 0, mean: null } })
  const empty = new TextDecoder().decode(await encodeTable(readingTable(nobody), 'csv', {}, false))
  expect(`${empty}${JSON.stringify(nobody)}`).not.toContain('NaN')
})

test('groups are compared by a measure of words, of the readers who have one', async () => {
  const groups = ["participant_external_id = 'P1'", "participant_external_id <> 'P1'"]
  const measure = READING_MEASURES.find(({ column }) => column === 'word_skipped')!
  const asked = { measure, kind: 'mann-whitney' as const, groups, samplesMax: 1e6 }
  const { values, groups: told } = await comparisonsAnswer(subjectOf(null), asked, run())
  expect(told.map((group) => group.export)).toEqual(['reading', 'reading'])
  expect(values.map((lanes) => lanes.map((lane) => lane.values))).toEqual([
    [[0], [0, 100]],
    [[0], [100, 100]],
    [[0], [0, 0]],
    [[0], [0, 100]],
    [[0], [0]],
  ])
})
