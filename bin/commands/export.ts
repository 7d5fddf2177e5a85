import { existsSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { EXPORTS, findExport } from '../../engine/exports/registry.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import { nearest } from '../../engine/model/parameters.ts'
import type { Plan } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { Block, RunOptions, RunProgress } from '../../engine/run/run-export.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { audit } from '../audit.ts'
import { count } from '../count.ts'
import { flagOf, readParameters } from '../export-options.ts'
import { findStudy } from '../find-study.ts'
import { progressLine, sizeText } from '../progress.ts'
import { stoppable } from '../stoppable.ts'
import { writeFileWhole } from '../write-file.ts'

/** Threads pay from here on: each has to load and compile for itself what computes, for 0.2 s of processor. */
const SAMPLES_PER_THREAD = 2_000_000

/** Runs `gazette export`: without server or queue, straight from the data directory. */
export async function exportTable({
  name,
  study,
  format,
  output,
  force = false,
  config,
  ...options
}: {
  name: string
  study: string
  format: FormatName
  output?: string
  force?: boolean
  config: Config
} & Record<string, unknown>): Promise<void> {
  refuseUnheeded(name, format, options)
  if (name !== 'bids') refuseOutput(output, format, force)
  const snapshot = await findStudy(config.dataDir, study)
  if (name === 'bids') return exportDataset(snapshot, output, options, config)
  const plan = planOf(name, format, snapshot, options, config)
  const wanted = Math.ceil(snapshot.manifest.counts.samples / SAMPLES_PER_THREAD)
  const write = (pool: RunOptions['pool']) =>
    stoppable(async (signal) => {
      const line = progressLine(plan.export)
      let last: RunProgress = { samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 }
      const written = () => `${count(last.rows, 'row')}, ${sizeText(last.bytes)}`
      const onProgress = (progress: RunProgress) => {
        last = progress
        line.show(last.samplesTotal === 0 ? 1 : last.samplesDone / last.samplesTotal, written())
      }
      const blocks = runExport({ plan, snapshot, pool, signal, gzip: false, onProgress })
      try {
        await (output === undefined ? toStandardOutput(blocks) : toFile(output, blocks))
      } finally {
        line.done()
      }
      const { studyId, export: exportName } = plan
      await audit(config.dataDir, { event: 'export', study: studyId, export: exportName, bytes: last.bytes })
      if (output !== undefined || process.stderr.isTTY) console.error(`${output ?? plan.export}: ${written()}`)
    })
  if (wanted <= 1) return write((await import('../../engine/run/pool-here.ts')).poolHere())
  const { createPool } = await import('../../engine/run/pool.ts')
  const pool = createPool({ threads: Math.min(config.engineThreads, wanted) })
  try {
    await write(pool)
  } finally {
    await pool.close()
  }
}

async function exportDataset(
  snapshot: Snapshot,
  output: string | undefined,
  options: Record<string, unknown>,
  config: Config,
): Promise<void> {
  const { exportBids, readScreen } = await import('./export-bids.ts')
  // The dataset's fixations are those of the table.
  const plan = planOf('fixations', 'csv', snapshot, options, config)
  const screen = readScreen(options)
  await stoppable((signal) => exportBids({ plan, snapshot, output, screen, signal }))
  await audit(config.dataDir, { event: 'export', study: snapshot.study.id, export: 'bids' })
}

/** Refuses to show bytes that are no text, and to write over a file that is there. @throws ServiceError usage */
function refuseOutput(output: string | undefined, format: FormatName, isForced: boolean): void {
  const isText = format === 'csv' || format === 'ndjson'
  if (output === undefined && !isText && process.stdout.isTTY)
    throw new ServiceError('usage', `${format} is no text to read on a terminal: add -o FILE`)
  if (output !== undefined && !isForced && existsSync(output) && !statSync(output).isDirectory())
    throw new ServiceError('usage', `${output} is there already: add --force to replace it, or choose another name`)
}

/** Refuses an option that would be ignored. @throws ServiceError usage */
function refuseUnheeded(name: string, format: FormatName, options: Record<string, unknown>): void {
  const ofBids = Object.keys(options).filter((option) => option.startsWith('screen'))
  if (name === 'bids' && format !== 'csv')
    throw new ServiceError('usage', 'bids is a format by itself: leave out --format')
  if (name !== 'bids' && ofBids.length > 0)
    throw new ServiceError('usage', `${ofBids.map(flagOf).join(' and ')} only means something to gazette export bids`)
}

function planOf(
  name: string,
  format: FormatName,
  snapshot: Snapshot,
  options: Record<string, unknown>,
  config: Config,
): Plan {
  const entry = findExport(name)
  if (!entry) {
    const names = [...EXPORTS.map((known) => known.name), 'bids']
    const near = nearest(name, names).nearest
    throw new ServiceError(
      'usage',
      `there is no export ${name}${near ? `; did you mean ${near}?` : `; there are ${names.join(', ')}`}`,
    )
  }
  const parameters = readParameters(options, snapshot)
  return makePlan({ snapshot, exportName: entry.name, parameters, formulaGuard: config.formulaGuard, format })
}

async function toStandardOutput(blocks: AsyncIterable<Block>): Promise<void> {
  await pipeline(bytesOf(blocks), process.stdout, { end: false })
}

async function toFile(path: string, blocks: AsyncIterable<Block>): Promise<void> {
  try {
    await writeFileWhole(path, blocks)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw new ServiceError('disk_full', `the disk is full: ${path} was not written`)
    if (code && code in UNWRITABLE) throw new ServiceError('usage', `${path} cannot be written: ${UNWRITABLE[code]}`)
    throw error
  }
}

const UNWRITABLE: Record<string, string> = {
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'it is not in a directory',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
}

async function* bytesOf(blocks: AsyncIterable<Block>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of blocks) yield bytes
}
