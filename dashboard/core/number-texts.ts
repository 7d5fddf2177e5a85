/** Numbers and words as the pages show them. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export function count(value: number): string {
  return whole.format(value)
}

export function decimal(value: number | null): string {
  return value === null || Number.isNaN(value) ? '–' : oneDigit.format(value)
}

const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** For values of any size, such as 0.0123 % or 4,130 points. */
export function significant(value: number): string {
  return threeDigits.format(value)
}

/** Returns the text of a cell's whole value, for `data-value`; undefined for none. */
export function exactValue(value: number | null): string | undefined {
  return value === null || Number.isNaN(value) ? undefined : String(value)
}

const threeDecimals = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })

/** For results: every digit before the point and three behind it, of what is below 1 three that say something. */
export function result(value: number): string {
  return Math.abs(value) < 1 ? threeDigits.format(value) : threeDecimals.format(value)
}

/** Written from right to left, or a sign that turns the direction around. */
const TURNS =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/

/**
 * A name between signs that keep its direction to itself, for sentences, drawings and titles; elements have <bdi>. A
 * name that needs none stays as it is.
 */
export function isolate(name: string): string {
  return TURNS.test(name) ? `\u2068${name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')}\u2069` : name
}

/** "1 participant", "24 participants" */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** Returns the short title of a format: "CSV", "Arrow". */
export function formatTitle({ title }: { title: string }): string {
  return title.split(/[ ,]/)[0]
}

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let rest = value
  let unit = 0
  while (rest >= 999.5 && unit < units.length - 1) {
    rest /= 1000
    unit++
  }
  return `${rest < 10 && unit > 0 ? oneDigit.format(rest) : whole.format(rest)} ${units[unit]}`
}

export function seconds(ms: number): string {
  return `${oneDigit.format(ms / 1000)} s`
}

/** Formats the time left, roughly. */
export function timeLeft(etaSeconds: number | null): string {
  return etaSeconds === null ? 'remaining time unknown' : `about ${lasting(Math.max(1, Math.ceil(etaSeconds)))} left`
}

/** Formats how long something lasts, in the unit that fits. */
export function lasting(seconds: number): string {
  if (seconds < 10) return `${oneDigit.format(seconds)} s`
  if (seconds < 60) return `${whole.format(seconds)} s`
  if (seconds < 5400) return `${Math.ceil(seconds / 60)} min`
  if (seconds < 172_800) return `${oneDigit.format(seconds / 3600)} h`
  return `${whole.format(seconds / 86_400)} days`
}

export function dateTime(iso: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso))
}

export const GRADES = ['', 'Very Low', 'Low', 'Average', 'High', 'Very High', 'Perfect']

/** Returns the name of a participant on the pages: preferably the external id of the lab. */
export function nameOf({ externalId, displayName, id }: { externalId: string; displayName: string; id: string }) {
  return externalId || displayName || id.slice(0, 8)
}

/** A name as part of a file name. */
export function slug(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'item'
  )
}
