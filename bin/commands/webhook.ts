import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { RecordsAt } from '../../engine/storage/records.ts'
import { listDeliveries } from '../../engine/webhooks/delivery-log.ts'
import {
  createWebhook,
  EVENT_TYPES,
  type EventType,
  enableWebhook,
  listWebhooks,
  readWebhook,
  removeWebhook,
  rotateSecret,
  type Webhook,
} from '../../engine/webhooks/webhook.ts'
import { viewWebhook } from '../../server/operations/webhook-view.ts'
import { allowedNetworks } from '../../worker/webhooks/addresses.ts'
import { ping } from '../../worker/webhooks/ping.ts'
import { addressFault } from '../../worker/webhooks/send.ts'
import { studyIdsOf } from '../given/find-study.ts'
import { printJson } from '../output/print-json.ts'
import { audit } from '../runtime/audit.ts'
import { withHome } from '../runtime/open-studies.ts'
import { countText } from '../terminal/count.ts'
import { printable } from '../terminal/printable.ts'
import { PROGRAM } from '../terminal/program-name.ts'

type One = { id: string; config: Config }

/** Runs `gazette webhook create`: prints the secret on standard output, all else on standard error. */
export async function createHook(given: {
  url: string
  name: string
  event?: EventType[]
  study?: string[]
  config: Config
}): Promise<void> {
  const { url, name, event = [...EVENT_TYPES], study, config } = given
  const { dataDir, webhookNetworks } = config
  const rule = addressFault(url, webhookNetworks !== '')
  if (rule !== null) throw new ServiceError('usage', `the address of a webhook ${rule}, got ${url}`)
  const { id, events, studies, secrets } = await withHome(config, async ({ studies, records }) => {
    const of = study === undefined ? 'all' : await studyIdsOf(studies, study)
    return createWebhook(records, { url, name, events: event, studies: of, now: new Date() })
  })
  await audit(dataDir, { event: 'webhook made', webhook: id })
  console.error(`Webhook ${id} gets ${events.join(', ')} of ${studiesText(studies)}. Its secret is shown only once:`)
  console.log(secrets[0].secret)
}

/** Runs `gazette webhook list`. */
export async function listHooks({ json = false, config }: { json?: boolean; config: Config }): Promise<void> {
  await withHome(config, ({ records }) => listAll(records, json))
}

async function listAll(records: RecordsAt, json: boolean): Promise<void> {
  const webhooks = await listWebhooks(records)
  if (webhooks.length === 0) console.error(`There is no webhook yet: ${PROGRAM} webhook create creates one.`)
  const views = await Promise.all(webhooks.map((webhook) => viewWebhook(records, webhook)))
  if (json) return printJson('webhooks', { webhooks: views })
  for (const { id, url, name, events, studies, createdAt, disabled, waiting } of views) {
    const state = disabled ? `disabled ${disabled.at} (${WHY[disabled.why]})` : 'on'
    const told = [
      id,
      url,
      events.join(' '),
      studiesText(studies),
      `made ${createdAt}`,
      state,
      `${countText(waiting, 'message')} to deliver`,
      name,
    ]
    console.log(printable(told.filter(Boolean).join('  ')))
  }
}

const studiesText = (studies: Webhook['studies']) => (studies === 'all' ? 'all studies' : studies.join(' '))

const WHY = { gone: 'the receiver answered 410', failing: 'no delivery succeeded for three days' }

/** Runs `gazette webhook ping`. @throws ServiceError not_found, also if the receiver did not accept the message */
export async function pingHook({ id, config }: One): Promise<void> {
  const line = { allowed: allowedNetworks(config.webhookNetworks) }
  const { webhook, sent } = await withHome(config, async ({ records }) => {
    const webhook = await found(records, id)
    return { webhook, sent: await ping(records, webhook, line, new AbortController().signal) }
  })
  const { message, error, status, ms } = sent
  if (error !== null) throw new ServiceError('not_found', `${webhook.url} did not accept the message: ${error}`)
  console.error(`Delivered ${message} to ${webhook.url}: answered ${status} in ${ms} ms.`)
}

/** Runs `gazette webhook log`: prints the last tries, newest last. */
export async function logHook({ id, limit, config }: One & { limit: number }): Promise<void> {
  const tries = await withHome(config, async ({ records }) => {
    await found(records, id)
    return listDeliveries(records, id, limit)
  })
  if (tries.length === 0) console.error(`Nothing was sent yet: ${PROGRAM} webhook ping sends a test message.`)
  for (const { time, message, type, study, try: number, outcome, error, ms, nextAt } of tries.reverse()) {
    const next = nextAt === null ? '' : `next ${nextAt}`
    console.log(
      [time, message, type, study ?? '', `try ${number}`, outcome, error ?? '', `${ms} ms`, next]
        .filter(Boolean)
        .join('  '),
    )
  }
}

/** Runs `gazette webhook rotate`: prints the new secret on standard output. */
export async function rotateHook({ id, config }: One): Promise<void> {
  const { secrets } = await withHome(config, ({ records }) => rotateSecret(records, id, new Date()))
  await audit(config.dataDir, { event: 'webhook changed', webhook: id })
  console.error(`The old secret also signs until ${secrets[1].endsAt}. The new one is shown only once:`)
  console.log(secrets[0].secret)
}

/** Runs `gazette webhook enable`. */
export async function enableHook({ id, config }: One): Promise<void> {
  await withHome(config, ({ records }) => enableWebhook(records, id))
  await audit(config.dataDir, { event: 'webhook changed', webhook: id })
  console.error(`Webhook ${id} is enabled.`)
}

/** Runs `gazette webhook remove`. */
export async function removeHook({ id, config }: One): Promise<void> {
  await withHome(config, ({ records }) => removeWebhook(records, id))
  await audit(config.dataDir, { event: 'webhook removed', webhook: id })
  console.error(`Webhook ${id} is removed.`)
}

async function found(records: RecordsAt, id: string): Promise<Webhook> {
  const webhook = await readWebhook(records, id)
  if (webhook === null)
    throw new ServiceError('not_found', `there is no webhook ${id}; gazette webhook list shows them`)
  return webhook
}
