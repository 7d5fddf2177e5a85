import type { TokenRecord } from '../../engine/access/token-file.ts'
import { openTokens, type Tokens } from '../../engine/access/tokens.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { projectEntry } from '../../engine/model/projects.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { TokenRole } from '../../engine/model/token-roles.ts'
import { checkProjectName } from '../given/find-project.ts'
import { studyIdsOf } from '../given/find-study.ts'
import { printJson } from '../output/print-json.ts'
import { audit } from '../runtime/audit.ts'
import { withStudies } from '../runtime/open-studies.ts'
import { printable } from '../terminal/printable.ts'
import { PROGRAM } from '../terminal/program-name.ts'

const DAY_MS = 86_400_000

/** Runs `gazette token create`: prints the token on standard output, all else on standard error. */
export async function createToken(given: {
  name: string
  role: TokenRole
  study?: string[]
  project?: string[]
  expires?: string
  config: Config
}): Promise<void> {
  const { name, role, study, project = [], expires, config } = given
  const now = new Date()
  project.forEach(checkProjectName)
  const ids = study === undefined ? [] : await withStudies(config, (studies) => studyIdsOf(studies, study))
  const reach = [...ids, ...project.map(projectEntry)]
  const { id, token } = await openTokens(config.dataDir).create({
    name,
    role,
    studies: reach.length === 0 ? 'all' : reach,
    expiresAt: expires === undefined ? null : expiry(expires, now),
    now,
  })
  await audit(config.dataDir, { event: 'token made', token: id })
  console.error(`Token ${id}, shown only once; only its SHA-256 is stored.`)
  console.log(token)
}

/** Runs `gazette token list`. */
export async function listTokens({ json = false, config }: { json?: boolean; config: Config }): Promise<void> {
  const tokens = openTokens(config.dataDir)
  const records = await tokens.list()
  if (records.length === 0) console.error(`There is no token yet: ${PROGRAM} token create creates one.`)
  if (json)
    return printJson('tokens', { tokens: await Promise.all(records.map((record) => viewToken(tokens, record))) })
  for (const { id, name, role, studies, createdAt, expiresAt, link } of records) {
    const state = expiresAt ? `expires ${expiresAt}` : 'never expires'
    const reach = link?.path ?? (studies === 'all' ? 'all studies' : studies.join(' '))
    const used = await tokens.lastUse(id)
    const use = used === null ? 'never used' : `last used ${used.toISOString().slice(0, 16)}Z`
    const by = link && `by ${link.madeBy.name || link.madeBy.token}`
    const told = [id, role, reach, `made ${createdAt}`, state, use, by, name]
    console.log(printable(told.filter(Boolean).join('  ')))
  }
}

async function viewToken(tokens: Tokens, { sha256: _, ...record }: TokenRecord) {
  return { ...record, lastUsedAt: (await tokens.lastUse(record.id))?.toISOString() ?? null }
}

/** Runs `gazette token revoke`. */
export async function revokeToken({ id, config }: { id: string; config: Config }): Promise<void> {
  const tokens = openTokens(config.dataDir)
  const isKnown = (await tokens.list()).some((token) => token.id === id)
  if (!isKnown || !(await tokens.revoke(id))) {
    throw new ServiceError('not_found', `there is no token ${id}; gazette token list shows them`)
  }
  await audit(config.dataDir, { event: 'token revoked', token: id })
  console.error(`Token ${id} is revoked.`)
}

function expiry(text: string, now: Date): string {
  const days = /^(\d{1,5})d$/.exec(text)
  const time = days ? now.getTime() + Number(days[1]) * DAY_MS : Date.parse(text)
  if (Number.isNaN(time))
    throw new ServiceError(
      'usage',
      `--expires must be an RFC 3339 time or days such as 30d, got ${JSON.stringify(text)}`,
    )
  return new Date(time).toISOString()
}
