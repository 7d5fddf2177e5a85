import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { settingsNotes } from '../../exports/columns/notes.ts'
import { studyFacts } from '../../exports/columns/study-facts.ts'
import { exportOf } from '../../exports/registry.ts'
import { tableSchema } from '../../exports/table-schema.ts'
import { formatOf } from '../../formats/formats.ts'
import type { PackagePlan, Plan } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import { estimatePlan } from '../../run/estimate.ts'
import type { EnginePool } from '../../run/pool/pool.ts'
import { type Block, type RunProgress, runExport } from '../../run/run-export.ts'
import { describeMethods } from '../methods/describe-methods.ts'
import { collectFacts } from '../methods/methods-facts.ts'
import { printMethods } from '../methods/print-methods.ts'
import { citation } from './citation.ts'
import { croissant } from './croissant.ts'
import { dataPackage } from './data-package.ts'
import { countPackageSamples, type PackageFormat } from './make-package-plan.ts'
import type { PackagedFile, PackagedTable, PackageFacts } from './package-facts.ts'
import { pymovementsDefinition } from './pymovements.ts'
import { readme } from './readme.ts'
import { roCrate } from './ro-crate.ts'

export type PackageOptions = {
  plan: PackagePlan
  snapshot: Snapshot
  pool: EnginePool
  signal: AbortSignal
  onProgress?: (progress: RunProgress) => void
}

/** File of a package; read all of its bytes before you request the next file. */
export type Member = {
  path: string
  isCompressed: boolean
  /** Upper bound of its length. */
  bytesMax: number
  bytes: AsyncIterable<Uint8Array>
}

/**
 * Computes the files of a package and hands them out one by one; aborts the work if the caller fails.
 *
 * @returns as `packageMembers`
 */
export async function takeMembers(
  options: PackageOptions,
  take: (member: Member) => Promise<void>,
): Promise<RunProgress> {
  const members = packageMembers(options)
  try {
    for (;;) {
      const step = await members.next()
      if (step.done) return step.value
      await take(step.value)
    }
  } finally {
    await members.return({ samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 })
  }
}

/** Maximum number of buffered bytes, more than any table without rows needs. */
const HELD_BYTES_MAX = 1 << 20

/**
 * Computes the files of a package one after the other: first its tables, then the files that describe them, which
 * contain their digests.
 *
 * @returns total `bytes` of the tables, uncompressed
 * @throws as `runExport`
 */
async function* packageMembers(options: PackageOptions): AsyncGenerator<Member, RunProgress> {
  const { plan, snapshot, pool, signal, onProgress = () => {} } = options
  const samplesTotal = await countPackageSamples(plan, snapshot, signal)
  const done: RunProgress = { samplesDone: 0, samplesTotal, rows: 0, bytes: 0 }
  const tables: PackagedTable[] = []
  for (const table of plan.tables) {
    let latest = { ...done, samplesDone: 0, rows: 0, bytes: 0 }
    const blocks = runExport({
      plan: table,
      snapshot,
      pool,
      signal,
      gzip: false,
      onProgress: (progress) => {
        latest = progress
        onProgress(added(done, progress))
      },
    })
    const path = `data/${table.export}.${formatOf(table).extension}`
    const { bytes: bytesMax } = await estimatePlan(table, snapshot, signal)
    const hash = createHash('sha256')
    let isLeftOut = false
    try {
      const { held, isEmpty } = await untilRows(blocks, () => latest.rows)
      isLeftOut = isEmpty && plan.leavesOutEmpty
      const isCompressed = table.format === undefined
      if (!isLeftOut) yield { path, isCompressed, bytesMax, bytes: hashed(held, blocks, hash) }
    } finally {
      await blocks.return(latest)
    }
    Object.assign(done, added(done, latest))
    if (!isLeftOut) tables.push(describeTable(table, snapshot, path, { ...latest, sha256: hash.digest('hex') }))
  }
  yield* textMembers(options, tables)
  return done
}

function added(done: RunProgress, { samplesDone, rows, bytes }: RunProgress): RunProgress {
  return {
    samplesDone: done.samplesDone + samplesDone,
    samplesTotal: done.samplesTotal,
    rows: done.rows + rows,
    bytes: done.bytes + bytes,
  }
}

