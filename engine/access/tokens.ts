import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { ServiceError } from '../model/errors.ts'
import { UUID } from '../model/parameters.ts'
import { isProjectName, PROJECT_RULE, projectEntry, projectsIn, type Reach } from '../model/projects.ts'
import type { TokenRole } from '../model/token-roles.ts'
import { LINKS_MAX, type Link, leadsTo } from './link.ts'
import { openTokenFile, type TokenRecord } from './token-file.ts'
import { openTokenUses } from './token-uses.ts'

/** A person whom a sign-in provider has identified, with their rights. */
type Person = { issuer: string; subject: string; name: string; role: TokenRole } & Pick<TokenRecord, 'studies'>

export type Tokens = {
  /**
   * Creates a token and returns it; it cannot be read later. Also drops tokens that expired more than a day ago.
   *
   * @throws ServiceError usage if a study is not a UUID, the expiry is not in the future or a `collect` token is not
   *   for one study, busy if the file stays locked, disk_full
   */
  create: (request: {
    name?: string
    role: TokenRole
    studies: Reach
    expiresAt: string | null
    now: Date
  }) => Promise<{ id: string; token: string }>
  /**
   * Creates a link to a study, which signs in only to what it shows, and as long as the study is in `project`, if
   * given. Its secret cannot be read later.
   *
   * @throws ServiceError as `create`, usage if the study has LINKS_MAX links
   */
  createLink: (request: {
    name: string
    study: string
    project?: string
    link: Link
    expiresAt: string
    now: Date
  }) => Promise<{ record: TokenRecord; token: string }>
  /**
   * Stores the rights of a person who has just signed in at a provider, until `expiresAt`, in place of earlier ones.
   * The person's id stays the same at every sign-in.
   *
   * @throws ServiceError busy if the file stays locked, disk_full
   */
  admit: (person: Person, expiresAt: Date, now: Date) => Promise<TokenRecord>
  list: () => Promise<TokenRecord[]>
  /** Revokes a token and the links that it created. Returns false if there is no such token. */
  revoke: (id: string) => Promise<boolean>
  /**
   * Revokes all links to a removed study (a later study with the same id is another one), or only those that name a
   * participant.
   */
  endLinks: (studyId: string, names?: string[]) => Promise<void>
  /**
   * Finds the record of a token; null if it is malformed, unknown, revoked or expired. Each case takes the same work,
   * so timing reveals nothing.
   */
  find: (token: string, now: Date) => Promise<TokenRecord | null>
  /** Finds a token by its id, for a session that it started. */
  findById: (id: string, now: Date) => Promise<TokenRecord | null>
  /** Time at which a token was last used, to the minute; null for never. */
  lastUse: (id: string) => Promise<Date | null>
}

/** Time for which expired tokens stay listed, to explain why a script is refused since yesterday. */
const EXPIRED_STAY_MS = 24 * 3_600_000

