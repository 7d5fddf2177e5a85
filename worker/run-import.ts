import { link, mkdir, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAuditLog } from '../engine/access/audit-log.ts'
import { isCode, isDiskFull, isShortage } from '../engine/files/durable.ts'
import { sampleLimits } from '../engine/import/bundle/bundle-limits.ts'
import {
  endImport,
  type ImportEnd,
  type ImportJob,
  type ImportReport,
  importPath,
  noteIntent,
  readImport,
  readIntent,
} from '../engine/intake/import-job.ts'
import { choicesMade, readChoices } from '../engine/intake/read-choices.ts'
import { withScratch } from '../engine/intake/scratch.ts'
import { type Intake, type IntakeStage, takeIn } from '../engine/intake/take-in.ts'
import { removeUpload, uploadPath } from '../engine/intake/uploads.ts'
import { wasPublished } from '../engine/intake/was-published.ts'
import type { RunningJob } from '../engine/jobs/record/state.ts'
import { ServiceError } from '../engine/model/errors.ts'
import type { Config } from '../engine/model/settings.ts'
import type { FoundFiles } from '../engine/recordings/found-files.ts'
import { openStore } from '../engine/snapshot/snapshots.ts'
import type { Log, Outcome, StopReason } from './job-context.ts'
import { refuseDeadly } from './refuse-deadly.ts'
import type { Tried } from './run-job.ts'

export type ImportContext = {
  config: Pick<
    Config,
    'dataDir' | 'engineThreads' | 'engineMemoryMib' | 'importMaxSamples' | 'importMaxGib' | 'jobDeathsMax'
  >
  log: Log
  /** What reads the files and publishes what they hold: the engine, unless something else is given. */
  takeIn?: typeof takeIn
}

const LOOK_EVERY_MS = 250
const REPORT_EVERY_MS = 500
/** How often an import is tried in all. */
const TRIES_MAX = 20
/** The share of the work that each stage begins at, and ends at: a guess. */
const STAGES: Record<IntakeStage, [number, number]> = { unpack: [0, 10], convert: [10, 50], import: [50, 100] }

/**
 * Runs one try at an import. Until it publishes, nothing of it can be seen; killed at any moment, the next try finds
 * out whether it did.
 *
 * @param stop aborted with a StopReason
 * @throws only when not even the end could be written
 */
export async function runImport(
  { jobId: id, stalls }: Pick<Tried, 'jobId' | 'stalls'>,
  context: ImportContext,
  stop: AbortSignal,
  onProgress: (progress: RunningJob) => void,
): Promise<Outcome> {
  const { config, log } = context
  const job = await readImport(config.dataDir, id)
  if (job === null || job.end !== null) return 'superseded'
  const startedAt = new Date()
  const over = new AbortController()
  const looking = lookWhetherCanceled(config.dataDir, id, over, log)
  let found: FoundFiles | null = null
  const onFound = (files: FoundFiles) => {
    found = files
  }
  const end = (rest: Pick<ImportEnd, 'state' | 'report' | 'error'>) =>
    endImport(config.dataDir, id, {
      ...rest,
      found,
      startedAt: startedAt.toISOString(),
      finishedAt: new Date().toISOString(),
    })
  let tries = 0
  try {
    tries = await beginTry(config.dataDir, id)
    refuseDeadly(stalls, tries, config.jobDeathsMax)
    const signal = AbortSignal.any([stop, over.signal])
    let report = await reportOfBefore(config.dataDir, id)
    if (report === null) {
      report = await run(job, context, signal, startedAt, onProgress, onFound)
      // A try beside this one, whose worker stood still for longer than its lock lasted, may have published meanwhile.
      if (!report.published) report = (await reportOfBefore(config.dataDir, id)) ?? report
    }
    if (!(await end({ state: 'succeeded', report, error: null }))) return 'superseded'
    if (!job.request.dryRun) for (const upload of job.request.uploads) await removeUpload(config.dataDir, upload.id)
    await audit(config.dataDir, job, report, log)
    log.info({ importId: id, studyId: report.studyId, snapshotId: report.snapshotId }, 'import succeeded')
    return 'succeeded'
  } catch (error) {
    if (stop.aborted) {
      await handBackTry(config.dataDir, id)
      return stop.reason as StopReason
    }
    const before = await reportOfBefore(config.dataDir, id).catch(() => 'not known' as const)
    if (over.signal.aborted && before !== 'not known') {
      await end({ state: before === null ? 'canceled' : 'succeeded', report: before, error: null })
      return 'superseded'
    }
    // What went wrong after it was published does not take that back.
    if ((isPassing(error) || before !== null) && tries < TRIES_MAX) {
      if (error instanceof ServiceError && error.code === 'busy') await handBackTry(config.dataDir, id)
      log.warn({ importId: id, tries, err: error }, 'import put off')
      return 'put off'
    }
    const told = tell(error)
    if (told.code === 'internal') log.error({ importId: id, err: error }, 'import failed')
    else log.info({ importId: id, code: told.code, problems: told.problems.length }, 'import refused')
    return (await end({ state: 'failed', report: null, error: told })) ? 'failed' : 'superseded'
  } finally {
    over.abort()
    await looking
  }
}

