import type { Column } from '../model/columns.ts'
import type { Parameters } from '../model/parameters.ts'
import { columnsOf } from './columns/columns-of.ts'
import type { ExportEntry } from './columns/export-entry.ts'
import type { StudyFacts } from './columns/study-facts.ts'

/** A field of a Table Schema; `unit`, `optional` and `formulaGuard` are our additions. */
export type SchemaField = {
  name: string
  type: 'string' | 'integer' | 'number' | 'boolean' | 'datetime' | 'array'
  format?: 'uuid' | 'uri' | 'any'
  unit: string | null
  description: string
  missingValues: string[]
  constraints?: { required: true }
  optional?: true
  /** True if its CSV text may begin with an added `'`: see `guardFormula`. */
  formulaGuard?: true
}

const FIELD_TYPES: Record<Column['type'], Pick<SchemaField, 'type' | 'format'>> = {
  uuid: { type: 'string', format: 'uuid' },
  string: { type: 'string' },
  url: { type: 'string', format: 'uri' },
  int: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  datetime: { type: 'datetime', format: 'any' },
  json: { type: 'array' },
}

/**
 * Returns the Table Schema (Frictionless, Data Package 2.0) of an export for a study.
 *
 * @param formulaGuard whether its CSV has the guard
 * @param parameters of a plan
 */
export function tableSchema(
  entry: ExportEntry,
  facts: StudyFacts,
  formulaGuard: boolean,
  parameters: Partial<Parameters> = {},
) {
  const { columns, rowPer, title } = entry
  return {
    $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
    title,
    description: `One row per ${rowPer}`,
    fields: columnsOf(entry, facts, parameters).map(
      ({ name, type, unit, meaning, missing, isGuarded }): SchemaField => ({
        name,
        ...FIELD_TYPES[type],
        unit: unit === '' ? null : unit,
        description: meaning,
        missingValues: missing === null ? [] : [missing],
        ...(missing === null ? { constraints: { required: true } } : {}),
        ...(columns.some((column) => column.name === name) ? {} : { optional: true }),
        ...(isGuarded && formulaGuard ? { formulaGuard: true } : {}),
      }),
    ),
    missingValues: [''],
  }
}