/** Opens the access tokens of a data directory. @param dataDir absolute; the file is created with the first token */
export function openTokens(dataDir: string): Tokens {
  const uses = openTokenUses(dataDir)
  const file = openTokenFile(dataDir, uses.forget)
  const { change } = file

  /** Returns a record unless it has expired, and records its use. */
  function used(record: TokenRecord | undefined, now: Date): TokenRecord | null {
    if (record === undefined || isExpired(record, now)) return null
    uses.note(record.id, now)
    return record
  }

  return {
    create: async (request) => {
      const { record, token } = newRecord({ name: '', ...request })
      return change((records) => ({
        records: [...withoutLongGone(records, request.now), record],
        result: { id: record.id, token },
      }))
    },
    createLink: async ({ study, project, link, now, ...request }) => {
      const { record, token } = newRecord({ ...request, role: 'link', studies: [study], now })
      return change((records) => {
        const kept = withoutLongGone(records, now)
        checkLinks(kept, study)
        const made = { ...record, link, ...(project === undefined ? {} : { project }) }
        return { records: [...kept, made], result: { record: made, token } }
      })
    },
    admit: (person, expiresAt, now) =>
      change((records) => {
        const record = personRecord(person, expiresAt, now, records)
        const others = withoutLongGone(records, now).filter(({ id }) => id !== record.id)
        return { records: [...others, record], result: record }
      }),
    list: file.read,
    revoke: (id) =>
      change((records) => {
        const isMade = ({ link }: TokenRecord) => link?.madeBy.token === id
        const rest = records.filter((record) => record.id !== id && !isMade(record))
        return rest.length < records.length ? { records: rest, result: true } : { records, result: false }
      }),
    endLinks: (studyId, names) =>
      change((records) => {
        const isTo = ({ link, studies }: TokenRecord) =>
          link !== undefined && studies.includes(studyId.toLowerCase()) && (names === undefined || leadsTo(link, names))
        return { records: records.some(isTo) ? records.filter((each) => !isTo(each)) : records, result: undefined }
      }),
    find: async (token, now) => {
      // The hash is looked up, not the token, so timing reveals nothing about any token.
      const record = (await file.byHash()).get(hashOf(token.toLowerCase()))
      return UUID.test(token) ? used(record, now) : null
    },
    findById: async (id, now) => {
      const record = [...(await file.byHash()).values()].find((each) => each.id === id)
      return used(record, now)
    },
    lastUse: uses.last,
  }
}

/** Returns a new record and its secret. @throws ServiceError usage */
function newRecord({
  studies,
  expiresAt,
  now,
  ...given
}: Pick<TokenRecord, 'name' | 'role' | 'studies' | 'expiresAt'> & { now: Date }): {
  record: TokenRecord
  token: string
} {
  const projects = projectsIn(studies)
  const entries = projects.map(projectEntry)
  const ids = studies === 'all' ? [] : studies.filter((entry) => !entries.includes(entry))
  if (given.role === 'collect' && (studies === 'all' || studies.length !== 1 || projects.length > 0))
    throw new ServiceError('usage', 'a token with the role collect must be for one study: give --study once')
  const wrong = ids.find((id) => !UUID.test(id))
  if (wrong !== undefined) throw new ServiceError('usage', `a study must be given as a UUID, got ${wrong}`)
  const odd = projects.find((project) => !isProjectName(project))
  if (odd !== undefined) throw new ServiceError('usage', `a project ${PROJECT_RULE}, got ${JSON.stringify(odd)}`)
  if (expiresAt !== null && !(Date.parse(expiresAt) > now.getTime()))
    throw new ServiceError('usage', `a token must expire in the future, got ${expiresAt}`)
  const token = randomUUID()
  const record = {
    ...given,
    id: randomBytes(8).toString('hex'),
    studies: studies === 'all' ? studies : [...new Set([...ids.map((id) => id.toLowerCase()), ...entries])],
    createdAt: now.toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    sha256: hashOf(token),
  }
  return { record, token }
}

/** Returns the record of a person, whose id and creation stay the same. */
function personRecord(
  { issuer, subject, name, role, studies }: Person,
  expiresAt: Date,
  now: Date,
  records: TokenRecord[],
): TokenRecord {
  const id = hashOf(`person\n${issuer}\n${subject}`).slice(0, 16)
  const createdAt = records.find((record) => record.id === id)?.createdAt ?? now.toISOString()
  // A hash of a random value that nobody knows.
  const sha256 = hashOf(randomBytes(32).toString('hex'))
  return { id, name, role, studies, createdAt, expiresAt: expiresAt.toISOString(), sha256, issuer }
}

/** @throws ServiceError usage if a study can have no further link */
function checkLinks(records: TokenRecord[], study: string): void {
  if (records.filter(({ link, studies }) => link !== undefined && studies.includes(study)).length >= LINKS_MAX)
    throw new ServiceError('usage', `the study has ${LINKS_MAX} links: revoke some first`)
}

/** Drops entries that expired more than a day ago. */
function withoutLongGone(records: TokenRecord[], now: Date): TokenRecord[] {
  const oldest = now.getTime() - EXPIRED_STAY_MS
  return records.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) >= oldest)
}

function isExpired({ expiresAt }: TokenRecord, now: Date): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now.getTime()
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
