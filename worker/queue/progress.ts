import type { RunningJob } from '../../engine/jobs/record/state.ts'
import type { RunProgress } from '../../engine/run/run-export.ts'

const REPORT_EVERY_MS = 500
/** Share of the progress of a job in parts that computing them takes; composing is the rest. */
const PARTS_PERCENT = 90

/** Progress of a job or part: samples read, rows and bytes written. */
type Done = Pick<RunProgress, 'samplesDone' | 'rows' | 'bytes'>

/** Returns the progress of a job that one try computes as a whole. */
export function progressOfWhole(done: RunProgress, startedAt: Date): RunningJob {
  return viewOf(done, done.samplesTotal, startedAt.toISOString(), 100)
}

/**
 * Returns the progress of a job in parts: from the parts that exist, by number, and those that workers are computing.
 */
export function progressOfParts(
  { samplesTotal, startedAt, of, areFiles = false }: PartsOf,
  there: ReadonlyMap<number, { samples: number; rows: number; bytes: number }>,
): RunningJob {
  const done = [...there.values()].map(({ samples, ...made }) => ({ samplesDone: samples, ...made }))
  return {
    ...viewOf(sumOf(done), samplesTotal, startedAt, percentMax(areFiles)),
    parts: { of, there: [...there.keys()], areFiles },
  }
}

/** A job in `of` parts; `areFiles`: they are its files, so that none is composed. */
type PartsOf = { samplesTotal: number; startedAt: string; of: number; areFiles?: boolean }

const percentMax = (areFiles = false) => (areFiles ? 100 : PARTS_PERCENT)

/** Adds to the progress of a job in parts what workers have done for unfinished parts. */
export function withUnderWay(job: RunningJob, underWay: Done[]): RunningJob {
  return {
    ...job,
    ...viewOf(sumOf([job, ...underWay]), job.samplesTotal, job.startedAt, percentMax(job.parts?.areFiles)),
  }
}

/** Returns the progress of a job whose parts all exist. @param composed bytes in its file so far */
export function progressOfComposing(composed: RunProgress, job: RunningJob): RunningJob {
  const { samplesDone, samplesTotal } = composed
  const share = samplesTotal > 0 ? samplesDone / samplesTotal : 0
  const percent = PARTS_PERCENT + Math.floor(share * (100 - PARTS_PERCENT))
  const { parts: _, ...rest } = job
  return { ...rest, percent, etaSeconds: null }
}

function sumOf(all: Done[]): Done {
  const sum = { samplesDone: 0, rows: 0, bytes: 0 }
  for (const { samplesDone, rows, bytes } of all) {
    sum.samplesDone += samplesDone
    sum.rows += rows
    sum.bytes += bytes
  }
  return sum
}

function viewOf(
  { samplesDone, rows, bytes }: Done,
  samplesTotal: number,
  startedAt: string,
  percentMax: number,
): RunningJob {
  const share = samplesTotal > 0 ? Math.min(1, samplesDone / samplesTotal) : 0
  const seconds = (Date.now() - Date.parse(startedAt)) / 1000
  const etaSeconds = share > 0 ? Math.ceil((seconds / share) * (1 - share)) : null
  return { samplesDone, samplesTotal, rows, bytes, percent: Math.floor(share * percentMax), etaSeconds, startedAt }
}

/** Throttles progress to two updates a second: the first at once, then the latest. */
export function throttle(onProgress: (progress: RunningJob) => void): {
  set: (progress: RunningJob) => void
  stop: () => void
} {
  let isFirst = true
  let latest: RunningJob | null = null
  const pass = () => {
    if (latest !== null) onProgress(latest)
    latest = null
  }
  const timer = setInterval(pass, REPORT_EVERY_MS)
  return {
    set: (progress) => {
      latest = progress
      if (isFirst) pass()
      isFirst = false
    },
    stop: () => clearInterval(timer),
  }
}
