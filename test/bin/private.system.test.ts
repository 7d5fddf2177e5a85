import { chmod, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openToOthers } from '../../bin/runtime/private-files.ts'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { keptDirectory } from '../engine/kept.ts'
import { gazette, launch, NAME } from './gazette.ts'

/** Recordings are of people: what the service writes is for its own user alone. */
const root = await keptDirectory()
const bundle = join(root, 'bundle')
await writeDemoBundle({ directory: bundle, participants: 2, items: 2, seconds: 2, hz: 30, seed: 1, memoryMib: 256 })

async function openIn(directory: string): Promise<string[]> {
  const open: string[] = []
  for await (const path of openToOthers(directory)) open.push(path)
  return open
}

test('an import and a server leave nothing open to others', async () => {
  const data = join(root, 'data')
  await gazette(['import', bundle, '--data', data])
  expect((await stat(data)).mode & 0o777).toBe(0o700)
  const token = (await gazette(['token', 'create', '--data', data])).stdout.trim()
  const running = launch(['start', '--data', data], { PORT: '0' })
  const [, url] = await running.said(/listening on (\S+)/)
  const { studies } = await (await fetch(`${url}/api2/studies`, { headers: { 'x-auth-token': token } })).json()
  const path = `/api2/studies/${studies[0].id}/collected-data/eye-tracking/fixations`
  const headers = { 'x-auth-token': token, prefer: 'respond-async' }
  expect((await fetch(`${url}${path}`, { headers })).status).toBeLessThan(300)
  expect(await openIn(data)).toEqual([])
  running.process.kill('SIGTERM')
  await running.ended
  expect(await openIn(data)).toEqual([])
  // Each by its own mode, too, also those of the embedded queue.
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const modes = await Promise.all(paths.map(async (path) => [path, (await stat(path)).mode & 0o077] as const))
  expect(modes.filter(([, others]) => others !== 0)).toEqual([])
  expect(paths.some((path) => path.includes('queue'))).toBe(true)
})

test('gazette check reports files open to others, and closes them with --repair', async () => {
  const data = join(root, 'checked')
  await gazette(['import', bundle, '--data', data])
  expect(await gazette(['check', '--data', data])).toMatchObject({ code: 0, stdout: '' })
  await writeFile(join(data, 'tokens.json'), '{"tokens":[]}')
  await chmod(join(data, 'tokens.json'), 0o640)
  await chmod(data, 0o755)
  expect(await gazette(['check', '--data', data])).toMatchObject({
    code: 1,
    stdout: `Of ${data}, 2 paths had permissions for others on this machine: ${NAME} check --repair removes them.\n`,
  })
  expect(await gazette(['check', '--repair', '--data', data])).toMatchObject({ code: 0 })
  expect(await gazette(['check', '--data', data])).toMatchObject({ code: 0, stdout: '' })
})

test('an export is as readable as whoever asked for it has it', async () => {
  const data = join(root, 'data')
  const { stdout } = await gazette(['import', bundle, '--data', data])
  const file = join(root, 'fixations.csv')
  await gazette(['export', 'fixations', '--study', stdout.trim(), '-o', file, '--data', data])
  expect((await stat(file)).mode & 0o777).toBe(0o666 & ~process.umask())
})
