import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../engine/errors.ts'
import { writeSamples } from '../engine/store/samples-parquet.ts'
import { createTextFile } from '../engine/store/textfile.ts'
import { makeStudy } from './flow.ts'
import { makeIds } from './ids.ts'
import { PARTICIPANTS_HEADER, record, TESTS_HEADER } from './recording.ts'
import { drawItem } from './stimuli.ts'

/** SPEC section 2: what one test may hold. */
const MOST_SAMPLES_A_TEST = 4_000_000
const LONGEST_SECONDS = 24 * 3600

/**
 * Writes a synthetic study as a bundle (SPEC section 2): the same settings give the same bytes of every file. Samples are
 * streamed, so that a study of any size takes the same memory.
 *
 * @param directory absolute; made if it is not there; the caller removes it when this throws
 * @param hz frames a second of a good camera; worse ones make fewer
 * @param memoryMib DuckDB's memory
 * @throws ServiceError usage when a number is out of range, canceled when `signal` aborts
 */
export async function writeDemoBundle({
  directory,
  participants,
  items,
  seconds,
  hz,
  seed,
  memoryMib,
  onProgress,
  signal,
}: {
  directory: string
  participants: number
  items: number
  seconds: number
  hz: number
  seed: number
  memoryMib: number
  /** Not used: one thread writes, so that the bytes never depend on it. */
  threads: number
  /** `samplesTotal` is an upper bound until the end. */
  onProgress?: (samplesDone: number, samplesTotal: number) => void
  signal?: AbortSignal
}): Promise<{ studyId: string; samples: number }> {
  checkSettings({ participants, items, seconds, hz, seed })
  const stimuliDurationMs = Math.round(seconds * 1000)
  const ids = makeIds([seed, participants, items, stimuliDurationMs, Math.round(hz * 1000)])
  const demoItems = Array.from({ length: items }, (_, index) => drawItem(seed, index))
  mkdirSync(join(directory, 'images'), { recursive: true })
  for (const { filename, drawing } of demoItems) writeFileSync(join(directory, 'images', filename), drawing.svg)
  const study = makeStudy(`Demo study, seed ${seed}`, demoItems, ids, stimuliDurationMs)
  writeFileSync(join(directory, 'study.json'), `${JSON.stringify(study, null, 2)}\n`)

  const samplesTotal = Math.ceil(participants * items * (seconds * hz + 2))
  const participantsCsv = createTextFile(join(directory, 'participants.csv'), PARTICIPANTS_HEADER)
  const testsCsv = createTextFile(join(directory, 'tests.csv'), TESTS_HEADER)
  try {
    const recording = record({
      seed,
      participants,
      items: demoItems,
      ids,
      hz,
      stimuliDurationMs,
      participantsCsv,
      testsCsv,
    })
    await writeSamples({
      directory,
      path: join(directory, 'samples.parquet'),
      memoryMib,
      fill: (columns, wanted) => {
        if (signal?.aborted) throw new ServiceError('canceled', 'making the demo study was canceled')
        const n = recording.fill(columns, wanted)
        onProgress?.(recording.samplesDone(), n === 0 ? recording.samplesDone() : samplesTotal)
        return n
      },
    })
    return { studyId: ids.study, samples: recording.samplesDone() }
  } finally {
    participantsCsv.close()
    testsCsv.close()
  }
}

function checkSettings(settings: Record<'participants' | 'items' | 'seconds' | 'hz' | 'seed', number>): void {
  const { participants, items, seconds, hz, seed } = settings
  const wholeFrom = (low: number, value: number, high: number) =>
    Number.isInteger(value) && value >= low && value <= high
  const wrong = [
    wholeFrom(1, participants, 1e6) ? '' : `participants must be a whole number from 1 to 1000000, got ${participants}`,
    wholeFrom(1, items, 1000) ? '' : `items must be a whole number from 1 to 1000, got ${items}`,
    seconds >= 0.1 && seconds <= LONGEST_SECONDS ? '' : `seconds must be 0.1 to ${LONGEST_SECONDS}, got ${seconds}`,
    hz >= 1 && hz <= 2000 ? '' : `hz must be 1 to 2000, got ${hz}`,
    wholeFrom(0, seed, Number.MAX_SAFE_INTEGER) ? '' : `seed must be a whole number from 0, got ${seed}`,
    seconds * hz < MOST_SAMPLES_A_TEST ? '' : `seconds × hz must be below ${MOST_SAMPLES_A_TEST}, got ${seconds * hz}`,
  ].filter((fault) => fault !== '')
  if (wrong.length > 0) throw new ServiceError('usage', wrong.join('; '))
}
