import { UUID } from './parameters.ts'
import { isProjectName, projectEntry, type Reach } from './projects.ts'

/** Rights of a group's members: a role, on some studies and projects or on all. */
type OidcGroup = { name: string; role: 'read' | 'write' | 'ops'; studies: Reach }

/** Settings of OpenID Connect sign-in. */
export type OidcConfig = {
  issuer: string
  clientId: string
  /** '' for a public client, or if the secret is in a file. */
  clientSecret: string
  clientSecretFile: string
  scope: string
  groupsClaim: string
  groups: OidcGroup[]
}

const ROLES = ['read', 'write', 'ops'] as const

/**
 * Parses `group=role`, `group=role:study,study` or `group=role:project:name`, separated by semicolons; the name of a
 * group may contain `=`, and in the name of a project %2C, %3B, %3D and %25 stand for `,`, `;`, `=` and `%`. Undefined
 * for anything else.
 */
export function readGroupRoles(text: string): OidcGroup[] | undefined {
  if (text.trim() === '') return []
  const groups = text.split(';').map((entry) => {
    const [, name, role, of] = /^(.+)=([a-z]+)(?::([^=]+))?$/.exec(entry.trim()) ?? []
    const known = ROLES.find((each) => each === role)
    // Otherwise, a project with = in its name would end the name of the group.
    if (/=(read|write|ops):project:/.test(name ?? '')) return null
    const studies = of === undefined ? ['all'] : of.split(',').map(readReached)
    if (name === undefined || known === undefined || !studies.every((each) => each !== null)) return null
    return { name: name.trim(), role: known, studies: of === undefined ? ('all' as const) : studies }
  })
  return groups.every((group) => group !== null) ? groups : undefined
}

/** Reads a study's id, or the name of a project; null for anything else. */
function readReached(text: string): string | null {
  if (UUID.test(text)) return text.toLowerCase()
  const [, escaped] = /^project:(.+)$/s.exec(text.trim()) ?? []
  if (escaped === undefined || /%(?!2c|3b|3d|25)/i.test(escaped)) return null
  const project = decodeURIComponent(escaped)
  return isProjectName(project) ? projectEntry(project) : null
}

/**
 * Returns the rights of a person in these groups: the highest role, on the studies of all groups with that role, so
 * nobody gets more than one of the groups gives. Null if no group is known.
 */
export function accessOf(groups: OidcGroup[], names: string[]): Pick<OidcGroup, 'role' | 'studies'> | null {
  const own = groups.filter(({ name }) => names.includes(name))
  const role = ROLES.findLast((each) => own.some((group) => group.role === each))
  if (role === undefined) return null
  const studies = own.filter((group) => group.role === role).map((group) => group.studies)
  return { role, studies: studies.includes('all') ? 'all' : [...new Set(studies.flat())] }
}

/**
 * Returns the origin of an address at which people reach a server; undefined if the address has more than an origin, or
 * is plain HTTP on another machine.
 */
export function issuerOrigin(text: string): string | undefined {
  return isIssuer(text) && new URL(text).pathname === '/' ? new URL(text).origin : undefined
}

/** Returns true if an issuer is allowed: by HTTPS, or on this machine. */
export function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, search, hash } = new URL(text)
  if (username !== '' || search !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname))
}
