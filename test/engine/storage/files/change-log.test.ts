import { appendFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHANGE_LOG, followChanges, logged, shortenChangeLog } from '../../../../engine/storage/files/change-log.ts'
import { keptDirectory } from '../../kept.ts'

const root = await keptDirectory()
const path = () => join(root, CHANGE_LOG)
const nothing = async () => undefined

test('without a log everything is looked at, then what changed, each once', async () => {
  const look = followChanges(root)
  expect(await look()).toBeNull()
  expect(await look()).toBeNull()
  expect(await look()).toEqual(new Set())
  await logged(root, 'a', nothing)
  await logged(root, 'b', nothing)
  expect(await look()).toEqual(new Set(['a', 'b']))
  expect(await look()).toEqual(new Set())
})

test('a change is looked at before it is made, while it is made, and when it is done or has failed', async () => {
  const look = followChanges(root)
  await look()
  await expect(
    logged(root, 'a', async () => {
      expect(await look()).toEqual(new Set(['a']))
      expect(await look()).toEqual(new Set(['a']))
      throw new Error('not made')
    }),
  ).rejects.toThrow('not made')
  expect(await look()).toEqual(new Set(['a']))
  expect(await look()).toEqual(new Set())
})

test('what a killed process was at is looked at again and again, also in a shortened log', async () => {
  const look = followChanges(root)
  await look()
  await appendFile(path(), '+ killed 0a0a\n')
  for (let i = 0; i < 3; i++) expect(await look()).toEqual(new Set(['killed']))
  await appendFile(path(), '+ a 1\n- a 1\n'.repeat(30_000))
  await shortenChangeLog(root)
  expect((await stat(path())).size).toBe('+ killed 0a0a\n'.length)
  expect(await look()).toBeNull()
  expect(await look()).toEqual(new Set(['killed']))
})

test('half a line is not read before its other half, and a log that is gone or new says nothing of before', async () => {
  const look = followChanges(root)
  await look()
  await look()
  await appendFile(path(), '+ hal')
  expect(await look()).toEqual(new Set(['killed']))
  await appendFile(path(), 'f 2\n- half 2\n')
  expect(await look()).toEqual(new Set(['killed', 'half']))
  await rm(path())
  expect(await look()).toBeNull()
  await rm(path())
  await logged(root, 'a', nothing)
  expect(await look()).toBeNull()
})
