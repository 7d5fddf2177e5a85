import { type Measure, withUnit } from '../../../isomorphic/measures.ts'

/** Names a measure with its population. */
export function nameOfMeasure({ label, of }: Measure): string {
  return `${label}, of ${of}`
}

/** Names a measure with its population and its unit. */
export function nameWithUnit(measure: Measure): string {
  return withUnit({ label: nameOfMeasure(measure), unit: measure.unit })
}

/** Says whose values a measure has. */
export function populationOf({ of }: Measure): string {
  return of === 'readers'
    ? 'Only words have values, of readers who have one: times of the first pass, of those who fixated the word in first pass; skipping, of those who got that far.'
    : 'Viewers are participants with valid gaze; their value is 0 if they did not look. Lookers are viewers with a fixation in the AOI.'
}

/** Formats p without losing significant digits: never as 0, never as stars. */
export function pText(p: number | null): string {
  if (p === null) return '–'
  return p < 0.0001 ? '< 0.0001' : p.toFixed(p < 0.01 ? 4 : 3)
}

/** Returns p as in a sentence: `p = 0.012`, `p < 0.0001`. */
export function pEquals(p: number): string {
  return `p = ${pText(p)}`.replace('= <', '<')
}
