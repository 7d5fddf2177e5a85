import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { directoryStorage } from '../../../engine/storage/directory-storage.ts'
import { type Delivery, listDeliveries, logDelivery } from '../../../engine/webhooks/delivery-log.ts'
import { webhookPath } from '../../../engine/webhooks/webhook.ts'

const WEBHOOK = 'bbbbbbbb-0000-4000-8000-000000000001'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gz-deliveries-'))
  await mkdir(join(dataDir, webhookPath(WEBHOOK)), { recursive: true })
})
afterEach(() => rm(dataDir, { recursive: true }))

function delivery(message: string): Delivery {
  return {
    ...{ time: '2026-01-01T00:00:00Z', message, type: 'ping', study: null, try: 1, outcome: 'delivered' },
    ...{ status: 200, ms: 5, error: null, nextAt: null },
  }
}

test('the tries of a webhook are listed newest first, without a line that a killed process left', async () => {
  await logDelivery(dataDir, WEBHOOK, delivery('first'))
  await logDelivery(dataDir, WEBHOOK, delivery('second'))
  await directoryStorage(dataDir).append(webhookPath(WEBHOOK, 'deliveries.ndjson'), '{"time":"2026')
  const messages = async (limit: number) => (await listDeliveries(dataDir, WEBHOOK, limit)).map((one) => one.message)
  expect(await messages(10)).toEqual(['second', 'first'])
  expect(await messages(1)).toEqual(['second'])
})
