/** Numbers and words as the pages show them. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export function wholeText(value: number): string {
  return whole.format(value)
}

export function decimal(value: number | null): string {
  return value === null || Number.isNaN(value) ? '–' : oneDigit.format(value)
}

const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** Formats a value of any size to significant digits, such as 0.0123 % or 4,130 points. */
export function significant(value: number): string {
  return threeDigits.format(value)
}

/** Returns the text of a cell's whole value, for `data-value`; undefined for none. */
export function exactValue(value: number | null): string | undefined {
  return value === null || Number.isNaN(value) ? undefined : String(value)
}

const threeDecimals = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })

/** Formats a result: all digits before the decimal point and three after it; below 1, three significant digits. */
export function result(value: number): string {
  return Math.abs(value) < 1 ? threeDigits.format(value) : threeDecimals.format(value)
}

/** Right-to-left characters, and marks that change the text direction. */
const TURNS =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/

/**
 * Wraps a name in directional isolates, for sentences, drawings and titles; elements use <bdi>. A name without such
 * characters stays unchanged.
 */
export function isolate(name: string): string {
  return TURNS.test(name) ? `\u2068${name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')}\u2069` : name
}

/** Formats a count with its noun: "1 participant", "24 participants". */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${wholeText(value)} ${value === 1 ? one : many}`
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

/** Formats the remaining time, roughly. */
export function timeLeft(etaSeconds: number | null): string {
  return etaSeconds === null ? 'remaining time unknown' : `about ${lasting(Math.max(1, Math.ceil(etaSeconds)))} left`
}

/** Formats a duration in the unit that fits. */
export function lasting(seconds: number): string {
  if (seconds < 10) return `${oneDigit.format(seconds)} s`
  if (seconds < 60) return `${whole.format(seconds)} s`
  if (seconds < 5400) return `${Math.ceil(seconds / 60)} min`
  if (seconds < 172_800) return `${oneDigit.format(seconds / 3600)} h`
  return `${whole.format(seconds / 86_400)} days`
}

export function dateOf(iso: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }).format(new Date(iso))
}

export function dateTime(iso: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso))
}

export const GRADES = ['', 'Very Low', 'Low', 'Average', 'High', 'Very High', 'Perfect']

/** Returns the displayed name of a participant: the lab's external id, if there is one. */
export function participantLabel(given: { externalId: string; displayName: string; id: string }) {
  const { externalId, displayName, id } = given
  return externalId || displayName || id.slice(0, 8)
}

/** Converts a name to a part of a file name. */
export function slug(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'item'
  )
}
