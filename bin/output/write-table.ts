import { existsSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { formatOf } from '../../engine/formats/formats.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Block, RunOptions, RunProgress } from '../../engine/run/run-export.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { countText } from '../terminal/count.ts'
import { refusalOf } from '../terminal/file-refusals.ts'
import { bytesText, progressLine } from '../terminal/progress.ts'
import { isAddress, isObjectThere, writeObject } from './object-addresses.ts'
import { writeFileWhole } from './write-file.ts'

/** Samples to read, and bytes of the table at most. */
export type TableWork = { samples: number; bytes: number }

/**
 * Work of a thread from which a further one pays: each has to load and compile the engine, which takes 0.2 s of
 * processor time. A thread finds fixations in so many samples in a third of a second, and prints so many bytes in half
 * a second to a second.
 */
const SAMPLES_PER_THREAD = 2_000_000
const BYTES_PER_THREAD = 200_000_000

/** Returns the number of threads that are worth their start. */
export function threadsFor({ samples, bytes }: TableWork): number {
  return Math.ceil(Math.max(samples / SAMPLES_PER_THREAD, bytes / BYTES_PER_THREAD))
}

type About = { what: string; work: TableWork; output: string | undefined; config: Config; signal: AbortSignal }

/**
 * Computes a table, or a part of one, and writes it to a file, an object or standard output. Shows progress on a
 * terminal, and reports at the end what was written.
 *
 * @param work decides the number of threads
 * @param output undefined for standard output
 * @param signal stops it; then nothing is written
 * @returns the number of bytes written
 */
export async function writeTable(
  { what, work, output, config, signal }: About,
  run: (options: Pick<RunOptions, 'pool' | 'signal' | 'onProgress'>) => AsyncIterable<Block>,
): Promise<number> {
  let last: RunProgress = { samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 }
  const write = async (pool: RunOptions['pool']) => {
    const line = progressLine(what)
    const written = () => `${countText(last.rows, 'row')}, ${bytesText(last.bytes)}`
    const onProgress = (progress: RunProgress) => {
      last = progress
      line.show(last.samplesTotal === 0 ? 1 : last.samplesDone / last.samplesTotal, written())
    }
    const blocks = run({ pool, signal, onProgress })
    try {
      await (output === undefined ? toStandardOutput(blocks) : toFile(output, blocks, signal))
    } finally {
      line.done()
    }
    if (output !== undefined || process.stderr.isTTY) console.error(`${output ?? what}: ${written()}`)
  }
  await withPool(threadsFor(work), config, write)
  return last.bytes
}

/** Runs `work` with a pool of so many threads, within the settings; one thread means the main thread. */
export async function withPool<T>(
  threads: number,
  { engineThreads }: Config,
  work: (pool: RunOptions['pool']) => Promise<T>,
): Promise<T> {
  if (threads <= 1) return work((await import('../../engine/run/inline-pool.ts')).inlinePool())
  const { createPool } = await import('../../engine/run/pool/pool.ts')
  return closing(createPool({ threads: Math.min(engineThreads, threads) }), (pool) => work(pool))
}

/** Refuses to print binary formats on a terminal and to overwrite a file. @throws ServiceError usage */
export async function refuseOutput(
  output: string | undefined,
  format: FormatName | 'zip',
  isForced: boolean,
  signal?: AbortSignal,
): Promise<void> {
  const isText = formatOf({ format }).isText
  if (output === undefined && !isText && process.stdout.isTTY)
    throw new ServiceError('usage', `${format} cannot be shown on a terminal: add -o FILE`)
  if (output === undefined) return
  const isThere = isAddress(output) ? await isObjectThere(output, signal) : isFileThere(output)
  if (isThere && !isForced)
    throw new ServiceError('usage', `${output} already exists: add --force to replace it, or choose another name`)
}

/**
 * Returns whether there is a file to replace. A directory is refused by the system later.
 *
 * @throws ServiceError usage for a device or pipe, whose place a file would take even if forced, and for -
 */
function isFileThere(output: string): boolean {
  if (output === '-')
    throw new ServiceError('usage', '-o must name a file, got -: without -o, the table goes to standard output')
  if (!existsSync(output)) return false
  const found = statSync(output)
  if (!found.isFile() && !found.isDirectory())
    throw new ServiceError('usage', `${output} cannot be written: it is a device or a pipe; use > ${output} without -o`)
  return found.isFile()
}

/** Writes to standard output. */
export async function toStandardOutput(blocks: AsyncIterable<Block>): Promise<void> {
  await pipeline(bytesOf(blocks), process.stdout, { end: false })
}

/**
 * Writes a file or an object that appears only when it is complete.
 *
 * @throws ServiceError usage or disk_full if it cannot be written
 */
export async function toFile(path: string, blocks: AsyncIterable<Block>, signal: AbortSignal): Promise<void> {
  if (isAddress(path)) return writeObject(path, bytesOf(blocks), signal)
  try {
    await writeFileWhole(path, blocks)
  } catch (error) {
    throw refusalOf(error, path, 'written') ?? error
  }
}

async function* bytesOf(blocks: AsyncIterable<Block>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of blocks) yield bytes
}