async function audit(dataDir: string, { id, request }: ImportJob, report: ImportReport, log: Log): Promise<void> {
  if (!report.published) return
  const lines = openAuditLog(dataDir, (error) =>
    log.error({ importId: id, err: error }, 'no line was added to the audit log'),
  )
  const { studyId: study, snapshotId: snapshot } = report
  lines.write({ event: 'import', by: { token: request.tokenId }, study, snapshot, job: id }, new Date())
  await lines.flush()
}

/** Returns the report of a try that was killed right after it had published; null if none was. */
async function reportOfBefore(dataDir: string, id: string): Promise<ImportReport | null> {
  const intent = await readIntent(dataDir, id)
  if (intent === null || !(await wasPublished(dataDir, intent.studyId, intent.snapshotId))) return null
  const { manifest } = (await openStore(dataDir).current(intent.studyId))!
  return { ...intent, published: true, counts: manifest.counts }
}

async function run(
  { id, request }: ImportJob,
  { config, takeIn: taking = takeIn }: ImportContext,
  signal: AbortSignal,
  startedAt: Date,
  onProgress: (progress: RunningJob) => void,
  onFound: (found: FoundFiles) => void,
): Promise<ImportReport> {
  const { dataDir, engineThreads: threads, engineMemoryMib: memoryMib } = config
  const { append, dryRun, choices, studyId } = request
  const { choices: foreign, faults } = readChoices(choices)
  if (faults.length > 0)
    throw new ServiceError('usage', faults.map(({ name, message }) => `${name}: ${message}`).join('; '))
  return withScratch(dataDir, async (scratch) => {
    const paths = await placeUploads(dataDir, request.uploads, scratch)
    let conversion: ImportReport['conversion'] = null
    let left: string[] = []
    const { progress, stopReporting } = reportProgress(startedAt, onProgress)
    try {
      const result = await taking({
        paths,
        scratch: join(scratch, 'work'),
        append,
        foreign,
        dataDir,
        ...(studyId === null ? {} : { studyId }),
        dryRun,
        now: startedAt,
        tokenId: request.tokenId,
        threads,
        memoryMib,
        limits: sampleLimits(config),
        signal,
        onProgress: progress,
        onBundle: () => refuseChoices(choicesMade(choices)),
        onUnpacked: (names) => {
          left = names
        },
        ...(dryRun ? { onFound } : {}),
        onConverted: (made) => {
          conversion = made
        },
        onExisting: ({ study: { id: there, name } }) => {
          const rule = `${name} (${there}) is there already, with other data: POST /api2/studies/${there}/imports adds to it`
          throw new ServiceError('exists', `the study ${rule}`)
        },
        beforePublish: (publication) =>
          dryRun ? Promise.resolve() : noteIntent(dataDir, id, { ...publication, conversion, left, nothingNew: null }),
      })
      return result
    } catch (error) {
      throw withoutPaths(error, [join(scratch, 'work'), scratch])
    } finally {
      stopReporting()
    }
  })
}

