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
