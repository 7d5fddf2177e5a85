import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PARTICIPANTS_MAX, TESTS_MAX } from '../engine/import/bundle/bundle-limits.ts'
import { writeSampleParquet } from '../engine/import/samples/samples-parquet.ts'
import { ServiceError } from '../engine/model/errors.ts'
import { createTextFile } from '../engine/text/text-file.ts'
import { makeStudy } from './flow.ts'
import { makeDemoIds } from './ids.ts'
import { makeItems } from './pictures.ts'
import { type DemoRecording, PARTICIPANTS_HEADER, record, TESTS_HEADER, VALIDATIONS_HEADER } from './recording.ts'

/** The limits of one test in a bundle (docs/bundle.md). */
const MOST_SAMPLES_A_TEST = 4_000_000
const LONGEST_SECONDS = 24 * 3600

/** The size of a demo; `hz` is what a good camera makes, worse ones make fewer samples a second. */
export type DemoSize = { participants: number; items: number; seconds: number; hz: number; seed: number }

/** The demo study of an installation that has no study yet. */
export const FIRST_DEMO: DemoSize = { participants: 24, items: 6, seconds: 8, hz: 30, seed: 1 }

type Progress = {
  /** `samplesTotal` is an upper bound until the end. */
  onProgress?: (samplesDone: number, samplesTotal: number) => void
  signal?: AbortSignal
}

/**
 * Writes a synthetic study as a bundle: the same settings give the same bytes of every file. Samples are streamed, so
 * that a study of any size takes the same memory.
 *
 * @param directory absolute; made if it is not there; the caller removes it when this throws
 * @param memoryMib DuckDB's memory
 * @throws ServiceError usage when a number is out of range, canceled when `signal` aborts
 */
export async function writeDemoBundle({
  directory,
  memoryMib,
  onProgress,
  signal,
  ...size
}: { directory: string; memoryMib: number } & DemoSize & Progress): Promise<{ studyId: string; samples: number }> {
  checkSize(size)
  const { participants, items: itemCount, seconds, hz, seed } = size
  const stimuliDurationMs = Math.round(seconds * 1000)
  const ids = makeDemoIds([seed, participants, itemCount, stimuliDurationMs, Math.round(hz * 1000)])
  const items = makeItems(itemCount)
  mkdirSync(join(directory, 'images'), { recursive: true })
  for (const { path, filename } of items) copyFileSync(path, join(directory, 'images', filename))
  const study = makeStudy(`Demo study, seed ${seed}`, items, ids, stimuliDurationMs, hz)
  writeFileSync(join(directory, 'study.json'), `${JSON.stringify(study, null, 2)}\n`)

  const participantsCsv = createTextFile(join(directory, 'participants.csv'), PARTICIPANTS_HEADER)
  const testsCsv = createTextFile(join(directory, 'tests.csv'), TESTS_HEADER)
  const validationsCsv = createTextFile(join(directory, 'validations.csv'), VALIDATIONS_HEADER)
  const files = { participantsCsv, testsCsv, validationsCsv }
  try {
    const recording = record({ seed, participants, items, ids, hz, stimuliDurationMs, ...files })
    const samplesTotal = Math.ceil(participants * itemCount * (seconds * hz + 2))
    const fill = withProgress(recording, samplesTotal, { onProgress, signal })
    await writeSampleParquet({ directory, path: join(directory, 'samples.parquet'), memoryMib, fill })
    return { studyId: ids.study, samples: recording.samplesDone() }
  } finally {
    for (const file of Object.values(files)) file.close()
  }
}

/** Returns `recording.fill`, which now also reports its progress and stops when it is aborted. */
function withProgress(
  recording: DemoRecording,
  samplesTotal: number,
  { onProgress, signal }: Progress,
): DemoRecording['fill'] {
  return (columns, wanted) => {
    if (signal?.aborted) throw new ServiceError('canceled', 'making the demo study was canceled')
    const n = recording.fill(columns, wanted)
    onProgress?.(recording.samplesDone(), n === 0 ? recording.samplesDone() : samplesTotal)
    return n
  }
}

function checkSize({ participants, items, seconds, hz, seed }: DemoSize): void {
  const wholeFrom = (low: number, value: number, high: number) =>
    Number.isInteger(value) && value >= low && value <= high
  const wrong = [
    wholeFrom(1, participants, PARTICIPANTS_MAX)
      ? ''
      : `participants must be a whole number from 1 to ${PARTICIPANTS_MAX}, got ${participants}`,
    wholeFrom(1, items, 1000) ? '' : `items must be a whole number from 1 to 1000, got ${items}`,
    seconds >= 0.1 && seconds <= LONGEST_SECONDS ? '' : `seconds must be 0.1 to ${LONGEST_SECONDS}, got ${seconds}`,
    hz >= 1 && hz <= 2000 ? '' : `hz must be 1 to 2000, got ${hz}`,
    wholeFrom(0, seed, Number.MAX_SAFE_INTEGER) ? '' : `seed must be a whole number from 0, got ${seed}`,
    seconds * hz < MOST_SAMPLES_A_TEST ? '' : `seconds × hz must be below ${MOST_SAMPLES_A_TEST}, got ${seconds * hz}`,
    participants * items <= TESTS_MAX
      ? ''
      : `participants × items must be at most ${TESTS_MAX}, got ${participants * items}`,
  ].filter((fault) => fault !== '')
  if (wrong.length > 0) throw new ServiceError('usage', wrong.join('; '))
}
