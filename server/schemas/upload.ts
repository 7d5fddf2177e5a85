import { z } from 'zod'
import { address, count, flag, text, time } from './values.ts'

export const UploadId = z
  .string()
  .regex(/^[0-9a-f]{16}-[0-9a-f]{32}$/, 'must be the id of an upload')
  .describe('An upload')

export const Upload = z
  .object({
    id: UploadId,
    href: address('Receiver of the messages'),
    name: text('File name'),
    bytes: count('Length of the file, bytes'),
    receivedBytes: count('Bytes received'),
    isImported: flag(
      'True if an import has used the upload. It stays while there is room, so that you can import it again',
    ),
    createdAt: time('Time at which the upload began'),
    expiresAt: time('Expiry'),
  })
  .describe('An upload, complete or in progress')

export const UploadList = z.object({ uploads: z.array(Upload) }).describe("The token's uploads, oldest first")

export type UploadView = z.infer<typeof Upload>
