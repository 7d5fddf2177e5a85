import { type RecordsAt, recordsAt } from '../store/records.ts'
import { webhookIds, webhookPath } from './webhook.ts'

/**
 * Deletes what dead processes left behind before `olderThan`: files written aside, and what is left of webhooks half
 * made or removed.
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
