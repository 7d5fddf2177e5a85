import { measureReading, type Word, type WordReading, wordsOf } from '../../compute/reading.ts'
import { aoisOfFixations } from '../../compute/visits.ts'
import { type Cells, column, flags, microseconds, wholes } from '../../model/columns.ts'
import { aoiId, aoiName } from '../columns/aoi-identity.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST, identityCells } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { FIXATION_FILTER } from './fixations.ts'

const FIRST_PASS = 'empty if it was not fixated in first pass'

export const reading: ExportEntry = {
  name: 'reading',
  path: 'eye-tracking/reading',
  variant: null,
  title: 'Reading measures',
  rowPer: 'test and word',
  listed: FIXATION_FILTER,
  takesWindow: true,
  columns: [
    ...ITEM_PARTICIPANT_TEST,
    aoiId,
    aoiName,
    column('word_index', 'int', '', 'Order within the text, from 1'),
    column('line_index', 'int', '', 'Line that the name of the AOI begins with'),
    column('word_fixation_count', 'int', 'fixations', 'Fixations of the word'),
    column(
      'word_skipped',
      'boolean',
      '',
      'Whether a later word was fixated before it; empty if neither it nor a later one was fixated',
      '',
    ),
    column('first_fixation_duration_ms', 'int', 'ms', `Its first fixation in first pass; ${FIRST_PASS}`, ''),
    column('single_fixation_duration_ms', 'int', 'ms', 'The same, if it was the only one in first pass', ''),
    column('first_pass_duration_ms', 'int', 'ms', `Its fixations in first pass, or gaze duration; ${FIRST_PASS}`, ''),
    column('go_past_duration_ms', 'int', 'ms', `All fixations from first pass until a later word; ${FIRST_PASS}`, ''),
    column('right_bounded_duration_ms', 'int', 'ms', `Of these, its own; ${FIRST_PASS}`, ''),
    column('rereading_duration_ms', 'int', 'ms', 'Its fixations after first pass, or without one'),
    column('total_duration_ms', 'int', 'ms', 'All of its fixations'),
    column('first_pass_regression', 'boolean', '', `Whether gaze went back before it went past; ${FIRST_PASS}`, ''),
    column('regression_in_count', 'int', 'regressions', 'How often gaze came back to it from a later word'),
    column('regression_out_count', 'int', 'regressions', 'How often gaze went from it to an earlier word'),
    NOTES,
  ],
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ aoiTests, aoiTestBytes }) => aoiTests * 400 + aoiTestBytes,
  kind: 'rows',
  compute: (run, context) => {
    const { item } = run.identity
    const aois = context.aoisOf(item)
    const words = wordsOf(aois.names)
    if (words.length === 0) return null
    const found = context.fixationsOf(run, context.gazeOf(run))
    const wordAt = wordsAt(words, aois.n, aoisOfFixations(context.aoiGridOf(item), found))
    const measured = measureReading(words.length, wordAt, (f) => found.endUs[f] - found.startUs[f])
    const numbers = (value: (word: WordReading) => number) => Float64Array.from(measured, value)
    const indexes = Int32Array.from(words, ({ aoi }) => aoi)
    const cells: Cells[] = [
      ...identityCells(ITEM_PARTICIPANT_TEST, run.identity),
      { kind: 'texts', dictionary: aois.ids, indexes },
      { kind: 'texts', dictionary: aois.names, indexes },
      wholes(Int32Array.from(words, (_, w) => w + 1)),
      wholes(Int32Array.from(words, ({ line }) => line)),
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
      NO_NOTES,
    ]
    return { n: words.length, cells }
  },
}

/** Returns the word of each fixation: the first in reading order if it is in several, -1 if in none. */
function wordsAt(words: Word[], aoiCount: number, aoisOf: number[][]): Int32Array {
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

/** Returns 1 or 0, and 2 for a word without first pass. */
function firstPassRegression({ goPastUs, rightBoundedUs }: WordReading): number {
  if (Number.isNaN(goPastUs)) return 2
  return goPastUs > rightBoundedUs ? 1 : 0
}
