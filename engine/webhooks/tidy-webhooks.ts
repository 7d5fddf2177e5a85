import { rm } from 'node:fs/promises'
import { changedAt, isThere, namesIn } from '../files/optional-files.ts'
import { webhookIds, webhookPath } from './webhook.ts'

/**
 * Deletes what dead processes left behind before `olderThan`: files written aside, and what is left of webhooks half
 * made or removed.
 */
export async function tidyWebhooks(dataDir: string, olderThan: Date): Promise<void> {
  const isOld = async (path: string) => ((await changedAt(path)) ?? Number.POSITIVE_INFINITY) < olderThan.getTime()
  for (const id of await webhookIds(dataDir)) {
    const path = webhookPath(dataDir, id)
    if (!(await isThere(webhookPath(dataDir, id, 'webhook.json')))) {
      if (await isOld(path)) await rm(path, { recursive: true, force: true })
      continue
    }
    for (const folder of ['', 'messages', 'told']) {
      for (const name of (await namesIn(webhookPath(dataDir, id, folder))).filter((name) => name.endsWith('.tmp'))) {
        const aside = webhookPath(dataDir, id, folder, name)
        if (await isOld(aside)) await rm(aside, { force: true })
      }
    }
  }
}
