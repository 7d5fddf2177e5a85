import { createReadStream, createWriteStream } from 'node:fs'
import { link, stat, truncate } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { bucketStorage } from '../storage/bucket-storage.ts'
import { createDurably, syncFile } from '../storage/files/durable.ts'
import { isThere } from '../storage/files/optional-files.ts'
import { objectGone } from '../storage/objects/object-file.ts'
import type { ObjectStore } from '../storage/objects/object-store.ts'
import {
  factsText,
  listUploads,
  markerPath,
  noneIfDamaged,
  readUpload,
  readUploadFacts,
  removeUpload,
  type StoredUpload,
  sweepUploads,
  UPLOAD_ID,
  type UploadFacts,
  uploadOf,
  uploadPath,
} from './uploads.ts'

/**
 * Uploads that can be imported. The server that receives an upload writes it to its data directory. With a bucket, a
 * complete upload is moved there, for workers and servers on other machines; the file in the data directory then keeps
 * its length, but no bytes (it is sparse).
 */
export type Uploads = {
  /** Lists the uploads of a token, oldest first. */
  list: (tokenId: string) => Promise<StoredUpload[]>
  /** Reads an upload; null if it does not exist. @throws ServiceError corrupt */
  read: (id: string) => Promise<StoredUpload | null>
  /** Stores a completely received upload. */
  keep: (id: string) => Promise<void>
  /** Provides the bytes of an upload at a path. @throws ENOENT if it was deleted */
  place: (id: string, path: string) => Promise<void>
  remove: (id: string) => Promise<void>
  /** Deletes uploads as `sweepUploads`. @returns number of deleted files */
  sweep: (olderThan: Date, keep: ReadonlySet<string>) => Promise<number>
}

/** Opens uploads. @param objects bucket that stores them; null for none */
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
  const kept = async (id: string): Promise<StoredUpload | null> => {
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
    // Its client may still ask for the offset.
    await createDurably(markerPath(dataDir, id), '', 0o600)
    await truncate(path, 0)
    await truncate(path, size)
  }
  const remove = async (id: string) => {
    // The metadata is deleted last: without it, nothing says who owns the bytes.
    await store.delete(keyOf(id))
    await store.delete(`${keyOf(id)}.json`)
    await removeUpload(dataDir, id)
  }
  return {
    list: async (tokenId) => {
      const found = new Map<string, StoredUpload>()
      for await (const { key } of store.list(`uploads/${tokenId}-`)) {
        const upload = key.endsWith('.json') ? await kept(idIn(key)).catch(noneIfDamaged) : null
        if (upload !== null) found.set(upload.id, upload)
      }
      await addReceived(dataDir, tokenId, found)
      return [...found.values()].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    },
    read: async (id) => {
      const local = (await kept(id)) === null ? await readUpload(dataDir, id) : null
      if (local !== null && local.receivedBytes < local.sizeBytes) return local
      // A server may have been killed before it stored the upload in the bucket; later, the upload is gone once it was
      // imported.
      if (local !== null && !(await isThere(markerPath(dataDir, id)))) await keep(id)
      return kept(id)
    },
    keep,
    place: async (id, path) => {
      const bytes = await store.get(keyOf(id))
      if (bytes === null) throw objectGone(keyOf(id))
      await pipeline(bytes, createWriteStream(path, { mode: 0o600 }))
    },
    remove,
    sweep: async (olderThan, keep) =>
      (await sweepUploads(dataDir, olderThan, new Set())) + (await sweepObjects(store, olderThan, keep)),
  }
}

const PIECE_BYTES = 1 << 20

const idIn = (key: string) => key.slice('uploads/'.length).replace(/\.json$/, '')

/** Adds the uploads that this server is receiving, and removes what was imported or deleted through another one. */
async function addReceived(dataDir: string, tokenId: string, found: Map<string, StoredUpload>): Promise<void> {
  for (const upload of await listUploads(dataDir, tokenId)) {
    if (upload.receivedBytes < upload.sizeBytes) found.set(upload.id, upload)
    else if (!found.has(upload.id) && (await isThere(markerPath(dataDir, upload.id))))
      await removeUpload(dataDir, upload.id)
  }
}

async function sweepObjects(store: ObjectStore, olderThan: Date, keep: ReadonlySet<string>): Promise<number> {
  let removed = 0
  for await (const { key, changedMs } of store.list('uploads/')) {
    if (keep.has(idIn(key)) || changedMs >= olderThan.getTime()) continue
    await store.delete(key)
    removed++
  }
  return removed
}
