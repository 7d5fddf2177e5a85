import type { EyeColumn, Eyes } from '../../model/eye-columns.ts'

/**
 * Samples on their way from a reader to a bundle: columns of equal length, of which the first `n` rows count. Rows of
 * several tests may stand in one batch, in any order between tests; within a test in recorded order. A reader fills the
 * same batch again and again, so a batch has to be used before the next is asked for.
 */
export type Batch = {
  n: number
  /** Index into the draft's tests. */
  test: Int32Array
  /** Times on the clock of the recording; the draft's test knows where the onset of the item lies on it. */
  tMs: Float64Array
  /** Gaze in the screen or window, from its upper left corner; NaN where lost. */
  gazeXPx: Float64Array
  gazeYPx: Float64Array
  /** NaN where there is none; a reader that has none leaves these alone. */
  scrollYPx: Float64Array
  mouseXPx: Float64Array
  mouseYPx: Float64Array
  isClick: Uint8Array
  /** Columns of eyes, of readers that have any: see `eyeColumn`. NaN where lost. */
  eyes: Eyes
}

export const BATCH_ROWS = 16_384

export function makeBatch(): Batch {
  const lost = () => new Float64Array(BATCH_ROWS).fill(Number.NaN)
  return {
    n: 0,
    test: new Int32Array(BATCH_ROWS),
    tMs: new Float64Array(BATCH_ROWS),
    gazeXPx: lost(),
    gazeYPx: lost(),
    scrollYPx: lost(),
    mouseXPx: lost(),
    mouseYPx: lost(),
    isClick: new Uint8Array(BATCH_ROWS),
    eyes: {},
  }
}

/** Returns a column of eyes of a batch, which all of its rows then have. */
export function eyeColumn({ eyes }: Batch, name: EyeColumn): Float64Array {
  eyes[name] ??= new Float64Array(BATCH_ROWS).fill(Number.NaN)
  return eyes[name]
}

/** Empties a full batch but for its last row, which becomes the first. */
export function keepLastRow(batch: Batch): void {
  const { eyes, n: _, ...columns } = batch
  for (const values of [...Object.values(columns), ...Object.values(eyes)]) values[0] = values[BATCH_ROWS - 1]
  // The next file may not have the columns of this one.
  for (const values of Object.values(eyes)) values.fill(Number.NaN, 1)
  batch.n = 1
}
