import type { Measure } from '../../../shared/measures.ts'

/** Names a measure, and of whom it is. */
export function nameOfMeasure({ label, of }: Measure): string {
  return `${label}, of ${of}`
}

/** Prints p so that no digit is lost that matters: never as 0, never as a star. */
export function pText(p: number | null): string {
  if (p === null) return '–'
  return p < 0.0001 ? '< 0.0001' : p.toFixed(p < 0.01 ? 4 : 3)
}
