import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode, nullIfGone } from '../../model/system-errors.ts'

/**
 * Log of changes in a directory. A process appends a line before and after it changes what a name in the directory
 * stands for. So readers refresh only what has changed. The log is an index: without it, or with a new one, they read
 * everything.
 */
export const CHANGE_LOG = 'changes.log'

/** Size beyond which a log is compacted. */
const SHORTEN_BYTES = 1 << 18

/** Runs `change`, which changes what a name in a directory stands for, between two lines in the directory's log. */
export async function logged<T>(directory: string, name: string, change: () => Promise<T>): Promise<T> {
  const id = randomBytes(6).toString('hex')
  await append(directory, `+ ${name} ${id}\n`)
  try {
    return await change()
  } finally {
    await append(directory, `- ${name} ${id}\n`).catch(() => undefined)
  }
}

async function append(directory: string, line: string): Promise<void> {
  const path = join(directory, CHANGE_LOG)
  try {
    for (;;) {
      const file = await open(path, 'a')
      try {
        const { bytesWritten } = await file.write(line)
        // Shortened meanwhile, it is another file, without this line.
        if (bytesWritten === line.length && (await isAt(file, path))) return
      } finally {
        await file.close()
      }
    }
  } catch (error) {
    // A full disk must not keep anybody from removing: without a log, everybody looks at everything.
    if (!isCode(error, 'ENOENT')) await rm(path, { force: true })
  }
}

async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const [own, now] = await Promise.all([file.stat(), stat(path).catch(() => null)])
  return now !== null && now.ino === own.ino && now.dev === own.dev
}

/** Compacts a directory's log if it is long. Lines of changes that are under way, or were interrupted, stay. */
export async function shortenChangeLog(directory: string): Promise<void> {
  const path = join(directory, CHANGE_LOG)
  const facts = await stat(path).catch(nullIfGone)
  if (facts === null || facts.size < SHORTEN_BYTES) return
  const aside = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const old = await open(path, 'r')
  try {
    const underWay = new Map<string, string>()
    readLines(await textFrom(old, 0), underWay)
    const file = await open(aside, 'wx')
    await file.writeFile([...underWay].map(([id, name]) => `+ ${name} ${id}\n`).join('')).finally(() => file.close())
    await rename(aside, path)
  } finally {
    await old.close()
    await rm(aside, { force: true })
  }
}

/** Follows a directory's log: each call returns the names that have changed; null for all. */
export function followChanges(directory: string): () => Promise<Set<string> | null> {
  const path = join(directory, CHANGE_LOG)
  let file = ''
  let offset = 0
  let underWay = new Map<string, string>()

  return async () => {
    const facts = await stat(path, { bigint: true }).catch(nullIfGone)
    const now = facts === null ? '' : `${facts.dev} ${facts.ino} ${facts.birthtimeNs}`
    const isNew = now === '' || now !== file || Number(facts?.size) < offset
    if (facts === null) {
      // Nobody else's business if it may not be written here.
      await open(path, 'a').then(
        (begun) => begun.close(),
        () => undefined,
      )
      return null
    }
    const names = new Set<string>()
    const from = isNew ? 0 : offset
    const text = Number(facts.size) > from ? await readFrom(path, from) : ''
    if (text === null) return null
    // Noted only now: what could not be read is read the next time.
    if (isNew) underWay = new Map()
    file = now
    const end = text.lastIndexOf('\n') + 1
    offset = from + end
    readLines(text.slice(0, end), underWay, names)
    for (const name of underWay.values()) names.add(name)
    return isNew ? null : names
  }
}

async function readFrom(path: string, offset: number): Promise<string | null> {
  const file = await open(path, 'r').catch(nullIfGone)
  return file === null ? null : textFrom(file, offset).finally(() => file.close())
}

/** Reads lines. Adds their names to `names`, and to `underWay` the changes that have begun, by id, until they end. */
function readLines(text: string, underWay: Map<string, string>, names = new Set<string>()): void {
  for (const line of text.split('\n')) {
    const [sign, name, id] = line.split(' ')
    if (id === undefined) continue
    names.add(name)
    if (sign === '+') underWay.set(id, name)
    else underWay.delete(id)
  }
}

async function textFrom(file: FileHandle, offset: number): Promise<string> {
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.max(0, size - offset))
  const { bytesRead } = bytes.length === 0 ? { bytesRead: 0 } : await file.read(bytes, 0, bytes.length, offset)
  return bytes.toString('latin1', 0, bytesRead)
}
