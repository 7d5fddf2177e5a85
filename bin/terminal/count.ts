/** Formats a count with its noun: "1 study", "12,345 samples". */
export function countText(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`
}

/** Formats a whole number with commas. toLocaleString would first load languages, for 40 ms. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',')
}
