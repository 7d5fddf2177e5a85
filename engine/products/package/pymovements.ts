import type { SchemaField } from '../../exports/table-schema.ts'
import { type PackagedTable, type PackageFacts, yamlText } from './package-facts.ts'

const POLARS: Record<SchemaField['type'], string> = {
  string: '!polars.Utf8',
  integer: '!polars.Int64',
  number: '!polars.Float64',
  boolean: '!polars.Boolean',
  datetime: '!polars.Utf8',
  array: '!polars.Utf8',
}

/** Table with one row for each gaze point, and tables with events. */
const GAZE = 'gazes-split'
const EVENTS = ['fixations', 'saccades']

/**
 * Describes the tables of a package as a dataset of pymovements (DatasetDefinition.from_yaml, since 0.26); null if the
 * package has none that it can read. Positions are percent of the displayed item, so the screen is given as 100 by 100.
 */
export function pymovementsDefinition({ studyId, title, description, recording, tables }: PackageFacts): string | null {
  const read = tables.filter(({ name, format }) => format === 'csv' && (name === GAZE || EVENTS.includes(name)))
  if (read.length === 0) return null
  const hz = recording?.nominalSamplingRateHz
  const distanceCm = recording?.viewingDistanceCm
  const lines = [
    `name: ${yamlText(`gazette-${studyId}`)}`,
    `long_name: ${yamlText(title)}`,
    `description: ${yamlText(description)}`,
    'resources:',
    ...read.flatMap(resource),
    '# Gaze is in percent of the displayed item: the screen here is that item, 100 by 100.',
    'experiment:',
    '  screen_width_px: 100',
    '  screen_height_px: 100',
    '  origin: "upper left"',
    ...(distanceCm === undefined ? [] : [`  distance_cm: ${distanceCm}`]),
    ...(hz === undefined ? [] : [`  sampling_rate: ${hz}`]),
  ]
  return `${lines.join('\n')}\n`
}

function resource({ name, path, fields }: PackagedTable): string[] {
  const gaze = [
    '      trial_columns: ["test_id"]',
    '      time_column: "gaze_timestamp_ms"',
    '      time_unit: "ms"',
    '      pixel_columns: ["gaze_x_percents", "gaze_y_percents"]',
  ]
  return [
    `  - content: ${name === GAZE ? 'gaze' : 'precomputed_events'}`,
    // The whole name, since it is compared with file names without folders.
    `    filename_pattern: ${yamlText(path.replace(/^.*\//, ''))}`,
    '    load_kwargs:',
    ...(name === GAZE ? gaze : []),
    '      read_csv_kwargs:',
    '        schema_overrides:',
    ...fields.map((field) => `          ${yamlText(field.name)}: ${POLARS[field.type]}`),
  ]
}
