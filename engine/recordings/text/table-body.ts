import type { Draft } from '../draft/draft.ts'
import { tableHead } from './foreign-table.ts'
import type { SourceFile } from './source-files.ts'
import { openRows, type TableRows } from './table-rows.ts'

/** Opens a table at the first row below its header, if any, and below the lines above the table. */
export async function openTableBody(file: SourceFile, draft: Draft): Promise<TableRows> {
  const { header, separator, skippedLines, hasHeader } = tableHead(file)!
  const rows = openRows(file, separator, draft, skippedLines)
  await rows.more()
  if (hasHeader) rows.next()
  rows.width = header.length
  // Exporters that end lines with a separator do not always do so.
  while (rows.width > 0 && header[rows.width - 1] === '') rows.width--
  return rows
}

/** Calls a function with each row of a table, in bounded memory. @throws ServiceError as `openRows` */
export async function forEachRow(file: SourceFile, draft: Draft, onRow: (rows: TableRows) => void): Promise<void> {
  const rows = await openTableBody(file, draft)
  do {
    while (rows.next()) onRow(rows)
  } while (await rows.more())
}
