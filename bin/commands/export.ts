import { basename } from 'node:path'
import { columnsOf } from '../../engine/exports/columns/columns-of.ts'
import { studyFacts } from '../../engine/exports/columns/study-facts.ts'
import { differencesOf, refuseColumns, refuseDifferences } from '../../engine/exports/joined-studies.ts'
import { exportOf } from '../../engine/exports/registry.ts'
import type { Difference } from '../../engine/model/differences.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import type { Plan } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { estimatePlan } from '../../engine/run/estimate.ts'
import type { Part } from '../../engine/run/parts/part-file.ts'
import { type Block, type RunOptions, runExport, type Source } from '../../engine/run/run-export.ts'
import { endLeases, leaseSnapshot } from '../../engine/snapshot/leases.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { findStudies, readDespite, type SeveralStudies } from '../given/find-project.ts'
import { flagOf } from '../given/flag-of.ts'
import { tablePlan } from '../given/table-plan.ts'
import { fileFormat } from '../output/file-format.ts'
import { refuseOutput, type TableWork, toFile, writeTable } from '../output/write-table.ts'
import { audit } from '../runtime/audit.ts'
import { withStudies } from '../runtime/open-studies.ts'
import { stoppable } from '../terminal/stoppable.ts'
import type { ProductOptions } from './making.ts'
import { PRODUCT_NAMES, PRODUCTS, type Product, productNamed } from './products.ts'

type Options = {
  name: string
  format?: FormatName
  output?: string
  force?: boolean
  part?: Part
  /** File for SPSS syntax. */
  spss?: string
  config: Config
} & SeveralStudies &
  ProductOptions

type Given = Options & { format: FormatName }

/** Runs `gazette export` without server or queue, directly from the data directory or an object store. */
export async function exportTable(options: Options): Promise<void> {
  const { name, output, force = false, part, spss, config } = options
  const product = productNamed(name)
  refuseUnheeded(options)
  if (part !== undefined && output === undefined)
    throw new ServiceError('usage', '--part writes a file to compose: add -o FILE')
  const isTable = product === undefined && part === undefined
  const format = isTable ? fileFormat(options.format, output) : (options.format ?? 'csv')
  const given = { ...options, format }
  if (product === undefined) await refuseOutput(output, format, force)
  if (spss !== undefined) await refuseSyntax(spss, given)
  await stoppable((signal) => withStudies(config, (studies) => exportFrom(studies, given, signal), signal))
}

async function exportFrom(
  studies: Studies,
  { name, study, project, despite, format, output, force = false, part, spss, config, ...options }: Given,
  signal: AbortSignal,
): Promise<void> {
  const accepted = readDespite(despite)
  const [snapshot, ...others] = await findStudies(studies, { study, project })
  const product = productNamed(name)
  if (others.length > 0 && (product !== undefined || part !== undefined))
    throw new ServiceError('usage', `${product ? name : '--part'} is for one study: give --study once`)
  try {
    // A study that grows meanwhile will soon have another snapshot.
    for (const each of [snapshot, ...others]) await leaseSnapshot(each.directory)
    if (product !== undefined) {
      await product.make({ snapshot, format, output, force, signal, config }, options)
      return await audit(config.dataDir, { event: 'export', study: snapshot.study.id, export: name })
    }
    const plan = await tablePlan({ name, format, snapshot, config }, options, PRODUCT_NAMES)
    const further: Source[] = []
    for (const each of others)
      further.push({ plan: await tablePlan({ name, format, snapshot: each, config }, options), snapshot: each })
    refuseUnlike([{ plan, snapshot }, ...further], accepted)
    const run = await runOf(part)
    const work = await workOf([{ plan, snapshot }, ...further], signal)
    const about = { what: plan.export, work, output, config, signal }
    const bytes = await writeTable(about, (options) => run({ plan, snapshot, further, ...options }))
    if (spss !== undefined) await writeSyntax(spss, plan, snapshot, output!)
    for (const { study } of [snapshot, ...others])
      await audit(config.dataDir, { event: 'export', study: study.id, export: plan.export, bytes })
  } finally {
    await endLeases()
  }
}

/** Adds up what is to be computed. @throws ServiceError format_limit, and as `selectTests` */
async function workOf(sources: Source[], signal: AbortSignal): Promise<TableWork> {
  const all: TableWork = { samples: 0, bytes: 0 }
  for (const { plan, snapshot } of sources) {
    const { samples, bytes } = await estimatePlan(plan, snapshot, signal)
    all.samples += samples
    all.bytes += bytes
  }
  return all
}

/** Refuses studies that cannot be one table, or that differ otherwise than was accepted. @throws ServiceError usage */
function refuseUnlike(sources: Source[], despite: Difference[]): void {
  if (sources.length === 1) return
  refuseColumns(sources)
  const joined = sources.map(({ plan: { parameters }, snapshot }) => ({ parameters, snapshot }))
  refuseDifferences(joined, despite, differencesOf(exportOf(sources[0].plan.export)))
}

/** Checks `--spss`. @throws ServiceError usage if the syntax would have no CSV to read, or the file exists */
async function refuseSyntax(path: string, { name, format, output, part, force = false }: Given): Promise<void> {
  if (format !== 'csv' || productNamed(name) !== undefined || part !== undefined || output === undefined)
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

/** Refuses an option that would be ignored. @throws ServiceError usage */
function refuseUnheeded(options: Options): void {
  const { name, format, part } = options
  const refused = productNamed(name)?.refused
  const why = (format !== undefined && refused?.format) || (part !== undefined && refused?.part)
  if (why) throw new ServiceError('usage', `${name} ${why}`)
  for (const [product, { ownOptions }] of Object.entries<Product>(PRODUCTS)) {
    const given = Object.keys(options).filter((option) => ownOptions.includes(option))
    if (product === name || given.length === 0) continue
    throw new ServiceError(
      'usage',
      `${given.map(flagOf).join(' and ')} ${given.length === 1 ? 'applies' : 'apply'} only to gazette export ${product}`,
    )
  }
}
