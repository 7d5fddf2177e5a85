import { type ChosenEye, EYE_PAIRS, type Eyes } from '../model/eye-columns.ts'

/** Clears eye positions with only one coordinate: both become NaN. */
export function forgetHalves(x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < x.length; i++) if (Number.isNaN(x[i]) !== Number.isNaN(y[i])) x[i] = y[i] = Number.NaN
}

/** Returns whether the columns contain gaze of at least one eye. */
export function haveGaze(eyes: Eyes): boolean {
  return EYE_PAIRS.some(([x, y]) => eyes[x] !== undefined && eyes[y] !== undefined)
}

/**
 * Copies the gaze of the chosen eyes; NaN if lost.
 *
 * @param eyes columns of length n; a missing column counts as lost
 * @param outX, outY length n, overwritten
 */
export function gazeOfEye(eyes: Eyes, eye: ChosenEye, outX: Float64Array, outY: Float64Array): void {
  const { leftGazeXPx, leftGazeYPx, rightGazeXPx, rightGazeYPx } = eyes
  const own = { left: { leftGazeXPx, leftGazeYPx }, right: { rightGazeXPx, rightGazeYPx }, either: eyes, both: eyes }
  meanOfEyes(own[eye], outX, outY)
  if (eye !== 'both') return
  for (let i = 0; i < outX.length; i++) {
    const isLost = Number.isNaN(leftGazeXPx?.[i] ?? Number.NaN) || Number.isNaN(rightGazeXPx?.[i] ?? Number.NaN)
    if (isLost) outX[i] = outY[i] = Number.NaN
  }
}

/**
 * Computes the mean gaze of the available eyes: that of one if the other is lost or was not recorded, NaN if both are.
 *
 * @param eyes columns of length n
 * @param outX, outY length n, overwritten
 */
export function meanOfEyes(eyes: Eyes, outX: Float64Array, outY: Float64Array): void {
  for (let i = 0; i < outX.length; i++) meanOfEyesAt(eyes, i, outX, outY)
}

/** Computes the mean gaze of one sample, as `meanOfEyes` does for all. */
export function meanOfEyesAt(eyes: Eyes, i: number, outX: Float64Array, outY: Float64Array): void {
  const { leftGazeXPx: leftX, leftGazeYPx: leftY, rightGazeXPx: rightX, rightGazeYPx: rightY } = eyes
  const lx = leftX && leftY && !Number.isNaN(leftY[i]) ? leftX[i] : Number.NaN
  const rx = rightX && rightY && !Number.isNaN(rightY[i]) ? rightX[i] : Number.NaN
  const hasLeft = !Number.isNaN(lx)
  const hasRight = !Number.isNaN(rx)
  if (hasLeft && hasRight) {
    outX[i] = (lx + rx) / 2
    outY[i] = (leftY![i] + rightY![i]) / 2
  } else {
    outX[i] = hasLeft ? lx : rx
    outY[i] = hasLeft ? leftY![i] : hasRight ? rightY![i] : Number.NaN
  }
}
