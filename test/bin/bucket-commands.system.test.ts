import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { keptDirectory } from '../engine/kept.ts'
import { until } from '../server/test-server.ts'
import { gazette, launch } from './gazette.ts'

/** Commands on an installation in a bucket; DATA_DIR has no study. */
const root = await keptDirectory()
const env = { STORE_URL: `file://${root}/bucket`, DATA_DIR: join(root, 'data') }

const SMALL = ['--participants', '2', '--items', '1', '--seconds', '1']

test('demo, analyses, token and check work on a bucket', async () => {
  const made = await gazette(['demo', ...SMALL], env)
  expect(made).toMatchObject({ code: 0 })
  const study = made.stdout.trim()
  const files = join(root, 'bucket/files', study)
  // Of the snapshot: that of a deleted analysis is no longer checked.
  const [file] = await readdir(files)
  expect((await gazette(['studies'], env)).stdout).toContain(study)
  await writeFile(join(root, 'analysis.json'), JSON.stringify({ title: 'Mine' }))
  const analyses = (command: string, ...rest: string[]) =>
    gazette(['analyses', command, ...rest, '--study', study], env)
  expect(await analyses('put', 'mine', join(root, 'analysis.json'))).toMatchObject({ code: 0 })
  expect((await analyses('list')).stdout).toMatch(/^mine@\w+ .*Mine$/m)
  expect(JSON.parse((await analyses('show', 'mine')).stdout)).toEqual({ title: 'Mine' })
  expect(await gazette(['token', 'create', '--study', study], env)).toMatchObject({ code: 0 })
  expect(await gazette(['check'], env)).toMatchObject({ code: 0, stdout: '' })
  expect(await analyses('delete', 'mine')).toMatchObject({ code: 0 })
  expect((await analyses('list')).stdout).toBe('')
  await writeFile(join(files, file), 'damaged')
  const checked = await gazette(['check'], env)
  expect(checked.code).not.toBe(0)
  expect(checked.stdout).toMatch(/ has changed\.\n$/)
}, 360_000)

test('watch imports into a bucket', async () => {
  const folder = join(root, 'folder')
  const aside = join(root, 'bundle')
  await mkdir(folder)
  await mkdir(aside)
  const size = { participants: 1, items: 1, seconds: 1, hz: 30, seed: 2, memoryMib: 128 }
  const { studyId } = await writeDemoBundle({ directory: aside, ...size })
  const watching = launch(['watch', folder, '--settle', '0'], env)
  try {
    await cp(aside, join(folder, 'bundle'), { recursive: true })
    await until(async () => (await readdir(join(folder, 'done')).catch(() => [])).length > 0)
  } finally {
    watching.process.kill('SIGTERM')
    await watching.ended
  }
  expect((await gazette(['studies'], env)).stdout).toContain(studyId)
}, 360_000)
