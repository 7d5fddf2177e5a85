import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { keptDirectory } from '../engine/kept.ts'
import { gazette } from './gazette.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const dir = await keptDirectory()
const data = join(dir, 'data')
await gazette(['demo', '--participants', '1', '--items', '1', '--seconds', '1', '--data', data])
const study = (await gazette(['studies', '--data', data])).stdout.slice(0, 36)
const csv = (await gazette(['export', 'fixations', '--study', study, '--data', data])).stdout

/** Runs a command of npm as a user of a clone does. */
function npm(command: 'npm' | 'npx', args: string[], cwd = root) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_update_notifier: 'false' }
  return spawnSync(command, args, { cwd, env, encoding: 'utf8' })
}

test('npx gazette in a clone writes the table and nothing of npm', () => {
  expect(csv).toMatch(/^study_id,/)
  expect(npm('npx', ['gazette', 'export', 'fixations', '--study', study, '--data', data]).stdout).toBe(csv)
})

test('what is wrong is said with the program as it was called', () => {
  const args = ['export', 'fixations', '--study', 'none', '--data', data]
  const rule = 'there is no study none; npx gazette studies lists them'
  expect(npm('npx', ['gazette', ...args]).stderr).toContain(rule)
  expect(npm('npm', ['run', 'gazette', '--', ...args]).stderr).toContain(rule)
  expect(npm('npx', ['gazette', 'export', '--help']).stdout).toMatch(/^Usage: npx gazette export /)
})

test('paths given to npm run gazette mean the folder where one stands', async () => {
  const args = ['--prefix', root, 'run', 'gazette', '--', 'export', 'fixations', '--study', study]
  const { stderr, status } = npm('npm', [...args, '--data', 'data', '-o', 'out.csv'], dir)
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('gazette:')])
  expect(await readFile(join(dir, 'out.csv'), 'utf8')).toBe(csv)
})

test('npm run gazette alone prints the help', () => {
  expect(npm('npm', ['run', '--silent', 'gazette']).stdout).toMatch(/^Usage: npx gazette \[options\]/)
})
