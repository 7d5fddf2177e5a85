import { dirname } from 'node:path'
import { type Request, type RequestHandler, Router } from 'express'
import type { z } from 'zod'
import { checkAnalysis } from '../../engine/analyses/find-analysis.ts'
import {
  deleteAnalysis,
  listAnalyses,
  putAnalysis,
  readAnalysis,
  type StoredAnalysis,
} from '../../engine/analyses/stored-analyses.ts'
import { ANALYSIS_NAME, ANALYSIS_REFERENCE } from '../../engine/model/study-analysis.ts'
import { tokenOf } from '../access/authorize.ts'
import { requireRoom } from '../access/bounds.ts'
import { changeableStudy, readableStudy } from '../access/readable-study.ts'
import { bodyOf, readJson } from '../http/body/json-body.ts'
import { invalidParameters, onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, refuseUnknown } from '../http/query.ts'
import { Analysis, type AnalysisList, type StoredAnalysis as View } from '../schemas/study-analysis.ts'
import { logWrite, type WriteParts } from './write-parts.ts'

const BODY_MAX_BYTES = 256 * 1024

/** Returns the routes of the analyses of a study: what was decided about it (docs/analysis.md). */
export function analysesRoutes(parts: WriteParts): Router {
  const router = Router({ caseSensitive: true })
  router
    .route('/studies/:studyId/analyses')
    .get(async (req, res) => {
      const { directory } = await readableStudy(parts.store, res, String(req.params.studyId))
      refuseUnknown(queryOf(req.url), [])
      const body: z.infer<typeof AnalysisList> = { analyses: (await listAnalyses(dirname(directory))).map(view) }
      res.setHeader('Cache-Control', 'private, no-cache')
      res.json(body)
    })
    .all(onlyMethods('GET', 'HEAD'))
  router
    .route('/studies/:studyId/analyses/:name')
    .get(getAnalysis(parts))
    .put(readJson(BODY_MAX_BYTES), putNamed(parts))
    .delete(deleteNamed(parts))
    .all(onlyMethods('GET', 'HEAD', 'PUT', 'DELETE'))
  return router
}

function view({ name, version, changedAt, analysis }: StoredAnalysis): z.infer<typeof View> {
  return { name, version, reference: `${name}@${version}`, changedAt, analysis: analysis as z.infer<typeof Analysis> }
}

function getAnalysis({ store }: WriteParts): RequestHandler {
  return async (req, res) => {
    const { directory } = await readableStudy(store, res, String(req.params.studyId))
    refuseUnknown(queryOf(req.url), [])
    const [, name, version = null] = ANALYSIS_REFERENCE.exec(String(req.params.name)) ?? []
    const stored = name ? await readAnalysis(dirname(directory), name, version) : null
    if (stored === null) throw new ProblemError('not_found')
    res.setHeader('ETag', tagOf(stored))
    res.setHeader('Cache-Control', 'private, no-cache')
    res.json(view(stored))
  }
}

function putNamed(parts: WriteParts): RequestHandler {
  return async (req, res) => {
    const { study, directory } = await changeableStudy(parts.store, res, String(req.params.studyId), 'write')
    refuseUnknown(queryOf(req.url), [])
    const name = nameOf(req)
    const given = bodyOf(req, Analysis)
    const bytes = Number(req.get('content-length') ?? 0)
    await requireRoom(parts.usages, tokenOf(res), parts.config, { bytes })
    const studyDir = dirname(directory)
    const ifMatch = matched(req, name)
    const check = async (isThere: boolean) => {
      if (isThere && req.get('if-match') === undefined)
        throw new ProblemError('precondition_needed', {
          detail: `There is an analysis ${name}: send its ETag in If-Match to replace it.`,
        })
      const snapshot = await parts.store.current(study.id)
      if (snapshot === null) throw new ProblemError('not_found')
      await checkAnalysis(given, snapshot)
    }
    const { stored, isNew } = await putAnalysis({ studyDir, name, ifMatch }, given, new Date(), check)
    await parts.usages.add(tokenOf(res).id, { bytes })
    logWrite(parts, res, { did: `analysis ${name} stored`, studyId: study.id, snapshotId: null })
    if (isNew) res.setHeader('Location', `/api2/studies/${study.id}/analyses/${name}`)
    res.setHeader('ETag', tagOf(stored))
    res.setHeader('Cache-Control', 'no-store')
    res.status(isNew ? 201 : 200).json(view(stored))
  }
}

function deleteNamed(parts: WriteParts): RequestHandler {
  return async (req, res) => {
    const { study, directory } = await changeableStudy(parts.store, res, String(req.params.studyId), 'write')
    refuseUnknown(queryOf(req.url), [])
    const name = String(req.params.name)
    const target = { studyDir: dirname(directory), name, ifMatch: matched(req, name) }
    if (!ANALYSIS_NAME.test(name) || !(await deleteAnalysis(target))) throw new ProblemError('not_found')
    logWrite(parts, res, { did: `analysis ${name} deleted`, studyId: study.id, snapshotId: null })
    res.setHeader('Cache-Control', 'no-store')
    res.status(204).end()
  }
}

/** @throws ProblemError invalid_param for what is no name */
function nameOf(req: Request): string {
  const name = String(req.params.name)
  if (ANALYSIS_NAME.test(name)) return name
  const rule = 'must be 1 to 64 characters of a to z, 0 to 9 and -'
  throw invalidParameters([{ parameter: 'name', rule, value: name }])
}

function tagOf({ name, version }: StoredAnalysis): string {
  return `"${name}@${version}"`
}

/** Returns the version that If-Match names; null without it, and for `*`. @throws ProblemError moved_on */
function matched(req: Request, name: string): string | null {
  const given = req.get('if-match')?.trim()
  if (given === undefined || given === '*') return null
  const [, of, version] = /^"([a-z0-9-]+)@([0-9a-f]{12})"$/.exec(given) ?? []
  if (of !== name) throw new ProblemError('moved_on', { detail: `If-Match is not a tag of the analysis ${name}.` })
  return version
}
