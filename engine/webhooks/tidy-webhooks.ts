import { type RecordsAt, recordsAt } from '../storage/records.ts'
import { webhookIds, webhookPath } from './webhook.ts'

/**
 * Deletes leftovers of processes that died before `olderThan`: temporary files, and incomplete or partly removed
 * webhooks.
 */
export async function tidyWebhooks(at: RecordsAt, olderThan: Date): Promise<void> {
  const records = recordsAt(at)
  for (const id of await webhookIds(at)) {
    const path = webhookPath(id)
    if ((await records.changedAt(webhookPath(id, 'webhook.json'))) === null) {
      const changedMs = (await records.changedAt(`${path}/`)) ?? Number.POSITIVE_INFINITY
      if (changedMs < olderThan.getTime()) await records.removeFolder(path)
      continue
    }
    for (const folder of [path, webhookPath(id, 'messages'), webhookPath(id, 'told')])
      await records.tidy(folder, olderThan)
  }
}
