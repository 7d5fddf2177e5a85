import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { kept, keptDirectory } from '../engine/kept.ts'
import { zipOf } from '../engine/uploads/archives.ts'
import { openTestServer } from '../server/test-server.ts'

const run = promisify(execFile)
const service = kept(await openTestServer({}, { hasWorker: true }))
const directory = await keptDirectory()

test('the lines of docs/live.md send a study, import it and print the report', async () => {
  const bundle = join(directory, 'bundle')
  const size = { participants: 2, items: 1, seconds: 1, hz: 30, seed: 3 }
  await writeDemoBundle({ directory: bundle, ...size, memoryMib: 128 })
  const entries = await readdir(bundle, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const files = paths.map(async (path) => ({ name: path.slice(bundle.length + 1), bytes: await readFile(path) }))
  await writeFile(join(directory, 'study.zip'), zipOf(await Promise.all(files)))
  const text = await readFile(new URL('../../docs/live.md', import.meta.url), 'utf8')
  const section = (name: string) => text.split(`\n## ${name}\n`)[1].split('\n## ')[0]
  const lines = ['Uploads', 'Imports'].map((name) => /```sh\n([\s\S]*?)```/.exec(section(name))![1]).join('')
  const env = { PATH: process.env.PATH, BASE: service.url, TOKEN: service.write }
  const { stdout } = await run('bash', ['--norc', '-e', '-c', lines], { cwd: directory, env })
  expect(stdout).toMatch(/^Upload-Offset: \d+\r?$/im)
  expect(stdout).toContain('"name":"study.zip"')
  const report = JSON.parse(stdout.slice(stdout.lastIndexOf('{"id":"i')))
  expect(report).toMatchObject({ state: 'succeeded', dryRun: true, report: { counts: { participants: 2, items: 1 } } })
})

test('the lines of docs/live.md make a study, let it grow, change and delete it', async () => {
  const text = await readFile(new URL('../../docs/live.md', import.meta.url), 'utf8')
  const growing = text.slice(text.indexOf('## Creating a study'), text.indexOf('## Uploads'))
  const lines = [...growing.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code]) => code).join('')
  const env = { PATH: process.env.PATH, BASE: service.url, TOKEN: service.write }
  const { stdout } = await run('bash', ['--norc', '-e', '-c', lines], { cwd: directory, env })
  expect(stdout).toContain('"sampleCount":4')
  expect(stdout).toContain('"sampleCount":2')
  expect(stdout).toContain('"isDryRun":true')
  expect(stdout).toContain('"did":"participant removed"')
  expect(stdout).toContain('"did":"picture changed"')
})
