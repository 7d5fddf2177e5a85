import { createReadStream, createWriteStream } from 'node:fs'
import { link, stat, truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createDurably, syncFile } from '../files/durable.ts'
import { isThere } from '../files/optional-files.ts'
import { bucketStorage } from '../store/bucket-storage.ts'
import { objectGone } from '../store/object-file.ts'
import type { ObjectStore } from '../store/object-store.ts'
import {
  factsText,
  keptPath,
  listUploads,
  noneIfDamaged,
  readUpload,
  readUploadFacts,
  removeUpload,
  sweepUploads,
  UPLOAD_ID,
  type Upload,
  type UploadFacts,
  uploadOf,
  uploadPath,
} from './uploads.ts'

/**
 * The uploads that may be imported. What has come of an upload is in the data directory of the server that it is sent
 * to. In a bucket it is kept once it is whole, for workers and servers on other machines; then the file in the data
 * directory has its length, and no bytes.
 */
export type Uploads = {
  /** Lists the uploads of a token, oldest first. */
  list: (tokenId: string) => Promise<Upload[]>
  /** Reads an upload; null when there is none. @throws ServiceError corrupt */
  read: (id: string) => Promise<Upload | null>
  /** Keeps an upload whose bytes have all come. */
  keep: (id: string) => Promise<void>
  /** Has the bytes of an upload at a path. @throws ENOENT when it is gone */
  place: (id: string, path: string) => Promise<void>
  remove: (id: string) => Promise<void>
  /** Deletes uploads as `sweepUploads`. @returns how many files went */
  sweep: (olderThan: Date, keep: ReadonlySet<string>) => Promise<number>
}

/** Opens uploads. @param objects the bucket that keeps them; null for none */
export function openUploads(dataDir: string, objects: ObjectStore | null): Uploads {
  return objects === null ? directoryUploads(dataDir) : bucketUploads(dataDir, objects)
}

function directoryUploads(dataDir: string): Uploads {
  return {
    list: (tokenId) => listUploads(dataDir, tokenId),
    read: (id) => readUpload(dataDir, id),
    keep: (id) => syncFile(uploadPath(dataDir, id)),
    place: (id, path) => link(uploadPath(dataDir, id), path),
    remove: (id) => removeUpload(dataDir, id),
    sweep: (olderThan, keep) => sweepUploads(dataDir, olderThan, keep),
  }
}

function bucketUploads(dataDir: string, store: ObjectStore): Uploads {
  const records = bucketStorage(store)
  const keyOf = (id: string) => `uploads/${id}`
  const kept = async (id: string): Promise<Upload | null> => {
    if (!UPLOAD_ID.test(id)) return null
    const facts = await records.readSealed<UploadFacts>(`${keyOf(id)}.json`, id)
    return facts && uploadOf(facts, facts.size ?? 0)
  }
  const keep = async (id: string) => {
    const facts = await readUploadFacts(dataDir, id)
    if (facts === null || (await kept(id)) !== null) return
    const path = uploadPath(dataDir, id)
    const { size } = await stat(path)
    await store.compose(keyOf(id), createReadStream(path, { highWaterMark: PIECE_BYTES }))
    await records.replace(`${keyOf(id)}.json`, factsText(facts))
    // Its client may still ask how much has come.
    await createDurably(keptPath(dataDir, id), '', 0o600)
    await truncate(path, 0)
    await truncate(path, size)
  }
  const remove = async (id: string) => {
    // The facts go last: without them nothing tells whose the bytes are.
    await store.delete(keyOf(id))
    await store.delete(`${keyOf(id)}.json`)
    await removeUpload(dataDir, id)
  }
  return {
    list: async (tokenId) => {
      const found = new Map<string, Upload>()
      for await (const { key } of store.list(`uploads/${tokenId}-`)) {
        const id = key.slice('uploads/'.length).replace(/\.json$/, '')
        const upload = key.endsWith('.json') ? await kept(id).catch(noneIfDamaged) : null
        if (upload !== null) found.set(id, upload)
      }
      for (const upload of await listUploads(dataDir, tokenId)) {
        if (upload.receivedBytes < upload.sizeBytes) found.set(upload.id, upload)
        // It was imported, or deleted, by way of another server.
        else if (!found.has(upload.id) && (await isThere(keptPath(dataDir, upload.id))))
          await removeUpload(dataDir, upload.id)
      }
      return [...found.values()].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    },
    read: async (id) => {
      const local = (await kept(id)) === null ? await readUpload(dataDir, id) : null
      if (local !== null && local.receivedBytes < local.sizeBytes) return local
      // A server may have been killed before it was kept; afterwards it is gone once it was imported.
      if (local !== null && !(await isThere(keptPath(dataDir, id)))) await keep(id)
      return kept(id)
    },
    keep,
    place: async (id, path) => {
      const bytes = await store.get(keyOf(id))
      if (bytes === null) throw objectGone(keyOf(id))
      await pipeline(bytes, createWriteStream(path, { mode: 0o600 }))
    },
    remove,
    sweep: async (olderThan, keep) => {
      let removed = await sweepUploads(dataDir, olderThan, new Set())
      for await (const { key, changedMs } of store.list('uploads/')) {
        const id = key.slice('uploads/'.length).replace(/\.json$/, '')
        if (keep.has(id) || changedMs >= olderThan.getTime()) continue
        await store.delete(key)
        removed++
      }
      return removed
    },
  }
}

const PIECE_BYTES = 1 << 20
