import { open, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Random } from '../../demo/random.ts'

/** One kind of file in a data directory. */
export type Kind = {
  name: string
  /** Pattern of its path below the data directory. */
  pattern: RegExp
  /** True if it is temporary: it disappears with its work, and leftovers of killed processes are removed. */
  isPassing?: boolean
  /** Reason why a damaged one is harmless, if `gazette check` does not report it. */
  untold?: string
}

const STUDY = 'studies/[0-9a-f-]{36}'
const SNAPSHOT = `${STUDY}/[0-9a-f]{64}`
const JOB = 'exports/x[0-9a-f]{64}'
const WEBHOOK = 'webhooks/wh_[0-9a-f]{24}'
const FORMATS = '(csv|ndjson|arrow|parquet|xlsx|semicolon\\.csv)'

const kind = (name: string, pattern: string, more: Partial<Kind> = {}): Kind => ({
  name,
  pattern: new RegExp(`^${pattern}$`),
  ...more,
})
const passing = (name: string, pattern: string) => kind(name, pattern, { isPassing: true })

/**
 * Every kind of file that is ever written below the data directory. What is new has to be named here, and so comes into
 * each test of it.
 */
export const KINDS: Kind[] = [
  kind('instance', 'instance'),
  kind('format of the data directory', 'format\\.json'),
  kind('tokens', 'tokens\\.json'),
  kind('use of a token', 'token-uses/[0-9a-f]{16}', { untold: 'it is empty, and its time is all that is read' }),
  kind('counts of a token', 'usage/[0-9a-f]{16}', { untold: 'it only bounds what a token may create' }),
  kind('audit log', 'audit\\.jsonl', { untold: 'it is for people to read, and nothing stands on it' }),
  kind('session', 'sessions/[\\w-]+/session-.*'),
  kind('sign-in code', 'sessions/[\\w-]+/code-.*'),
  kind('log of changes', 'studies/changes\\.log', {
    untold: 'what it misses is found by the look at all studies',
  }),
  kind('current', `${STUDY}/current`),
  kind('manifest', `${SNAPSHOT}/manifest\\.json`),
  kind('study', `${SNAPSHOT}/study\\.json`),
  kind('recordings', `${SNAPSHOT}/recordings\\.json`),
  kind('participants', `${SNAPSHOT}/participants\\.parquet`),
  kind('tests', `${SNAPSHOT}/tests\\.parquet`),
  kind('validations', `${SNAPSHOT}/validations\\.parquet`),
  kind('events', `${SNAPSHOT}/events\\.parquet`),
  kind('tables merged of layers', `${SNAPSHOT}/folded/[a-z]+\\.parquet`),
  kind('checksums of those', `${SNAPSHOT}/folded/sums\\.json`),
  kind('samples', `${SNAPSHOT}/samples-\\d{5}\\.parquet`),
  kind('shared samples and layers of tables', `${STUDY}/shared/[0-9a-f]{64}`),
  kind('history', `${STUDY}/history.ndjson`),
  kind('what can be undone', `${STUDY}/undo\\.json`, { untold: 'a damaged one counts as none: only undoing is lost' }),
  kind('past AOIs', `${STUDY}/past-aois/\\d{17}-[0-9a-f]{64}\\.json`),
  kind('picture', `${SNAPSHOT}/images/[^/]+`),
  kind('plan', `${JOB}/plan\\.json`),
  kind('interest', `${JOB}/by/[\\w-]+\\.\\d+`),
  kind('end', `${JOB}/\\d+\\.end\\.json`),
  kind('finished file', `${JOB}/\\d+\\.${FORMATS}`),
  kind('gzip version', `${JOB}/\\d+\\.${FORMATS}\\.gz`),
  kind('webhook', `${WEBHOOK}/webhook\\.json`),
  kind('webhook switched off', `${WEBHOOK}/disabled\\.json`),
  kind('message to a webhook', `${WEBHOOK}/messages/msg_[0-9a-f]{32}\\.json`),
  kind('what a webhook was told of a study', `${WEBHOOK}/told/[0-9a-f-]{36}\\.json`),
  kind('log of deliveries', `${WEBHOOK}/deliveries(\\.1)?\\.ndjson`, {
    untold: 'it is for people to read, and nothing stands on it',
  }),
  kind('upload', 'uploads/[0-9a-f-]{49}', { untold: 'its import reads it as any file from elsewhere' }),
  kind('facts of an upload', 'uploads/[0-9a-f-]{49}\\.json'),
  kind('import that was asked for', 'imports/i[0-9a-f]{32}/request\\.json'),
  kind('intent of an import', 'imports/i[0-9a-f]{32}/published\\.json'),
  kind('end of an import', 'imports/i[0-9a-f]{32}/end\\.json'),
  kind('queue', 'queue/pg/.*', { untold: 'it is thrown away, and its jobs are put back' }),
  passing('queue in the making', 'queue/pg\\.half/.*'),
  passing('tries', `${JOB}/\\d+\\.(\\d+-of-\\d+\\.)?tries`),
  passing('part of a job', `${JOB}/\\d+\\.(\\d+-of-\\d+\\.json|[0-9a-f]{12}\\.shards)`),
  passing('part', `${JOB}/\\d+\\.[0-9a-f]{12}(\\.gz)?\\.part`),
  passing('removed job', 'exports/\\.removed-.*'),
  passing(
    'lock',
    `(${STUDY}/lock|queue/lock|exports/sweep\\.lock|tokens\\.json\\.lock|webhooks/(deliver\\.)?lock)(\\.[0-9a-f]+)?`,
  ),
  passing('lease', `${STUDY}/leases/[0-9a-f]{64}\\.[0-9a-f]{12}`),
  passing('samples that arrived, and are put together', `${STUDY}/(\\.arrived-[^/]+|compacting[^/]*)/.*`),
  passing('written aside', '(.*\\.)[0-9a-f]{12,18}\\.tmp'),
  passing('snapshot in the making', `${STUDY}/\\.import-[^/]+/.*`),
  passing('tables that are being put together', `${SNAPSHOT}/\\.folded-[^/]+/.*`),
  passing('scratch', `${STUDY}/\\.scratch-[^/]+/.*`),
  passing('files on their way in', '(demo|intake)-[^/]+/.*'),
  passing('lock of an upload, or of those of a token', 'uploads/[0-9a-f]{16}(-[0-9a-f]{32})?\\.lock(\\.[0-9a-f]+)?'),
  passing('wish to cancel an import, and its tries', 'imports/i[0-9a-f]{32}/(canceled|tries)'),
]

