import { type Request, type Response, Router } from 'express'
import type { z } from 'zod'
import {
  type ImportJob,
  type ImportRequest,
  listOpenImports,
  readImport,
  removeImport,
  requestImport,
  withdrawImport,
} from '../../engine/intake/import-job.ts'
import { readChoices } from '../../engine/intake/read-choices.ts'
import { isUploadOf, readUpload, type Upload } from '../../engine/intake/uploads.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { asRule, valueAt } from '../../engine/model/json-faults.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { IMPORT_ATTEMPT, importFactsOf, type JobQueue } from '../../worker/queue.ts'
import { may, requireRole, tokenOf } from '../access/authorize.ts'
import { changeableStudy } from '../access/readable-study.ts'
import { bodyOf, readJson } from '../http/body/json-body.ts'
import { invalidParameters, onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, refuseUnknown } from '../http/query.ts'
import { ImportNew, ImportToStudy } from '../schemas/import.ts'
import { viewImport } from './import-view.ts'

type Parts = { config: Config; store: Store; queue: JobQueue }

const BODY_MAX_BYTES = 4 * 2 ** 20
const ASK_AGAIN_SECONDS = '1'

/** Returns the routes of imports: asked for, looked at, stopped. */
export function importRoutes({ config, store, queue }: Parts): Router {
  const { dataDir } = config
  const router = Router({ caseSensitive: true })
  const body = readJson(BODY_MAX_BYTES)
  const ask = askingFor({ config, queue })

  router
    .route('/imports')
    .post(requireRole('write'), body, async (req, res) => {
      refuseUnknown(queryOf(req.url), [])
      // Which study the files make is known once they are read.
      if (tokenOf(res).studies !== 'all') throw new ProblemError('forbidden', { detail: NEW_STUDIES })
      const { studyId, ...rest } = bodyOf(req, ImportNew)
      await ask(res, rest, studyId?.toLowerCase() ?? null, false)
    })
    .all(onlyMethods('POST'))

  router
    .route('/studies/:studyId/imports')
    .post(requireRole('write'), body, async (req, res) => {
      const { study } = await changeableStudy(store, res, String(req.params.studyId), 'write')
      refuseUnknown(queryOf(req.url), [])
      await ask(res, bodyOf(req, ImportToStudy), study.id, true)
    })
    .all(onlyMethods('POST'))

  router
    .route('/imports/:importId')
    .get(async (req, res) => {
      const job = await readableImport(dataDir, req, res)
      const view = await viewImport(job, queue)
      if (view.finishedAt === null) res.setHeader('Retry-After', ASK_AGAIN_SECONDS)
      res.setHeader('Cache-Control', 'no-store')
      res.json(view)
    })
    .delete(async (req, res) => {
      await withdrawImport(dataDir, await readableImport(dataDir, req, res))
      res.setHeader('Cache-Control', 'no-store')
      res.status(204).end()
    })
    .all(onlyMethods('GET', 'HEAD', 'DELETE'))

  return router
}

const NEW_STUDIES =
  'A token for some studies cannot make new ones; add to a study with POST /api2/studies/{id}/imports.'

/**
 * Returns the import that a request names: of the token itself or, to operators, of any.
 *
 * @throws ProblemError not_found
 */
async function readableImport(dataDir: string, req: Request, res: Response): Promise<ImportJob> {
  const job = await readImport(dataDir, String(req.params.importId))
  const { id: tokenId, role } = tokenOf(res)
  const isMine = job !== null && (job.request.tokenId === tokenId || role === 'ops')
  if (!isMine || (job.request.append && !may('write', tokenOf(res), job.request.studyId ?? '')))
    throw new ProblemError('not_found')
  refuseUnknown(queryOf(req.url), [])
  return job
}

/** Returns what writes an import down, puts it into the queue and answers 202. */
function askingFor({ config, queue }: Omit<Parts, 'store'>) {
  const { dataDir, openJobsPerToken } = config
  return async (res: Response, body: z.output<typeof ImportToStudy>, studyId: string | null, append: boolean) => {
    const { id: tokenId, name: tokenName } = tokenOf(res)
    const { uploads: ids, dryRun = false, ...choices } = body
    const { uploads, faults } = await finishedUploads(dataDir, ids, tokenId)
    for (const { name, message } of readChoices(choices).faults)
      faults.push({
        parameter: name,
        rule: asRule(message),
        value: JSON.stringify(valueAt(choices, name.split('.')) ?? null),
      })
    if (faults.length > 0) throw invalidParameters(faults)
    const open = (await listOpenImports(dataDir)).filter(({ request }) => request.tokenId === tokenId).length
    if (open >= openJobsPerToken) throw new ProblemError('too_many_jobs')
    const now = new Date().toISOString()
    const request: ImportRequest = { tokenId, tokenName, studyId, append, dryRun, uploads, choices, createdAt: now }
    const job = await requestImport(dataDir, request)
    try {
      await queue.add(job.id, IMPORT_ATTEMPT, open, importFactsOf(job))
    } catch (error) {
      await removeImport(dataDir, job.id)
      throw error
    }
    res.setHeader('Location', `/api2/imports/${job.id}`)
    res.setHeader('Retry-After', ASK_AGAIN_SECONDS)
    res.setHeader('Cache-Control', 'no-store')
    res.status(202).json(await viewImport(job, null))
  }
}

type Found = { uploads: Pick<Upload, 'id' | 'name' | 'sizeBytes'>[]; faults: Fault[] }

/** Finds the uploads that a request names, all of them finished, and each once. */
async function finishedUploads(dataDir: string, ids: string[], tokenId: string): Promise<Found> {
  const found: Found = { uploads: [], faults: [] }
  for (const [i, id] of ids.entries()) {
    const upload = isUploadOf(id, tokenId) ? await readUpload(dataDir, id) : null
    const refuse = (rule: string) => found.faults.push({ parameter: `uploads.${i}`, rule, value: id })
    if (upload === null) refuse('must be an upload of this token that is there')
    else if (ids.indexOf(id) < i) refuse('must be named once')
    else if (upload.receivedBytes < upload.sizeBytes)
      refuse(`must be finished, and only ${upload.receivedBytes} of its ${upload.sizeBytes} bytes have come`)
    else found.uploads.push({ id, name: upload.name, sizeBytes: upload.sizeBytes })
  }
  return found
}