/** Links uploads under the names that they were given, each in a folder of its own where two are called the same. */
async function placeUploads(
  dataDir: string,
  uploads: { id: string; name: string }[],
  scratch: string,
): Promise<string[]> {
  const paths: string[] = []
  for (const [i, { id, name }] of uploads.entries()) {
    const isTwice = uploads.findIndex((other) => other.name === name) < i
    const directory = isTwice ? join(scratch, `upload-${i + 1}`) : join(scratch, 'uploads')
    await mkdir(directory, { recursive: true, mode: 0o700 })
    try {
      await link(uploadPath(dataDir, id), join(directory, name))
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error
      throw new ServiceError('not_found', `the upload ${id} is gone: send it again`)
    }
    paths.push(join(directory, name))
  }
  return paths
}

function refuseChoices(made: string[]): void {
  if (made.length === 0) return
  throw new ServiceError('usage', `it is a study bundle, which says all by itself: leave out ${made.join(', ')}`)
}

/** Takes the paths of this machine out of what is said of files. */
function withoutPaths(error: unknown, directories: string[]): unknown {
  if (!(error instanceof ServiceError)) return error
  let { message } = error
  for (const directory of directories) message = message.replaceAll(`${directory}/`, '')
  return new ServiceError(error.code, message, { problems: error.problems, faults: error.faults, cause: error })
}

/** Aborts `over` once an import is to stop; ends when `over` is aborted by anyone. */
async function lookWhetherCanceled(dataDir: string, id: string, over: AbortController, log: Log): Promise<void> {
  while (!over.signal.aborted) {
    try {
      const job = await readImport(dataDir, id)
      if (job === null || job.isCanceled) return over.abort()
    } catch (error) {
      log.warn({ importId: id, err: error }, 'cannot look whether an import is still wanted')
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined)
  }
}

/** Passes progress on at most twice a second, the latest. */
function reportProgress(startedAt: Date, onProgress: (progress: RunningJob) => void) {
  const from = { rows: 0, bytes: 0, etaSeconds: null, startedAt: startedAt.toISOString() }
  let latest: RunningJob | null = { ...from, percent: 0, samplesDone: 0, samplesTotal: 0 }
  const pass = () => {
    if (latest !== null) onProgress(latest)
    latest = null
  }
  pass()
  const timer = setInterval(pass, REPORT_EVERY_MS)
  const progress: Intake['onProgress'] = (stage, share, samplesDone, samplesTotal) => {
    const [begins, ends] = STAGES[stage]
    const percent = Math.floor(begins + (ends - begins) * share)
    latest = { ...from, percent, samplesDone, samplesTotal: samplesTotal ?? samplesDone }
  }
  return { progress, stopReporting: () => clearInterval(timer) }
}

async function beginTry(dataDir: string, id: string): Promise<number> {
  const path = importPath(dataDir, id, 'tries')
  await writeFile(path, '.', { flag: 'a', mode: 0o600 })
  return (await stat(path)).size
}

async function handBackTry(dataDir: string, id: string): Promise<void> {
  const path = importPath(dataDir, id, 'tries')
  await truncate(path, Math.max(0, (await stat(path)).size - 1))
}

/** Returns whether a later try may go better. */
function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === 'overloaded' || error.code === 'busy'
  return isShortage(error) || isCode(error, 'EIO')
}

const TOLD = [
  'invalid_bundle',
  'usage',
  'not_found',
  'exists',
  'corrupt',
  'other_format',
  'disk_full',
  'overloaded',
  'busy',
  'set_aside',
]

/** Returns what a client may be told of an error: no path, no SQL, no stack. */
function tell(error: unknown): NonNullable<ImportEnd['error']> {
  if (isDiskFull(error)) return { code: 'disk_full', message: 'There is no space left on the disk', problems: [] }
  if (error instanceof ServiceError && TOLD.includes(error.code))
    return { code: error.code, message: error.message, problems: error.problems }
  return { code: 'internal', message: 'The import failed by a fault of Gazette; its log says more', problems: [] }
}
