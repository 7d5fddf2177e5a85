import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTokens } from '../../engine/access/tokens.ts'
import { canLimit, limitFiles } from '../file-limit.ts'
import { importStudy } from '../worker/study.ts'
import { until } from './test-server.ts'

const PROGRAM = fileURLToPath(new URL('../../dist/bin/gazette.cjs', import.meta.url))

let dataDir: string
let token: string
let child: ChildProcess
let url = ''
/** One connection that stays open, since a new one would need a file too. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-shortage-'))
  await importStudy(dataDir, 2, 60)
  const asked = { role: 'read', studies: 'all', expiresAt: null, now: new Date() } as const
  token = (await openTokens(dataDir).create(asked)).token
  // Its queue is away, and so opens no files.
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'silent', QUEUE_URL: 'redis://127.0.0.1:1' }
  child = spawn(process.execPath, [PROGRAM, 'serve', '--data', dataDir], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout?.on('data', (chunk) => {
    url ||= /listening on (\S+)/.exec(String(chunk))?.[1] ?? ''
  })
  await until(async () => url)
})
afterAll(async () => {
  agent.destroy()
  if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  await rm(dataDir, { recursive: true, force: true })
})

function get(path: string): Promise<{ status: number; retryAfter: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const req = request(url + path, { agent, headers: { 'x-auth-token': token } }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body })
    })
    req.on('error', reject)
    req.end()
  })
}

it.skipIf(!canLimit)(
  'a request that finds too many files open is 503 with Retry-After, and answered once there are fewer',
  async () => {
    const { studies } = JSON.parse((await get('/api2/studies')).body) as { studies: { id: string }[] }
    const path = `/api2/studies/${studies[0].id}/participants`
    const refused = await until(async () => {
      expect((await get(path)).status).toBe(200)
      const lift = await limitFiles(child.pid as number, 1)
      try {
        return await get(path)
      } catch {
        // The connection was closed meanwhile, and a new one needs a file.
        agent.destroy()
        return null
      } finally {
        await lift()
      }
    })
    expect(refused).toMatchObject({ status: 503, retryAfter: '2' })
    expect(JSON.parse(refused.body)).toMatchObject({ type: '/docs/problems/overloaded' })
    expect((await get(path)).status).toBe(200)
  },
)
