import { availableParallelism } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { ServiceError } from './errors.ts'
import { isIssuer, issuerOrigin, type OidcConfig, readGroupRoles } from './oidc-settings.ts'
import { givenSetting, unknownSettings } from './setting-names.ts'
import { readStoreUrl, STORE_URL_RULE } from './store-url.ts'

/** A setting from the environment, as in docs/reference.md. */
type Setting = { name: string; unit: string; default: string; range: string; meaning: string }

/**
 * A function that parses a setting; undefined if the text breaks the rule. A schema library would take 45 ms to load.
 */
type Read<T> = (text: string) => T | undefined

const integer =
  (min: number, max: number): Read<number> =>
  (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  }
const matching =
  (pattern: RegExp): Read<string> =>
  (text) =>
    pattern.test(text) ? text : undefined
const oneOf =
  <T extends string>(...values: T[]): Read<T> =>
  (text) =>
    values.find((value) => value === text)
const onOrOff: Read<boolean> = (text) => (text === 'on' || text === 'off' ? text === 'on' : undefined)
const anyText: Read<string> = (text) => text
const someText: Read<string> = (text) => text || undefined
const NETWORKS = /^([0-9a-fA-F:.]+(\/\d{1,3})?(,[0-9a-fA-F:.]+(\/\d{1,3})?)*)?$/

function setting<T>(
  unit: string,
  fallback: string,
  range: string,
  meaning: string,
  read: Read<T>,
): { unit: string; fallback: string; range: string; meaning: string; read: Read<T> } {
  return { unit, fallback, range, meaning, read }
}

const cores = String(Math.max(1, availableParallelism()))

