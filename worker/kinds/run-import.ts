import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openAuditLog } from '../../engine/access/audit-log.ts'
import { sampleLimits } from '../../engine/import/bundle/bundle-limits.ts'
import type { FoundFiles } from '../../engine/import/recordings/found-files.ts'
import { type FileImport, type ImportStage, importFiles } from '../../engine/import/uploads/import-files.ts'
import {
  endImport,
  type ImportEnd,
  type ImportJob,
  type ImportReport,
  type ImportRequest,
  importPath,
  noteIntent,
  readImport,
  readIntent,
} from '../../engine/import/uploads/import-job.ts'
import type { Uploads } from '../../engine/import/uploads/open-uploads.ts'
import { choicesMade, readChoices } from '../../engine/import/uploads/read-choices.ts'
import { wasPublished } from '../../engine/import/uploads/was-published.ts'
import type { PublicError } from '../../engine/jobs/faults.ts'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { isCode } from '../../engine/storage/files/durable.ts'
import { withScratch } from '../../engine/storage/files/scratch.ts'
import { type RecordsAt, recordsAt } from '../../engine/storage/records.ts'
import { hasDataOf } from '../../engine/study/changes/merge.ts'
import type { Home } from '../../engine/study/home.ts'
import { type EndedPayload, IMPORT_ATTEMPT, importFactsOf } from '../queue/payload.ts'
import { countStudy } from './compare-import.ts'
import type { Log } from './job-context.ts'
import type { Promised } from './put-back.ts'
import { type Outcome, runTry, type Tried, type Try, type TryKind, type Work } from './try.ts'

export type ImportContext = Pick<Home, 'studies' | 'place' | 'records'> & {
  config: Pick<
    Config,
    | 'dataDir'
    | 'engineThreads'
    | 'engineMemoryMib'
    | 'importMaxSamples'
    | 'videoMaxMib'
    | 'importMaxGib'
    | 'jobDeathsMax'
  >
  log: Log
  uploads: Uploads
  /** Function that reads the files and publishes their content: the engine, unless another is given. */
  importFiles?: typeof importFiles
}

/**
 * Error codes that concern the owner of the files and are not retried. `busy` is one: another process may hold the
 * study for long.
 */
const IMPORT: TryKind = {
  name: 'import',
  tells: ['invalid_bundle', 'usage', 'exists', 'moved_on', 'overloaded', 'busy'],
}
/** Error codes that a dry run is meant to find. */
const FINDINGS: PublicError['code'][] = ['invalid_bundle', 'usage', 'exists', 'moved_on']
/** Estimated share of the work at which each stage begins and ends. */
const STAGES: Record<ImportStage, [number, number]> = { unpack: [0, 10], convert: [10, 50], import: [50, 100] }

/**
 * Runs one try at an import. Nothing is visible until it publishes. If it is killed at any moment, the next try finds
 * out whether it had published.
 *
 * @param stop aborted with a StopReason
 * @throws only if not even the end could be written
 */
export function runImport(
  tried: Tried,
  context: ImportContext,
  stop: AbortSignal,
  onProgress: (progress: RunningJob) => void,
): Promise<Outcome> {
  const parts = { deathsMax: context.config.jobDeathsMax, log: context.log }
  return runTry(IMPORT, tried, () => openImport(tried.jobId, context), parts, stop, onProgress)
}

