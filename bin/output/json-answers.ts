import { z } from 'zod'
import { Link } from '../../engine/access/link.ts'
import { RECORD_ROLES } from '../../engine/model/token-roles.ts'
import { ImportReport } from '../../server/schemas/import.ts'
import { StudySummary } from '../../server/schemas/study.ts'
import { count, flag, text, time, Uuid } from '../../server/schemas/values.ts'
import { Webhook } from '../../server/schemas/webhook.ts'

const studies = z
  .object({
    studies: z.array(StudySummary).describe('By name; archived studies only with --all'),
    damaged: z.array(z.object({ id: Uuid, fault: text('Reason why it cannot be read') })),
  })
  .describe('gazette studies --json')

const token = z.object({
  id: text('Id, which is no secret'),
  name: text('Purpose, or the name of a person'),
  role: z.enum(RECORD_ROLES),
  studies: z.union([z.literal('all'), z.array(Uuid)]).describe('Studies that it covers'),
  createdAt: time('Time of creation'),
  expiresAt: time('Time at which it expires; null for never').nullable(),
  lastUsedAt: time('Time of the last use, to the minute; null if never used').nullable(),
  issuer: text('Provider at which the person signed in; absent for other tokens').optional(),
  link: Link.describe('What a link shows; absent for other tokens').optional(),
})

const tokens = z.object({ tokens: z.array(token) }).describe('gazette token list --json')

const webhooks = z
  .object({ webhooks: z.array(Webhook).describe('Oldest first') })
  .describe('gazette webhook list --json')

const setting = z.object({
  name: text('Name, without the prefix GAZETTE_'),
  unit: text('Unit; may be empty'),
  default: text('Default, as it would be set; null for none').nullable(),
  range: text('Allowed values'),
  meaning: text('What it does'),
})

const settings = z
  .object({ settings: z.array(setting).describe('All, or the named ones') })
  .describe('gazette settings --json')

const fault = z.object({
  fault: text('A sentence'),
  repaired: text('What --repair did about it; null for nothing').nullable(),
  isOtherFormat: flag('True if another version of Gazette wrote the files'),
})

const check = z
  .object({
    checked: z
      .object({
        snapshots: count('Files of snapshots'),
        jobs: count('Files of jobs'),
        access: count('Files of tokens and sessions'),
        imports: count('Files of imports and uploads'),
        webhooks: count('Files of webhooks'),
      })
      .describe('Numbers of checked files'),
    faults: z.array(fault),
  })
  .describe('gazette check --json')

/** Schemas of what commands print with `--json`; docs/command-line.schema.json is made from them. */
export const JSON_ANSWERS = {
  studies,
  tokens,
  webhooks,
  settings,
  check,
  import: ImportReport,
  demo: ImportReport,
} as const

export type JsonAnswer<Name extends keyof typeof JSON_ANSWERS> = z.infer<(typeof JSON_ANSWERS)[Name]>
