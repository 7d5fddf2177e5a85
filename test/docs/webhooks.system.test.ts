import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWebhook, type Webhook } from '../../engine/webhooks/webhook.ts'
import { allowedNetworks } from '../../worker/webhooks/addresses.ts'
import { ping } from '../../worker/webhooks/ping.ts'
import { freePort } from '../free-port.ts'
import { PYTHON } from '../programs.ts'
import { until } from '../server/test-server.ts'

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
const [, code] = /^```python\n([\s\S]*?)^```$/m.exec(page)!

let dataDir: string
let webhook: Webhook
let receiver: ChildProcess
let said = ''
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-docs-webhooks-'))
  const port = await freePort()
  const to = { url: `http://127.0.0.1:${port}/`, name: '', events: ['job.failed' as const], now: new Date() }
  webhook = await createWebhook(dataDir, to)
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: webhook.secrets[0].secret }
  receiver = spawn(PYTHON, ['-c', code], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  receiver.stdout?.on('data', (chunk) => {
    said += chunk
  })
})
afterAll(async () => {
  receiver.kill()
  await rm(dataDir, { recursive: true, force: true })
})

const send = (to: Webhook) => ping(dataDir, to, { allowed: allowedNetworks('127.0.0.1') }, new AbortController().signal)

test('the receiver in docs/webhooks.md accepts only signed messages', async () => {
  const { message } = await until(async () => {
    const delivery = await send(webhook)
    return delivery.status === 204 && delivery
  })
  await until(async () => said.includes(message))
  const forged = { ...webhook, secrets: [{ secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', endsAt: null }] }
  expect(await send(forged)).toMatchObject({ status: 401, outcome: 'failed' })
  expect(said.trim().split('\n')).toHaveLength(1)
})
