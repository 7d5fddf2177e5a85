import { join } from 'node:path'
import { addFileProblem, addProblem, isClean, type Problems, throwReport } from '../model/bundle-problems.ts'
import type { Study } from '../model/study.ts'
import {
  mergeRecordings,
  parseRecordings,
  RECORDINGS_MAX_BYTES,
  type RecordedFiles,
} from '../snapshot/recordings-file.ts'
import type { Origin } from '../snapshot/snapshot-id.ts'
import { type GivenEvent, type GivenTest, type GivenValidation, NO_COLUMNS } from '../snapshot/table-columns.ts'
import { readPlain } from '../storage/files/plain-file.ts'
import type { Next } from '../study/change-study.ts'
import { orderParticipants, orderTests } from '../study/complete-tables.ts'
import { mergeImages, type Parent, storedSources } from '../study/parent-snapshot.ts'
import { rewritten, type StudyRows, samplesFrom } from '../study/rewrite-study.ts'
import { NOTHING_STAGED, type SampleSource, type Staged } from '../study/samples/write-samples.ts'
import type { Workspace } from '../study/workspace.ts'
import { checkUnchanged, countedImages, hashBundle, hashesIn } from './bundle/bundle.ts'
import { type CsvDigest, digestCsv } from './bundle/open-bundle-file.ts'
import { readEvents } from './bundle/read-events.ts'
import { type ParticipantsRead, readParticipantTable } from './bundle/read-participants.ts'
import { readTests, type TestsRead } from './bundle/read-tests.ts'
import { readValidations } from './bundle/read-validations.ts'
import type { StudyRead } from './bundle/study-json.ts'
import type { Bundle } from './import-options.ts'
import { takeSamples } from './samples/take-samples.ts'

/** Tables of a bundle: their valid rows, in the order of the files. */
type Tables = {
  people: ParticipantsRead
  tests: TestsRead
  validations: GivenValidation[]
  events: GivenEvent[]
  recordings: RecordedFiles | null
}

/**
 * Reads and validates a whole bundle or, with a parent, one that is appended to it.
 *
 * @param read study.json of the bundle or of the parent
 * @returns the new content of the study
 * @throws ServiceError invalid_bundle with the first 100 problems
 */
export async function readTables(
  bundle: Bundle,
  read: StudyRead,
  parent: Parent | null,
  workspace: Workspace,
): Promise<Next> {
  const { files, limits, report, onProgress, project } = bundle
  const tables = await newTables(bundle, read, parent, workspace)
  const stopHashing = new AbortController()
  const signal = AbortSignal.any([workspace.signal, stopHashing.signal])
  const samplesRead = files.samples?.includes('.csv')
    ? digestCsv(join(files.directory, files.samples), limits, signal)
    : null
  const study = isClean(report) ? read.study : null
  const hashes = study && hashBundle(files, countedImages(files, study), limits, signal, samplesRead)
  // Awaited later, or never if a problem is found first.
  for (const reading of [samplesRead, hashes]) reading?.catch(() => {})
  try {
    const rows = study && inOrder(bundle, study, tables, parent)
    const staged = await newSamples(bundle, tables.tests, rows, samplesRead, workspace)
    // Problems in a file that changed meanwhile may be in neither version of it.
    if (!isClean(report)) await checkUnchanged(files)
    throwReport(report)
    const found = hashesIn(project, (await hashes)!)
    await checkUnchanged(files)
    const samples = samplesFrom(
      rows!.tests,
      sourcesOf(rows!.tests, staged!, parent),
      workspace,
      staged!.eyes,
      onProgress,
    )
    return rewritten(rows!, samples, originOf(found, rows!.study, parent), workspace)
  } finally {
    stopHashing.abort()
  }
}

