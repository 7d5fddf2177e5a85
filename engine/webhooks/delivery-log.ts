import { type RecordsAt, recordsAt } from '../storage/records.ts'
import { webhookPath } from './webhook.ts'

/** Result of an attempt to deliver a message. */
export type Delivery = {
  /** Time at which the try ended, RFC 3339. */
  time: string
  message: string
  type: string
  /** Study of the event; null for a ping. */
  study: string | null
  try: number
  outcome: 'delivered' | 'failed' | 'given up'
  /** Status of the receiver's answer; null if it did not answer. */
  status: number | null
  ms: number
  error: string | null
  /** Time of the next try; null for none. */
  nextAt: string | null
}

const FILE = 'deliveries.ndjson'
const FILE_BEFORE = 'deliveries.1.ndjson'
/** Size at which the log rotates and the file before the last is deleted: some 4,000 tries each. */
const FILE_BYTES = 2 ** 20

/**
 * Appends a try to a webhook's log, which holds the last few thousand. Ignores failures to write, since only people
 * read the log.
 */
export async function logDelivery(at: RecordsAt, webhookId: string, delivery: Delivery): Promise<void> {
  const [name, former] = [FILE, FILE_BEFORE].map((file) => webhookPath(webhookId, file))
  try {
    const bytes = await recordsAt(at).append(name, `${JSON.stringify(delivery)}\n`)
    if (bytes >= FILE_BYTES) await recordsAt(at).rename(name, former)
  } catch {}
}

/** Lists the logged tries of a webhook, newest first. */
export async function listDeliveries(at: RecordsAt, webhookId: string, limit: number): Promise<Delivery[]> {
  const found: Delivery[] = []
  for (const name of [FILE, FILE_BEFORE]) {
    const lines = ((await recordsAt(at).readText(webhookPath(webhookId, name))) ?? '').split('\n')
    for (const line of lines.reverse()) {
      if (found.length >= limit) return found
      const delivery = parsed(line)
      if (delivery !== null) found.push(delivery)
    }
  }
  return found
}

/** Parses a line of the log; null for an incomplete line of a killed process. */
function parsed(line: string): Delivery | null {
  try {
    return JSON.parse(line) as Delivery
  } catch {
    return null
  }
}
