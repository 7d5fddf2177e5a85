import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LEASES } from '../../../engine/snapshot/leases.ts'
import { isAtRest } from '../../../engine/study/sweep-snapshots.ts'

const SNAPSHOT = 'a'.repeat(64)

async function newStudy(): Promise<string> {
  const studyDir = await mkdtemp(join(tmpdir(), 'gazette-leases-'))
  onTestFinished(() => rm(studyDir, { recursive: true, force: true }))
  await mkdir(join(studyDir, SNAPSHOT))
  await mkdir(join(studyDir, LEASES))
  await writeFile(join(studyDir, 'current'), SNAPSHOT)
  return studyDir
}

test('the lease of a killed reader goes where no old snapshot waits to be swept, too', async () => {
  const studyDir = await newStudy()
  const path = join(studyDir, LEASES, `${SNAPSHOT}.0123456789ab`)
  await writeFile(path, '')
  const longAgo = new Date(Date.now() - 100_000)
  await utimes(path, longAgo, longAgo)
  expect(await isAtRest(studyDir, new Date())).toBe(true)
  expect(await readdir(join(studyDir, LEASES))).toEqual([])
})

test('a study with a reader is not at rest, and its lease stays', async () => {
  const studyDir = await newStudy()
  const name = `${SNAPSHOT}.0123456789ab`
  await writeFile(join(studyDir, LEASES, name), '')
  expect(await isAtRest(studyDir, new Date())).toBe(false)
  expect(await readdir(join(studyDir, LEASES))).toEqual([name])
})
