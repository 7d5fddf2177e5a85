import { expect, test } from 'vitest'
import { VERSION } from '../../../../engine/model/version.ts'
import { FORMAT_FILE, FORMAT_VERSION, markIn } from '../../../../engine/storage/files/data-format.ts'
import { seal } from '../../../../engine/storage/files/sealed-json.ts'
import { openDirectory } from '../../../../engine/storage/objects/directory-objects.ts'
import { readObject } from '../../../../engine/storage/objects/object-store.ts'
import { checkStoreFormat } from '../../../../engine/storage/objects/store-format.ts'
import { keptDirectory } from '../../kept.ts'

const dir = await keptDirectory()
const store = openDirectory(dir)

test('a store is marked once, and one of a later version is refused by both versions, and left as it is', async () => {
  await checkStoreFormat(store)
  await checkStoreFormat(store)
  expect(markIn((await readObject(store, FORMAT_FILE))!.toString())).toEqual({
    format: FORMAT_VERSION,
    version: VERSION,
  })
  const later = seal({ format: 99, version: '7.0.0' }, 'format of the data directory')
  await store.put(FORMAT_FILE, later)
  await expect(checkStoreFormat(store)).rejects.toMatchObject({
    code: 'other_format',
    message: `${store.name} has format 99, of Gazette 7.0.0; this one, ${VERSION}, knows formats up to ${FORMAT_VERSION}, and left everything as it is: use that version`,
  })
  expect((await readObject(store, FORMAT_FILE))!.toString()).toBe(later)
})
