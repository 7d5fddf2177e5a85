import type { QualityData } from '../../core/api.ts'

/** Measure of one eye, or of both: a column of `quality-stats` with its label. */
export type EyeMeasure = {
  /** Index among the measures of an answer. */
  place: number
  column: string
  eye: 'left' | 'right' | 'both'
  label: string
  unit: string
}

/** Labels of columns, without eye and unit. */
const LABELS: Record<string, string> = {
  data_loss: 'samples without gaze',
  precision_window_rms_s2s: 'precision (RMS-S2S)',
  eye_disparity_median: 'distance between the gazes of both eyes',
  pupil_loss: 'samples without a pupil',
  blinks: 'blinks',
}
const UNITS: Record<string, string> = { percents: '%', deg: '°', per_minute: 'per minute' }
const COLUMN =
  /^(?:(left|right)_)?(data_loss|precision_window_rms_s2s|eye_disparity_median|pupil_loss|blinks)_(percents|deg|per_minute)$/

/**
 * Lists the eye measures of an answer, in degrees if known, or else in percent.
 *
 * @param from index of the first of them
 */
export function eyeMeasures(measures: QualityData['measures'], from: number): EyeMeasure[] {
  const columns = new Set(measures.map(({ column }) => column))
  return measures.slice(from).flatMap(({ column }, i) => {
    const found = COLUMN.exec(column)
    if (found === null) return []
    const [, side, kind, unit] = found
    if (unit === 'percents' && columns.has(column.replace(/percents$/, 'deg'))) return []
    const isOfItem = unit === 'percents' && /precision|disparity/.test(kind)
    const eye = (side as 'left' | 'right' | undefined) ?? 'both'
    return [{ place: from + i, column, eye, label: LABELS[kind], unit: isOfItem ? '% of the item' : UNITS[unit] }]
  })
}

/** Names a measure with its eye and unit. */
export function nameOfEyeMeasure({ eye, label, unit }: EyeMeasure): string {
  const name =
    eye === 'both' ? `${label[0].toUpperCase()}${label.slice(1)}` : `${eye === 'left' ? 'Left' : 'Right'} eye: ${label}`
  return `${name}, ${unit}`
}
