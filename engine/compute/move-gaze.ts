import type { Samples } from './gaze.ts'

/**
 * Returns samples whose gaze is moved by an offset; lost gaze stays lost. The gaze of each eye moves by the same
 * offset. The arrays of gaze are new; all others are shared.
 *
 * @param dxPx, dyPx in px of the window
 */
export function moveGaze(samples: Samples, { dxPx, dyPx }: { dxPx: number; dyPx: number }): Samples {
  const by = (px: number) => (column: Float64Array) => column.map((value) => value + px)
  const [right, down] = [by(dxPx), by(dyPx)]
  const moved = { ...samples, gazeXPx: right(samples.gazeXPx), gazeYPx: down(samples.gazeYPx) }
  if (samples.eyes === undefined) return moved
  const { leftGazeXPx, leftGazeYPx, rightGazeXPx, rightGazeYPx, ...others } = samples.eyes
  return {
    ...moved,
    eyes: {
      ...others,
      ...(leftGazeXPx && { leftGazeXPx: right(leftGazeXPx) }),
      ...(leftGazeYPx && { leftGazeYPx: down(leftGazeYPx) }),
      ...(rightGazeXPx && { rightGazeXPx: right(rightGazeXPx) }),
      ...(rightGazeYPx && { rightGazeYPx: down(rightGazeYPx) }),
    },
  }
}