async function openImport(id: string, context: ImportContext): Promise<Work | null> {
  const { config, records, log } = context
  const job = await readImport(records, id)
  if (job === null || job.end !== null) return null
  let found: FoundFiles | null = null
  const end = (startedAt: Date, rest: Pick<ImportEnd, 'state' | 'report' | 'error'>) => {
    const times = { startedAt: startedAt.toISOString(), finishedAt: new Date().toISOString() }
    return endImport(records, id, { ...rest, found, ...times })
  }
  const leave = async (startedAt: Date) => {
    const report = await reportOfBefore(context, job)
    await end(startedAt, { state: report === null ? 'canceled' : 'succeeded', report, error: null })
  }
  if (job.isCanceled) {
    await leave(new Date())
    return null
  }
  return {
    storage: recordsAt(records),
    triesPath: importPath(id, 'tries'),
    about: { importId: id },
    isOver: async () => {
      const now = await readImport(records, id)
      return now === null || now.isCanceled || now.end !== null
    },
    run: async (aTry) => {
      let report = await reportOfBefore(context, job)
      if (report === null) {
        report = await run(job, context, aTry, (files) => {
          found = files
        })
        // A concurrent try, whose worker outlived its lock, may have published meanwhile.
        if (!report.published) report = (await reportOfBefore(context, job)) ?? report
      }
      if (!(await end(aTry.startedAt, { state: 'succeeded', report, error: null }))) return 'superseded'
      await audit(config.dataDir, job, report, log)
      log.info({ importId: id, studyId: report.studyId, snapshotId: report.snapshotId }, 'import succeeded')
      return 'succeeded'
    },
    fail: async (told, error, startedAt) => {
      const problems = error instanceof ServiceError && told.code === error.code ? error.problems : []
      const ended = await end(startedAt, { state: 'failed', report: null, error: { ...told, problems } })
      if (!ended) return 'superseded'
      return job.request.dryRun && FINDINGS.includes(told.code) ? 'refused' : 'failed'
    },
    leave,
    mayBeDone: () =>
      reportOfBefore(context, job).then(
        (report) => report !== null,
        () => true,
      ),
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

/** Returns the report of a try that was killed right after it had published; null if there is none. */
async function reportOfBefore(
  { records, studies }: ImportContext,
  { id, request }: ImportJob,
): Promise<ImportReport | null> {
  const intent = await readIntent(records, id)
  if (intent === null || !(await wasPublished(studies, intent.studyId, intent.snapshotId))) return null
  const current = await studies.current(intent.studyId)
  // A replaced study may have had the same data before.
  if (request.replaces && current?.id !== intent.snapshotId) return null
  return current && { ...intent, published: true, counts: current.manifest.counts }
}

async function run(
  { id, request }: ImportJob,
  context: ImportContext,
  { startedAt, signal, onProgress }: Try,
  onFound: (found: FoundFiles) => void,
): Promise<ImportReport> {
  const { config, studies, place, records, uploads, importFiles: importWith = importFiles } = context
  const { dataDir, engineThreads: threads, engineMemoryMib: memoryMib } = config
  const { append, dryRun, choices, studyId, replaces = false } = request
  const { choices: foreign, faults } = readChoices(choices)
  if (faults.length > 0)
    throw new ServiceError('usage', faults.map(({ name, message }) => `${name}: ${message}`).join('; '))
  return withScratch(dataDir, async (scratch) => {
    const paths = request.demo
      ? [await placeDemo(scratch, memoryMib, signal)]
      : await placeUploads(uploads, request.uploads, scratch)
    const replaced = replaces ? await studies.current(studyId!) : null
    if (replaces && replaced === null) throw new ServiceError('not_found', `there is no study ${studyId}`)
    const isTrial = replaced !== null && dryRun
    const trialDir = join(scratch, 'trial')
    let conversion: ImportReport['conversion'] = null
    let left: string[] = []
    try {
      const result = await importWith({
        paths,
        scratch: join(scratch, 'work'),
        append,
        foreign,
        // The result is known only once it is complete.
        ...(isTrial ? { dataDir: trialDir } : { dataDir, place, studies }),
        ...(studyId === null ? {} : { studyId }),
        ...(replaced === null ? {} : { replaced }),
        ...(isTrial ? {} : { ifMatch: matchOf(request, replaced) }),
        dryRun: dryRun && !isTrial,
        now: startedAt,
        tokenId: request.tokenId,
        threads,
        memoryMib,
        limits: sampleLimits(config),
        signal,
        onProgress: progressFrom(startedAt, onProgress),
        onBundle: () => refuseChoices(choicesMade(choices)),
        onUnpacked: (names) => {
          left = names
        },
        ...(dryRun ? { onFound } : {}),
        onConverted: (made) => {
          conversion = made
        },
        onExisting: ({ study: { id: there, name } }) => {
          if (replaces) return
          const rule = `${name} (${there}) is there already, with other data: add the files to it, or replace it`
          throw new ServiceError('exists', `the study ${rule}`)
        },
        beforePublish: (publication) =>
          dryRun ? Promise.resolve() : noteIntent(records, id, { ...publication, conversion, left, nothingNew: null }),
      })
      if (!isTrial) return result
      const next = (await openStudies(trialDir).current(result.studyId))!
      const [before, after] = [await countStudy(replaced, signal), await countStudy(next, signal)]
      return { ...result, published: false, change: { before, after } }
    } catch (error) {
      throw withoutPaths(error, [join(scratch, 'work'), scratch])
    }
  })
}

/**
 * Returns the snapshot that must still be current: the one that the client saw, or the same data after a merge of
 * files.
 */
function matchOf({ match = null }: ImportRequest, present: Snapshot | null): string | null {
  return match !== null && present !== null && hasDataOf(present.manifest, match) ? present.id : match
}

/** Writes the bundle of the demo study. Returns its folder. */
async function placeDemo(scratch: string, memoryMib: number, signal: AbortSignal): Promise<string> {
  const { FIRST_DEMO, writeDemoBundle } = await import('../../demo/write-demo.ts')
  const directory = join(scratch, 'demo')
  await writeDemoBundle({ directory, ...FIRST_DEMO, memoryMib, signal })
  return directory
}

/** Links uploads under their given names, each in a folder of its own if two have the same name. */
async function placeUploads(
  { place }: Uploads,
  uploads: { id: string; name: string }[],
  scratch: string,
): Promise<string[]> {
  const paths: string[] = []
  for (const [i, { id, name }] of uploads.entries()) {
    const isTwice = uploads.findIndex((other) => other.name === name) < i
    const directory = isTwice ? join(scratch, `upload-${i + 1}`) : join(scratch, 'uploads')
    await mkdir(directory, { recursive: true, mode: 0o700 })
    try {
      await place(id, join(directory, name))
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
  throw new ServiceError('usage', `it is a study bundle, which needs no such options: leave out ${made.join(', ')}`)
}

/** Removes paths of this machine from messages about files. */
function withoutPaths(error: unknown, directories: string[]): unknown {
  if (!(error instanceof ServiceError)) return error
  let { message } = error
  for (const directory of directories) message = message.replaceAll(`${directory}/`, '')
  return new ServiceError(error.code, message, { problems: error.problems, faults: error.faults, cause: error })
}

/** Returns a function that reports the progress of an import. */
function progressFrom(startedAt: Date, onProgress: Try['onProgress']): NonNullable<FileImport['onProgress']> {
  const from = { rows: 0, bytes: 0, etaSeconds: null, startedAt: startedAt.toISOString() }
  onProgress({ ...from, percent: 0, samplesDone: 0, samplesTotal: 0 })
  return (stage, share, samplesDone, samplesTotal) => {
    const [begins, ends] = STAGES[stage]
    const percent = Math.floor(begins + (ends - begins) * share)
    onProgress({ ...from, percent, samplesDone, samplesTotal: samplesTotal ?? samplesDone })
  }
}

/** Returns the data about the end of an import that the queue stores. */
export async function endOfImport(context: ImportContext, id: string): Promise<EndedPayload> {
  const { report, error } = (await readImport(context.records, id))?.end ?? {}
  if (report) return { state: 'succeeded', study: report.studyId }
  return { state: 'failed', message: `${error?.message} (${error?.code})` }
}

/** Returns an unfinished import as promised work. */
export function promisedImport(records: RecordsAt, { id }: ImportJob): Promised {
  const again = async () => {
    const job = await readImport(records, id)
    return job === null || job.end !== null ? null : { facts: importFactsOf(job), tokenIds: [job.request.tokenId] }
  }
  return { id, attempt: IMPORT_ATTEMPT, again }
}