/** Folders of a data directory. */
export const FOLDER = new RegExp(
  `^(studies|exports|sessions|queue|token-uses|usage|uploads|imports|webhooks)$|^${WEBHOOK}(/(messages|told))?$|^sessions/[\\w-]+$|^queue/pg(\\.half)?(/.*)?$|^(demo|intake)-[^/]+(/files(/bundle)?)?$|^imports/i[0-9a-f]{32}$|^${STUDY}(/\\.(import|scratch|arrived)-[^/]+|/compacting[^/]*|/leases|/past-aois|/shared|/[0-9a-f]{64})?(/images|/folded|/\\.folded-[^/]+)?$|^${JOB}(/by)?$`,
)

/** Returns the kind of a file; undefined for one that is of none. */
export function kindOf(path: string): Kind | undefined {
  return KINDS.find(({ pattern }) => pattern.test(path))
}

/** Lists the files below a directory, by their paths from there, sorted. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => relative(directory, join(parentPath, name))).sort()
}

/** Turns a bit of a file, in its place, or gives an empty one a byte. False when there is none, or no room. */
export async function turnBit(path: string, random: Random): Promise<boolean> {
  const file = await open(path, 'r+').catch(() => null)
  if (file === null) return false
  try {
    const { size } = await file.stat()
    const at = Math.floor(random.uniform() * size)
    const byte = Buffer.alloc(1)
    await file.read(byte, 0, 1, at)
    byte[0] ^= 1 << Math.floor(random.uniform() * 8)
    return await file.write(byte, 0, 1, at).then(
      () => true,
      () => false,
    )
  } finally {
    await file.close()
  }
}
