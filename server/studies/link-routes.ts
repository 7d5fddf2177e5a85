import type { AuditLog } from '../../engine/access/audit-log.ts'
import { analysisOf, linkAddress } from '../../engine/access/link.ts'
import type { TokenRecord } from '../../engine/access/token-file.ts'
import type { Tokens } from '../../engine/access/tokens.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { LINK_DAYS } from '../../engine/model/link-days.ts'
import { reaches } from '../../engine/model/projects.ts'
import { findAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import { invalidParameters, ProblemError } from '../http/problems.ts'
import { noteDeed } from '../http/request-log.ts'
import type { LINK_ROUTES } from '../routes/links.ts'
import type { Answers } from '../routes/route.ts'
import type { LinkView } from '../schemas/link.ts'
import { readLink } from './read-link.ts'

const DAY_MS = 86_400_000

/** Returns the handlers of the links of a study. */
export function linkRoutes({ tokens, audit }: { tokens: Tokens; audit: AuditLog }): Answers<typeof LINK_ROUTES> {
  const linksOf = async (studyId: string) =>
    (await tokens.list()).filter(({ link, studies }) => link !== undefined && studies.includes(studyId))
  const view = async (record: TokenRecord): Promise<LinkView> => {
    const { id, name, createdAt, expiresAt, link } = record
    const lastUsed = await tokens.lastUse(id)
    const times = { createdAt, expiresAt: expiresAt!, lastUsedAt: lastUsed?.toISOString() ?? null }
    return { ...link!, id, name, ...times }
  }

  return {
    listLinks: async ({ snapshot }) => {
      const records = await linksOf(snapshot.study.id)
      return { links: await Promise.all(records.reverse().map(view)) }
    },
    createLink: async ({ res, snapshot, token: { id: token, name: tokenName, reach }, body }) => {
      const { path, isWhole = false, name = '', days = LINK_DAYS.default, hasDownloads = false } = body
      const now = new Date()
      const expiresAt = new Date(now.getTime() + days * DAY_MS).toISOString()
      const make = async () => {
        const named = await findAnalysis(snapshot, [analysisOf(path) ?? ''])
        const shown = readLink(path, isWhole, snapshot, named)
        const link = { hasDownloads, ...shown, madeBy: { name: tokenName, token } }
        const { id: study, project } = snapshot.study
        const isByProject = !reaches(reach, { id: study })
        return tokens.createLink({ name, study, ...(isByProject ? { project } : {}), link, expiresAt, now })
      }
      const { record, token: secret } = await make().catch((error: unknown) => {
        if (!(error instanceof ServiceError) || error.code !== 'usage') throw error
        const rule = error.faults[0]?.rule ?? error.message
        throw invalidParameters([{ parameter: 'path', rule, value: path }])
      })
      noteDeed(audit, res, { event: 'link made', token: record.id, study: snapshot.study.id })
      return { ...(await view(record)), url: linkAddress(record.link!, secret) }
    },
    revokeLink: async ({ req, res, snapshot: { study } }) => {
      const record = (await linksOf(study.id)).find(({ id }) => id === req.params.linkId)
      if (record === undefined || !(await tokens.revoke(record.id))) throw new ProblemError('not_found')
      noteDeed(audit, res, { event: 'link revoked', token: record.id, study: study.id })
    },
  }
}
