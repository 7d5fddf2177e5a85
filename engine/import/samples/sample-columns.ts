import { DAY_MS, flag, MAX_PX, number, required, uuid } from '../bundle/parse-cell.ts'

/** The columns that samples.csv and samples.parquet may have. */
export const SAMPLE_COLUMNS = [
  'test_id',
  't_ms',
  'gaze_x_px',
  'gaze_y_px',
  'scroll_y_px',
  'mouse_x_px',
  'mouse_y_px',
  'is_click',
] as const
/** The others may be missing: a bundle with only gaze is normal. */
export const NEEDED_SAMPLE_COLUMNS = ['test_id', 't_ms']

/** Largest number of samples of a test. */
export const SAMPLES_MAX = 4_000_000

/** The rules of the cells, which SQL repeats for whole files. */
const px = number(-MAX_PX, MAX_PX)
export const SAMPLE_CELLS = {
  test_id: uuid,
  t_ms: required(number(-DAY_MS, DAY_MS)),
  gaze_x_px: px,
  gaze_y_px: px,
  scroll_y_px: px,
  mouse_x_px: px,
  mouse_y_px: px,
  is_click: flag,
}
export const UNKNOWN_TEST = 'must be the id of a test in tests.csv'
