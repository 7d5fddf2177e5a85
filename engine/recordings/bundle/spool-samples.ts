import { forgetHalves } from '../../compute/eyes.ts'
import { inGib, type SampleLimits } from '../../import/bundle/bundle-limits.ts'
import { MAX_PX } from '../../import/bundle/parse-cell.ts'
import { largest } from '../../import/samples/sample-columns.ts'
import { type SampleColumns, uuidWords } from '../../import/samples/samples-parquet.ts'
import { ServiceError } from '../../model/errors.ts'
import { EYE_COLUMN_NAMES, EYE_COLUMNS, EYE_PAIRS, type EyeColumn } from '../../model/eye-columns.ts'
import { toUs } from '../../model/microseconds.ts'
import { type Batch, makeBatch } from '../draft/batch.ts'
import { type Draft, noteDoubt, participantName } from '../draft/draft.ts'
import { type TestIndexes, takeRows } from '../draft/keep-tests.ts'
import { type Fingerprints, openFingerprints } from './fingerprints.ts'
import type { Spool } from './spool.ts'

/** Tallies of each test's samples, gathered while they are spooled; indexed like the draft's tests. */
export type Tallies = {
  samples: number
  lost: number
  tests: TestTallies
  prints: Fingerprints
  /** Eye columns with a value, in output order. */
  eyes: EyeColumn[]
}

type TestTallies = {
  firstMs: Float64Array
  lastMs: Float64Array
  /** Time of the last sample read. */
  nowMs: Float64Array
  /** Number of backward steps of the clock too large for two clocks or a late frame. */
  returns: Float64Array
}

export const CANCELED = 'the conversion was canceled, and nothing is left of it'

const DAY_MS = 86_400_000
const JITTER_MS = 100

/**
 * Writes a reader's batches to the spool. A gaze without x or y, or far from any screen, becomes lost.
 *
 * @throws ServiceError canceled; invalid_bundle beyond the limits
 */
export async function spoolBatches(
  spool: Spool,
  batches: AsyncIterable<Batch>,
  draft: Draft,
  limits: SampleLimits,
  onSamples?: (samples: number) => void,
  signal?: AbortSignal,
): Promise<Tallies> {
  let tests = emptyTallies(64)
  let [samples, lost, far, firstFar] = [0, 0, 0, Number.NaN]
  const eyes = new Set<EyeColumn>()
  const prints = openFingerprints()
  for await (const batch of batches) {
    refuseCanceled(signal)
    tests = grown(tests, draft.tests.length)
    const found = loseNowhere(batch)
    for (const name of filledEyes(batch)) eyes.add(name)
    if (far === 0) firstFar = found.firstFar
    far += found.far
    lost += found.lost
    tally(batch, tests)
    prints.take(batch)
    samples += batch.n
    refuseTooMuch(samples, spool.write(batch), batch, draft, limits)
    onSamples?.(samples)
  }
  noteFar(draft, far, firstFar)
  const all = { samples, lost, prints, tests: grown(tests, draft.tests.length) }
  return { ...all, eyes: EYE_COLUMN_NAMES.filter((name) => eyes.has(name)) }
}

/** Throws with the name of the file whose samples exceeded a limit. */
function refuseTooMuch(samples: number, bytes: number, { n, test }: Batch, draft: Draft, limits: SampleLimits): void {
  const { samplesMax, maxBytes } = limits
  if (samples <= samplesMax && bytes <= maxBytes) return
  const file = draft.participants[draft.tests[test[n - 1]].participant].files.at(-1)
  const rule =
    samples > samplesMax
      ? `at most ${samplesMax} samples (IMPORT_MAX_SAMPLES), and ${file} brings more`
      : `samples of at most ${inGib(maxBytes)} on disk (IMPORT_MAX_GIB), and ${file} brings more`
  throw new ServiceError('invalid_bundle', `the recordings must have ${rule}`)
}

function refuseCanceled(signal?: AbortSignal): void {
  if (signal?.aborted) throw new ServiceError('canceled', CANCELED)
}

function emptyTallies(n: number): TestTallies {
  return {
    firstMs: new Float64Array(n).fill(Number.POSITIVE_INFINITY),
    lastMs: new Float64Array(n).fill(Number.NEGATIVE_INFINITY),
    nowMs: new Float64Array(n).fill(Number.NEGATIVE_INFINITY),
    returns: new Float64Array(n),
  }
}

function grown(tallies: TestTallies, tests: number): TestTallies {
  const { length } = tallies.firstMs
  if (tests <= length) return tallies
  const larger = emptyTallies(Math.max(tests, 2 * length))
  for (const name of Object.keys(larger) as (keyof TestTallies)[]) larger[name].set(tallies[name])
  return larger
}

/**
 * Marks a gaze with only one coordinate as lost, and any position beyond the bounds of a bundle, which is a code of the
 * recording program.
 *
 * @returns the number of lost gazes, the number of positions out of bounds, and the first of these in px
 */
function loseNowhere(batch: Batch): { lost: number; far: number; firstFar: number } {
  const { n, gazeXPx, gazeYPx } = batch
  let [lost, far, firstFar] = [0, 0, Number.NaN]
  for (const values of [gazeXPx, gazeYPx, batch.mouseXPx, batch.mouseYPx, batch.scrollYPx]) {
    for (let i = 0; i < n; i++) {
      if (!(Math.abs(values[i]) > MAX_PX)) continue
      if (Number.isFinite(values[i]) && far++ === 0) firstFar = values[i]
      values[i] = Number.NaN
    }
  }
  for (let i = 0; i < n; i++) {
    if (gazeXPx[i] - gazeXPx[i] === 0 && gazeYPx[i] - gazeYPx[i] === 0) continue
    gazeXPx[i] = Number.NaN
    gazeYPx[i] = Number.NaN
    lost++
  }
  return { lost, far, firstFar }
}

