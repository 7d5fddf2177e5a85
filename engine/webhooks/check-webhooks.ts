import type { FileFault } from '../storage/files/file-fault.ts'
import { type RecordsAt, recordsAt } from '../storage/records.ts'
import { messageIds, readMessage, removeMessage } from './message.ts'
import { notifiedPath, notifiedStudies, readNotified } from './notify-study.ts'
import { readWebhook, webhookIds, webhookPath } from './webhook.ts'

/**
 * Verifies the files of webhooks by their checksums, except the logs of deliveries.
 *
 * @returns number of checked files
 */
export async function checkWebhooks(at: RecordsAt, tell: (fault: FileFault) => Promise<void>): Promise<number> {
  let files = 0
  const check = async (read: Promise<unknown>, sentence: string, mend: FileFault['mend']) => {
    files++
    await read.catch((error: Error) => tell({ sentence: `${sentence}: ${error.message}.`, mend }))
  }
  for (const id of await webhookIds(at)) {
    if ((await recordsAt(at).changedAt(webhookPath(id, 'webhook.json'))) !== null) {
      // Its secret is lost, so nothing here can repair it.
      await check(readWebhook(at, id), `Webhook ${id} tells nobody, remove it and make another`, null)
    }
    for (const message of await messageIds(at, id)) {
      const mend = () => removeMessage(at, id, message).then(() => 'It is removed, and not delivered.')
      await check(readMessage(at, id, message), `Webhook ${id}, message ${message}`, mend)
    }
    for (const studyId of await notifiedStudies(at, id)) {
      const mend = () =>
        recordsAt(at)
          .remove(notifiedPath(id, studyId))
          .then(() => 'It is removed.')
      await check(readNotified(at, id, studyId), `Webhook ${id}, study ${studyId}`, mend)
    }
  }
  return files
}
