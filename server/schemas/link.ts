import { z } from 'zod'
import { LINK_TARGETS } from '../../engine/access/link.ts'
import { LINK_DAYS } from '../../engine/model/link-days.ts'
import { address, flag, text, time, Uuid, whole } from './values.ts'

/** Links show a study or a page of it, or send an export, to people without an account (docs/access.md). */

export const LinkNew = z
  .strictObject({
    path: text('Path and query of the dashboard page, or of the export').min(1).max(4000),
    isWhole: flag('True if the whole study is shown, not only that page').optional(),
    name: z.string().max(200).describe('Recipient or purpose').optional(),
    days: z
      .int()
      .min(LINK_DAYS.min)
      .max(LINK_DAYS.max)
      .meta({ default: LINK_DAYS.default })
      .describe('Time at which the link expires')
      .optional(),
    hasDownloads: flag('True if exports of the shared content may be downloaded').optional(),
  })
  .describe('Request to create a link')

export const LinkId = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .describe('A link')

const fields = {
  id: LinkId,
  name: text('Recipient or purpose'),
  path: address('Page of the dashboard, or export'),
  page: z.enum(LINK_TARGETS).describe('Kind of page; `study` for all pages, `export` for a file'),
  itemId: Uuid.describe('Visible item; null for all').nullable(),
  filter: text('Condition of the visible tests; null for all').nullable(),
  gradeMin: whole('Lowest grade of the visible tests'),
  analysis: text('Analysis of the link, with its version').optional(),
  hasDownloads: flag('True if exports of the shared content may be downloaded'),
  madeBy: z
    .object({
      name: text('Name of the creator, or of their token'),
      token: text('Id of the token; null for a command').nullable(),
    })
    .describe('Creator of the link'),
  createdAt: time('Time of creation'),
  expiresAt: time('Time at which the link expires'),
  lastUsedAt: time('Time of the last use, to the minute; null if never used').nullable(),
}

export const SharedLink = z.object(fields).describe('A link, without its secret')

export const LinkList = z.object({ links: z.array(SharedLink) }).describe('The links of a study, newest first')

export const LinkMade = z
  .object({
    ...fields,
    url: address(
      'Address to share: the page, and the secret after `#link=`; or of the file, with the secret in its path. Shown only once',
    ),
  })
  .describe('A new link')

export type LinkView = z.infer<typeof SharedLink>
