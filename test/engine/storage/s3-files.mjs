// What the small server of S3 keeps in a directory, so that it outlives a killed process and may be larger than memory.
// Bytes are written once, as files below `data`; objects and parts of uploads are lists of places in them. So copies
// and joining cost nothing.
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const READ_BYTES = 1 << 20

/** Bytes in files, one place behind the other; as a Buffer is, as far as the server needs it. */
function bytesAt(places) {
  return {
    places,
    length: places.reduce((sum, { start, end }) => sum + end - start, 0),
    subarray: (start, end) => {
      const cut = []
      let at = 0
      for (const place of places) {
        const [from, to] = [Math.max(start - at, 0), Math.min(end - at, place.end - place.start)]
        if (from < to) cut.push({ file: place.file, start: place.start + from, end: place.start + to })
        at += place.end - place.start
      }
      return bytesAt(cut)
    },
  }
}

/** Opens the directory, with what the last process left there. */
export function openFiles(directory) {
  const folder = (name) => join(directory, name)
  for (const name of ['data', 'objects', 'uploads']) mkdirSync(folder(name), { recursive: true })
  /** Number of objects in each file. */
  const uses = new Map()
  const count = ({ places }, by) => {
    for (const { file } of places) {
      const now = (uses.get(file) ?? 0) + by
      uses.set(file, now)
      if (now > 0) continue
      uses.delete(file)
      rmSync(join(folder('data'), file), { force: true })
    }
  }
  const write = (path, value) => {
    writeFileSync(`${path}.tmp`, JSON.stringify(value))
    renameSync(`${path}.tmp`, path)
  }
  const readAll = (path) =>
    readdirSync(path)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(path, name), 'utf8')))
  const objectPath = (key) => join(folder('objects'), `${createHash('sha256').update(key).digest('hex')}.json`)
  const uploadPath = (id, name) => join(folder('uploads'), id, `${name}.json`)

  const found = { objects: [], uploads: [] }
  for (const { places, ...rest } of readAll(folder('objects'))) found.objects.push({ ...rest, bytes: bytesAt(places) })
  for (const id of readdirSync(folder('uploads'))) {
    const [head, ...parts] = readAll(join(folder('uploads'), id)).sort((a, b) => a.number - b.number)
    const of = parts.map(({ number, etag, places }) => [number, { etag, bytes: bytesAt(places) }])
    if (head?.number === 0) found.uploads.push({ id, key: head.key, parts: new Map(of) })
  }
  for (const { bytes } of found.objects) count(bytes, 1)
  for (const { parts } of found.uploads) for (const { bytes } of parts.values()) count(bytes, 1)
  for (const name of readdirSync(folder('data')))
    if (!uses.has(name)) rmSync(join(folder('data'), name), { force: true })

  return {
    found,
    /** Writes bytes that nothing has yet; what gets them counts them. */
    keep: async (pieces) => {
      const end = pieces.reduce((sum, { length }) => sum + length, 0)
      if (end === 0) return bytesAt([])
      const file = randomBytes(9).toString('hex')
      const opened = await open(join(folder('data'), file), 'wx')
      try {
        const { bytesWritten } = await opened.writev(pieces)
        if (bytesWritten < end) throw new Error('a file could not be written whole')
      } finally {
        await opened.close()
      }
      return bytesAt([{ file, start: 0, end }])
    },
    drop: ({ places }) => {
      for (const { file } of places) rmSync(join(folder('data'), file), { force: true })
    },
    join: (parts) => bytesAt(parts.flatMap(({ places }) => places)),
    saveObject: (key, { bytes, etag, changed }, before) => {
      count(bytes, 1)
      write(objectPath(key), { key, etag, changed, places: bytes.places })
      if (before) count(before, -1)
    },
    removeObject: (key, before) => {
      rmSync(objectPath(key), { force: true })
      if (before) count(before, -1)
    },
    beginUpload: (id, key) => {
      mkdirSync(join(folder('uploads'), id))
      write(uploadPath(id, 0), { number: 0, key })
    },
    savePart: (id, number, { bytes, etag }, before) => {
      count(bytes, 1)
      write(uploadPath(id, number), { number, etag, places: bytes.places })
      if (before) count(before.bytes, -1)
    },
    endUpload: (id, parts) => {
      rmSync(join(folder('uploads'), id), { recursive: true, force: true })
      for (const { bytes } of parts.values()) count(bytes, -1)
    },
    read: async function* ({ places }) {
      for (const { file, start, end } of places)
        yield* createReadStream(join(folder('data'), file), { start, end: end - 1, highWaterMark: READ_BYTES })
    },
    /** Facts that survive a restart. */
    remember: (name, make) => {
      const path = folder(`${name}.json`)
      try {
        return JSON.parse(readFileSync(path, 'utf8'))
      } catch {
        const value = make()
        write(path, value)
        return value
      }
    },
  }
}

/** The same in memory. */
export function openMemory() {
  const nothing = () => {}
  return {
    found: { objects: [], uploads: [] },
    keep: async (pieces) => Buffer.concat(pieces),
    drop: nothing,
    join: (parts) => Buffer.concat(parts),
    saveObject: nothing,
    removeObject: nothing,
    beginUpload: nothing,
    savePart: nothing,
    endUpload: nothing,
    read: async function* (bytes) {
      yield bytes
    },
    remember: (_name, make) => make(),
  }
}
