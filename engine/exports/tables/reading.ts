import {
  linesOf,
  measureReading,
  regressionsWithin,
  type TextWord,
  type UnitReading,
  wordsOf,
} from '../../compute/reading.ts'
import { aoisOfFixations } from '../../compute/visits.ts'
import { type Cells, type Column, column, flags, microseconds, wholes } from '../../model/columns.ts'
import { aoiId, aoiName } from '../columns/aoi-identity.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST, identityCells } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import type { ExportContext, TestRun } from '../columns/test-context.ts'
import { FIXATION_FILTER } from './fixations.ts'

const SHARED = {
  variant: null,
  listed: FIXATION_FILTER,
  takesWindow: true,
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

export const reading: ExportEntry = {
  ...SHARED,
  name: 'reading',
  path: 'eye-tracking/reading',
  title: 'Reading measures',
  rowPer: 'test and word',
  columns: [
    ...ITEM_PARTICIPANT_TEST,
    aoiId,
    aoiName,
    column('word_index', 'int', '', 'Order within the text, from 1'),
    column('line_index', 'int', '', 'Line that the name of the AOI begins with'),
    ...measureColumns('word'),
    NOTES,
  ],
  estimateBytes: ({ aoiTests, aoiTestBytes }) => aoiTests * 400 + aoiTestBytes,
  compute: (run, context) => {
    const read = readText(run, context)
    if (read === null) return null
    const { aois, words, wordAt, durationUs } = read
    const indexes = Int32Array.from(words, ({ aoi }) => aoi)
    const cells: Cells[] = [
      ...identityCells(ITEM_PARTICIPANT_TEST, run.identity),
      { kind: 'texts', dictionary: aois.ids, indexes },
      { kind: 'texts', dictionary: aois.names, indexes },
      wholes(Int32Array.from(words, (_, w) => w + 1)),
      wholes(Int32Array.from(words, ({ line }) => line)),
      ...measureCells(measureReading(words.length, wordAt, durationUs)),
      NO_NOTES,
    ]
    return { n: words.length, cells }
  },
}

export const readingLines: ExportEntry = {
  ...SHARED,
  name: 'reading-lines',
  path: 'eye-tracking/reading-lines',
  title: 'Reading measures of lines',
  rowPer: 'test and line',
  columns: [
    ...ITEM_PARTICIPANT_TEST,
    column('line_index', 'int', '', 'Line that the names of its words begin with'),
    column('word_count', 'int', 'words', 'Words of the line'),
    column('fixated_word_count', 'int', 'words', 'Words of the line with a fixation'),
    column('skipped_word_count', 'int', 'words', 'Words of the line that were skipped in first pass'),
    ...measureColumns('line'),
    column('regression_within_count', 'int', 'regressions', 'How often gaze went to an earlier word of the line'),
    NOTES,
  ],
  estimateBytes: ({ aoiTests }) => aoiTests * 400,
  compute: (run, context) => {
    const read = readText(run, context)
    if (read === null) return null
    const { words, wordAt, durationUs } = read
    const { lines, lineOfWord } = linesOf(words)
    const lineAt = wordAt.map((word) => (word === -1 ? -1 : lineOfWord[word]))
    const measured = measureReading(words.length, wordAt, durationUs)
    const countOf = (isIt: (word: UnitReading) => boolean) => {
      const counts = new Int32Array(lines.length)
      for (const [w, word] of measured.entries()) if (isIt(word)) counts[lineOfWord[w]]++
      return wholes(counts)
    }
    const cells: Cells[] = [
      ...identityCells(ITEM_PARTICIPANT_TEST, run.identity),
      wholes(Int32Array.from(lines)),
      countOf(() => true),
      countOf(({ fixations }) => fixations > 0),
      countOf(({ isSkipped }) => isSkipped === 1),
      ...measureCells(measureReading(lines.length, lineAt, durationUs)),
      wholes(regressionsWithin(lines.length, wordAt, lineAt)),
      NO_NOTES,
    ]
    return { n: lines.length, cells }
  },
}

/** Returns the words of a test's item, and the fixations in them. */
function readText(run: TestRun, context: ExportContext) {
  const { item } = run.identity
  const aois = context.aoisOf(item)
  const words = wordsOf(aois.names)
  if (words.length === 0) return null
  const found = context.fixationsOf(run, context.gazeOf(run))
  const wordAt = wordsAt(words, aois.n, aoisOfFixations(context.aoiGridOf(item), found))
  return { aois, words, wordAt, durationUs: (f: number) => found.endUs[f] - found.startUs[f] }
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
