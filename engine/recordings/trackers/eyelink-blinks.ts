/** A blink of one eye, on the tracker's clock; `endMs` is its last sample, or Infinity if no line ends it. */
export type Blink = { isRight: boolean; startMs: number; endMs: number }

/**
 * Adds a blink, or its end, from a line `SBLINK eye start` or `EBLINK eye start end`. The times in the lines count, not
 * the order of the lines: the tracker may write the end of one eye's blink after a later end of the other's.
 *
 * @returns number of blinks added
 */
export function addBlink(blinks: Blink[], text: string): number {
  const [, kind, eye, start, end] = /^([SE])BLINK\s+([LR])\s+([\d.]+)(?:\s+([\d.]+))?/.exec(text) ?? []
  if (kind === undefined) return 0
  const isRight = eye === 'R'
  const open = blinks.findLast((blink) => blink.isRight === isRight)
  const isOpen = open?.endMs === Number.POSITIVE_INFINITY
  // The line at a blink's start may be written late; that of its end has both times.
  if (isOpen && kind === 'E')
    Object.assign(open, { startMs: Number(end ? start : open.startMs), endMs: Number(end ?? start) })
  if (isOpen) return 0
  blinks.push({
    isRight,
    startMs: Number(start),
    endMs: kind === 'E' ? Number(end ?? start) : Number.POSITIVE_INFINITY,
  })
  return 1
}

/**
 * Returns a function that tells whether an eye was in a blink, for times that mostly ascend.
 *
 * @param isRight null for blinks of either eye
 */
export function blinkFinder(blinks: Blink[], isRight: boolean | null): (tMs: number) => boolean {
  const own = blinks.filter((blink) => isRight === null || blink.isRight === isRight)
  own.sort((a, b) => a.startMs - b.startMs)
  let [at, lastMs] = [0, Number.NEGATIVE_INFINITY]
  return (tMs) => {
    if (tMs < lastMs) at = 0
    lastMs = tMs
    while (at < own.length && own[at].endMs < tMs) at++
    return at < own.length && own[at].startMs <= tMs
  }
}
