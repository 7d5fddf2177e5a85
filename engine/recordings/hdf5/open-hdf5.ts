import { readSync } from 'node:fs'
import type H5wasm from 'h5wasm'
import { ServiceError } from '../../model/errors.ts'
import { openPlain } from '../../storage/files/plain-file.ts'

/** A column of an HDF5 table: a number, or a text of a fixed length, at an offset of each row. */
export type Hdf5Field = {
  name: string
  offset: number
  sizeBytes: number
  kind: 'float' | 'signed' | 'unsigned' | 'text'
}

/** A table of an HDF5 file: rows of fields, as PyTables writes them. */
export type Hdf5Table = {
  path: string
  rows: number
  rowBytes: number
  fields: Hdf5Field[]
  /** Reads rows; the bytes are valid until the next call. */
  read: (from: number, count: number) => DataView
}

/** An open HDF5 file. */
export type Hdf5 = {
  /** Names of the members of a group; none if there is no such group. */
  list: (path: string) => string[]
  /** Returns a table; null if there is no table of that name. */
  table: (path: string) => Hdf5Table | null
  sizeBytes: number
  close: () => Promise<void>
}

/** Largest part of a table in memory, and largest number of files opened by a process, so that each has a name. */
const PART_BYTES = 1 << 20
/** Classes of types in the HDF5 library. */
const [INTEGER, FLOAT, TEXT, COMPOUND] = [0, 1, 3, 6]
/** Largest size of a row. */
const ROW_MAX_BYTES = 1 << 18

type Member = { name: string; offset: number; size: number; type: number; signed: boolean; littleEndian: boolean }
let files = 0

type Library = Awaited<typeof H5wasm.ready>

/**
 * A file that is open in the library. `part` is the library's memory for a part of a table; 0 until a table is read.
 */
type Opened = {
  h5: typeof H5wasm
  library: Library
  file: InstanceType<typeof H5wasm.File>
  name: string
  part: number
}

/**
 * Opens an HDF5 file with the HDF5 library, compiled to WebAssembly. The library sees that one file alone, so that no
 * link in it leads to another, and reads it part by part, in bounded memory.
 *
 * @throws ServiceError invalid_bundle for a damaged file
 */
export async function openHdf5(path: string, name: string): Promise<Hdf5> {
  const h5 = (await import('h5wasm')).default
  const library = await h5.ready
  // Otherwise the library prints errors, and goes on.
  library.activate_throwing_error_handler()
  const mounted = await mount(library, path)
  try {
    const file = guarded(name, () => new h5.File(mounted.inside, 'r'))
    return membersOf({ h5, library, file, name, part: 0 }, mounted)
  } catch (error) {
    await mounted.end()
    throw error
  }
}

type Mounted = { inside: string; sizeBytes: number; end: () => Promise<void> }

/** Shows a file of this machine to the library, under a name of its own. */
async function mount(library: Library, path: string): Promise<Mounted> {
  const { FS } = library as unknown as { FS: FileSystem }
  const handle = await openPlain(path)
  const inside = `f${files++}.h5`
  const { size } = await handle.stat()
  FS.createDataFile('/', inside, new Uint8Array(0), true, false)
  const { node } = FS.lookupPath(`/${inside}`)
  Object.defineProperty(node, 'usedBytes', { get: () => size, set: () => {} })
  const read = (_: unknown, buffer: Uint8Array, offset: number, length: number, position: number) =>
    position >= size ? 0 : readSync(handle.fd, buffer, offset, Math.min(length, size - position), position)
  node.stream_ops = { ...node.stream_ops, read }
  const end = async () => {
    FS.unlink(`/${inside}`)
    await handle.close()
  }
  return { inside: `/${inside}`, sizeBytes: size, end }
}

function membersOf(opened: Opened, { sizeBytes, end }: Mounted): Hdf5 {
  const { h5, library, file, name } = opened
  return {
    list: (path) => {
      const group = memberAt(opened, path)
      return group instanceof h5.Group ? guarded(name, () => group.keys()) : []
    },
    table: (path) => tableAt(opened, path),
    sizeBytes,
    close: async () => {
      file.close()
      if (opened.part !== 0) library._free(opened.part)
      await end()
    },
  }
}

