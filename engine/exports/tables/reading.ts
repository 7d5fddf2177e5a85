import type { AoiShape } from '../../compute/aoi.ts'
import {
  linesOf,
  measureReading,
  regressionsWithin,
  startOfReading,
  type TextWord,
  type UnitReading,
  wordsOf,
} from '../../compute/reading.ts'
import { aoisOfFixations } from '../../compute/visits.ts'
import { type Cells, type Column, column, flags, fractions, microseconds, wholes } from '../../model/columns.ts'
import { aoiId, aoiName } from '../columns/aoi-identity.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import type { ExportContext, TestRun } from '../columns/test-context.ts'
import { aoisOnLines } from '../columns/test-lines.ts'
import { exportOfTests } from '../columns/test-rows-export.ts'
import { FIXATION_FILTER } from './fixations.ts'

const SHARED = {
  variant: null,
  listed: FIXATION_FILTER,
  takesWindow: true,
  isOfReading: true,
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  kind: 'rows',
} satisfies Partial<ExportEntry>

/**
 * Returns the columns of reading measures, for words and lines alike: docs/reading.md, "Measures".
 *
 * @param unit the unit that is measured
 */
function measureColumns(unit: 'word' | 'line'): Column[] {
  const firstPass = 'empty if it was not fixated in first pass'
  return [
    column(`${unit}_fixation_count`, 'int', 'fixations', `Fixations of the ${unit}`),
    column(
      `${unit}_skipped`,
      'boolean',
      '',
      `Whether a later ${unit} was fixated before it; empty if neither it nor a later one was fixated`,
      '',
    ),
    column('first_fixation_duration_ms', 'int', 'ms', `Its first fixation in first pass; ${firstPass}`, ''),
    column('single_fixation_duration_ms', 'int', 'ms', 'The same, if it was the only one in first pass', ''),
    column('first_pass_duration_ms', 'int', 'ms', `Its fixations in first pass, or gaze duration; ${firstPass}`, ''),
    column('go_past_duration_ms', 'int', 'ms', `All fixations from first pass until a later ${unit}; ${firstPass}`, ''),
    column('right_bounded_duration_ms', 'int', 'ms', `Of these, its own; ${firstPass}`, ''),
    column('rereading_duration_ms', 'int', 'ms', 'Its fixations after first pass, or without one'),
    column('total_duration_ms', 'int', 'ms', 'All of its fixations'),
    column('first_pass_regression', 'boolean', '', `Whether gaze went back before it went past; ${firstPass}`, ''),
    column('regression_in_count', 'int', 'regressions', `How often gaze came back to it from a later ${unit}`),
    column('regression_out_count', 'int', 'regressions', `How often gaze went from it to an earlier ${unit}`),
  ]
}

/** Further columns of the first run: docs/reading.md, "Runs". */
function runColumns(unit: 'word' | 'line'): Column[] {
  const run = `first run of fixations of the ${unit}, whenever it came; empty if there is none`
  return [
    column('first_pass_fixation_count', 'int', 'fixations', 'Fixations of the first pass; empty without one', ''),
    column('first_pass_refixation', 'boolean', '', 'Whether there was more than one of these; empty without one', ''),
    column(`${unit}_run_count`, 'int', 'runs', `How often gaze came to the ${unit}`),
    column('first_run_fixation_count', 'int', 'fixations', `Fixations of the ${run}`, ''),
    column('first_run_duration_ms', 'int', 'ms', `Sum of the fixations of the ${run}`, ''),
    column('first_run_first_fixation_duration_ms', 'int', 'ms', `First fixation of the ${run}`, ''),
  ]
}

function runCells(measured: UnitReading[], durationUs: (fixation: number) => number): Cells[] {
  const numbers = (value: (unit: UnitReading) => number) => Float64Array.from(measured, value)
  const isRefixated = ({ firstPassFixations }: UnitReading) => {
    if (Number.isNaN(firstPassFixations)) return 2
    return firstPassFixations > 1 ? 1 : 0
  }
  return [
    wholes(numbers(({ firstPassFixations }) => firstPassFixations)),
    flags(Uint8Array.from(measured, isRefixated)),
    wholes(numbers(({ runs }) => runs)),
    wholes(numbers(({ firstRunFixations }) => firstRunFixations)),
    microseconds(numbers(({ firstRunUs }) => firstRunUs)),
    microseconds(numbers(({ firstRunAt }) => (firstRunAt === -1 ? Number.NaN : durationUs(firstRunAt)))),
  ]
}

