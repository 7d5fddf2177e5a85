/** Converts milliseconds to whole microseconds, rounded half up, as in docs/signal.md, "Times and coordinates". */
export function toUs(ms: number): number {
  return Math.floor(ms * 1000 + 0.5)
}
