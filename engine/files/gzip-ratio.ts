import { ServiceError } from '../model/errors.ts'

/** Unpacked bytes allowed whatever the packed size: a small file cannot do harm. */
const FREE_BYTES = 64 * 2 ** 20
/** Tables of gaze shrink to a tenth, those without any gaze to a fiftieth; zeros, to a thousandth. */
const RATIO_MAX = 200

/**
 * Refuses what unpacks to so much more than it is that it can be no recording: a bomb.
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
