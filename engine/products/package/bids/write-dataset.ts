import { constants } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { settingsNotes } from '../../../exports/columns/notes.ts'
import type { ExportContext, TestRun } from '../../../exports/columns/test-context.ts'
import { type EyeColumn, recordedEyes } from '../../../model/eye-columns.ts'
import { type Plan, withoutOffsets } from '../../../model/plan.ts'
import type { Participant, Snapshot } from '../../../model/study.ts'
import { selectPlanned } from '../../../run/estimate.ts'
import { contextOf, readRuns } from '../../../run/shards/shard.ts'
import { shardInput } from '../../../run/shards/shard-input.ts'
import { cutShards, type Shard } from '../../../run/shards/shards.ts'
import { withSampleFile } from '../../../snapshot/pin-samples.ts'
import type { SampleColumn } from '../../../snapshot/read-samples.ts'
import { readRecordings } from '../../../snapshot/recordings-file.ts'
import { loadRows } from '../../../snapshot/rows/read-rows.ts'
import type { Selection } from '../../../snapshot/selection.ts'
import { makeDirectory } from '../../../storage/files/durable.ts'
import { deflatePiece, GZIP_HEADER, startMember } from '../../../text/gzip.ts'
import { type BidsRecording, bidsRecordings } from './bids-recordings.ts'
import { clicksOf, eventsTsv, physioEventsTsv, physioTsv, timing } from './bids-tables.ts'
import { stimulusCell, subjectLabels, taskLabels } from './labels.ts'
import { DERIVATIVES, derivativesDescription, derivativesReadme, qualitySidecar, qualityTsv } from './quality.ts'
import {
  type BidsScreen,
  bidsReadme,
  changes,
  datasetDescription,
  eventsSidecar,
  PARTICIPANTS_JSON,
  participantsTsv,
  physioEventsSidecar,
  physioSidecar,
  SCANS_JSON,
  screenGiven,
} from './sidecars.ts'

const READS: SampleColumn[] = ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick']

/** Counts of the written files. A test with fewer than two distinct sample times has events only. */
export type BidsWritten = { subjects: number; tests: number; recordings: number; samples: number }

/**
 * Writes a plan's tests as a BIDS dataset (1.11, eye tracking in `beh`), test by test; memory holds one shard.
 *
 * @param directory absolute path of an existing, empty directory; its contents are complete only once this returns
 * @param plan of the export `fixations`: its settings are those of `_physioevents`
 * @param onProgress called after each shard with the samples written so far
 * @throws ServiceError corrupt; the reason of `signal`; a system error if writing fails
 */
export async function writeBids({
  directory,
  snapshot,
  plan: given,
  screen,
  signal,
  onProgress = () => {},
}: {
  directory: string
  snapshot: Snapshot
  plan: Plan
  screen: BidsScreen
  signal: AbortSignal
  onProgress?: (written: BidsWritten) => void
}): Promise<BidsWritten> {
  // Data are shared as recorded: docs/signal.md, "Offsets".
  const plan = withoutOffsets(given)
  const selection = await selectPlanned(plan, snapshot, signal)
  const chosen = Int32Array.from(new Set(selection.participantRows)).sort()
  const { participantAt } = await loadRows(snapshot, NO_ROWS, chosen)
  const participants = Array.from(chosen, participantAt)
  const writing = await startWriting({ directory, snapshot, plan, screen }, participants, selection)
  const { written } = writing
  for (const shard of cutShards(selection)) {
    signal.throwIfAborted()
    await writeShard(writing, shard, signal)
    onProgress({ ...written })
  }
  await writeAbout(writing, participants)
  await writeScans(writing)
  return written
}

const NO_ROWS = new Int32Array(0)

/** Data and settings for writing the files of tests, and what is written so far. */
type Writing = {
  snapshot: Snapshot
  plan: Plan
  screen: BidsScreen
  eyes: EyeColumn[]
  recordings: BidsRecording[]
  hasMessages: boolean
  labels: { subjects: Map<string, string>; tasks: Map<string, string>; runs: Int32Array }
  pictures: Set<string>
  write: (name: string, content: string | Uint8Array) => Promise<void>
  written: BidsWritten
  /** Recordings of each subject with the order in which they were shown. */
  scans: Map<string, { name: string; order: number }[]>
}

/** Names what will be written, and copies the pictures. */
async function startWriting(
  { directory, snapshot, plan, screen }: { directory: string; snapshot: Snapshot; plan: Plan; screen: BidsScreen },
  participants: Participant[],
  selection: Selection,
): Promise<Writing> {
  const { study, manifest } = snapshot
  const pictures = await copyPictures(snapshot, directory)
  const eye = (await readRecordings(snapshot))?.eye ?? 'unknown'
  const eyes = recordedEyes(manifest)
  return {
    ...{ snapshot, plan, screen: screenGiven(screen, study), eyes, pictures },
    recordings: bidsRecordings(eyes, eye, study.recording),
    hasMessages: (manifest.counts.events ?? 0) > 0,
    labels: { subjects: subjectLabels(participants), tasks: taskLabels(study), runs: runNumbers(selection) },
    write: async (name, content) => {
      await makeDirectory(dirname(join(directory, name)))
      await writeFile(join(directory, name), content)
    },
    written: { subjects: participants.length, tests: 0, recordings: 0, samples: 0 },
    scans: new Map(),
  }
}

