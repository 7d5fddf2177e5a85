import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DemoSize, writeDemoBundle } from '../../demo/write-demo.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import { defaultParameters, type Parameters } from '../../engine/model/parameters.ts'
import type { Participant, Snapshot, Test } from '../../engine/model/study.ts'
import type { EnginePool } from '../../engine/run/pool/pool.ts'
import { type RunOptions, type RunProgress, runExport } from '../../engine/run/run-export.ts'
import { loadRows } from '../../engine/snapshot/rows/read-rows.ts'
import { selectTests } from '../../engine/snapshot/selection.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'

export const GOLDEN_STUDY = '90000000-0000-4000-8000-000000000001'

/** A data directory of its own; remove it when done. */
export function newDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'gazette-data-'))
}

/** Imports a bundle and loads what was published. */
export async function importInto(dataDir: string, directory: string): Promise<Snapshot> {
  const { studyId } = await importBundle({
    dataDir,
    directory,
    append: false,
    dryRun: false,
    now: new Date('2026-01-01T00:00:00Z'),
    threads: 1,
    memoryMib: 256,
  })
  return (await openStudies(dataDir).current(studyId))!
}

export function importGolden(dataDir: string): Promise<Snapshot> {
  return importInto(dataDir, fileURLToPath(new URL('../golden/bundle', import.meta.url)))
}

/** A synthetic study of this size, imported. */
export async function importDemo(dataDir: string, size: DemoSize): Promise<Snapshot> {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-bundle-'))
  try {
    await writeDemoBundle({ directory, ...size, memoryMib: 256 })
    return await importInto(dataDir, directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Runs an export to its end. */
export async function exported(
  pool: EnginePool,
  snapshot: Snapshot,
  exportName: ExportName,
  parameters: Partial<Parameters> = {},
  options: Partial<RunOptions> = {},
): Promise<{ csv: Buffer; gzip: Buffer; progress: RunProgress }> {
  const plan = makePlan({
    snapshot,
    exportName,
    parameters: { ...defaultParameters(), ...parameters },
    formulaGuard: true,
  })
  return ran({ plan, snapshot, pool, signal: new AbortController().signal, gzip: false, ...options })
}

/** Gathers what a run yields. */
export async function ran(options: RunOptions): Promise<{ csv: Buffer; gzip: Buffer; progress: RunProgress }> {
  const run = runExport(options)
  const csv: Uint8Array[] = []
  const gzip: Uint8Array[] = []
  for (;;) {
    const next = await run.next()
    if (next.done) return { csv: Buffer.concat(csv), gzip: Buffer.concat(gzip), progress: next.value }
    csv.push(next.value.bytes.slice())
    gzip.push(next.value.gzip.slice())
  }
}

/** All tests and participants of a snapshot, in its order. */
export async function rowsOf(snapshot: Snapshot): Promise<{ tests: Test[]; participants: Participant[] }> {
  const { testRows } = await selectTests(snapshot, { itemId: null, gradeMin: 1 })
  const people = Int32Array.from({ length: snapshot.manifest.counts.participants }, (_, row) => row)
  const { testAt, participantAt } = await loadRows(snapshot, testRows, people)
  return { tests: Array.from(testRows, testAt), participants: Array.from(people, participantAt) }
}