/** Place of the first fixation in its word, and distance from the fixation before it. */
const LANDING: Column[] = [
  column('landing_position_percent', 'number', '%', 'First fixation of the word: from its left edge, of its width', ''),
  column('landing_position_letters', 'number', 'letters', 'The same in letters of its name; empty if it has none', ''),
  column(
    'launch_distance_letters',
    'number',
    'letters',
    'From the fixation before that one to the left edge, in letters of the word; empty if that was on no word of the line',
    '',
  ),
]

function landingCells({ words, wordAt, grid, found }: TextRead, measured: UnitReading[]): Cells[] {
  const places = measured.map(({ firstRunAt: f }, w) => {
    if (f === -1) return [Number.NaN, Number.NaN, Number.NaN]
    const { aoi, line, letters } = words[w]
    const [left, right] = extentPercent(grid.aois[aoi])
    const share = (percent: number) => (percent - left) / (right - left)
    const inLetters = (part: number) => (letters === 0 ? Number.NaN : part * letters)
    const isFromLine = f > 0 && words[wordAt[f - 1]]?.line === line
    const landing = share(found.xPercent[f])
    return [100 * landing, inLetters(landing), isFromLine ? inLetters(-share(found.xPercent[f - 1])) : Number.NaN]
  })
  return LANDING.map((_, c) => fractions(Float64Array.from(places, (place) => place[c])))
}

/** Returns the left and right edge of an AOI, in percent of the width of the item. */
function extentPercent({ parts }: AoiShape): [number, number] {
  return [Math.min(...parts.map(({ minX }) => minX)) / 1e6, Math.max(...parts.map(({ maxX }) => maxX)) / 1e6]
}

function measureCells(measured: UnitReading[]): Cells[] {
  const numbers = (value: (unit: UnitReading) => number) => Float64Array.from(measured, value)
  return [
    wholes(numbers(({ fixations }) => fixations)),
    flags(Uint8Array.from(measured, ({ isSkipped }) => isSkipped)),
    microseconds(numbers(({ firstFixationUs }) => firstFixationUs)),
    microseconds(numbers(({ singleFixationUs }) => singleFixationUs)),
    microseconds(numbers(({ firstPassUs }) => firstPassUs)),
    microseconds(numbers(({ goPastUs }) => goPastUs)),
    microseconds(numbers(({ rightBoundedUs }) => rightBoundedUs)),
    microseconds(numbers(({ totalUs, firstPassUs }) => totalUs - (Number.isNaN(firstPassUs) ? 0 : firstPassUs))),
    microseconds(numbers(({ totalUs }) => totalUs)),
    flags(Uint8Array.from(measured, firstPassRegression)),
    wholes(numbers(({ regressionsIn }) => regressionsIn)),
    wholes(numbers(({ regressionsOut }) => regressionsOut)),
  ]
}

export const reading: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  ...SHARED,
  name: 'reading',
  path: 'eye-tracking/reading',
  title: 'Reading measures',
  rowPer: 'test and word',
  columns: [
    aoiId,
    aoiName,
    column('word_index', 'int', '', 'Order within the text, from 1'),
    column('line_index', 'int', '', 'Line that the name of the AOI begins with'),
    ...measureColumns('word'),
  ],
  extras: { runs: [...runColumns('word'), ...LANDING] },
  estimateBytes: ({ aoiTests, aoiTestBytes }) => aoiTests * 400 + aoiTestBytes,
  compute: (run, context) => {
    const read = readText(run, context)
    if (read === null) return null
    const { aois, words, wordAt, durationUs } = read
    const measured = measureReading(words.length, wordAt, durationUs)
    const indexes = Int32Array.from(words, ({ aoi }) => aoi)
    const cells: Cells[] = [
      { kind: 'texts', dictionary: aois.ids, indexes },
      { kind: 'texts', dictionary: aois.names, indexes },
      wholes(Int32Array.from(words, (_, w) => w + 1)),
      wholes(Int32Array.from(words, ({ line }) => line)),
      ...measureCells(measured),
      ...(context.plan.parameters.extras ? [...runCells(measured, durationUs), ...landingCells(read, measured)] : []),
    ]
    return { n: words.length, cells }
  },
})

