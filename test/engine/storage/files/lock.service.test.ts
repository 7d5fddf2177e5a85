import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStudies } from '../../../../engine/snapshot/snapshots.ts'
import { takeLock, withStudyLock } from '../../../../engine/storage/files/lock.ts'
import { makeStudyFixture, STUDY_ID, type StudyFixture, smallBundle, writeBundle } from '../../import/bundles.ts'
import { contentsOf } from '../../import/contents.ts'

let fixture: StudyFixture
let directory: string
beforeEach(async () => {
  fixture = await makeStudyFixture()
  directory = join(fixture.root, 'study')
})
afterEach(() => fixture.remove())

const NONCE = '00'.repeat(9)

/** A lock file as this process would write it now, changed. */
async function lockFile(changes: Record<string, unknown>): Promise<string> {
  const path = join(fixture.root, 'sample')
  const lock = await takeLock(path)
  const owner = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  await lock?.release()
  return JSON.stringify({ ...owner, nonce: NONCE, ...changes })
}

const DEAD = { pid: 2 ** 22 + 1 }

describe('a study’s lock', () => {
  test('is held by one at a time, and the others are refused', async () => {
    let inside = 0
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        withStudyLock(directory, async () => {
          expect(++inside).toBe(1)
          await new Promise((resolve) => setTimeout(resolve, 20))
          inside--
        }),
      ),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.length).toBeLessThan(10)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'busy' })
  })

  test.each([
    ['of a dead process', DEAD],
    ['of an earlier process with this pid', { startedAt: '1' }],
    ['that nobody can read', null],
  ])('%s is taken over, by one', async (_name, changes) => {
    await mkdir(directory)
    await writeFile(join(directory, 'lock'), changes === null ? '' : await lockFile(changes))
    let inside = 0
    let count = 0
    await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        withStudyLock(directory, async () => {
          count++
          expect(++inside).toBe(1)
          await new Promise((resolve) => setTimeout(resolve, 20))
          inside--
        }),
      ),
    )
    expect(count).toBeGreaterThan(0)
    expect(existsSync(directory)).toBe(false)
  })

  test('whose heir died too is taken over all the same', async () => {
    await mkdir(directory)
    const heir = NONCE.replace(/0$/, '1')
    await writeFile(join(directory, 'lock'), await lockFile(DEAD))
    await writeFile(join(directory, `lock.${NONCE}`), await lockFile({ ...DEAD, nonce: heir }))
    let names: string[] = []
    await withStudyLock(directory, async () => {
      names = await readdir(directory)
    })
    expect(names).toEqual(['lock'])
  })
})

test('a killed import leaves the study as it was, and the next one cleans up after it', async () => {
  const bundle = smallBundle()
  const { snapshotId } = await fixture.importing(bundle)
  const before = await contentsOf(fixture.dataDir, STUDY_ID)
  bundle.study.name = 'Newer'
  const newer = await writeBundle(fixture.bundleDir(), bundle)
  const module = new URL('../../../../dist/engine/import/import-bundle.js', import.meta.url).href
  // It stops for ever after writing its samples.
  const script = `
    const { importBundle } = await import(${JSON.stringify(module)})
    const onProgress = () => { require('node:fs').writeSync(1, 'half'); for (;;) {} }
    await importBundle({ dataDir: ${JSON.stringify(fixture.dataDir)}, directory: ${JSON.stringify(newer)}, append: false,
      dryRun: false, now: new Date(), threads: 1, memoryMib: 256, onProgress })`
  const child = spawn(process.execPath, ['-e', `(async () => {${script}})()`], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(child.stdout, 'data')
    await expect(fixture.importDir(newer)).rejects.toMatchObject({ code: 'busy' })
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const study = join(fixture.dataDir, 'studies', STUDY_ID)
  expect((await readdir(study)).length).toBeGreaterThan(2)
  expect(await readFile(join(study, 'current'), 'utf8')).toBe(`${snapshotId}\n`)
  expect(await contentsOf(fixture.dataDir, STUDY_ID)).toEqual(before)

  const next = await fixture.importDir(newer)
  expect(next.published).toBe(true)
  expect((await readdir(study)).sort()).toEqual([snapshotId, next.snapshotId, 'current'].sort())
  expect(await openStudies(fixture.dataDir).currentId(STUDY_ID)).toBe(next.snapshotId)
})
