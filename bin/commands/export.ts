import { basename } from 'node:path'
import { columnsOf } from '../../engine/exports/columns/columns-of.ts'
import { studyFacts } from '../../engine/exports/columns/study-facts.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { EXPORTS, exportOf, findExport } from '../../engine/exports/registry.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import { didYouMean, nearest } from '../../engine/model/nearest.ts'
import type { Plan } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { Part } from '../../engine/run/parts/part-file.ts'
import type { Block, RunOptions } from '../../engine/run/run-export.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { endLeases, leaseSnapshot } from '../../engine/snapshot/leases.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { readParameters } from '../given/export-options.ts'
import { findStudy } from '../given/find-study.ts'
import { flagOf } from '../given/flag-of.ts'
import { fileFormat } from '../output/file-format.ts'
import { refuseOutput, toFile, writeTable } from '../output/write-table.ts'
import { audit } from '../runtime/audit.ts'
import { withStudies } from '../runtime/open-studies.ts'
import { stoppable } from '../terminal/stoppable.ts'

type Options = {
  name: string
  study: string
  format?: FormatName
  output?: string
  force?: boolean
  part?: Part
  /** File for SPSS syntax. */
  spss?: string
  config: Config
} & Record<string, unknown>

type Given = Options & { format: FormatName }

/** Runs `gazette export` without server or queue, directly from the data directory or an object store. */
export async function exportTable(options: Options): Promise<void> {
  const { name, output, force = false, part, spss, config } = options
  refuseUnheeded(options)
  if (part !== undefined && output === undefined)
    throw new ServiceError('usage', '--part writes a file to compose: add -o FILE')
  const isTable = name !== 'bids' && name !== 'package' && part === undefined
  const format = isTable ? fileFormat(options.format, output) : (options.format ?? 'csv')
  const given = { ...options, format }
  if (name !== 'bids' && name !== 'package') await refuseOutput(output, format, force)
  if (spss !== undefined) await refuseSyntax(spss, given)
  await stoppable((signal) => withStudies(config, (studies) => exportFrom(studies, given, signal), signal))
}

async function exportFrom(
  studies: Studies,
  { name, study, format, output, force = false, part, spss, config, ...options }: Given,
  signal: AbortSignal,
): Promise<void> {
  const snapshot = await findStudy(studies, study)
  // A study that grows meanwhile will soon have another snapshot.
  await leaseSnapshot(snapshot.directory)
  try {
    if (name === 'bids') return await exportDataset(snapshot, { output, signal }, options, config)
    if (name === 'package') return await exportTables(snapshot, { format, output, force, signal }, options, config)
    const plan = await planOf(name, format, snapshot, options, config)
    const run = await runOf(part)
    const about = { what: plan.export, samples: snapshot.manifest.counts.samples, output, config, signal }
    const bytes = await writeTable(about, (options) => run({ plan, snapshot, ...options }))
    if (spss !== undefined) await writeSyntax(spss, plan, snapshot, output!)
    await audit(config.dataDir, { event: 'export', study: plan.studyId, export: plan.export, bytes })
  } finally {
    await endLeases()
  }
}

/** Checks `--spss`. @throws ServiceError usage if the syntax would have no CSV to read, or the file exists */
async function refuseSyntax(path: string, { name, format, output, part, force = false }: Given): Promise<void> {
  if (format !== 'csv' || name === 'bids' || name === 'package' || part !== undefined || output === undefined)
    throw new ServiceError('usage', '--spss reads the CSV of one table: add -o FILE, and leave out --format and --part')
  await refuseOutput(path, 'csv', force)
}

async function writeSyntax(path: string, plan: Plan, snapshot: Snapshot, csv: string): Promise<void> {
  const { spssSyntax } = await import('../../engine/exports/spss-syntax.ts')
  const entry = exportOf(plan.export)
  const bytes = Buffer.from(spssSyntax(entry, columnsOf(entry, studyFacts(snapshot), plan.parameters), basename(csv)))
  const blocks = async function* (): AsyncGenerator<Block> {
    yield { bytes, gzip: new Uint8Array(0) }
  }
  await toFile(path, blocks(), new AbortController().signal)
}

/** Returns the function that computes the table, or the requested part of it. */
async function runOf(part: Part | undefined): Promise<(options: Omit<RunOptions, 'gzip'>) => AsyncIterable<Block>> {
  if (part === undefined) return (options) => runExport({ ...options, gzip: false })
  const { runPart } = await import('../../engine/run/parts/run-part.ts')
  return (options) => runPart({ ...options, gzip: false }, part)
}

async function exportDataset(
  snapshot: Snapshot,
  to: { output: string | undefined; signal: AbortSignal },
  options: Record<string, unknown>,
  config: Config,
): Promise<void> {
  const { exportBids, readScreen } = await import('./export-bids.ts')
  // The fixations of the dataset are those of this export.
  const plan = await planOf('fixations', 'csv', snapshot, options, config)
  const screen = readScreen(options)
  await exportBids({ plan, snapshot, ...to, screen })
  await audit(config.dataDir, { event: 'export', study: snapshot.study.id, export: 'bids' })
}

async function exportTables(
  snapshot: Snapshot,
  { format, ...to }: { format: FormatName; output: string | undefined; force: boolean; signal: AbortSignal },
  options: Record<string, unknown>,
  config: Config,
): Promise<void> {
  const { exportPackage, packagePlanOf } = await import('./export-package.ts')
  const plan = await packagePlanOf(options, format, snapshot, config)
  await exportPackage({ plan, snapshot, ...to, config })
  await audit(config.dataDir, { event: 'export', study: plan.studyId, export: plan.export })
}

/** Refuses an option that would be ignored. @throws ServiceError usage */
function refuseUnheeded({ name, format, part, ...options }: Options): void {
  const ofBids = Object.keys(options).filter((option) => option.startsWith('screen'))
  if (name === 'bids' && format !== undefined)
    throw new ServiceError('usage', 'bids has a fixed format: leave out --format')
  if ((name === 'bids' || name === 'package') && part !== undefined)
    throw new ServiceError('usage', `${name} cannot be made in parts: leave out --part`)
  if (name !== 'package' && options.exports !== undefined)
    throw new ServiceError('usage', '--exports applies only to gazette export package')
  if (name !== 'bids' && ofBids.length > 0)
    throw new ServiceError(
      'usage',
      `${ofBids.map(flagOf).join(' and ')} ${ofBids.length === 1 ? 'applies' : 'apply'} only to gazette export bids`,
    )
}

async function planOf(
  name: string,
  format: FormatName,
  snapshot: Snapshot,
  options: Record<string, unknown>,
  config: Config,
): Promise<Plan> {
  const entry = findExport(name)
  if (!entry) {
    const names = [...EXPORTS.map((known) => known.name), 'bids', 'package']
    const near = nearest(name, names).nearest
    throw new ServiceError(
      'usage',
      `there is no export ${name}${didYouMean(near) || `; there are ${names.join(', ')}`}`,
    )
  }
  const parameters = await readParameters(options, snapshot)
  return makePlan({ snapshot, exportName: entry.name, parameters, formulaGuard: config.formulaGuard, format })
}
