/** Numbers and words as the pages show them. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export function count(value: number): string {
  return whole.format(value)
}

export function decimal(value: number | null): string {
  return value === null || Number.isNaN(value) ? '–' : oneDigit.format(value)
}

/** Formats a count: "1 participant", "24 participants". */
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
  if (etaSeconds === null) return 'time left not known yet'
  if (etaSeconds < 60) return `about ${Math.max(1, Math.ceil(etaSeconds))} s left`
  if (etaSeconds < 5400) return `about ${Math.ceil(etaSeconds / 60)} min left`
  return `about ${oneDigit.format(etaSeconds / 3600)} h left`
}

export function dateTime(iso: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso))
}

export const GRADES = ['', 'Very Low', 'Low', 'Average', 'High', 'Very High', 'Perfect']

/** Returns the name of a participant on the pages: preferably the external id of the lab. */
export function nameOf({ externalId, displayName, id }: { externalId: string; displayName: string; id: string }) {
  return externalId || displayName || id.slice(0, 8)
}
