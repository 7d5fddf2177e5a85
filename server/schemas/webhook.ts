import { z } from 'zod'
import { MADE_NAMES } from '../../engine/model/plan.ts'
import { EVENT_TYPES } from '../../engine/webhooks/webhook.ts'
import { address, count, StudyReference, sha256, text, time, Uuid, whole } from './values.ts'

const STUDIES_MAX = 100
const eventType = z.enum(EVENT_TYPES)

export const WebhookNew = z
  .strictObject({
    url: z.string().min(1).max(2000).describe('URL that receives messages: https, at a public address'),
    name: z.string().max(200).describe('Purpose').optional(),
    events: z.array(eventType).min(1).max(EVENT_TYPES.length).describe('Events to send. Default: all').optional(),
    studies: z
      .array(Uuid)
      .min(1)
      .max(STUDIES_MAX)
      .describe('Studies, which need not exist yet; all if omitted')
      .optional(),
  })
  .describe('Request to create a webhook')

export const WebhookId = z
  .string()
  .regex(/^wh_[0-9a-f]{24}$/)
  .describe('A webhook')

const fields = {
  id: WebhookId,
  url: text('URL that receives messages'),
  name: text('Purpose'),
  events: z.array(eventType).describe('Events sent to it'),
  studies: z.union([z.literal('all'), z.array(Uuid)]).describe('Studies whose events are sent'),
  createdAt: time('Time of creation'),
  waiting: count('Undelivered messages'),
  disabled: z
    .object({
      at: time('Time since which it is disabled'),
      why: z
        .enum(['gone', 'failing'])
        .describe('`gone`: the receiver answered 410; `failing`: no delivery succeeded for three days'),
    })
    .describe('null unless the webhook is disabled')
    .nullable(),
}

export const Webhook = z.object(fields).describe('Webhook, without its secret')

export const WebhookList = z.object({ webhooks: z.array(Webhook) }).describe('Webhooks, oldest first')

const secret = text('Secret to verify signatures: `whsec_` and base64. Shown only once')

export const WebhookWithSecret = z.object({ ...fields, secret }).describe('A webhook with its new secret')

const messageId = z
  .string()
  .regex(/^msg_[0-9a-f]{32}$/)
  .describe('Id of the message, as in `webhook-id`; the same for each try')

export const WebhookDelivery = z
  .object({
    time: time('Time at which the try ended'),
    message: messageId,
    type: text('The type of the event'),
    study: Uuid.describe('Study of the event; null for a ping').nullable(),
    try: whole('Number of the try, from 1'),
    outcome: z.enum(['delivered', 'failed', 'given up']).describe('Outcome'),
    status: whole('Response of the receiver; null without one').nullable(),
    ms: count('Duration'),
    error: text('Reason for the failure; else null').nullable(),
    nextAt: time('Time of the next try; null for none').nullable(),
  })
  .describe('Delivery attempt')

export const WebhookDeliveryList = z
  .object({ deliveries: z.array(WebhookDelivery) })
  .describe('Latest delivery attempts, newest first')

const LinkedStudy = StudyReference.extend({ href: address('The study') })
const event = (type: string, data: z.ZodType) =>
  z.object({ type: z.literal(type), timestamp: time('Time of the event'), data })
const endedJob = <State extends string>(state: State) => ({
  job: z.object({
    id: text('The job'),
    href: address('The job'),
    attempt: whole('Number of the attempt'),
    state: z.literal(state),
    finishedAt: time('Time at which it ended'),
  }),
  export: z.enum(MADE_NAMES).describe('Table, or a package of tables'),
  study: LinkedStudy,
  snapshot: sha256('Snapshot of the data'),
})
const file = z
  .object({
    href: address('The file'),
    bytes: count('Length of the file, bytes'),
    rows: count('Rows of the file'),
    sha256: sha256('SHA-256 of the file'),
  })
  .describe('Absent for a job in parts')
  .optional()
const parts = z
  .object({
    count: count('Number of files'),
    bytes: count('Length of all files, bytes'),
    rows: count('Rows of all files'),
  })
  .describe('Totals of the files of a job in parts, which the job lists')
  .optional()

export const JobSucceededEvent = event('job.succeeded', z.object({ ...endedJob('succeeded'), file, parts })).describe(
  'An export is ready',
)
export const JobFailedEvent = event(
  'job.failed',
  z.object({
    ...endedJob('failed'),
    error: z.object({ code: text('Code of the problem; the job has the whole problem') }),
  }),
).describe('An export failed')
export const StudyPublishedEvent = event(
  'study.published',
  z.object({ study: LinkedStudy, snapshot: sha256('Current snapshot') }),
).describe('A study was created or changed')
export const StudyRemovedEvent = event(
  'study.removed',
  z.object({ study: StudyReference, snapshot: sha256('Last snapshot') }),
).describe('A study was removed')

export type WebhookView = z.infer<typeof Webhook>