/**
 * Makes eye values that break the rules of a bundle missing, such as a pupil of 0, or a position with only one
 * coordinate.
 *
 * @returns the columns that still have a value
 */
function filledEyes({ n, eyes }: Batch): EyeColumn[] {
  const given = EYE_COLUMN_NAMES.filter((name) => eyes[name] !== undefined)
  for (const name of given) {
    const values = eyes[name]!
    const { max, isSize } = largest(EYE_COLUMNS[name])
    for (let i = 0; i < n; i++) if (!(Math.abs(values[i]) <= max) || (isSize && values[i] <= 0)) values[i] = Number.NaN
  }
  for (const [x, y] of EYE_PAIRS) {
    const [xs, ys] = [eyes[x], eyes[y]]
    if (xs && ys) forgetHalves(xs, ys)
  }
  return given.filter((name) => eyes[name]!.subarray(0, n).some((value) => !Number.isNaN(value)))
}

function noteFar(draft: Draft, far: number, firstFar: number): void {
  if (far > 0)
    noteDoubt(
      draft,
      `${far.toLocaleString('en')} coordinates lie more than ${MAX_PX.toLocaleString('en')} px away, the first at ${firstFar} px, and count as lost: they look like a code`,
    )
}

function tally({ n, test, tMs }: Batch, { firstMs, lastMs, nowMs, returns }: TestTallies): void {
  for (let i = 0; i < n; i++) {
    const index = test[i]
    const t = tMs[i]
    if (t < firstMs[index]) firstMs[index] = t
    if (t > lastMs[index]) lastMs[index] = t
    if (t < nowMs[index] - JITTER_MS) returns[index]++
    nowMs[index] = t
  }
}

/**
 * Checks the times of tests: they reveal a wrong unit, and two recordings that were taken for one.
 *
 * @throws ServiceError invalid_bundle if samples lie more than a day from their onset
 */
export function checkTimes(draft: Draft, { tests: { firstMs, lastMs, returns } }: Tallies): void {
  const backwards: string[] = []
  for (const [index, { onsetMs, item, participant }] of draft.tests.entries()) {
    if (firstMs[index] > lastMs[index]) continue
    const who = `${participantName(draft.participants[participant])} at ${draft.items[item].key}`
    if (returns[index] > 0) backwards.push(who)
    const [first, last] = [firstMs[index] - onsetMs, lastMs[index] - onsetMs]
    if (first >= -DAY_MS && last <= DAY_MS) continue
    throw new ServiceError(
      'invalid_bundle',
      `the samples of ${who} lie from ${Math.round(first / 1000)} to ${Math.round(last / 1000)} s after the item's onset, which is more than a day: is the unit or the origin of the times right?`,
    )
  }
  if (backwards.length > 0)
    noteDoubt(
      draft,
      `times run backwards within ${backwards.length === 1 ? 'a test, that of' : `${backwards.length} tests, such as`} ${backwards[0]}: two recordings may have been taken for one`,
    )
}

/**
 * Returns a source of spooled rows for the Parquet writer, with the ids of their tests and times from onset; rows of
 * dropped tests are skipped.
 *
 * @throws ServiceError canceled
 */
export function unspool(
  spool: Spool,
  { tests }: Draft,
  given: { testIds: string[]; indexes: TestIndexes; onBatch: (batch: Batch) => void; signal?: AbortSignal },
): (columns: SampleColumns, wanted: number) => number {
  const { testIds, indexes, onBatch, signal } = given
  const words = new Uint32Array(4 * tests.length)
  for (const [i, id] of testIds.entries()) words.set(uuidWords(id), 4 * i)
  const onsets = Float64Array.from(tests, ({ onsetMs }) => onsetMs)
  const batch = makeBatch()
  let at = 0
  return (columns, wanted) => {
    refuseCanceled(signal)
    while (at === batch.n) {
      if (!spool.read(batch)) return 0
      takeRows(batch, indexes)
      onBatch(batch)
      at = 0
    }
    const n = Math.min(wanted, batch.n - at)
    for (let i = 0; i < n; i++) {
      const test = batch.test[at + i]
      columns.testId[4 * i] = words[4 * test]
      columns.testId[4 * i + 1] = words[4 * test + 1]
      columns.testId[4 * i + 2] = words[4 * test + 2]
      columns.testId[4 * i + 3] = words[4 * test + 3]
      // Whole µs, as in an import: a difference of two clocks has more digits than it means.
      columns.tMs[i] = toUs(batch.tMs[at + i] - onsets[test]) / 1000
    }
    columns.gazeXPx.set(batch.gazeXPx.subarray(at, at + n))
    columns.gazeYPx.set(batch.gazeYPx.subarray(at, at + n))
    columns.scrollYPx.set(batch.scrollYPx.subarray(at, at + n))
    columns.mouseXPx.set(batch.mouseXPx.subarray(at, at + n))
    columns.mouseYPx.set(batch.mouseYPx.subarray(at, at + n))
    columns.isClick.set(batch.isClick.subarray(at, at + n))
    for (const [name, values] of Object.entries(columns.eyes)) {
      const own = batch.eyes[name as EyeColumn]
      if (own) values.set(own.subarray(at, at + n))
      else values.fill(Number.NaN, 0, n)
    }
    at += n
    return n
  }
}
