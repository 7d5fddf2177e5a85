import { linearScale, niceEnds, type Scale } from './scale.ts'

/** Axis of a plot. */
export type AxisOf = {
  /** Values at its ends. */
  of: [from: number, to: number]
  label?: string
  /** About how many ticks it has. */
  n?: number
  /** True to end at round values. */
  isNice?: boolean
  /** True if only whole numbers have ticks. */
  isWhole?: boolean
  /** True if the values on the left grow downwards. */
  isDown?: boolean
}

/** Area of the marks of a plot, in px of its drawing, and the scales, which clamp. */
export type Frame = { x: Scale; y: Scale; left: number; right: number; top: number; bottom: number }

export type FrameProps = {
  /** Width of the drawing, px. */
  width: number
  /** Height of the area of the marks, px. */
  plotPx: number
  x?: AxisOf
  y?: AxisOf
  /** Margins, px, where names or marks need other room than axes do. */
  top?: number
  left?: number
  right?: number
}

const SIDE_PX = 14
/** Half of the last number of an axis stands there. */
const RIGHT_PX = 22
const TICKS_LEFT_PX = 56
const LABEL_PX = 26

/** Returns the frame of a plot. A plot without an axis in one direction has the places of its frame there, in px. */
export function frameOf({ width, plotPx, x, y, ...given }: FrameProps): Frame {
  const top = given.top ?? (y?.label === undefined ? SIDE_PX : LABEL_PX)
  const left = given.left ?? (y === undefined ? SIDE_PX : TICKS_LEFT_PX)
  const right = width - (given.right ?? RIGHT_PX)
  const bottom = top + plotPx
  return {
    x: scaleOf(x, [left, right]),
    y: scaleOf(y, y?.isDown ? [top, bottom] : [bottom, top]),
    ...{ left, right, top, bottom },
  }
}

function scaleOf(axis: AxisOf | undefined, px: [number, number]): Scale {
  const of = axis?.of ?? px
  return linearScale(axis?.isNice ? niceEnds(of) : of, px)
}
