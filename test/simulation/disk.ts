import { basename, dirname, join, normalize } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { Random } from './random.ts'
import type { Timeline } from './timeline.ts'

/**
 * A disk in memory that several processes share. Every call takes its time, and may fail: before it is done, or after;
 * a read may be cut short. A process that is killed gets no more answers; one that stands still gets them when it comes
 * back.
 */

/** Processes are distinguished by path: /sim/<process>/<path on the disk>. */
const ROOT = '/sim/'

export type Client = { name: string; isDead: boolean; standsUntilMs: number }

type Entry = {
  ino: number
  kind: 'file' | 'directory' | 'link'
  bytes: Buffer
  names: Map<string, Entry>
  changedMs: number
  bornMs: number
}

export type Disk = {
  clients: Map<string, Client>
  /** Probability that a call fails, 0 to 1. */
  faults: number
  /** Called after each change. */
  onChange: (did: string, path: string) => void
  /** Reads at once, without faults, for those who check. */
  read: (path: string) => Buffer | null
  /** Returns every path with what is in it. */
  everything: () => [path: string, bytes: Buffer | null][]
  calls: number
  /** True while calls complete at once and without faults. */
  isAtOnce: boolean
  /** Returns whether the first argument of a call is on this disk. */
  isOn: (first: unknown) => boolean
  /** The calls of node:fs/promises, and of node:fs. */
  promises: Record<string, Call>
  sync: Record<string, Call>
}

type Call = (...given: never[]) => unknown
type Where = { client: Client; path: string }

/**
 * Result of stat for an entry. Times in ns are big integers, which cost more than the rest, so they are computed on
 * access.
 */
class Facts {
  readonly dev: number | bigint
  readonly ino: number | bigint
  readonly size: number | bigint
  readonly mtimeMs: number
  readonly birthtimeMs: number
  readonly kind: Entry['kind']
  constructor({ kind, ino, bytes, changedMs, bornMs }: Entry, { bigint = false } = {}) {
    this.kind = kind
    this.dev = bigint ? 1n : 1
    this.ino = bigint ? BigInt(ino) : ino
    this.size = bigint ? BigInt(bytes.length) : bytes.length
    this.mtimeMs = changedMs
    this.birthtimeMs = bornMs
  }
  get ctimeMs() {
    return typeof this.dev === 'bigint' ? BigInt(Math.round(this.mtimeMs)) : this.mtimeMs
  }
  get mtimeNs() {
    return BigInt(Math.round(this.mtimeMs * 1000)) * 1000n
  }
  get ctimeNs() {
    return this.mtimeNs
  }
  get birthtimeNs() {
    return BigInt(Math.round(this.birthtimeMs * 1000)) * 1000n
  }
  isFile() {
    return this.kind === 'file'
  }
  isDirectory() {
    return this.kind === 'directory'
  }
  isSymbolicLink() {
    return this.kind === 'link'
  }
}

/** Makes an error without a stack, which costs more than all else of a call. */
export function errorWithoutStack(message: string): Error {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = new Error(message)
  Error.stackTraceLimit = stackTraceLimit
  return error
}

function fault(code: string, path: string): Error {
  return Object.assign(errorWithoutStack(`${code}: ${path}`), { code })
}