export const readingLines: ExportEntry = exportOfTests(ITEM_PARTICIPANT_TEST, {
  ...SHARED,
  name: 'reading-lines',
  path: 'eye-tracking/reading-lines',
  title: 'Reading measures of lines',
  rowPer: 'test and line',
  columns: [
    column('line_index', 'int', '', 'Line that the names of its words begin with'),
    column('word_count', 'int', 'words', 'Words of the line'),
    column('fixated_word_count', 'int', 'words', 'Words of the line with a fixation'),
    column('skipped_word_count', 'int', 'words', 'Words of the line that were skipped in first pass'),
    ...measureColumns('line'),
    column('regression_within_count', 'int', 'regressions', 'How often gaze went to an earlier word of the line'),
  ],
  extras: { runs: runColumns('line') },
  estimateBytes: ({ aoiTests }) => aoiTests * 400,
  compute: (run, context) => {
    const read = readText(run, context)
    if (read === null) return null
    const { words, wordAt, durationUs } = read
    const { lines, lineOfWord } = linesOf(words)
    const lineAt = wordAt.map((word) => (word === -1 ? -1 : lineOfWord[word]))
    const measured = measureReading(words.length, wordAt, durationUs)
    const measuredLines = measureReading(lines.length, lineAt, durationUs)
    const countOf = (isIt: (word: UnitReading) => boolean) => {
      const counts = new Int32Array(lines.length)
      for (const [w, word] of measured.entries()) if (isIt(word)) counts[lineOfWord[w]]++
      return wholes(counts)
    }
    const cells: Cells[] = [
      wholes(Int32Array.from(lines)),
      countOf(() => true),
      countOf(({ fixations }) => fixations > 0),
      countOf(({ isSkipped }) => isSkipped === 1),
      ...measureCells(measuredLines),
      wholes(regressionsWithin(lines.length, wordAt, lineAt)),
      ...(context.plan.parameters.extras ? runCells(measuredLines, durationUs) : []),
    ]
    return { n: lines.length, cells }
  },
})

type TextRead = NonNullable<ReturnType<typeof readText>>

/** Returns the words of a test's item, and the fixations in them, without those from before reading begins. */
function readText(run: TestRun, context: ExportContext) {
  const { item } = run.identity
  const aois = context.aoisOf(item)
  const words = wordsOf(aois.names)
  if (words.length === 0) return null
  const found = context.fixationsOf(run, context.gazeOf(run))
  const grid = context.aoiGridOf(item)
  const { readingFrom, lines } = context.plan.parameters
  const startUs = (f: number) => found.startUs[f]
  const isAt = typeof readingFrom === 'number'
  const firstTaken = isAt ? startOfReading(readingFrom, words, new Int32Array(found.n), startUs) : 0
  const aoisAt =
    lines === undefined ? aoisOfFixations(grid, found) : aoisOnLines(run, context, words, found, firstTaken)
  const wordAt = wordsAt(words, aois.n, aoisAt)
  wordAt.fill(-1, 0, startOfReading(readingFrom, words, wordAt, startUs))
  return { aois, words, wordAt, grid, found, durationUs: (f: number) => found.endUs[f] - found.startUs[f] }
}

/** Returns the word of each fixation: the first in reading order among several, -1 for none. */
function wordsAt(words: TextWord[], aoiCount: number, aoisOf: number[][]): Int32Array {
  const wordOfAoi = new Int32Array(aoiCount).fill(-1)
  for (const [w, { aoi }] of words.entries()) wordOfAoi[aoi] = w
  return Int32Array.from(aoisOf, (aois) => {
    let first = -1
    for (const aoi of aois) {
      const word = wordOfAoi[aoi]
      if (word !== -1 && (first === -1 || word < first)) first = word
    }
    return first
  })
}

/** Returns 1 or 0; 2 for a word without a first pass. */
function firstPassRegression({ goPastUs, rightBoundedUs }: UnitReading): number {
  if (Number.isNaN(goPastUs)) return 2
  return goPastUs > rightBoundedUs ? 1 : 0
}
