import type { Settings } from './chart-settings.ts'

/** Value for "no end" that overrides the end of an analysis. */
export const NO_END = '999999999'

/** Describes the time window of the settings, in ms from item onset; null for the whole time. */
export function windowText({ fromMs, toMs }: Pick<Settings, 'fromMs' | 'toMs'>): string | null {
  const from = fromMs === '' || fromMs === '0' ? null : fromMs
  const to = toMs === '' || toMs === NO_END ? null : toMs
  if (from === null && to === null) return null
  if (to === null) return `from ${from} ms`
  return `${from === null ? 'up' : `from ${from}`} to ${to} ms`
}
