import type { DuckDBConnection } from '@duckdb/node-api'
import { ServiceError } from '../../model/errors.ts'
import { nearest } from '../../model/nearest.ts'

/** A parsed query that only reads tables. */
export type Query = {
  text: string
  /** Lower-case names of the tables that it reads, and of its own (`WITH`). */
  tables: Set<string>
  /** True for DESCRIBE, SUMMARIZE or SHOW, which other statements can use only in FROM. */
  isDescription: boolean
  /** True if it needs only the columns of tables, but no rows. */
  isOfColumns: boolean
}

/**
 * Functions that may be called in FROM. Others read files, change settings of DuckDB, or take the name of a table as
 * text, which could name an export that was not computed.
 */
const FUNCTIONS = ['generate_series', 'json_each', 'json_tree', 'range', 'repeat', 'repeat_row', 'unnest']

/** Schemas of DuckDB's catalogue tables. */
const SCHEMAS = ['main', 'information_schema', 'pg_catalog']

type Tree = { [key: string]: unknown }

/**
 * Parses a query with DuckDB's own parser.
 *
 * @param known names of all tables
 * @throws ServiceError usage unless it is one query that reads known tables
 */
export async function checkSqlQuery(connection: DuckDBConnection, text: string, known: string[]): Promise<Query> {
  const [[serialized]] = (
    await connection.runAndReadAll('SELECT json_serialize_sql($text::VARCHAR)', { text })
  ).getRows()
  // A number beyond all doubles cannot be represented in JSON.
  const parsed = JSON.parse(String(serialized).replace(/:-?Infinity(?=[,}])/g, ':null')) as Parsed
  if (parsed.error) throw new ServiceError('usage', refusal(parsed, text))
  if (parsed.statements.length !== 1)
    throw new ServiceError(
      'usage',
      parsed.statements.length === 0
        ? 'there is no query'
        : `one query runs at a time, got ${parsed.statements.length}`,
    )
  const [{ node }] = parsed.statements
  const found = nodesIn(node)
  const own = found.flatMap(({ cte_map }) => ((cte_map as { map?: Tree[] })?.map ?? []).map(({ key }) => lower(key)))
  const read = found.filter(({ type }) => type === 'BASE_TABLE')
  for (const table of read) refuseTable(table, [...known, ...own])
  for (const { type, function: called } of found)
    if (type === 'TABLE_FUNCTION') refuseFunction(lower((called as Tree).function_name))
  const tables = new Set(read.map(({ table_name }) => lower(table_name)))
  const shown = node.from_table as Tree | undefined
  const isDescription = shown?.type === 'SHOW_REF'
  return { text, tables, isDescription, isOfColumns: isDescription && shown.show_type !== 'SUMMARY' }
}

type Parsed =
  | { error: true; error_type: string; error_message: string; position?: string | number }
  | { error: false; statements: { node: Tree }[] }

function refusal(failed: Parsed & { error: true }, text: string): string {
  if (failed.error_type !== 'parser')
    return 'only queries that read run here: SELECT, FROM, WITH, VALUES, DESCRIBE, SUMMARIZE or SHOW TABLES; put PIVOT into FROM (PIVOT … ON … IN (…))'
  const at = failed.position === undefined ? null : Number(failed.position)
  return `${failed.error_message}${at === null ? '' : ` (${placeOf(text, at)})`}`
}

/** Converts a byte position to a position in characters. */
function placeOf(text: string, byte: number): string {
  const lines = Buffer.from(text).subarray(0, byte).toString().split('\n')
  return `line ${lines.length}, character ${lines[lines.length - 1].length + 1}`
}

/** Returns all objects of a tree, without recursion, since a query may be deep. */
function nodesIn(root: Tree): Tree[] {
  const found: Tree[] = []
  const open: unknown[] = [root]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next)) found.push(next as Tree)
    open.push(...Object.values(next))
  }
  return found
}

const lower = (name: unknown) => String(name).toLowerCase()

function refuseTable({ catalog_name, schema_name, table_name }: Tree, known: string[]): void {
  const [catalog, schema, name] = [catalog_name, schema_name, table_name].map(lower)
  if (catalog === '' && (schema === '' || schema === 'main') && known.includes(name)) return
  if (catalog === '' && SCHEMAS.includes(schema) && schema !== 'main') return
  const asked = [catalog, schema, name].filter((part) => part !== '').join('.')
  const near = nearest(name, known).nearest
  throw new ServiceError(
    'usage',
    `there is no table ${asked}; ${near === undefined ? 'SHOW TABLES lists them' : `did you mean ${near}?`}`,
  )
}

function refuseFunction(name: string): void {
  if (FUNCTIONS.includes(name)) return
  throw new ServiceError('usage', `${name}() cannot be called in FROM; only ${FUNCTIONS.join(', ')} can`)
}