/** Computes a table until it has a row or ends without one. Returns copies of the bytes so far. */
async function untilRows(
  blocks: AsyncGenerator<Block, RunProgress>,
  rows: () => number,
): Promise<{ held: Uint8Array[]; isEmpty: boolean }> {
  const held: Uint8Array[] = []
  for (let heldBytes = 0; heldBytes <= HELD_BYTES_MAX && rows() === 0; ) {
    const step = await blocks.next()
    if (step.done) return { held, isEmpty: step.value.rows === 0 }
    held.push(Buffer.from(step.value.bytes))
    heldBytes += step.value.bytes.length
  }
  return { held, isEmpty: false }
}

/** Yields bytes and hashes them; it yields copies, since the memory of blocks is reused. */
async function* hashed(held: Uint8Array[], blocks: AsyncIterable<Block>, hash: Hash): AsyncGenerator<Uint8Array> {
  for (const bytes of held) {
    hash.update(bytes)
    yield bytes
  }
  for await (const block of blocks) {
    const bytes = Buffer.from(block.bytes)
    hash.update(bytes)
    yield bytes
  }
}

function describeTable(
  plan: Plan,
  snapshot: Snapshot,
  path: string,
  { rows, bytes, sha256 }: { rows: number; bytes: number; sha256: string },
): PackagedTable {
  const format = formatOf(plan)
  const entry = exportOf(plan.export)
  const { title, description, fields } = tableSchema(entry, studyFacts(snapshot), plan.formulaGuard, plan.parameters)
  return {
    name: entry.name,
    path,
    title,
    description,
    format: format.name as PackageFormat,
    mediaType: format.mediaTypes[0],
    rows,
    bytes,
    sha256,
    settings: settingsNotes(plan),
    fields,
  }
}

/** Yields the files that describe the tables: the methods first, since the descriptions hold their digests. */
async function* textMembers(
  { plan, snapshot, pool, signal }: PackageOptions,
  tables: PackagedTable[],
): AsyncGenerator<Member> {
  const methods = describeMethods(await collectFacts(plan.methods, snapshot, null, { pool, signal }))
  const { study, manifest } = snapshot
  const title = study.name || study.id
  const facts: PackageFacts = {
    studyId: study.id,
    title,
    description: [
      ...(study.about?.description ? [study.about.description] : []),
      `Tables of the eye-tracking study ${title}, computed with Gazette ${plan.version}.`,
    ].join(' '),
    methods: methods.paragraph,
    snapshotId: snapshot.id,
    createdAt: manifest.createdAt,
    version: plan.version,
    recording: study.recording ?? null,
    about: study.about ?? {},
    tables,
    texts: [],
  }
  const add = (path: string, mediaType: string, description: string, text: string): Member => {
    const member = textMember(path, text)
    facts.texts.push(describeText({ path, title: path, description, mediaType }, text))
    return member
  }
  yield add(
    'methods.md',
    'text/markdown',
    'The methods in words, and what is left to add to them',
    printMethods(methods, 'markdown'),
  )
  yield add(
    'references.bib',
    'application/x-bibtex',
    'The sources that the methods name',
    printMethods(methods, 'bibtex'),
  )
  const definition = pymovementsDefinition(facts)
  if (definition !== null)
    yield add('pymovements.yaml', 'text/yaml', 'The tables as a dataset of pymovements', definition)
  yield textMember('datapackage.json', dataPackage(facts))
  yield textMember('croissant.json', croissant(facts))
  yield textMember('CITATION.cff', citation(facts))
  yield textMember('README.md', readme(facts))
  yield textMember('ro-crate-metadata.json', roCrate(facts))
}

function textMember(path: string, text: string): Member {
  const bytes = Buffer.from(text)
  return { path, isCompressed: true, bytesMax: bytes.length, bytes: Readable.from([bytes]) }
}

function describeText(about: Omit<PackagedFile, 'bytes' | 'sha256'>, text: string): PackagedFile {
  const bytes = Buffer.from(text)
  return { ...about, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}
