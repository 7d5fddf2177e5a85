import { openAuditLog } from '../../engine/access/audit-log.ts'
import type { PublicError } from '../../engine/jobs/faults.ts'
import type { RunningJob } from '../../engine/jobs/record/state.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { FoundFiles } from '../../engine/recordings/convert/found-files.ts'
import { type RecordsAt, recordsAt } from '../../engine/storage/records.ts'
import {
  endImport,
  type ImportEnd,
  type ImportJob,
  type ImportReport,
  importPath,
  readImport,
  readIntent,
} from '../../engine/uploads/import-job.ts'
import { wasPublished } from '../../engine/uploads/was-published.ts'
import { type EndedPayload, IMPORT_ATTEMPT, importFactsOf } from '../queue/payload.ts'
import type { Log } from '../tries/job-context.ts'
import type { Promised } from '../tries/put-back.ts'
import { type Outcome, runTry, type Tried, type TryKind, type Work } from '../tries/try.ts'
import { type ImportContext, performImport } from './perform-import.ts'

/**
 * Error codes that concern the owner of the files and are not retried. `busy` is one: another process may hold the
 * study for long.
 */
const IMPORT: TryKind = {
  name: 'import',
  tells: ['invalid_bundle', 'usage', 'exists', 'moved_on', 'forbidden', 'overloaded', 'busy'],
}
/** Error codes that a dry run is meant to find. */
const FINDINGS: PublicError['code'][] = ['invalid_bundle', 'usage', 'exists', 'moved_on', 'forbidden']

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
  const parts = { deathsMax: context.config.jobDeathsMax, runAlone: context.runAlone, log: context.log }
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
        report = await performImport(job, context, aTry, (files) => {
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
