import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bucketStorage } from '../../../engine/storage/bucket-storage.ts'
import { openDirectory } from '../../../engine/storage/objects/directory-objects.ts'
import {
  endImport,
  listOpenImports,
  readImport,
  removeImport,
  requestImport,
  tidyImports,
} from '../../../engine/uploads/import-job.ts'

test('an ended import whose removal is cut short never runs again, and is removed later', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'gazette-imports-'))
  try {
    const store = openDirectory(dir)
    const records = bucketStorage(store)
    const at = new Date().toISOString()
    const request = { uploads: [], choices: {}, createdAt: at, studyId: null, tokenId: 'a' }
    const { id } = await requestImport(records, request as unknown as Parameters<typeof requestImport>[1])
    const end = { state: 'succeeded', startedAt: at, finishedAt: at, report: null, error: null } as const
    expect(await endImport(records, id, end)).toBe(true)
    let deletes = 0
    const failing = bucketStorage({
      ...store,
      delete: (key) => (++deletes > 1 ? Promise.reject(new Error('killed')) : store.delete(key)),
    })
    await expect(removeImport(failing, id)).rejects.toThrow('killed')
    expect(deletes).toBe(2)
    expect(await listOpenImports(records)).toEqual([])
    expect(await readImport(records, id)).toBe(null)
    await tidyImports(records, new Date(0), new Date(Date.now() + 1000))
    expect(await records.names(`imports/${id}`)).toEqual([])
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
