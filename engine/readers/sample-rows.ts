import { BATCH_ROWS, type Batch } from './batch.ts'
import type { Draft } from './draft.ts'
import { openRows, type Rows } from './rows.ts'
import type { SourceFile } from './source-files.ts'
import { tableHead } from './table.ts'

/**
 * Goes through the rows of a table below its header, and hands the batch on whenever it is full; what is left in it at the end stays
 * there for the next file.
 *
 * @param onRow adds one sample to the batch, or none
 */
export async function* sampleRows(
  file: SourceFile,
  draft: Draft,
  batch: Batch,
  onRow: (rows: Rows) => void,
): AsyncGenerator<Batch> {
  const { header, separator } = tableHead(file)!
  const rows = openRows(file, separator, draft)
  await rows.more()
  rows.next()
  rows.width = header.length
  // Exporters that end each line with a separator do not always do so.
  while (rows.width > 0 && header[rows.width - 1] === '') rows.width--
  do {
    while (rows.next()) {
      onRow(rows)
      if (batch.n === BATCH_ROWS) {
        yield batch
        batch.n = 0
      }
    }
  } while (await rows.more())
}
