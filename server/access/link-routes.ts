import { type Request, type Response, Router } from 'express'
import type { z } from 'zod'
import type { AuditLog } from '../../engine/access/audit-log.ts'
import { analysisOf, LINK_DAYS, readLinkAddress } from '../../engine/access/link.ts'
import type { TokenRecord } from '../../engine/access/token-file.ts'
import type { Tokens } from '../../engine/access/tokens.ts'
import { findAnalysis } from '../../engine/analyses/find-analysis.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { bodyOf, readJson } from '../http/body/json-body.ts'
import { invalidParameters, onlyMethods, ProblemError } from '../http/problems.ts'
import { queryOf, refuseUnknown } from '../http/query.ts'
import { noteDeed } from '../http/request-log.ts'
import { type LinkList, type LinkMade, LinkNew, type LinkView } from '../schemas/link.ts'
import { tokenOf } from './authorize.ts'
import { changeableStudy } from './readable-study.ts'

type Parts = { store: Store; tokens: Tokens; audit: AuditLog }

const BODY_MAX_BYTES = 16 * 1024
const DAY_MS = 86_400_000

/** Returns the routes of a study's links, for tokens that may change the study. */
export function linkRoutes({ store, tokens, audit }: Parts): Router {
  const router = Router({ caseSensitive: true })
  const studyOf = async (req: Request, res: Response) => {
    const snapshot = await changeableStudy(store, res, String(req.params.studyId), 'write')
    refuseUnknown(queryOf(req.url), [])
    res.setHeader('Cache-Control', 'no-store')
    return snapshot
  }
  const linksOf = async (studyId: string) =>
    (await tokens.list()).filter(({ link, studies }) => link !== undefined && studies.includes(studyId))
  const view = async (record: TokenRecord): Promise<LinkView> => {
    const { id, name, createdAt, expiresAt, link } = record
    const lastUsed = await tokens.lastUse(id)
    const times = { createdAt, expiresAt: expiresAt!, lastUsedAt: lastUsed?.toISOString() ?? null }
    return { ...link!, id, name, ...times }
  }

  router
    .route('/studies/:studyId/links')
    .get(async (req, res) => {
      const { study } = await studyOf(req, res)
      const records = await linksOf(study.id)
      const body: z.infer<typeof LinkList> = { links: await Promise.all(records.reverse().map(view)) }
      res.json(body)
    })
    .post(readJson(BODY_MAX_BYTES), async (req, res) => {
      const snapshot = await studyOf(req, res)
      const { path, isWhole = false, name = '', days = LINK_DAYS.default, hasDownloads = false } = bodyOf(req, LinkNew)
      const now = new Date()
      const { id: token, name: tokenName } = tokenOf(res)
      const expiresAt = new Date(now.getTime() + days * DAY_MS).toISOString()
      const make = async () => {
        const named = await findAnalysis(snapshot, [analysisOf(path) ?? ''])
        const shown = readLinkAddress(path, isWhole, snapshot, named?.reference ?? null)
        const link = { ...shown, hasDownloads, madeBy: { name: tokenName, token } }
        return tokens.createLink({ name, study: snapshot.study.id, link, expiresAt, now })
      }
      const { record, token: secret } = await make().catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.code !== 'usage') throw error
        throw invalidParameters([{ parameter: 'path', rule: error.message, value: path }])
      })
      noteDeed(audit, res, { event: 'link made', token: record.id, study: snapshot.study.id })
      const body: z.infer<typeof LinkMade> = { ...(await view(record)), url: `${record.link!.path}#link=${secret}` }
      res.status(201).json(body)
    })
    .all(onlyMethods('GET', 'HEAD', 'POST'))
  router
    .route('/studies/:studyId/links/:linkId')
    .delete(async (req, res) => {
      const { study } = await studyOf(req, res)
      const record = (await linksOf(study.id)).find(({ id }) => id === req.params.linkId)
      if (record === undefined || !(await tokens.revoke(record.id))) throw new ProblemError('not_found')
      noteDeed(audit, res, { event: 'link revoked', token: record.id, study: study.id })
      res.status(204).end()
    })
    .all(onlyMethods('DELETE'))
  return router
}
