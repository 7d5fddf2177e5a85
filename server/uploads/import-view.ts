import type { RunningJob } from '../../engine/jobs/record/state.ts'
import type { FoundFiles } from '../../engine/recordings/convert/found-files.ts'
import type { ImportEnd, ImportJob } from '../../engine/uploads/import-job.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { IMPORT_ATTEMPT } from '../../worker/queue/payload.ts'
import { type ProblemCode, ProblemError, problemBody } from '../http/problems.ts'
import type { ImportView } from '../schemas/import.ts'
import { viewReport } from './report-view.ts'

/**
 * Returns the view of an import for clients.
 *
 * @param queue reports its progress; null for an import that has just been queued
 */
export async function viewImport(job: ImportJob, queue: Pick<JobQueue, 'progress'> | null): Promise<ImportView> {
  const { id, request, end } = job
  const running = end === null && queue !== null ? await progressOf(queue, id) : null
  const { studyId, append, dryRun, uploads, createdAt } = request
  return {
    id,
    study: studyId === null ? null : { id: studyId },
    append,
    dryRun,
    uploads: uploads.map(({ id: upload, name, sizeBytes }) => ({ id: upload, name, bytes: sizeBytes })),
    state: end?.state ?? (running === null ? 'queued' : 'running'),
    progress: {
      percent: end?.state === 'succeeded' ? 100 : (running?.percent ?? 0),
      samples: end?.report?.counts.samples ?? running?.samplesDone ?? 0,
    },
    createdAt,
    startedAt: end?.startedAt ?? running?.startedAt ?? null,
    finishedAt: end?.finishedAt ?? null,
    found: end?.found ? viewFound(end.found) : null,
    report: end?.report ? viewReport(end.report, withFields) : null,
    error: end?.error ? problemBody(problemOf(end.error)) : null,
  }
}

/**
 * State of an import that has no end and is missing from the queue: queued, since it is on disk and will be queued
 * again.
 */
function progressOf(queue: Pick<JobQueue, 'progress'>, id: string): Promise<RunningJob | null> {
  return queue.progress(id, IMPORT_ATTEMPT).catch(() => null)
}

/** Replaces names of options by names of request fields, in texts about a mapping. */
function viewFound({ table, ...found }: FoundFiles): NonNullable<ImportView['found']> {
  const { mapping = null, fault = null } = table ?? {}
  return {
    ...found,
    table: table && {
      ...table,
      // Absent in reports of earlier versions.
      conditions: table.conditions ?? [],
      thresholds: table.thresholds ?? [],
      mapping: mapping && { ...mapping, notes: mapping.notes.map(withFields) },
      fault: fault && withFields(fault),
    },
  }
}

function problemOf({ code, message, problems }: NonNullable<ImportEnd['error']>): ProblemError {
  const known: ProblemCode = code === 'usage' || code === 'not_found' ? 'unreadable_files' : code
  const sentence = withFields(message)
  const detail = sentence.endsWith('.') ? sentence : `${sentence}.`
  return new ProblemError(known, known === 'internal' ? {} : { detail, problems })
}

/** Fields of an import whose names differ from the options of `gazette import`. */
const FIELDS: Record<string, string> = {
  'end-message': 'messages.end',
  'event-message': 'events',
  'external-data': 'externalData',
  'join-names': 'joinNames',
  'item-message': 'messages.item',
  'onset-message': 'messages.onset',
  'trial-message': 'messages.trial',
  study: 'studyId',
}

/** Replaces names of command-line options, such as `--screen WIDTHxHEIGHT`, by names of request fields. */
function withFields(sentence: string): string {
  return sentence.replace(
    /(?<!gazette convert )--([a-z]+(?:-[a-z]+)*)(?: (?:WIDTHxHEIGHT|FILE)\b)?/g,
    (_, option: string) => `\`${FIELDS[option] ?? option}\``,
  )
}
