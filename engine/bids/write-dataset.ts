import { constants } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFixations, detectFixations } from '../compute/fixations.ts'
import { createGaze, denoise, type Samples } from '../compute/gaze.ts'
import { deflatePiece, GZIP_HEADER, startMember } from '../csv/gzip.ts'
import type { Plan } from '../plan.ts'
import { cutShards, selectTests } from '../select.ts'
import { type KeptArrays, NO_SAMPLES, readSamples, type SampleColumn, sliceSamples } from '../store/read-samples.ts'
import type { Snapshot, Test } from '../study.ts'
import { cellOf, subjectLabels, taskLabels } from './labels.ts'
import {
  changes,
  datasetDescription,
  eventsSidecar,
  PARTICIPANTS_JSON,
  participantsTsv,
  physioEventsSidecar,
  physioSidecar,
  readme,
  type Screen,
} from './sidecars.ts'
import { clicksOf, eventsTsv, physioEventRows, physioRows, timing } from './tables.ts'

const READS: SampleColumn[] = ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick']

/** What was written. A test without two samples of different times has events alone. */
export type BidsWritten = { subjects: number; tests: number; recordings: number; samples: number }

/**
 * Writes a plan's tests as a BIDS dataset (1.11, eye tracking in `beh`), test by test: memory holds one shard.
 *
 * @param directory absolute, there already, empty; what is in it is whole when this returns, and not before
 * @param plan of the export `fixations`: its settings are those of `_physioevents`
 * @param onProgress called after each shard with the samples written so far
 * @throws ServiceError corrupt; what `signal` was aborted with; a system's error when writing fails
 */
export async function writeBids({
  directory,
  snapshot,
  plan,
  screen,
  signal,
  onProgress = () => {},
}: {
  directory: string
  snapshot: Snapshot
  plan: Plan
  screen: Screen
  signal: AbortSignal
  onProgress?: (written: BidsWritten) => void
}): Promise<BidsWritten> {
  const { study, manifest } = snapshot
  const rows = selectTests(plan, snapshot)
  const tests = Array.from(rows, (row) => snapshot.tests[row])
  const chosen = new Set(tests.map(({ participantIndex }) => participantIndex))
  const participants = snapshot.participants.filter((_, index) => chosen.has(index))
  const subjects = subjectLabels(participants)
  const tasks = taskLabels(study)
  const runs = runNumbers(tests)
  const pictures = await copyPictures(snapshot, directory)
  const write = async (name: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), content)
  }
  const writeJson = (name: string, value: object) => write(name, `${JSON.stringify(value, null, 2)}\n`)

  const written: BidsWritten = { subjects: participants.length, tests: 0, recordings: 0, samples: 0 }
  const gaze = createGaze()
  const fixations = createFixations()

  async function writeTest(test: Test, samples: Samples): Promise<void> {
    const item = study.items[test.itemIndex]
    const subject = `sub-${subjects.get(snapshot.participants[test.participantIndex].id)}`
    const run = runs.get(test)
    const stem = `${subject}/beh/${subject}_task-${tasks.get(item.id)}${run === undefined ? '' : `_run-${run}`}`
    const picture = pictures.has(item.filename) ? item.filename : null
    const name = cellOf(item)
    await write(`${stem}_events.tsv`, eventsTsv({ name, picture }, test.durationUs, clicksOf(samples)))
    await writeJson(`${stem}_events.json`, eventsSidecar(test, screen, picture !== null))
    written.tests++
    const time = timing(samples)
    if (time === null) return
    await write(`${stem}_recording-eye1_physio.tsv.gz`, gzip(physioRows(samples)))
    await writeJson(`${stem}_recording-eye1_physio.json`, physioSidecar(name, time, screen))
    written.recordings++
    written.samples += samples.n
    const { movingMedianRangeMs, gazeVelocityThreshold, minFixationDurationMs } = plan.parameters
    const { maxFixationDurationMs, saccadeMaxDurationMs } = plan.parameters
    denoise(samples, test.display, movingMedianRangeMs!, gaze)
    const settings = {
      gazeVelocityThreshold: gazeVelocityThreshold!,
      minFixationDurationMs: minFixationDurationMs!,
      maxFixationDurationMs: maxFixationDurationMs!,
      saccadeMaxDurationMs: saccadeMaxDurationMs!,
    }
    detectFixations(gaze, test.display, settings, fixations)
    if (fixations.n === 0) return
    await write(`${stem}_recording-eye1_physioevents.tsv.gz`, gzip(physioEventRows(fixations)))
    await writeJson(`${stem}_recording-eye1_physioevents.json`, physioEventsSidecar(name, plan))
  }

  const kept: KeptArrays = new Map()
  for (const shard of cutShards(rows, snapshot)) {
    signal.throwIfAborted()
    const place = { ...shard, directory: snapshot.directory, file: manifest.sampleFiles[shard.file] }
    const samples = shard.rowCount === 0 ? NO_SAMPLES : readSamples(place, READS, kept)
    for (const [i, row] of shard.testRows.entries()) {
      signal.throwIfAborted()
      const test = snapshot.tests[row]
      await writeTest(test, sliceSamples(samples, shard.rowOffsets[i], test.sampleCount))
    }
    onProgress({ ...written })
  }
  await write('participants.tsv', participantsTsv(participants, subjects))
  await writeJson('participants.json', PARTICIPANTS_JSON)
  await writeJson('dataset_description.json', datasetDescription(snapshot))
  await write('README.md', readme(snapshot, plan, screen))
  await write('CHANGES', changes(snapshot))
  return written
}

/** From 1, for tests of a participant who saw an item more than once; undefined for the others. */
function runNumbers(tests: Test[]): Map<Test, number> {
  const seen = new Map<string, Test[]>()
  for (const test of tests) {
    const key = `${test.participantIndex} ${test.itemIndex}`
    seen.set(key, [...(seen.get(key) ?? []), test])
  }
  const several = [...seen.values()].filter(({ length }) => length > 1)
  return new Map(several.flatMap((each) => each.map((test, i) => [test, i + 1] as const)))
}

/** Copies the pictures of items to stimuli/, and returns their names. */
async function copyPictures({ study, manifest, directory: from }: Snapshot, to: string): Promise<Set<string>> {
  const names = study.items.map(({ filename }) => filename).filter((name) => `images/${name}` in manifest.files)
  if (names.length > 0) await mkdir(join(to, 'stimuli'))
  for (const name of new Set(names))
    await copyFile(join(from, 'images', name), join(to, 'stimuli', name), constants.COPYFILE_FICLONE)
  return new Set(names)
}

/** One gzip member, without a name or a time: the same bytes at any time. */
function gzip(blocks: Uint8Array[]): Uint8Array {
  const member = startMember()
  const deflated = blocks.map((block) => member.add(deflatePiece(block)))
  return Buffer.concat([GZIP_HEADER, ...deflated, member.end()])
}
