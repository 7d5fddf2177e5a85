import type { DuckDBConnection } from '@duckdb/node-api'
import type { Study } from '../../model/study.ts'

/** Tables of Parquet files of a study: of each its name in queries, and its files. */
export type ViewedFiles = Map<string, string[]>

/** Tables of a study: of files, and made of its description. */
export type StudyTables = Pick<Study, 'id' | 'name' | 'project' | 'items' | 'aois'> & { tables: ViewedFiles }

/** Tables that are made of the descriptions of studies. */
export const DESCRIBED_TABLES = ['studies', 'items', 'aois']

/**
 * Creates the views and tables that a query may name. Those of several studies hold the rows of one after the other,
 * with NULL in columns that a study lacks, and begin with `study_id`.
 */
export async function createViews(connection: DuckDBConnection, studies: StudyTables[]): Promise<void> {
  const names = new Set(studies.flatMap(({ tables }) => [...tables.keys()]))
  for (const name of names) await connection.run(`CREATE VIEW ${name} AS ${await rowsOf(connection, name, studies)}`)
  await createTable(connection, 'studies', STUDY_COLUMNS, studies.map(studyRow))
  // Rows have the id of their study where there are several.
  const id = ({ id: study_id }: StudyTables) => (studies.length === 1 ? {} : { study_id })
  const columns: Record<string, string> = studies.length === 1 ? {} : { study_id: 'VARCHAR' }
  const items = studies.flatMap((study) => study.items.map((item, i) => ({ ...id(study), ...itemRow(item, i) })))
  const aois = studies.flatMap((study) => study.aois.map((aoi, i) => ({ ...id(study), ...aoiRow(aoi, i) })))
  await createTable(connection, 'items', { ...columns, ...ITEM_COLUMNS }, items)
  await createTable(connection, 'aois', { ...columns, ...AOI_COLUMNS }, aois)
}

/** Returns the SQL of a table's rows. */
async function rowsOf(connection: DuckDBConnection, name: string, studies: StudyTables[]): Promise<string> {
  if (studies.length === 1) return `FROM ${filesSql(studies[0].tables.get(name)!)}`
  const parts: string[] = []
  for (const { id, tables } of studies) {
    const paths = tables.get(name)
    if (paths === undefined) continue
    const from = filesSql(paths)
    const columns = (await connection.runAndReadAll(`SELECT * FROM ${from} LIMIT 0`)).columnNames()
    // Exports name their study already; the files of a study do not.
    const others = columns.includes('study_id') ? '* EXCLUDE (study_id)' : '*'
    parts.push(`SELECT ${sqlText(id)} AS study_id, ${others} FROM ${from}`)
  }
  return parts.join(' UNION ALL BY NAME ')
}

function filesSql(paths: string[]): string {
  // The type of t_us may differ from file to file.
  return `read_parquet([${paths.map(sqlText).join(', ')}], hive_partitioning = false, union_by_name = ${paths.length > 1})`
}

/** Quotes a text for SQL that cannot have bound values. */
function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

const STUDY_COLUMNS = { study_id: 'VARCHAR', study_name: 'VARCHAR', project: 'VARCHAR' }

function studyRow({ id, name, project }: StudyTables): Record<keyof typeof STUDY_COLUMNS, unknown> {
  return { study_id: id, study_name: name, project: project ?? null }
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

function itemRow(item: Study['items'][number], index: number): Record<keyof typeof ITEM_COLUMNS, unknown> {
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

function aoiRow(aoi: Study['aois'][number], index: number): Record<keyof typeof AOI_COLUMNS, unknown> {
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
