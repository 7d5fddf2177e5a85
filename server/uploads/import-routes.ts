import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Fault } from '../../engine/model/errors.ts'
import { asRule, valueAtPath } from '../../engine/model/json-faults.ts'
import { mayPlace, projectsIn } from '../../engine/model/projects.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { RecordsAt } from '../../engine/storage/records.ts'
import { hasDataOf } from '../../engine/study/merged-snapshot.ts'
import {
  type ImportJob,
  type ImportRequest,
  listOpenImports,
  readImport,
  removeImport,
  requestImport,
  withdrawImport,
} from '../../engine/uploads/import-job.ts'
import type { Uploads } from '../../engine/uploads/open-uploads.ts'
import { readChoices } from '../../engine/uploads/read-choices.ts'
import { isUploadOf, type StoredUpload } from '../../engine/uploads/uploads.ts'
import type { JobQueue } from '../../worker/queue/job-queue.ts'
import { IMPORT_ATTEMPT, importFactsOf } from '../../worker/queue/payload.ts'
import { may, tokenOf } from '../access/authorize.ts'
import { ifMatch } from '../access/preconditions.ts'
import { invalidParameters, ProblemError } from '../http/problems.ts'
import type { IMPORT_ROUTES } from '../routes/imports.ts'
import type { Answers } from '../routes/route.ts'
import type { ImportToStudy } from '../schemas/import.ts'
import { viewImport } from './import-view.ts'

type Parts = { config: Config; records: RecordsAt; uploads: Uploads; queue: JobQueue }

const ASK_AGAIN_SECONDS = '1'

/** Returns the handlers of imports: request, read, cancel. */
export function importRoutes({ config, records, uploads, queue }: Parts): Answers<typeof IMPORT_ROUTES> {
  const ask = askingFor({ config, records, uploads, queue })
  return {
    importStudy: ({ res, token, body: { studyId, project, ...rest } }) => {
      const id = studyId?.toLowerCase() ?? null
      // The study of the files, and its project, are known only after they are read.
      const mayMake = token.reach === 'all' || projectsIn(token.reach).length > 0
      if (!mayMake || (project !== undefined && !mayPlace(token.reach, { id: '', project })))
        throw new ProblemError('forbidden', { detail: mayMake ? OTHER_PROJECT : NEW_STUDIES })
      return ask(res, rest, { studyId: id, ...(project === undefined ? {} : { project }), append: false })
    },
    importDemo: ({ res, token }) => {
      if (token.studies !== 'all') throw new ProblemError('forbidden', { detail: NEW_STUDIES })
      return ask(res, { uploads: [] }, { studyId: null, append: false, demo: true })
    },
    importIntoStudy: ({ req, res, snapshot, body: { replace = false, ...rest } }) => {
      const match = ifMatch(req, false)
      if (match !== null && !hasDataOf(snapshot.manifest, match)) throw new ProblemError('moved_on')
      return ask(res, rest, { studyId: snapshot.study.id, append: !replace, replaces: replace, match })
    },
    getImport: async ({ res, importJob }) => {
      const view = await viewImport(importJob, queue)
      if (view.finishedAt === null) res.setHeader('Retry-After', ASK_AGAIN_SECONDS)
      return view
    },
    cancelImport: async ({ importJob }) => {
      await withdrawImport(records, importJob)
    },
  }
}

const OTHER_PROJECT = 'The token is for other projects.'
const NEW_STUDIES =
  'A token for some studies cannot make new ones; add to a study with POST /api2/studies/{id}/imports.'

/**
 * Returns the import that a request names: one of the token itself or, for operators, any.
 *
 * @throws ProblemError not_found
 */
export async function readableImport(
  records: RecordsAt,
  req: Request,
  res: Response,
): Promise<{ importJob: ImportJob }> {
  const job = await readImport(records, String(req.params.importId))
  const { id: tokenId, role } = tokenOf(res)
  const isMine = job !== null && (job.request.tokenId === tokenId || role === 'ops')
  const isIntoStudy = job?.request.append || job?.request.replaces
  if (!isMine || (isIntoStudy && !may('write', tokenOf(res), job.request.studyId ?? '')))
    throw new ProblemError('not_found')
  return { importJob: job }
}

/** Target study of an import, and whether it is created, extended or replaced. */
type Into = Pick<ImportRequest, 'studyId' | 'project' | 'append' | 'replaces' | 'match' | 'demo'>

/** Returns a function that records an import, puts it into the queue and answers 202. */
function askingFor({ config, records, uploads: there, queue }: Parts) {
  const { openJobsPerToken } = config
  return async (res: Response, body: Omit<z.output<typeof ImportToStudy>, 'replace'>, into: Into) => {
    const { id: tokenId, name: tokenName, reach } = tokenOf(res)
    const { uploads: ids, dryRun = false, ...choices } = body
    const { uploads, faults } = await finishedUploads(there, ids, tokenId)
    for (const { name, message } of readChoices(choices).faults)
      faults.push({
        parameter: name,
        rule: asRule(message),
        value: JSON.stringify(valueAtPath(choices, name.split('.')) ?? null),
      })
    if (faults.length > 0) throw invalidParameters(faults)
    const open = (await listOpenImports(records)).filter(({ request }) => request.tokenId === tokenId).length
    if (open >= openJobsPerToken) throw new ProblemError('too_many_jobs')
    const now = new Date().toISOString()
    const request: ImportRequest = { tokenId, tokenName, reach, ...into, dryRun, uploads, choices, createdAt: now }
    const job = await requestImport(records, request)
    try {
      await queue.add(job.id, IMPORT_ATTEMPT, open, importFactsOf(job))
    } catch (error) {
      await removeImport(records, job.id)
      throw error
    }
    res.setHeader('Location', `/api2/imports/${job.id}`)
    res.setHeader('Retry-After', ASK_AGAIN_SECONDS)
    return viewImport(job, null)
  }
}

type Found = { uploads: Pick<StoredUpload, 'id' | 'name' | 'sizeBytes'>[]; faults: Fault[] }

/** Finds the uploads that a request names. All must be finished, and none may be named twice. */
async function finishedUploads(there: Uploads, ids: string[], tokenId: string): Promise<Found> {
  const found: Found = { uploads: [], faults: [] }
  for (const [i, id] of ids.entries()) {
    const upload = isUploadOf(id, tokenId) ? await there.read(id) : null
    const refuse = (rule: string) => found.faults.push({ parameter: `uploads.${i}`, rule, value: id })
    if (upload === null) refuse('must be an upload of this token that is there')
    else if (ids.indexOf(id) < i) refuse('must be named once')
    else if (upload.receivedBytes < upload.sizeBytes)
      refuse(`must be finished, and only ${upload.receivedBytes} of its ${upload.sizeBytes} bytes have come`)
    else found.uploads.push({ id, name: upload.name, sizeBytes: upload.sizeBytes })
  }
  return found
}
