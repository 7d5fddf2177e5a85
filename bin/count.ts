/** "1 study", "12,345 samples". */
export function count(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`
}

/** A whole number with commas. Not by toLocaleString, for which 40 ms of languages are loaded first. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',')
}
