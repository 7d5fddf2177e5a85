import { nice, tickStep, ticks } from 'd3-array'

/** Linear scale of an axis, which clamps: places in px of values, and values of places. */
export type Scale = ((value: number) => number) & {
  /** Values at the ends. */
  of: Ends
  /** Returns the value at a place. */
  invert: (px: number) => number
}

type Ends = [from: number, to: number]

/** Returns a scale from values to places. A range of one value has its place in the middle, as with d3-scale. */
export function linearScale(of: Ends, px: Ends): Scale {
  const within = clamped(of)
  const place = between(of, px)
  const value = between(px, of)
  return Object.assign((at: number) => place(within(at)), { of, invert: (at: number) => within(value(at)) })
}

/** Extends the ends of a range to round values. */
export function niceEnds([from, to]: Ends): Ends {
  return nice(from, to, 10) as Ends
}

/** Returns round values of a scale with their texts. @param n about how many */
export function ticksOf({ of: [from, to] }: Scale, n: number): { at: number; text: string }[] {
  const decimals = decimalsOf(Math.abs(tickStep(from, to, n)))
  return ticks(from, to, n).map((at) => ({ at, text: tickText(at, decimals) }))
}

/** Returns how many decimals tell multiples of a step apart; a scale of one value has no step. */
function decimalsOf(step: number): number {
  return step === 0 ? 6 : Math.max(0, -Number(step.toExponential().split('e')[1]))
}

function tickText(value: number, decimals: number): string {
  const digits = Math.abs(value).toFixed(decimals)
  const sign = value < 0 && Number(digits) !== 0 ? '−' : ''
  const [whole, ...fraction] = digits.split('.')
  return sign + [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.')
}

function between([from, to]: Ends, [start, end]: Ends): (value: number) => number {
  if (from === to) return () => start * 0.5 + end * 0.5
  return (value) => {
    const share = (value - from) / (to - from)
    return start * (1 - share) + end * share
  }
}

function clamped([from, to]: Ends): (value: number) => number {
  const [least, most] = from < to ? [from, to] : [to, from]
  return (value) => Math.max(least, Math.min(most, value))
}
