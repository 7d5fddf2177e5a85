import { userInfo } from 'node:os'
import { analysisOf, linkAddress } from '../../engine/access/link.ts'
import { openTokens } from '../../engine/access/tokens.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { LINK_DAYS } from '../../engine/model/link-days.ts'
import type { Config } from '../../engine/model/settings.ts'
import { findAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import { readLink } from '../../server/studies/read-link.ts'
import { findStudy } from '../given/find-study.ts'
import { audit } from '../runtime/audit.ts'
import { withStudies } from '../runtime/open-studies.ts'
import { PROGRAM } from '../terminal/program-name.ts'

const DAY_MS = 86_400_000

/** Runs `gazette token link`: prints the link on standard output, all else on standard error. */
export async function createLink(given: {
  address: string
  whole?: boolean
  name: string
  days?: number
  downloads?: boolean
  config: Config
}): Promise<void> {
  const { address, whole = false, name, days = LINK_DAYS.default, downloads = false, config } = given
  const [, origin = '', studyId] = /^(https?:\/\/[^/]+)?(?:\/api2)?\/studies\/([^/?#]+)/.exec(address) ?? []
  if (studyId === undefined)
    throw new ServiceError(
      'usage',
      `the address must be that of a page or an export of a study, got ${JSON.stringify(address)}`,
    )
  const now = new Date()
  const snapshot = await withStudies(config, (studies) => findStudy(studies, studyId))
  const named = await findAnalysis(snapshot, [analysisOf(address) ?? ''])
  const shown = readLink(address, whole, snapshot, named)
  const { record, token } = await openTokens(config.dataDir).createLink({
    name,
    study: snapshot.study.id,
    link: { hasDownloads: downloads, ...shown, madeBy: { name: userInfo().username, token: null } },
    expiresAt: new Date(now.getTime() + days * DAY_MS).toISOString(),
    now,
  })
  await audit(config.dataDir, { event: 'link made', token: record.id, study: snapshot.study.id })
  console.error(
    `Link ${record.id}, shown only once; it expires ${record.expiresAt}. ${PROGRAM} token revoke ${record.id} revokes it.`,
  )
  console.log(`${origin}${linkAddress(record.link!, token)}`)
}