async function writeShard(writing: Writing, shard: Shard, signal: AbortSignal): Promise<void> {
  const { snapshot, plan, eyes, hasMessages, labels, write, written } = writing
  const input = shardInput(shard, plan, snapshot, new Int32Array(1), false)
  const held = shard.rowCount === 0 ? null : input.file
  const runs = await withSampleFile(snapshot, held, () => readRuns(input, [...READS, ...eyes]))
  const context = await contextOf(input, { needsValidations: true, needsEvents: hasMessages })
  for (const { run, i } of runs()) {
    signal.throwIfAborted()
    const { item, participant } = run.identity
    const subject = `sub-${labels.subjects.get(participant.id)}`
    const number = labels.runs[shard.first + i]
    const stem = `${subject}/beh/${subject}_task-${labels.tasks.get(item.id)}${number === 0 ? '' : `_run-${number}`}`
    const isRecorded = await writeTest(writing, stem, run, context)
    await write(`${DERIVATIVES}/${stem}_desc-quality_beh.tsv`, qualityTsv(run, context))
    written.tests++
    if (!isRecorded) continue
    addScan(writing, subject, run.identity.test.displayOrder, stem)
    written.recordings++
    written.samples += run.samples.n
  }
}

/** Writes a test's files, and returns whether there was anything to record besides events. */
async function writeTest(
  { snapshot, plan, screen, recordings, hasMessages, pictures, write }: Writing,
  stem: string,
  run: TestRun,
  context: ExportContext,
): Promise<boolean> {
  const { samples } = run
  const { recording } = snapshot.study
  const { item, test } = run.identity
  const picture = pictures.has(item.filename) ? item.filename : null
  const name = stimulusCell(item)
  await write(`${stem}_events.tsv`, eventsTsv({ name, picture }, test.durationUs, clicksOf(samples)))
  await write(`${stem}_events.json`, toJson(eventsSidecar(name, test, screen, picture !== null)))
  const time = timing(samples)
  if (time === null) return false
  for (const one of recordings) {
    await write(`${stem}_recording-${one.label}_physio.tsv.gz`, gzip(physioTsv(samples, one)))
    await write(`${stem}_recording-${one.label}_physio.json`, toJson(physioSidecar(name, time, screen, one, recording)))
  }
  const messages = hasMessages ? context.eventsOf(test) : null
  const fixations = context.fixationsOf(run, context.gazeOf(run))
  if (fixations.n === 0 && (messages === null || messages.tUs.length === 0)) return true
  const { label } = recordings.find(({ isRecordedGaze }) => isRecordedGaze)!
  await write(`${stem}_recording-${label}_physioevents.tsv.gz`, gzip(physioEventsTsv(fixations, messages)))
  await write(`${stem}_recording-${label}_physioevents.json`, toJson(physioEventsSidecar(name, plan, hasMessages)))
  return true
}

async function writeAbout(
  { snapshot, plan, screen, recordings, hasMessages, labels, write }: Writing,
  participants: Participant[],
): Promise<void> {
  await write('participants.tsv', participantsTsv(participants, labels.subjects))
  await write('participants.json', toJson(PARTICIPANTS_JSON))
  await write('dataset_description.json', toJson(datasetDescription(snapshot)))
  await write('README.md', bidsReadme(snapshot, plan, screen, recordings, hasMessages))
  await write('CHANGES', changes(snapshot))
  await write(`${DERIVATIVES}/dataset_description.json`, toJson(derivativesDescription(snapshot)))
  await write(`${DERIVATIVES}/README.md`, derivativesReadme(snapshot, plan))
  await write(`${DERIVATIVES}/desc-quality_beh.json`, toJson(qualitySidecar(settingsNotes(plan))))
}

function addScan({ scans, recordings }: Writing, subject: string, order: number | null, stem: string): void {
  if (order === null) return
  const own = scans.get(subject) ?? []
  scans.set(subject, own)
  const below = stem.slice(subject.length + 1)
  for (const { label } of recordings) own.push({ name: `${below}_recording-${label}_physio.tsv.gz`, order })
}

/** Writes the order of tests, which neither tasks nor times from item onset tell. */
async function writeScans({ scans, write }: Writing): Promise<void> {
  if (scans.size > 0) await write('scans.json', toJson(SCANS_JSON))
  for (const [subject, own] of scans) {
    const rows = own.sort((a, b) => a.order - b.order).map(({ name, order }) => `${name}\t${order}\n`)
    await write(`${subject}/${subject}_scans.tsv`, `filename\tdisplay_order\n${rows.join('')}`)
  }
}

function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Numbers the runs of each test, from 1, if its participant saw the item more than once; 0 otherwise. */
function runNumbers({ n, participantRows, itemIndexes }: Selection): Int32Array {
  const keyOf = (i: number) => `${participantRows[i]} ${itemIndexes[i]}`
  const counts = new Map<string, number>()
  for (let i = 0; i < n; i++) counts.set(keyOf(i), (counts.get(keyOf(i)) ?? 0) + 1)
  const seen = new Map<string, number>()
  return Int32Array.from({ length: n }, (_, i) => {
    if (counts.get(keyOf(i)) === 1) return 0
    const run = (seen.get(keyOf(i)) ?? 0) + 1
    seen.set(keyOf(i), run)
    return run
  })
}

/** Copies the items' pictures to stimuli/, and returns their names. */
async function copyPictures({ study, manifest, directory: from, pin }: Snapshot, to: string): Promise<Set<string>> {
  const names = study.items.map(({ filename }) => filename).filter((name) => `images/${name}` in manifest.files)
  if (names.length === 0) return new Set()
  await mkdir(join(to, 'stimuli'))
  const release = await pin?.('images')
  for (const name of new Set(names))
    await copyFile(join(from, 'images', name), join(to, 'stimuli', name), constants.COPYFILE_FICLONE)
  release?.()
  return new Set(names)
}

/** Compresses to one gzip member without name or time, so equal input gives equal bytes. */
function gzip(bytes: Uint8Array): Uint8Array {
  const member = startMember()
  return Buffer.concat([GZIP_HEADER, member.add(deflatePiece(bytes)), member.end()])
}