const TABLE = {
  HOST: setting(
    '',
    '127.0.0.1',
    'an address',
    'Address to listen on. Anything but loopback needs TLS or TRUST_PROXY',
    someText,
  ),
  PORT: setting('', '8080', '0 to 65535', 'Port to listen on. 0 takes any free port', integer(0, 65535)),
  DATA_DIR: setting('', './data', 'a directory', 'Directory for studies, exports and tokens', (text) =>
    isAbsolute(text) ? text : resolve(text),
  ),
  QUEUE_URL: setting(
    '',
    'none',
    'redis://, rediss:// or postgres:// (a / in its password is written %2F)',
    'Queue server. Without one, an embedded queue runs below DATA_DIR',
    (text) => (text === '' || (/^(rediss?|postgres(ql)?):\/\/.+/.test(text) && URL.canParse(text)) ? text : undefined),
  ),
  QUEUE_PASSWORD: setting(
    '',
    'none',
    'a text',
    'Password of the queue server, of any characters, in place of one in QUEUE_URL',
    anyText,
  ),
  STORE_URL: setting(
    '',
    'none',
    STORE_URL_RULE,
    'Object store for studies and jobs, in place of DATA_DIR. `gazette copy` uploads studies',
    (text) => (text === '' || readStoreUrl(text) ? text : undefined),
  ),
  STORE_CACHE_GIB: setting(
    'GiB',
    '20',
    '1 to 1000000',
    'Cache of object store files below DATA_DIR. Least recently used files are evicted first',
    integer(1, 1e6),
  ),
  STORE_PRESIGN_SECONDS: setting(
    's',
    '0',
    '0 to 604800',
    'Lifetime of presigned download URLs. Anyone with the URL can download. 0 disables them',
    integer(0, 604_800),
  ),
  ENGINE_THREADS: setting(
    'threads',
    cores,
    '1 to 256',
    'Threads that compute exports. Default: one per core',
    integer(1, 256),
  ),
  ENGINE_MEMORY_MIB: setting(
    'MiB',
    '512',
    '64 to 1048576',
    "DuckDB's memory during an import or a query of `gazette sql`. The process takes about 300 MiB more",
    integer(64, 1_048_576),
  ),
  IMPORT_MAX_SAMPLES: setting(
    'samples',
    '1000000000',
    '1 to 1000000000000',
    'Largest number of samples in one bundle',
    integer(1, 1e12),
  ),
  IMPORT_MAX_GIB: setting(
    'GiB',
    '64',
    '1 to 1000000',
    'Largest samples of one import, uncompressed, and largest disk space for sorting them',
    integer(1, 1e6),
  ),
  VIDEO_MAX_MIB: setting('MiB', '1024', '1 to 1000000', 'Largest video of an item', integer(1, 1e6)),
  PARTICIPANT_MAX_MIB: setting('MiB', '64', '1 to 1024', 'Largest participant upload, uncompressed', integer(1, 1024)),
  BODIES_MAX_MIB: setting(
    'MiB',
    '256',
    '1 to 1000000',
    'Memory for request bodies that are being answered, uncompressed; as much again is kept for reuse. One token may take half of it',
    integer(1, 1e6),
  ),
  TOKEN_MAX_STUDIES: setting('studies', '1000', '0 to 1000000', 'Studies that one token may create', integer(0, 1e6)),
  TOKEN_MAX_PARTICIPANTS: setting(
    'participants',
    '1000000',
    '0 to 1000000000',
    'Participants that one token may send',
    integer(0, 1e9),
  ),
  TOKEN_MAX_GIB: setting('GiB', '100', '0 to 1000000', 'Data that one token may send, uncompressed', integer(0, 1e6)),
  WORKER_CONCURRENCY: setting(
    'jobs',
    '1',
    '1 to 64',
    'Jobs, or parts of jobs, that one worker process runs at once',
    integer(1, 64),
  ),
  JOB_DEATHS_MAX: setting(
    'deaths',
    '5',
    '1 to 20',
    'Times that the worker of one job or import may die before it runs alone, in a process with a memory limit. If that ends by itself, too, the job is set aside as failed',
    integer(1, 20),
  ),
  SPLIT_SAMPLES: setting(
    'samples',
    '64000000',
    '1000 to 1000000000000',
    'Jobs with more samples are split into parts that all workers share. Each has a quarter of this, at most 4 million',
    integer(1000, 1e12),
  ),
  SYNC_MAX_SAMPLES: setting(
    'samples',
    '1000000',
    '0 to 1000000000',
    'Exports with more samples become jobs',
    integer(0, 1e9),
  ),
  SYNC_MAX_BYTES: setting(
    'bytes',
    '33554432',
    '0 to 1073741824',
    'Exports with larger files become jobs',
    integer(0, 2 ** 30),
  ),
  SYNC_CONCURRENCY: setting(
    'exports',
    '2',
    '1 to 256',
    'Small exports computed at once while clients wait. Eight times as many may wait',
    integer(1, 256),
  ),
  HOLD_SECONDS: setting(
    's',
    '20',
    '0 to 60',
    'Time that a request waits for its job before it gets a 202',
    integer(0, 60),
  ),
  EXPORT_TTL_HOURS: setting('h', '168', '1 to 87600', 'Retention of job files', integer(1, 87_600)),
  EXPORTS_MAX_GIB: setting(
    'GiB',
    '100',
    '1 to 1000000',
    'Disk space for job files. The oldest are evicted first',
    integer(1, 1e6),
  ),
  DISK_FLOOR_MIB: setting(
    'MiB',
    '512',
    '0 to 1000000000',
    'Below this much free disk space, new jobs are refused with 507',
    integer(0, 1e9),
  ),
  OPEN_JOBS_PER_TOKEN: setting(
    'jobs',
    '1000',
    '1 to 1000000',
    'Unfinished jobs that one token may have',
    integer(1, 1e6),
  ),
  REQUESTS_PER_MINUTE: setting(
    'requests/min',
    '20000',
    '1 to 100000000',
    'Requests that one token may make per minute',
    integer(1, 1e8),
  ),
  CONNECTIONS_PER_SECOND: setting(
    'connections/s',
    '50',
    '1 to 1000000',
    'New connections accepted per second from one address, after a burst of 400. Others wait up to 10 s. A trusted proxy and 127.0.0.1 are exempt',
    integer(1, 1e6),
  ),
  UPLOADS_PER_TOKEN: setting(
    'uploads',
    '100',
    '1 to 10000',
    'Uploads that one token may have at once',
    integer(1, 1e4),
  ),
  UPLOADS_MAX_GIB: setting(
    'GiB',
    '16',
    '1 to 1000000',
    "Total size of one token's uploads, and largest single upload",
    integer(1, 1e6),
  ),
  UPLOAD_TTL_HOURS: setting(
    'h',
    '24',
    '1 to 8760',
    'Retention of uploads that are unfinished or not imported',
    integer(1, 8760),
  ),
  COLLECT_ORIGINS: setting(
    '',
    'none',
    '* or origins such as https://lab.example, separated by commas',
    'Sites whose pages may send participants with a `collect` token (CORS)',
    matching(/^(\*|https?:\/\/[^/,\s]+(,https?:\/\/[^/,\s]+)*)?$/),
  ),
  CSV_FORMULA_GUARD: setting(
    '',
    'on',
    'on or off',
    "Whether text that a spreadsheet would run as a formula gets a leading '",
    onOrOff,
  ),
  TLS_CERT_FILE: setting(
    '',
    'none',
    'a file',
    'Certificate chain (PEM) for HTTPS, together with TLS_KEY_FILE. Reread on SIGHUP',
    anyText,
  ),
  TLS_KEY_FILE: setting('', 'none', 'a file', 'Private key (PEM) for HTTPS', anyText),
  PUBLIC_URL: setting(
    '',
    'none',
    'an https:// address without a path (http:// on this machine)',
    'Address at which people reach this server; needed with TRUST_PROXY or OIDC_ISSUER',
    (text) => (text === '' ? '' : issuerOrigin(text)),
  ),
  TRUST_PROXY: setting(
    '',
    'none',
    'a hop count of 1 to 9, or a list of CIDRs',
    'Proxies whose X-Forwarded-* headers are trusted. A hop count trusts proxies at private addresses',
    (text) => (/^[1-9]$/.test(text) ? text : matching(NETWORKS)(text)),
  ),
  WEBHOOK_NETWORKS: setting(
    '',
    'none',
    'a list of CIDRs',
    'Private networks that webhooks may reach, also over plain HTTP',
    matching(NETWORKS),
  ),
  OIDC_ISSUER: setting(
    '',
    'none',
    'an https:// address (http:// on this machine)',
    'OpenID Connect provider for signing in to the dashboard. Needs OIDC_CLIENT_ID and OIDC_GROUPS',
    (text) => (text === '' || isIssuer(text) ? text : undefined),
  ),
  OIDC_CLIENT_ID: setting('', 'none', 'a text', 'Client id of this server at the provider', anyText),
  OIDC_CLIENT_SECRET: setting('', 'none', 'a text', 'Client secret. None for a public client', anyText),
  OIDC_CLIENT_SECRET_FILE: setting(
    '',
    'none',
    'a file',
    'File that holds the client secret, instead of OIDC_CLIENT_SECRET',
    anyText,
  ),
  OIDC_SCOPE: setting(
    '',
    'openid profile email',
    'scopes separated by spaces, with openid',
    'Scopes to request. Some providers send groups only with an extra scope',
    matching(/^([\x21-\x7e]+ )*openid( [\x21-\x7e]+)*$/),
  ),
  OIDC_GROUPS_CLAIM: setting(
    '',
    'groups',
    'the name of a claim; dots lead into objects',
    "Claim of the provider that holds a person's groups",
    someText,
  ),
  OIDC_GROUPS: setting(
    '',
    'none',
    'group=role or group=role:study,study separated by semicolons; a role is read, write or ops, a study its id, or project:NAME for those of a project',
    'Role of each group at the provider. People in none of these groups are refused',
    readGroupRoles,
  ),
  SHUTDOWN_GRACE_MS: setting(
    'ms',
    '10000',
    '0 to 3600000',
    'Grace for running work when the process stops. Then jobs are handed back',
    integer(0, 3_600_000),
  ),
  DETACHED: setting(
    '',
    'off',
    'on or off',
    'Whether to keep running when the process or the terminal that started it ends. Service managers need no such setting',
    onOrOff,
  ),
  LOG_LEVEL: setting(
    '',
    'info',
    'fatal, error, warn, info, debug, trace or silent',
    'Lowest level that is logged. With info, a terminal shows warn',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
}

type Table = typeof TABLE
type SettingName = keyof Table
type Values = { [Name in SettingName]: Exclude<ReturnType<Table[Name]['read']>, undefined> }

/** Lists every setting, for the table in docs/reference.md, `--help` and the test that compares them. */
export const SETTINGS: Setting[] = Object.entries(TABLE).map(([name, { fallback, unit, range, meaning }]) => ({
  name,
  default: fallback,
  unit,
  range,
  meaning,
}))

/** Converts DATA_DIR to `dataDir`. */
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<Camel<Rest>>}`
  : Lowercase<Name>

/** Settings that are parsed together, or have another name in the configuration. */
type Apart = 'CSV_FORMULA_GUARD' | 'QUEUE_PASSWORD' | Extract<SettingName, `OIDC_${string}`>

/**
 * Validated settings of a process. Units as in docs/reference.md; '' if the default is none. `dataDir` is absolute;
 * `oidc` is null without a sign-in provider.
 */
export type Config = { [Name in Exclude<SettingName, Apart> as Camel<Name>]: Values[Name] } & {
  formulaGuard: boolean
  oidc: OidcConfig | null
}

/**
 * Parses the settings from an environment (process.env, or any record in tests): `GAZETTE_PORT`, else `PORT`.
 *
 * @throws ServiceError invalid_setting, naming every invalid one with its rule and value
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const wrong: string[] = []
  const values = {} as Record<SettingName, unknown>
  const isGiven = (name: SettingName) => givenSetting(env, name).text !== ''
  for (const name of Object.keys(TABLE) as SettingName[]) {
    const { fallback, range, unit, read } = TABLE[name]
    const { variable, text } = givenSetting(env, name)
    const given = text === '' ? (fallback === 'none' ? '' : fallback) : text
    const value = read(given)
    if (value !== undefined) values[name] = value
    else wrong.push(`${variable} must be ${range}${unit === '' ? '' : ` ${unit}`}, got ${shown(name, given)}`)
  }
  wrong.push(...unknownSettings(env, Object.keys(TABLE)))
  if (isGiven('TLS_CERT_FILE') !== isGiven('TLS_KEY_FILE'))
    wrong.push('TLS_CERT_FILE and TLS_KEY_FILE must be set together')
  if (isGiven('OIDC_ISSUER') && !(isGiven('OIDC_CLIENT_ID') && isGiven('OIDC_GROUPS')))
    wrong.push('OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_GROUPS, too')
  if (isGiven('OIDC_CLIENT_SECRET') && isGiven('OIDC_CLIENT_SECRET_FILE'))
    wrong.push('OIDC_CLIENT_SECRET and OIDC_CLIENT_SECRET_FILE are the same: set one of them')
  if (isGiven('QUEUE_PASSWORD') && (!isGiven('QUEUE_URL') || hasPassword(values.QUEUE_URL)))
    wrong.push('QUEUE_PASSWORD needs a QUEUE_URL without a password')
  if (wrong.length > 0) throw new ServiceError('invalid_setting', wrong.join('; '))
  const v = values as Values
  const plain = Object.entries(values).filter(([name]) => !APART.test(name))
  const config = Object.fromEntries(plain.map(([name, value]) => [camel(name), value]))
  const oidc = v.OIDC_ISSUER === '' ? null : oidcConfig(v)
  const queueUrl = withPassword(v.QUEUE_URL, v.QUEUE_PASSWORD)
  return { ...(config as Config), queueUrl, formulaGuard: v.CSV_FORMULA_GUARD, oidc }
}

const APART = /^(CSV_FORMULA_GUARD|QUEUE_PASSWORD|OIDC_.*)$/

function hasPassword(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && new URL(url).password !== ''
}

/** Puts a password into an address. */
function withPassword(url: string, password: string): string {
  if (password === '') return url
  const { username } = new URL(url)
  return url.replace(
    /^(\w+:\/\/)([^/@]*@)?/,
    (_, scheme: string) => `${scheme}${username}:${encodeURIComponent(password)}@`,
  )
}

function camel(name: string): string {
  return name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function oidcConfig(v: Values): OidcConfig {
  return {
    issuer: v.OIDC_ISSUER,
    clientId: v.OIDC_CLIENT_ID,
    clientSecret: v.OIDC_CLIENT_SECRET,
    clientSecretFile: v.OIDC_CLIENT_SECRET_FILE,
    scope: v.OIDC_SCOPE,
    groupsClaim: v.OIDC_GROUPS_CLAIM,
    groups: v.OIDC_GROUPS,
  }
}

/** Quotes an invalid value; of an address only the scheme, since the rest may contain a password. */
function shown(name: string, value: string): string {
  return JSON.stringify(name === 'QUEUE_URL' || name === 'STORE_URL' ? value.replace(/:.*/s, ':…') : value)
}
