import { loadFormat } from '../../formats/load.ts'
import { type FormatName, hasFormulas } from '../../model/format-names.ts'
import { createSink } from '../../text/sink.ts'
import type { QueryResult } from './read-result.ts'

/** Rows of a row group or a record batch, as many as in exports. */
const GROUP_ROWS = 131_072

/**
 * Yields the bytes of a result as a file. They are valid until the next ones are requested.
 *
 * @throws as `rows` of the result
 */
export async function* encodeResult(
  { columns, rows }: QueryResult,
  format: FormatName,
  formulaGuard: boolean,
): AsyncGenerator<Uint8Array> {
  const { frame, encoder: encoderOf } = await loadFormat(format)
  const { head, tail, checkRows } = frame({ columns, about: {}, dictionaries: {} })
  let offset = 0
  const block = (bytes: Uint8Array) => {
    offset += bytes.length
    return bytes
  }
  for (const bytes of head) yield block(bytes)
  const blocks: Uint8Array[] = []
  const sink = createSink((finished) => void blocks.push(finished.slice()))
  const guard = formulaGuard && hasFormulas(format)
  const start = () => ({
    encoder: encoderOf({ columns, formulaGuard: guard, sink, dictionaries: {} }),
    rows: 0,
    offset,
  })
  const ends: Parameters<typeof tail>[0] = []
  let rowCount = 0
  let group = start()
  const endGroup = () => void ends.push({ offset: group.offset, end: group.encoder.end(), rows: group.rows })
  for await (const next of rows()) {
    group.encoder.write(next)
    group.rows += next.n
    rowCount += next.n
    checkRows?.(rowCount)
    if (group.rows >= GROUP_ROWS) {
      endGroup()
      yield* blocks.splice(0).map(block)
      group = start()
    } else yield* blocks.splice(0).map(block)
  }
  endGroup()
  yield* blocks.splice(0).map(block)
  const end = tail(ends, offset)
  if (end.length > 0) yield block(end)
}
