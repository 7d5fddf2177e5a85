import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { emptyDisk, fillDisk, mountSmallDisk } from '../chaos/disk.ts'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import { gazette } from './gazette.ts'

const bundle = fileURLToPath(new URL('../golden/bundle', import.meta.url))
const root = await mkdtemp(join(tmpdir(), 'gazette-full-'))
const data = join(root, 'data')
await mkdir(data)
/** The same study by another id. */
const other = join(root, 'other')
/** Only root may mount one. */
const unmount = await mountSmallDisk(data, 8)

beforeAll(async () => {
  await cp(bundle, other, { recursive: true })
  const study = await readFile(join(other, 'study.json'), 'utf8')
  await writeFile(join(other, 'study.json'), study.replace(GOLDEN_STUDY, GOLDEN_STUDY.replace('9', '8')))
  if (unmount) expect(await gazette(['import', bundle, '--data', data])).toMatchObject({ code: 0 })
})
beforeEach(() => emptyDisk(data))
afterAll(async () => {
  await unmount?.()
  await rm(root, { recursive: true, force: true })
})

const everything = async () => (await readdir(data, { recursive: true })).filter((name) => name !== 'filler').sort()

test.skipIf(unmount === null).each([
  [['token', 'create'], 'the disk is full: there is no room for a lock'],
  [['remove', '--study', GOLDEN_STUDY, '--yes'], 'the disk is full: there is no room for a lock'],
  [['import', bundle, '--append'], 'the disk is full: there is no room for a lock'],
  [['import', other], 'the disk is full: there is no room for a lock'],
])('%j on a disk without a free byte is one sentence, and leaves nothing', async (args, sentence) => {
  const before = await everything()
  await fillDisk(data)
  const ended = await gazette([...args, '--data', data])
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: `gazette: ${sentence}\n` })
  expect(await everything()).toEqual(before)
})
