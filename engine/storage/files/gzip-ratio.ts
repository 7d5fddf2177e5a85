import { ServiceError } from '../../model/errors.ts'

/** Uncompressed bytes that are always allowed: too few to do harm. */
const FREE_BYTES = 64 * 2 ** 20
/**
 * Maximum compression ratio. Tables of gaze shrink to a tenth, those without gaze to a fiftieth, zeros to a thousandth.
 */
const RATIO_MAX = 200

/**
 * Refuses a decompression bomb: a file whose compression ratio no recording has.
 *
 * @param packedBytes read so far, or all
 * @throws ServiceError invalid_bundle
 */
export function checkRatio(name: string, unpackedBytes: number, packedBytes: number): void {
  if (unpackedBytes <= FREE_BYTES || unpackedBytes <= packedBytes * RATIO_MAX) return
  throw new ServiceError(
    'invalid_bundle',
    `${name} unpacks to more than ${RATIO_MAX} times its size, as no recording does: it is refused`,
  )
}