async function newTables(
  { files, report }: Bundle,
  { itemIds }: StudyRead,
  parent: Parent | null,
  { signal }: Workspace,
): Promise<Tables> {
  const { directory, participants, tests, validations, events, recordings } = files
  const at = (file: string) => ({ path: join(directory, file), file, signal })
  const stored = {
    participants: new Set(parent?.given.participants.map(({ id }) => id)),
    tests: new Set(parent?.given.tests.map(({ id }) => id)),
    columns: parent?.snapshot.manifest.participantColumns ?? NO_COLUMNS,
  }
  // If it is missing from a whole bundle, that was already reported; no reference then counts as unknown.
  const people =
    participants === null
      ? { participants: [], ids: parent ? stored.participants : null, columns: stored.columns }
      : await readParticipantTable(at(participants), stored.participants, report.participants, stored.columns)
  const known = { participants: people.ids, items: itemIds }
  const testsRead: TestsRead =
    tests === null
      ? { tests: [], ids: parent ? new Map() : null }
      : await readTests(at(tests), known, stored.tests, report.tests)
  const isTest = testsRead.ids && ((id: string) => testsRead.ids!.has(id) || stored.tests.has(id))
  return {
    people,
    tests: testsRead,
    validations: validations === null ? [] : await readValidations(at(validations), people.ids, report.validations),
    events: events === null ? [] : await readEvents(at(events), isTest, report.events),
    recordings:
      recordings === null ? null : await readRecordings(join(directory, recordings), recordings, report.bundle),
  }
}

async function readRecordings(path: string, file: string, problems: Problems): Promise<RecordedFiles | null> {
  const recordings = parseRecordings(await readPlain(path, RECORDINGS_MAX_BYTES))
  const rule = 'must be as gazette convert wrote it, or absent'
  if (recordings === null) addFileProblem(problems, file, rule)
  return recordings
}

/** Merges the rows of the bundle into those of the study. */
function inOrder({ files }: Bundle, study: Study, tables: Tables, parent: Parent | null): StudyRows {
  const { people, tests, validations, events, recordings } = tables
  const participants = orderParticipants([...(parent?.given.participants ?? []), ...people.participants])
  return {
    study,
    participants,
    columns: people.columns,
    tests: orderTests(study, participants, [...(parent?.given.tests ?? []), ...tests.tests]),
    validations: [...(parent?.given.validations ?? []), ...validations],
    events: [...(parent?.given.events ?? []), ...events],
    recordings: mergeRecordings(parent?.recordings ?? null, recordings),
    images: mergeImages(parent?.snapshot ?? null, study, files),
  }
}

/** Imports and validates the samples, even if other files have problems; null if any sample is invalid. */
async function newSamples(
  { files: { directory, samples: file, tests: testsFile }, limits, report }: Bundle,
  { tests, ids: known }: TestsRead,
  rows: StudyRows | null,
  read: Promise<CsvDigest> | null,
  { scratch, writer, signal }: Workspace,
): Promise<Staged | null> {
  // Without known tests, every sample would name an unknown one.
  if (known === null) return null
  if (file === null) return NOTHING_STAGED
  const ids = rows ? rows.tests.map(({ id }) => id) : [...known.keys()]
  const news = new Set(known.keys())
  const taking = { directory, file, ids, news, scratch, limits, read }
  const staged = await takeSamples(await writer(), taking, report.samples, signal)
  if (staged === null) return null
  const hasRows = new Set([...staged.tests.keys()].map((ordinal) => ids[ordinal]))
  for (const { id, display, browserWidthPx, browserHeightPx } of tests) {
    if (!hasRows.has(id) || display !== null || (browserWidthPx !== null && browserHeightPx !== null)) continue
    const column = browserWidthPx === null ? 'browser_width_px' : 'browser_height_px'
    const rule = 'must be given, or the four item_display cells, since the test has samples'
    addProblem(report.tests, { file: testsFile!, line: known.get(id) ?? null, column, value: '', rule })
  }
  return staged
}

function sourcesOf(tests: GivenTest[], { tests: staged }: Staged, parent: Parent | null): SampleSource[] {
  const stored = parent ? storedSources(parent) : new Map<string, SampleSource>()
  return tests.map(({ id }, ordinal) => {
    const rows = staged.get(ordinal)
    return rows ? { staged: rows } : (stored.get(id) ?? null)
  })
}

/**
 * Returns the inputs of the snapshot's id. The parent's study.json counts, whether or not the bundle repeats it, unless
 * the bundle's has more items.
 */
function originOf(hashes: Record<string, string>, study: Study, parent: Parent | null): Origin {
  if (parent === null) return { bundle: hashes, parentId: null }
  const { snapshot } = parent
  const before = snapshot.manifest.bundle['study.json']
  return { bundle: study === snapshot.study ? { ...hashes, 'study.json': before } : hashes, parentId: snapshot.id }
}
