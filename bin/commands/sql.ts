import { text as textOf } from 'node:stream/consumers'
import { type AskedStudy, runSql, type SqlResult } from '../../engine/analysis/sql/run-sql.ts'
import { refuseDifferences } from '../../engine/exports/joined-studies.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Block } from '../../engine/run/run-export.ts'
import { endLeases, leaseSnapshot } from '../../engine/snapshot/leases.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { withScratch } from '../../engine/storage/files/scratch.ts'
import { type ParameterOptions, readParameters } from '../given/export-options.ts'
import { findStudies, readDespite, type SeveralStudies } from '../given/find-project.ts'
import { readGivenText } from '../given/given-text.ts'
import { fileFormat } from '../output/file-format.ts'
import { refuseOutput, threadsFor, toFile, toStandardOutput, withPool } from '../output/write-table.ts'
import { audit } from '../runtime/audit.ts'
import { withStudies } from '../runtime/open-studies.ts'
import { countText } from '../terminal/count.ts'
import { bytesText, progressLine } from '../terminal/progress.ts'
import { stoppable } from '../terminal/stoppable.ts'
import { tableLines } from '../terminal/table.ts'

type Options = {
  query?: string
  file?: string
  format?: FormatName | 'table'
  output?: string
  force?: boolean
  timeout: number
  config: Config
} & SeveralStudies &
  ParameterOptions

/** Largest number of rows in a table on a terminal. */
const SHOWN_MAX = 40

/** Runs `gazette sql`: one query over the tables and exports of a study, or of several as one. */
export async function sql(options: Options): Promise<void> {
  const { format: asked, output, force = false, timeout, config } = options
  if (asked === 'table' && output !== undefined)
    throw new ServiceError('usage', 'the format table is only for terminals: choose another --format for a file')
  const isShown = asked === undefined && output === undefined && process.stdout.isTTY
  const format = asked === 'table' || isShown ? 'table' : fileFormat(asked, output)
  await refuseOutput(output, format === 'table' ? 'csv' : format, force)
  const text = await queryText(options)
  await stoppable(async (stop) => {
    const ending = new AbortController()
    const end = (why: string) => ending.abort(new ServiceError('canceled', why))
    const late = `the query was stopped after ${countText(timeout, 'second')}: ask for less, or raise --timeout`
    const timer = setTimeout(() => end(late), timeout * 1000)
    stop.addEventListener('abort', () => end('the query was canceled'))
    try {
      await withStudies(config, (studies) => runIn(studies, { ...options, format }, text, ending.signal), ending.signal)
    } finally {
      clearTimeout(timer)
    }
  })
}

async function queryText({ query, file }: Options): Promise<string> {
  if (query !== undefined && file !== undefined)
    throw new ServiceError('usage', 'a query was given twice: leave out --file or the query')
  if (query !== undefined) return query
  if (file === undefined) {
    if (process.stdin.isTTY)
      throw new ServiceError('usage', "there is no query: give one in quotes, such as 'SHOW TABLES', or --file FILE")
    return textOf(process.stdin)
  }
  return readGivenText(file)
}

async function runIn(
  studies: Studies,
  {
    study,
    project,
    despite,
    format,
    output,
    config,
    query: _query,
    file: _file,
    force: _force,
    timeout: _timeout,
    ...others
  }: Options & {
    format: FormatName | 'table'
  },
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const accepted = readDespite(despite)
  const asked: AskedStudy[] = []
  for (const snapshot of await findStudies(studies, { study, project }))
    asked.push({ snapshot, parameters: await readParameters(others, snapshot) })
  refuseDifferences(asked, accepted)
  const samples = asked.reduce((sum, { snapshot }) => sum + snapshot.manifest.counts.samples, 0)
  const line = progressLine('sql')
  try {
    // A study that grows meanwhile will soon have another snapshot.
    for (const { snapshot } of asked) await leaseSnapshot(snapshot.directory)
    const bytes = await withPool(threadsFor({ samples, bytes: 0 }), config, (pool) =>
      withScratch(config.dataDir, (scratch) => {
        const limits = { memoryMib: config.engineMemoryMib, spillMaxBytes: config.importMaxGib * 2 ** 30 }
        const how = { pool, scratch, threads: config.engineThreads, ...limits, signal }
        const onExport = (name: string, share: number) => line.show(share, `computing ${name}`)
        return runSql({ text, studies: asked, ...how, onExport }, (result) => {
          line.done()
          return format === 'table' ? printTable(result) : writeResult(result, { format, output, config, signal })
        })
      }),
    )
    for (const { snapshot } of asked)
      await audit(config.dataDir, { event: 'export', study: snapshot.study.id, export: 'sql', bytes })
  } finally {
    line.done()
    await endLeases()
  }
}

/** Number of characters of a text that the table is made from; it shows fewer. */
const CHARACTERS_MAX = 200

async function printTable({ columns, rowCount, firstRows }: SqlResult): Promise<number> {
  const lines = tableLines(columns, await firstRows({ rowsMax: SHOWN_MAX, charactersMax: CHARACTERS_MAX }))
  const rest = rowCount > SHOWN_MAX ? `, of which ${SHOWN_MAX} are shown; -o FILE writes all` : ''
  const text = `${lines.join('\n')}\n(${countText(rowCount, 'row')}${rest})\n`
  process.stdout.write(text)
  return Buffer.byteLength(text)
}

async function writeResult(
  { rowCount, file }: SqlResult,
  { format, output, config, signal }: { format: FormatName; output?: string; config: Config; signal: AbortSignal },
): Promise<number> {
  let written = 0
  const blocks = countBytes(file(format, config.formulaGuard), (bytes) => {
    written += bytes
  })
  await (output === undefined ? toStandardOutput(blocks) : toFile(output, blocks, signal))
  if (output !== undefined) console.error(`${output}: ${countText(rowCount, 'row')}, ${bytesText(written)}`)
  return written
}

async function* countBytes(blocks: AsyncIterable<Block>, add: (bytes: number) => void): AsyncGenerator<Block> {
  for await (const block of blocks) {
    add(block.bytes.length)
    yield block
  }
}