export function openDisk(timeline: Timeline, random: Random): Disk {
  let inos = 1
  let descriptors = -1
  const opened = new Map<number, { entry: Entry; at: number }>()
  const make = (kind: Entry['kind']): Entry => {
    const nowMs = Date.now()
    return { ino: inos++, kind, bytes: Buffer.alloc(0), names: new Map(), changedMs: nowMs, bornMs: nowMs }
  }
  const root = make('directory')

  const known = new Map<string, Where>()
  function split(given: string): Where {
    let where = known.get(given)
    if (where === undefined) {
      const end = given.indexOf('/', ROOT.length)
      const path = normalize(end < 0 ? '/' : given.slice(end))
      const client = self.clients.get(given.slice(ROOT.length, end < 0 ? undefined : end))!
      where = { client, path }
      if (known.size > 50_000) known.clear()
      known.set(given, where)
    }
    return where
  }
  const namesBy = new Map<string, string[]>()
  function namesOf(path: string): string[] {
    let names = namesBy.get(path)
    if (names === undefined) {
      names = path.split('/').filter((name) => name !== '')
      if (namesBy.size > 50_000) namesBy.clear()
      namesBy.set(path, names)
    }
    return names
  }
  function find(path: string, follow = true, depth = 0): Entry | null {
    const names = namesOf(path)
    let entry = root
    for (let i = 0; i < names.length; i++) {
      const next = entry.names.get(names[i])
      if (!next) return null
      if (next.kind === 'link' && (follow || i < names.length - 1)) {
        const to = normalize(join('/', ...names.slice(0, i), next.bytes.toString(), ...names.slice(i + 1)))
        return depth > 8 ? null : find(to, follow, depth + 1)
      }
      entry = next
    }
    return entry
  }
  function need(path: string, follow = true): Entry {
    const entry = find(path, follow)
    if (entry === null) throw fault('ENOENT', path)
    return entry
  }
  function parentOf(path: string): Entry {
    const parent = need(dirname(path))
    if (parent.kind !== 'directory') throw fault('ENOTDIR', path)
    return parent
  }
  function put(path: string, entry: Entry, did: string): void {
    const parent = parentOf(path)
    parent.names.set(basename(path), entry)
    parent.changedMs = Date.now()
    self.onChange(did, path)
  }
  function drop(path: string, did: string): void {
    const parent = parentOf(path)
    parent.names.delete(basename(path))
    parent.changedMs = Date.now()
    self.onChange(did, path)
  }
  function fill(entry: Entry, bytes: Buffer, path: string): void {
    entry.bytes = bytes
    entry.changedMs = Date.now()
    self.onChange('write', path)
  }
  const facts = (entry: Entry, options?: { bigint?: boolean }) => new Facts(entry, options)
  function openEntry(path: string, flags: string): Entry {
    const there = find(path)
    if (there !== null && flags.includes('x')) throw fault('EEXIST', path)
    if (there === null && flags.startsWith('r')) throw fault('ENOENT', path)
    const entry = there ?? make('file')
    if (there === null) put(path, entry, 'create')
    if (flags.startsWith('w') && entry.bytes.length > 0) fill(entry, Buffer.alloc(0), path)
    return entry
  }
  function readInto(
    entry: Entry,
    into: Uint8Array,
    offset: number,
    length: number,
    from: number,
  ): { bytesRead: number } {
    const bytes = entry.bytes.subarray(from, from + length)
    into.set(bytes, offset)
    return { bytesRead: bytes.length }
  }

  /** Does something when its time has come, unless the process is gone by then. */
  function call<T>(name: string, given: string, doIt: (path: string) => T, isRead = false): Promise<T> {
    const { client, path } = split(given)
    self.calls++
    if (client.isDead) return new Promise(() => undefined)
    if (self.isAtOnce) return new Promise((resolve) => resolve(doIt(path)))
    return new Promise((resolve, reject) => {
      const run = (): void => {
        if (client.isDead) {
          // It was on its way when the process was killed.
          if (!isRead && random.chance(0.5)) {
            try {
              doIt(path)
            } catch {
              // Nobody is told.
            }
          }
          return
        }
        const standsMs = client.standsUntilMs - timeline.nowMs()
        if (standsMs > 0) {
          timeline.after(standsMs + random.next(), run)
          return
        }
        const fails = random.chance(self.faults)
        if (fails && (isRead || random.chance(0.5))) {
          reject(fault('EIO', `${name} ${path}`))
          return
        }
        try {
          const done = doIt(path)
          if (fails) reject(fault('EIO', `${name} ${path}`))
          else resolve(done)
        } catch (error) {
          reject(error)
        }
      }
      timeline.after(0.05 + random.next() * (random.chance(0.02) ? 300 : 2), run)
    })
  }

  /** Bodies are cut as a broken disk cuts them. */
  const cut = (bytes: Buffer) =>
    random.chance(self.faults) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes
  const dated = (text: string | Buffer, owner: string) =>
    // Each process is on a machine of its own: that it lives is told by the time of its lock alone.
    typeof text === 'string' && text.startsWith('{"place":')
      ? JSON.stringify({ ...JSON.parse(text), place: `machine of ${owner}` })
      : text

  function handle(given: string, entry: Entry, flags: string) {
    let at = 0
    const on = <T>(name: string, doIt: () => T, isRead = false) => call(name, given, doIt, isRead)
    const write = (bytes: Buffer, from: number) => {
      const start = flags.startsWith('a') ? entry.bytes.length : from
      const grown = Buffer.alloc(Math.max(entry.bytes.length, start + bytes.length))
      entry.bytes.copy(grown)
      bytes.copy(grown, start)
      fill(entry, grown, split(given).path)
      at = start + bytes.length
    }
    return {
      stat: (options?: { bigint?: boolean }) => on('stat', () => facts(entry, options), true),
      read: (into: Uint8Array, offset: number, length: number, from?: number | null) =>
        on(
          'read',
          () => {
            const { bytesRead } = readInto(entry, into, offset, length, from ?? at)
            if (typeof from !== 'number') at += bytesRead
            return { bytesRead, buffer: into }
          },
          true,
        ),
      write: (what: Uint8Array | string, offset = 0, length = what.length, from = at) => {
        const bytes = Buffer.from(typeof what === 'string' ? what : what.slice(offset, offset + length))
        return on('write', () => {
          write(bytes, from)
          return { bytesWritten: bytes.length }
        })
      },
      writeFile: (what: Uint8Array | string) => on('writeFile', () => write(Buffer.from(what as string), at)),
      sync: () => on('sync', () => undefined),
      datasync: () => on('sync', () => undefined),
      // Whoever closes has been told all that can go wrong.
      close: async () => undefined,
    }
  }

  const promises = {
    stat: (path: string, options?: { bigint?: boolean }) => call('stat', path, (at) => facts(need(at), options), true),
    lstat: (path: string) => call('lstat', path, (at) => facts(need(at, false)), true),
    readFile: (path: string, encoding?: BufferEncoding) =>
      call(
        'readFile',
        path,
        (at) => {
          const entry = need(at)
          if (entry.kind === 'directory') throw fault('EISDIR', at)
          const bytes = cut(entry.bytes)
          return encoding ? bytes.toString(encoding) : Buffer.from(bytes)
        },
        true,
      ),
    readdir: (path: string) =>
      call(
        'readdir',
        path,
        (at) => {
          const entry = need(at)
          if (entry.kind !== 'directory') throw fault('ENOTDIR', at)
          return [...entry.names.keys()]
        },
        true,
      ),
    mkdir: (path: string, { recursive = false } = {}) =>
      call('mkdir', path, (at) => {
        if (!recursive) {
          if (find(at) !== null) throw fault('EEXIST', at)
          put(at, make('directory'), 'mkdir')
          return undefined
        }
        let made: string | undefined
        if (find(at) !== null) return undefined
        const names = namesOf(at)
        for (let i = 1; i <= names.length; i++) {
          const each = `/${names.slice(0, i).join('/')}`
          if (find(each) !== null) continue
          put(each, make('directory'), 'mkdir')
          made ??= join(path.slice(0, path.length - at.length), each)
        }
        return made
      }),
    rmdir: (path: string) =>
      call('rmdir', path, (at) => {
        if (need(at).names.size > 0) throw fault('ENOTEMPTY', at)
        drop(at, 'rmdir')
      }),
    // A directory goes name by name: who is killed, or meets a fault, leaves the rest.
    rm: async (path: string, { force = false, recursive = false } = {}) => {
      const there = recursive ? find(split(path).path, false) : null
      if (there?.kind === 'directory')
        for (const name of [...there.names.keys()]) await promises.rm(`${path}/${name}`, { force: true, recursive })
      return call('rm', path, (at) => {
        const entry = find(at, false)
        if (entry === null && force) return
        if (need(at, false).names.size > 0) throw fault('ENOTEMPTY', at)
        drop(at, 'rm')
      })
    },
    unlink: (path: string) => call('unlink', path, (at) => drop(at, 'rm')),
    link: (from: string, to: string) =>
      call('link', from, (at) => {
        const entry = need(at)
        const target = split(to).path
        if (find(target, false) !== null) throw fault('EEXIST', target)
        put(target, entry, 'link')
      }),
    symlink: (target: string, path: string): Promise<void> =>
      call('symlink', path, (at) => {
        if (find(at, false) !== null) throw fault('EEXIST', at)
        const link = make('link')
        link.bytes = Buffer.from(target)
        put(at, link, 'symlink')
      }),
    rename: (from: string, to: string) =>
      call('rename', from, (at) => {
        const entry = need(at, false)
        const target = split(to).path
        const there = find(target, false)
        if (there?.kind === 'directory' && there.names.size > 0) throw fault('ENOTEMPTY', target)
        parentOf(target)
        drop(at, 'leave')
        put(target, entry, 'rename')
      }),
    open: (path: string, flags = 'r') =>
      call('open', path, (at) => openEntry(at, String(flags)), flags === 'r').then((entry) =>
        handle(path, entry, String(flags)),
      ),
    writeFile: (path: string, text: string | Buffer, options: { flag?: string } | string = {}) =>
      call('writeFile', path, (at) => {
        const flag = typeof options === 'object' ? (options.flag ?? 'w') : 'w'
        const entry = openEntry(at, flag)
        const bytes = Buffer.from(dated(text, split(path).client.name) as string)
        fill(entry, flag.startsWith('a') ? Buffer.concat([entry.bytes, bytes]) : bytes, at)
      }),
    appendFile: (path: string, text: string) =>
      call('appendFile', path, (at) => {
        const entry = openEntry(at, 'a')
        fill(entry, Buffer.concat([entry.bytes, Buffer.from(text)]), at)
      }),
    truncate: (path: string, length: number) =>
      call('truncate', path, (at) => fill(need(at), need(at).bytes.subarray(0, length), at)),
    utimes: (path: string) =>
      call('utimes', path, (at) => {
        need(at).changedMs = Date.now()
      }),
  }
  const sync = {
    createReadStream: (path: string) =>
      Readable.from(
        (async function* () {
          yield await promises.readFile(path)
        })(),
      ),
    createWriteStream: (path: string) => {
      const pieces: Buffer[] = []
      return new Writable({
        write: (piece: Buffer, _encoding, done) => {
          pieces.push(piece)
          done()
        },
        final: (done) => void promises.writeFile(path, Buffer.concat(pieces)).then(() => done(), done),
      })
    },
    rmSync: (path: string) => void (find(split(path).path, false) && drop(split(path).path, 'rm')),
    statSync: (path: string, options?: { bigint?: boolean }) => facts(need(split(path).path), options),
    openSync: (path: string) => {
      opened.set(descriptors, { entry: need(split(path).path), at: 0 })
      return descriptors--
    },
    fstatSync: (descriptor: number, options?: { bigint?: boolean }) => facts(opened.get(descriptor)!.entry, options),
    readSync: (descriptor: number, into: Uint8Array) => {
      const file = opened.get(descriptor)!
      const { bytesRead } = readInto(file.entry, into, 0, into.length, file.at)
      file.at += bytesRead
      return bytesRead
    },
    closeSync: (descriptor: number) => void opened.delete(descriptor),
  }
  const self: Disk = {
    clients: new Map(),
    faults: 0,
    onChange: () => {},
    read: (path) => find(normalize(path))?.bytes ?? null,
    everything: () => {
      const all: [string, Buffer | null][] = []
      const walk = (path: string, entry: Entry): void => {
        all.push([path, entry.kind === 'file' ? entry.bytes : null])
        for (const [name, each] of entry.names) walk(`${path === '/' ? '' : path}/${name}`, each)
      }
      walk('/', root)
      return all
    },
    calls: 0,
    isAtOnce: false,
    // Descriptors of this disk are below 0.
    isOn: (first) => (typeof first === 'string' ? first.startsWith(ROOT) : typeof first === 'number' && first < 0),
    promises: promises as Record<string, Call>,
    sync: sync as Record<string, Call>,
  }
  return self
}
