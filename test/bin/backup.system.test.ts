import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestServer, STUDY } from '../server/test-server.ts'
import { gazette, launch } from './gazette.ts'

test('the backup of docs/operations.md, taken beside a running server, is whole, and goes on where that was', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-backup-'))
  const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const lines = [...page.split('## Backup and restore')[1].matchAll(/^(?:tar|mkdir) .*$/gm)].map(([line]) => line)
  expect(lines).toHaveLength(2)
  const service = await openTestServer({ SYNC_MAX_BYTES: '0' }, { hasWorker: true })
  const path = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
  let restarted: ReturnType<typeof launch> | null = null
  try {
    const before = await (await service.get(path)).text()
    for (const line of lines) {
      const env = { ...process.env, DATA_DIR: service.dataDir }
      // What the server writes meanwhile is not of the backup's.
      expect(spawnSync('sh', ['-c', line], { cwd: directory, env })).toMatchObject({ status: 0 })
    }
    const data = join(directory, 'restored')
    expect(await gazette(['check', '--data', data])).toMatchObject({ code: 0, stdout: '' })
    restarted = launch(['start', '--data', data], { PORT: '0' })
    const [, url] = await restarted.said(/^listening on (http:\/\/127\.0\.0\.1:\d+)$/m)
    const ask = (at: string) => fetch(url + at, { headers: { 'x-auth-token': service.read } })
    expect(await (await ask(path)).text()).toBe(before)
    // The job came along: nothing was computed anew.
    const { jobs } = (await (await ask('/api2/jobs')).json()) as { jobs: object[] }
    expect(jobs).toHaveLength(1)
  } finally {
    restarted?.process.kill('SIGTERM')
    await restarted?.ended
    await service.close()
    await rm(directory, { recursive: true, force: true })
  }
})
