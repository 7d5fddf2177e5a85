import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { kept, keptDirectory } from '../engine/kept.ts'
import { openTestServer, STUDY } from '../server/test-server.ts'

const run = promisify(execFile)
// All exports become jobs.
const service = kept(await openTestServer({ SYNC_MAX_SAMPLES: '0' }, { hasWorker: true }))
const directory = await keptDirectory()

/**
 * Runs the lines of a section of the reference as they are pasted; lines that never end are ended. Bash reads the start
 * file of the user even here, since its input is a socket, unless it is told not to.
 */
async function paste(section: string): Promise<string> {
  const page = await readFile(new URL('../../docs/reference.md', import.meta.url), 'utf8')
  const [, text] = page.split(`\n## ${section}\n`)
  const lines = /```sh\n([\s\S]*?)```/.exec(text.split('\n## ')[0])![1]
  const env = { PATH: process.env.PATH, BASE: service.url, TOKEN: service.read, STUDY }
  const { stdout } = await run('bash', ['--norc', '-e', '-c', lines], { cwd: directory, env, timeout: 20_000 })
  return stdout
}

const downloaded = (name: string) => readFile(join(directory, name), 'utf8')

test('the lines of Jobs wait for a job and download its file, and end when the file is there already', async () => {
  expect(await paste('Jobs')).toContain('participant_id')
  const first = await downloaded('gazes.csv')
  expect(first.trimEnd().split('\n')).toHaveLength(3)
  await rm(join(directory, 'gazes.csv'))
  await paste('Jobs')
  expect(await downloaded('gazes.csv')).toBe(first)
})

test('the lines of HTTP write a table into a file', async () => {
  await paste('HTTP')
  expect(await downloaded('fixations.csv')).toContain('fixation_duration_ms')
})
