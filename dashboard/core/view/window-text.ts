import type { Settings } from './chart-settings.ts'

/** Value for "no end" that overrides the end of an analysis. */
export const NO_END = '999999999'

/** Describes the time window of the settings, from item onset: `0 to 4 s`, `from 1.5 s on`; null for the whole time. */
export function windowText({ fromMs, toMs }: Pick<Settings, 'fromMs' | 'toMs'>): string | null {
  const from = fromMs === '' || fromMs === '0' ? null : fromMs
  const to = toMs === '' || toMs === NO_END ? null : toMs
  const inSeconds = (ms: string | null) => String(Number(ms) / 1000)
  if (from === null && to === null) return null
  if (to === null) return `from ${inSeconds(from)} s on`
  return `${inSeconds(from)} to ${inSeconds(to)} s`
}
