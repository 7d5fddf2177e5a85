import { ServiceError } from '../../engine/model/errors.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import type { RecordsAt } from '../../engine/storage/records.ts'
import type { StudyPlace } from '../../engine/study/place.ts'
import { notifiedStudies, notifyWebhook } from '../../engine/webhooks/notify-study.ts'
import type { Webhook } from '../../engine/webhooks/webhook.ts'
import type { Log } from '../tries/job-context.ts'

/** Records of webhooks, and the studies that they are about. */
type Looking = { records: RecordsAt; place: StudyPlace; studies: Studies; log: Log }

/**
 * Returns a pass that notifies one webhook of studies that differ from its last notification: growing studies, whose
 * snapshots are coalesced, and studies whose importer was killed before it could notify. Unchanged studies are skipped.
 */
export function lookAtStudies({ records, place, studies, log }: Looking) {
  const seen = new Map<string, string>()
  let isFirst = true

  return async (webhook: Webhook, waitsFor: (studyId: string) => boolean): Promise<void> => {
    const there = await studies.currents()
    const before = isFirst ? await notifiedStudies(records, webhook.id) : seen.keys()
    isFirst = false
    for (const studyId of new Set([...there.keys(), ...before])) {
      const current = there.get(studyId) ?? null
      if (current !== null && seen.get(studyId) === current) continue
      // For a growing study, the next message follows when the last one has been delivered, so there is only one at a
      // time, the newest.
      if (current !== null && waitsFor(studyId)) continue
      try {
        await place.tell(studyId, (now) => notifyWebhook(records, webhook, now))
        if (current === null) seen.delete(studyId)
        else seen.set(studyId, current)
      } catch (error) {
        // The process that changes the study notifies, or the next pass does.
        seen.set(studyId, '')
        if (!(error instanceof ServiceError && error.code === 'busy'))
          log.error({ webhookId: webhook.id, studyId, err: error }, 'a webhook could not be told of a study')
      }
    }
  }
}
