/** Types of columns, which decide what can be compared. */
export type FilterType = 'id' | 'text' | 'number' | 'boolean' | 'timestamp'

/**
 * A column that a filter may name. `sql` is its value, NULL if missing, in a row of the table `of`; `needsEarly` means
 * that it needs `early_count`, the number of samples before item onset, which that table lacks.
 */
export type FilterColumn = {
  name: string
  type: FilterType
  of: 'test' | 'participant'
  sql: string
  needsEarly?: boolean
}

const px = (column: string) => `floor(${column} * 1e6 + 0.5) / 1e6`
const double = (column: string) => `CAST(${column} AS DOUBLE)`
const flag = (column: string) => `COALESCE(${column}, FALSE)`

const printed = (value: string) => px(`(${value})`)
const percents = (part: string, whole: string) => printed(`100::DOUBLE * ${part} / nullif(${whole}, 0)`)

/** Data quality, with the names and values of the columns of `quality-stats` (docs/metrics.md). */
const QUALITY: Omit<FilterColumn, 'type' | 'of'>[] = [
  { name: 'test_sample_count', sql: double('sample_count - early_count'), needsEarly: true },
  { name: 'test_valid_sample_count', sql: double('valid_count') },
  {
    name: 'test_data_loss_percents',
    sql: percents('(sample_count - early_count - valid_count)', '(sample_count - early_count)'),
    needsEarly: true,
  },
  {
    name: 'test_sampling_rate_hz',
    sql: `CASE WHEN valid_count = 0 THEN NULL WHEN span_us = 0 THEN 0
      ELSE ${printed('(valid_count - 1) / span_us::DOUBLE * 1e6')} END`,
  },
  {
    name: 'test_data_integrity_percents',
    sql: `CASE WHEN recorded_us = 0 THEN 0
      ELSE ${printed('greatest(0, least(100, 100::DOUBLE * (1 - missing_us / recorded_us::DOUBLE)))')} END`,
  },
  { name: 'test_gaze_on_screen_percents', sql: percents('on_screen_count', 'windowed_count') },
]

/** Columns by name, with the values of the CSV; docs/filter.md lists them. */
const COLUMNS: FilterColumn[] = [
  { name: 'participant_id', type: 'id', of: 'test', sql: 'participant_id' },
  { name: 'item_id', type: 'id', of: 'test', sql: 'item_id' },
  { name: 'test_id', type: 'id', of: 'test', sql: 'test_id' },
  { name: 'participant_external_id', type: 'text', of: 'participant', sql: 'external_id' },
  { name: 'participant_display_name', type: 'text', of: 'participant', sql: 'display_name' },
  { name: 'participant_display_gender', type: 'text', of: 'participant', sql: 'display_gender' },
  { name: 'item_filename', type: 'text', of: 'test', sql: 'list_extract($filenames::VARCHAR[], item_index + 1)' },
  { name: 'test_finished_on_key', type: 'text', of: 'test', sql: 'finished_on_key' },
  { name: 'participant_age', type: 'number', of: 'participant', sql: double('age') },
  { name: 'participant_gender', type: 'number', of: 'participant', sql: double('gender') },
  { name: 'participant_quality_grade', type: 'number', of: 'participant', sql: double('quality_grade') },
  { name: 'participant_quality_grade_item', type: 'number', of: 'test', sql: double('quality_grade_item') },
  { name: 'test_item_display_order', type: 'number', of: 'test', sql: double('display_order') },
  { name: 'test_duration_ms', type: 'number', of: 'test', sql: double('(duration_us + 500) // 1000') },
  { name: 'test_click_count', type: 'number', of: 'test', sql: double('click_count') },
  { name: 'test_browser_width_px', type: 'number', of: 'test', sql: px('browser_width_px') },
  { name: 'test_browser_height_px', type: 'number', of: 'test', sql: px('browser_height_px') },
  ...QUALITY.map((column): FilterColumn => ({ ...column, type: 'number', of: 'test' })),
  { name: 'participant_is_completed', type: 'boolean', of: 'participant', sql: flag('is_completed') },
  { name: 'test_has_finished_on_click', type: 'boolean', of: 'test', sql: flag('has_finished_on_click') },
  { name: 'participant_created_at', type: 'timestamp', of: 'participant', sql: 'created_at' },
  { name: 'test_created_at', type: 'timestamp', of: 'test', sql: 'created_at' },
]

/** Column of tags, which may only be used in `list_contains`. */
export const TAGS = 'participant_tags'

/**
 * Returns the columns that filters of a study may name, by lower-case name.
 *
 * @param externalDataNames of the study, which consist of letters, digits and `_`
 */
export function filterColumns(externalDataNames: string[]): Map<string, FilterColumn> {
  const external = externalDataNames.map((name): FilterColumn => {
    const column = `external_data_${name}`
    return { name: column, type: 'text', of: 'participant', sql: column }
  })
  return new Map([...COLUMNS, ...external].map((column) => [column.name.toLowerCase(), column]))
}
