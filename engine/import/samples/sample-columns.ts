import { EYE_NAMES, type EyeName } from '../../model/eye-columns.ts'
import { type Cell, DAY_MS, flagCell, MAX_PX, numberCell, required, size, uuid } from '../bundle/parse-cell.ts'

/** Allowed columns of samples.csv and samples.parquet. */
export const SAMPLE_COLUMNS = [
  'test_id',
  't_ms',
  'gaze_x_px',
  'gaze_y_px',
  'scroll_y_px',
  'mouse_x_px',
  'mouse_y_px',
  'is_click',
  ...EYE_NAMES,
] as const
export type SampleName = (typeof SAMPLE_COLUMNS)[number]
/** Required columns; the others may be absent, since many bundles have only gaze. */
export const NEEDED_SAMPLE_COLUMNS = ['test_id', 't_ms']

/** Largest pupil in any unit, and largest distance of an eye from the tracker. */
const MAX_PUPIL = 1e7
const MAX_DISTANCE_MM = 1e5

/** Largest number of samples of a test. */
export const SAMPLES_MAX = 4_000_000

/** Rules for cells; SQL checks the same rules for whole files. */
const px = numberCell(-MAX_PX, MAX_PX)
const pupil = size(MAX_PUPIL)
const distance = size(MAX_DISTANCE_MM)
const EYE_CELLS: Record<EyeName, Cell<number | null>> = {
  left_gaze_x_px: px,
  left_gaze_y_px: px,
  right_gaze_x_px: px,
  right_gaze_y_px: px,
  left_pupil: pupil,
  right_pupil: pupil,
  left_eye_distance_mm: distance,
  right_eye_distance_mm: distance,
}
export const SAMPLE_CELLS = {
  test_id: uuid,
  t_ms: required(numberCell(-DAY_MS, DAY_MS)),
  gaze_x_px: px,
  gaze_y_px: px,
  scroll_y_px: px,
  mouse_x_px: px,
  mouse_y_px: px,
  is_click: flagCell,
  ...EYE_CELLS,
}
/** Largest absolute value of a numeric column except the time; only columns that are not sizes may be negative. */
export function largest(name: SampleName): { max: number; isSize: boolean } {
  if (name.endsWith('_pupil')) return { max: MAX_PUPIL, isSize: true }
  return name.endsWith('_mm') ? { max: MAX_DISTANCE_MM, isSize: true } : { max: MAX_PX, isSize: false }
}
export const UNKNOWN_TEST = 'must be the id of a test in tests.csv'
