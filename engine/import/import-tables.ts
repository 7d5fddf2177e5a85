import { dirname, join } from 'node:path'
import { studyDirectory } from '../files/layout.ts'
import { readPlain } from '../files/plain-file.ts'
import { addProblem, isClean, type Report, throwReport } from '../model/bundle-problems.ts'
import type { Study } from '../model/study.ts'
import { mergeRecordings, parseRecordings, RECORDINGS_MAX_BYTES, type Recordings } from '../snapshot/recordings-file.ts'
import { type Origin, snapshotIdOf } from '../snapshot/snapshot-id.ts'
import { currentId } from '../snapshot/snapshots.ts'
import { type GivenTest, type GivenValidation, NO_COLUMNS } from '../snapshot/table-columns.ts'
import { orderParticipants, orderTests } from '../study/complete-tables.ts'
import { makeSnapshot, type NewSnapshot } from '../study/make-snapshot.ts'
import { mergeImages, type Parent, storedSources } from '../study/parent-snapshot.ts'
import { rowCountOf, type Source, type StagedTest } from '../study/samples/write-samples.ts'
import { inWorkshop, type Workshop } from '../study/scratch-space.ts'
import { checkUnchanged, countedImages, hashBundle } from './bundle/bundle.ts'
import { type CsvDigest, digestCsv } from './bundle/open-bundle-file.ts'
import { type ParticipantsRead, readParticipants } from './bundle/read-participants.ts'
import { type Known, readTests, type TestsRead } from './bundle/read-tests.ts'
import { readValidations } from './bundle/read-validations.ts'
import type { StudyRead } from './bundle/study-json.ts'
import type { Importing, ImportResult } from './import-options.ts'
import { takeSamples } from './samples/take-samples.ts'

/** The contents of a snapshot, in the order of output. */
type Ordered = Pick<NewSnapshot, 'study' | 'participants' | 'participantColumns' | 'tests' | 'validations'>

/**
 * Imports a whole bundle or, with a parent, one that is appended to it.
 *
 * @param read study.json of the bundle, or the parent's
 * @param report problems found so far
 */
export async function importTables(
  importing: Importing,
  { study, itemIds }: StudyRead,
  parent: Parent | null,
  report: Report,
): Promise<ImportResult> {
  const { dataDir, dryRun, scratch: outside, files, threads, memoryMib, limits, signal: stop } = importing
  const studyDir = dryRun || study === null ? null : studyDirectory(dataDir, study.id)
  const reads = [files.directory, ...(parent ? [dirname(parent.snapshot.directory)] : [])]
  return inWorkshop(
    { studyDir, outside, reads, threads, memoryMib, spillMaxBytes: limits.maxBytes, signal: stop },
    async (workshop) => {
      const people = await newParticipants(importing, parent, report)
      const news = await newTests(importing, { participants: people.ids, items: itemIds }, parent, report)
      const validations = await newValidations(importing, people.ids, report)
      const recordings = await newRecordings(importing, report)
      const stopHashing = new AbortController()
      const signal = AbortSignal.any([stop, stopHashing.signal])
      const samplesRead = files.samples?.includes('.csv')
        ? digestCsv(join(files.directory, files.samples), limits, signal)
        : null
      const isComplete = study !== null && isClean(report)
      const hashes = isComplete ? hashBundle(files, countedImages(files, study), limits, signal, samplesRead) : null
      // Awaited late, or never when a problem turns up first.
      for (const reading of [samplesRead, hashes]) reading?.catch(() => {})
      try {
        const ordered = study && isClean(report) ? inOrder(study, people, news, validations, parent) : null
        const rows = await newRows(importing, news, ordered, samplesRead, workshop, report)
        // What was found in a file that changed meanwhile may be in neither version of it.
        if (!isClean(report)) await checkUnchanged(files)
        throwReport(report)
        const sources = sourcesOf(ordered!.tests, rows!, parent)
        const found = (await hashes)!
        await checkUnchanged(files)
        return await publish(importing, ordered!, sources, found, recordings, parent, workshop)
      } finally {
        stopHashing.abort()
      }
    },
  )
}

async function newParticipants(
  { files, signal }: Importing,
  parent: Parent | null,
  report: Report,
): Promise<ParticipantsRead> {
  const stored = new Set(parent?.given.participants.map(({ id }) => id))
  const { directory, participants: file } = files
  // Missing in a whole bundle, that was reported; then none is unknown.
  const columns = parent?.snapshot.manifest.participantColumns ?? NO_COLUMNS
  if (file === null) return { participants: [], ids: parent ? stored : null, columns }
  return readParticipants({ path: join(directory, file), file, signal }, stored, report.participants, columns)
}

async function newValidations(
  { files: { directory, validations: file }, signal }: Importing,
  participants: Set<string> | null,
  report: Report,
): Promise<GivenValidation[]> {
  if (file === null) return []
  return readValidations({ path: join(directory, file), file, signal }, participants, report.validations)
}

