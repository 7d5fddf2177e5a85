import { rm } from 'node:fs/promises'
import { changedAt, isThere, removeAside } from '../files/optional-files.ts'
import { webhookIds, webhookPath } from './webhook.ts'

/**
 * Deletes what dead processes left behind before `olderThan`: files written aside, and what is left of webhooks half
 * made or removed.
 */
export async function tidyWebhooks(dataDir: string, olderThan: Date): Promise<void> {
  for (const id of await webhookIds(dataDir)) {
    const path = webhookPath(dataDir, id)
    if (!(await isThere(webhookPath(dataDir, id, 'webhook.json')))) {
      const changedMs = (await changedAt(path)) ?? Number.POSITIVE_INFINITY
      if (changedMs < olderThan.getTime()) await rm(path, { recursive: true, force: true })
      continue
    }
    for (const folder of ['', 'messages', 'told']) await removeAside(webhookPath(dataDir, id, folder), olderThan)
  }
}