/** Returns a group or a data set; null if there is none of that name. */
function memberAt({ h5, file, name }: Opened, path: string): unknown {
  return guarded(name, () => {
    let found: unknown = file
    for (const member of path.split('/').slice(1)) {
      if (!(found instanceof h5.Group) || !found.keys().includes(member)) return null
      found = found.get(member)
    }
    return found
  })
}

function tableAt(opened: Opened, path: string): Hdf5Table | null {
  const { h5, library, file, name } = opened
  const found = memberAt(opened, path)
  if (!(found instanceof h5.Dataset)) return null
  const { shape, size: rowBytes, type, compound_type: compound } = guarded(name, () => found.metadata)
  if (type !== COMPOUND || !compound || shape?.length !== 1 || !(rowBytes > 0 && rowBytes <= ROW_MAX_BYTES)) return null
  const fields = (compound.members as Member[]).flatMap(fieldOf)
  return {
    ...{ path, rows: shape[0], rowBytes, fields },
    read: (from, count) => {
      const most = Math.min(count, rowsAtOnce(rowBytes))
      if (opened.part === 0) opened.part = Number(library._malloc(PART_BYTES + ROW_MAX_BYTES))
      const part = BigInt(opened.part)
      guarded(name, () => library.get_dataset_data(file.file_id, path, [BigInt(most)], [BigInt(from)], [1n], part))
      return new DataView(library.HEAPU8.buffer, opened.part, most * rowBytes)
    },
  }
}

/** Calls the library, whose errors mean that the file is damaged. @throws ServiceError invalid_bundle */
function guarded<T>(name: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    const rule = `${name} is a damaged or truncated HDF5 file: copy it again`
    throw new ServiceError('invalid_bundle', rule, { cause: error })
  }
}

/** Returns the largest number of rows that are read at once. */
export function rowsAtOnce(rowBytes: number): number {
  return Math.max(1, Math.floor(PART_BYTES / rowBytes))
}

/** Part of the library's file system that its types lack. */
type FileSystem = {
  createDataFile: (folder: string, name: string, bytes: Uint8Array, canRead: boolean, canWrite: boolean) => void
  lookupPath: (path: string) => { node: { stream_ops: Record<string, unknown> } }
  unlink: (path: string) => void
}

/** Returns a field that is a number, up to 8 bytes in the order of Intel's processors, or a text. */
function fieldOf({ name, offset, size, type, signed, littleEndian }: Member): Hdf5Field[] {
  const at = { name, offset, sizeBytes: size }
  if (type === TEXT) return [{ ...at, kind: 'text' }]
  if (type === FLOAT && littleEndian && (size === 4 || size === 8)) return [{ ...at, kind: 'float' }]
  if (type === INTEGER && littleEndian && [1, 2, 4, 8].includes(size))
    return [{ ...at, kind: signed ? 'signed' : 'unsigned' }]
  return []
}

/** Reads a number of a row. */
export function numberOf(view: DataView, row: number, { offset, sizeBytes, kind }: Hdf5Field): number {
  const at = row + offset
  if (kind === 'float') return sizeBytes === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true)
  const isSigned = kind === 'signed'
  if (sizeBytes === 1) return isSigned ? view.getInt8(at) : view.getUint8(at)
  if (sizeBytes === 2) return isSigned ? view.getInt16(at, true) : view.getUint16(at, true)
  if (sizeBytes === 4) return isSigned ? view.getInt32(at, true) : view.getUint32(at, true)
  return Number(isSigned ? view.getBigInt64(at, true) : view.getBigUint64(at, true))
}

/** Reads a text of a row, up to its first zero byte. */
export function textOf(view: DataView, row: number, { offset, sizeBytes }: Hdf5Field): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + row + offset, sizeBytes)
  const end = bytes.indexOf(0)
  return new TextDecoder().decode(bytes.slice(0, end < 0 ? sizeBytes : end))
}