async function newRecordings(
  { files: { directory, recordings: file } }: Importing,
  { bundle }: Report,
): Promise<Recordings | null> {
  if (file === null) return null
  const recordings = parseRecordings(await readPlain(join(directory, file), RECORDINGS_MAX_BYTES))
  const rule = 'must be as gazette convert wrote it, or absent'
  if (recordings === null) addProblem(bundle, { file, line: null, column: null, value: null, rule })
  return recordings
}

async function newTests(
  { files: { directory, tests: file }, signal }: Importing,
  known: Known,
  parent: Parent | null,
  report: Report,
): Promise<TestsRead> {
  if (file === null) return { tests: [], ids: parent ? new Map() : null }
  const stored = new Set(parent?.given.tests.map(({ id }) => id))
  return readTests({ path: join(directory, file), file, signal }, known, stored, report.tests)
}

function inOrder(
  study: Study,
  { participants, columns }: ParticipantsRead,
  { tests }: TestsRead,
  validations: GivenValidation[],
  parent: Parent | null,
): Ordered {
  const ordered = orderParticipants([...(parent?.given.participants ?? []), ...participants])
  return {
    study,
    participants: ordered,
    participantColumns: columns,
    tests: orderTests(study, ordered, [...(parent?.given.tests ?? []), ...tests]),
    validations: [...(parent?.given.validations ?? []), ...validations],
  }
}

/** Takes the samples and checks them, also when other files have problems; by ordinal, or null when any are wrong. */
async function newRows(
  { files: { directory, samples: file, tests: testsFile }, limits, signal }: Importing,
  { tests, ids: known }: TestsRead,
  ordered: Ordered | null,
  read: Promise<CsvDigest> | null,
  { scratch, writer }: Workshop,
  report: Report,
): Promise<Map<number, StagedTest> | null> {
  // Without any known test, every sample would be of an unknown one.
  if (known === null) return null
  if (file === null) return new Map()
  const ids = ordered ? ordered.tests.map(({ id }) => id) : [...known.keys()]
  const news = new Set(known.keys())
  const rows = await takeSamples(
    await writer(),
    { directory, file, ids, news, scratch, limits, read },
    report.samples,
    signal,
  )
  if (rows === null) return null
  const hasRows = new Set([...rows.keys()].map((ordinal) => ids[ordinal]))
  for (const { id, display, browserWidthPx, browserHeightPx } of tests) {
    if (!hasRows.has(id) || display !== null || (browserWidthPx !== null && browserHeightPx !== null)) continue
    const column = browserWidthPx === null ? 'browser_width_px' : 'browser_height_px'
    const rule = 'must be given, or the four item_display cells, since the test has samples'
    addProblem(report.tests, { file: testsFile!, line: known.get(id) ?? null, column, value: '', rule })
  }
  return rows
}

function sourcesOf(tests: GivenTest[], rows: Map<number, StagedTest>, parent: Parent | null): Source[] {
  const stored = parent ? storedSources(parent) : new Map<string, Source>()
  return tests.map(({ id }, ordinal) => {
    const staged = rows.get(ordinal)
    return staged ? { staged } : (stored.get(id) ?? null)
  })
}

async function publish(
  { dataDir, dryRun, files, now, signal, onProgress, beforePublish, write }: Importing,
  ordered: Ordered,
  sources: Source[],
  hashes: Record<string, string>,
  recordings: Recordings | null,
  parent: Parent | null,
  workshop: Workshop,
): Promise<ImportResult> {
  const { study, participants, tests } = ordered
  const old = parent?.snapshot ?? null
  // The parent's study.json counts whether the bundle repeats it or not, unless it has more items.
  const bundle = study === old?.study ? { ...hashes, 'study.json': old.manifest.bundle['study.json'] } : hashes
  const origin: Origin = { bundle, parentId: old?.id ?? null }
  const snapshotId = snapshotIdOf(origin)
  const samples = sources.reduce((total, source) => total + rowCountOf(source), 0)
  const completed = participants.filter(({ isCompleted }) => isCompleted).length
  const counts = {
    participants: participants.length,
    completed,
    items: study.items.length,
    tests: tests.length,
    samples,
  }
  const result = { studyId: study.id, snapshotId, counts }
  const replacedId = await currentId(dataDir, study.id)
  if (snapshotId === replacedId) return { ...result, published: false }
  await beforePublish?.({ studyId: study.id, snapshotId, replacedId })
  if (dryRun) return { ...result, published: false }
  await makeSnapshot(
    {
      studyDir: studyDirectory(dataDir, study.id)!,
      ...ordered,
      recordings: mergeRecordings(parent?.recordings ?? null, recordings),
      origin,
      images: mergeImages(old, files, study),
      createdAt: now.toISOString(),
      writes: write ? [write] : [],
    },
    sources,
    workshop,
    signal,
    (done) => onProgress?.(done, samples),
  )
  return { ...result, published: true }
}
