import type { Config } from '../../engine/model/settings.ts'
import { recordsAt } from '../../engine/storage/records.ts'
import type { StorageLock } from '../../engine/storage/storage.ts'
import type { Home } from '../../engine/study/home.ts'
import { listWebhooks, WEBHOOKS } from '../../engine/webhooks/webhook.ts'
import { type Passes, startPasses } from '../passes.ts'
import type { Log } from '../tries/job-context.ts'
import { allowedNetworks } from './addresses.ts'
import { lookAtStudies } from './look-at-studies.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type SendOptions, sendOnce } from './send.ts'

/** Dependencies of deliveries; the last four are for tests. */
export type DeliveryParts = Pick<Home, 'jobs' | 'studies' | 'place' | 'records'> & {
  config: Pick<Config, 'webhookNetworks'>
  log: Log
  scheduleMs?: number[]
  lookEveryMs?: number
  sendOptions?: Partial<SendOptions>
  send?: typeof sendOnce
}

const LOOK_EVERY_MS = 1000
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Retry schedule after each failed try, as in the specification: ten tries in three days. */
const SCHEDULE_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/**
 * Delivers messages to webhooks until closed. All processes on a data directory may start this, but only one delivers.
 * Undelivered messages and tries are on disk: if this process is killed, another one takes over, and sends messages in
 * flight again. Closing aborts what is being sent.
 *
 * @throws ServiceError invalid_setting
 */
export function startDeliveries(parts: DeliveryParts): Passes {
  const { config, jobs, studies, place, records, log } = parts
  const { scheduleMs = SCHEDULE_MS, lookEveryMs = LOOK_EVERY_MS, send = sendOnce } = parts
  const sendOptions = { allowed: allowedNetworks(config.webhookNetworks), ...parts.sendOptions }
  const receivers = new Map<string, { receiver: Receiver; tellStudies: ReturnType<typeof lookAtStudies> }>()
  const open = (id: string, stopping: AbortSignal) => ({
    receiver: openReceiver(id, { records, jobs, log, sendOptions, scheduleMs, send }, stopping),
    tellStudies: lookAtStudies({ records, place, studies, log }),
  })
  let lock: StorageLock | null = null

  async function look(stopping: AbortSignal): Promise<void> {
    if (lock && !(await lock.isHeld())) {
      await lock.release()
      lock = null
      receivers.clear()
    }
    const webhooks = await listWebhooks(records)
    for (const id of receivers.keys()) if (!webhooks.some((webhook) => webhook.id === id)) receivers.delete(id)
    if (webhooks.length === 0) return
    lock ??= await recordsAt(records).lock(`${WEBHOOKS}/deliver.lock`)
    if (lock === null) return
    for (const webhook of webhooks) {
      if (stopping.aborted) return
      const entry = receivers.get(webhook.id) ?? open(webhook.id, stopping)
      receivers.set(webhook.id, entry)
      const { receiver, tellStudies } = entry
      if (webhook.disabled === null) await tellStudies(webhook, receiver.waitsFor)
      await receiver.look()
    }
  }
  const settle = async () => {
    await Promise.all([...receivers.values()].map(({ receiver }) => receiver.settled()))
    await lock?.release()
  }
  return startPasses(look, { everyMs: lookEveryMs, fault: 'cannot look for messages of webhooks', log, settle })
}
