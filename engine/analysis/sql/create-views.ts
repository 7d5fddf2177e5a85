import type { DuckDBConnection } from '@duckdb/node-api'
import type { Study } from '../../model/study.ts'

/** Tables of Parquet files: of each its name in queries, and its files. */
export type TableFiles = Map<string, string[]>

/** Tables that are made of the description of a study. */
export type Described = Pick<Study, 'items' | 'aois'>

/** Creates the views and tables that a query may name. */
export async function createViews(
  connection: DuckDBConnection,
  { items, aois }: Described,
  tables: TableFiles,
): Promise<void> {
  for (const [name, paths] of tables) await connection.run(viewOf(name, paths))
  await createTable(connection, 'items', ITEM_COLUMNS, items.map(itemRow))
  await createTable(connection, 'aois', AOI_COLUMNS, aois.map(aoiRow))
}

function viewOf(name: string, paths: string[]): string {
  // The type of t_us may differ from file to file.
  const options = `hive_partitioning = false, union_by_name = ${paths.length > 1}`
  return `CREATE VIEW ${name} AS FROM read_parquet([${paths.map(sqlText).join(', ')}], ${options})`
}

/** Quotes a text for SQL that cannot have bound values. */
function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

const ITEM_COLUMNS = {
  item_index: 'INTEGER',
  item_id: 'VARCHAR',
  item_filename: 'VARCHAR',
  item_cdn_url: 'VARCHAR',
  item_type: 'VARCHAR',
  stimuli_duration_ms: 'DOUBLE',
  width_px: 'DOUBLE',
  height_px: 'DOUBLE',
}

function itemRow(item: Described['items'][number], index: number): Record<keyof typeof ITEM_COLUMNS, unknown> {
  return {
    item_index: index,
    item_id: item.id,
    item_filename: item.filename,
    item_cdn_url: item.cdnUrl,
    item_type: item.type,
    stimuli_duration_ms: item.stimuliDurationMs,
    width_px: item.widthPx,
    height_px: item.heightPx,
  }
}

const AOI_COLUMNS = {
  aoi_index: 'INTEGER',
  aoi_id: 'VARCHAR',
  item_id: 'VARCHAR',
  aoi_name: 'VARCHAR',
  aoi_item_parts: 'JSON',
  aoi_tags: 'VARCHAR[]',
}

function aoiRow(aoi: Described['aois'][number], index: number): Record<keyof typeof AOI_COLUMNS, unknown> {
  const { id, itemId, name, parts, tags = [] } = aoi
  return { aoi_index: index, aoi_id: id, item_id: itemId, aoi_name: name, aoi_item_parts: parts, aoi_tags: tags }
}

async function createTable(
  connection: DuckDBConnection,
  name: string,
  columns: Record<string, string>,
  rows: object[],
): Promise<void> {
  const shape = sqlText(JSON.stringify([columns]))
  await connection.run(`CREATE TABLE ${name} AS SELECT unnest(from_json($rows::JSON, ${shape}), recursive := true)`, {
    rows: JSON.stringify(rows),
  })
}
