import type { Samples } from '../../compute/gaze.ts'
import type { EyeColumn, Eyes } from '../../model/eye-columns.ts'

/**
 * Samples on their way from a reader to a bundle: columns of equal length, of which the first `n` rows are in use. A
 * batch may mix rows of several tests; the rows of each test are in recorded order. A reader reuses the same batch, so
 * consume it before you request the next. Gaze is in px of the screen or window, from its upper left corner. A reader
 * without scroll and mouse leaves these columns alone.
 */
export type Batch = Omit<Samples, 'tUs' | 'eyes'> & {
  /** Index into the draft's tests. */
  test: Int32Array
  /** Times on the clock of the recording; the draft's test has the item's onset on that clock. */
  tMs: Float64Array
  /** Eye columns, for readers that have any: see `eyeColumn`. NaN for lost. */
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

/** Returns an eye column of a batch, created if needed; all rows then have it. */
export function eyeColumn({ eyes }: Batch, name: EyeColumn): Float64Array {
  eyes[name] ??= new Float64Array(BATCH_ROWS).fill(Number.NaN)
  return eyes[name]
}

/** Empties a full batch except for its last row, which becomes the first. */
export function keepLastRow(batch: Batch): void {
  const { eyes, n: _, ...columns } = batch
  for (const values of [...Object.values(columns), ...Object.values(eyes)]) values[0] = values[BATCH_ROWS - 1]
  // The next file may not have the columns of this one.
  for (const values of Object.values(eyes)) values.fill(Number.NaN, 1)
  batch.n = 1
}
