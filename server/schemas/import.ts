import { z } from 'zod'
import { Problem } from './problem.ts'
import { UploadId } from './upload.ts'
import { count, flag, ProjectName, StudyReference, sha256, text, time, Uuid } from './values.ts'

const UPLOADS_MAX = 1000
const pixels = (description: string) => z.number().min(1).max(1e5).describe(description)
const size = { widthPx: pixels('Width, px'), heightPx: pixels('Height, px') }
const pattern = (description: string) =>
  z.string().max(1000).describe(`Regular expression of ${description}`).optional()

const columns = (which: string) => z.array(z.string().min(1).max(500)).max(64).describe(`Columns ${which}`)

const fields = {
  uploads: z.array(UploadId).min(1).max(UPLOADS_MAX).describe('Finished uploads, read together: one bundle, or files'),
  dryRun: flag('Only check; publish nothing').optional(),
  format: text(
    'Format of the recordings, instead of recognising it by content: a name from docs/formats.md',
  ).optional(),
  name: z.string().min(1).max(500).describe('Display name of a study made from recordings').optional(),
  mapping: z.unknown().describe('Meaning of the columns of a table, as `gazette convert --guess` prints it').optional(),
  screen: z.strictObject(size).describe('Screen size, if the files lack it').optional(),
  screens: z
    .array(z.strictObject({ participant: text('Names as in the files'), ...size }))
    .max(100_000)
    .describe('Screen size of each participant')
    .optional(),
  messages: z
    .strictObject({
      trial: pattern('the message that begins a trial'),
      end: pattern('the message that ends a trial'),
      item: pattern('the message that names the item'),
      onset: pattern('the message sent when the item appeared'),
    })
    .describe('EyeLink: messages, each with a name as first group')
    .optional(),
  events: pattern('messages that become events: its groups are the name and the value'),
  aois: flag('Gorilla: turn zones into AOIs').optional(),
  joinNames: flag('Take names that differ only in case, leading zeros or folder as one').optional(),
  path: text('Names in the paths of files, such as `participant{participant}/{trial}.txt`').optional(),
  tags: columns('whose texts become tags of participants').optional(),
  externalData: columns('that are kept as external data of participants').optional(),
  pictures: z
    .array(
      z.strictObject({
        picture: text('Name of a picture among the files, as listed in the report of a check'),
        item: z.string().max(1000).nullable().describe('Item in the files; null for none'),
      }),
    )
    .max(100_000)
    .describe('Item of each picture. Pictures that are not listed are matched by name')
    .optional(),
  force: flag('Publish even if no test has a sample with gaze').optional(),
}

export const ImportToStudy = z
  .strictObject({
    ...fields,
    replace: flag(
      'Replace the data of the study. Recordings keep its name, authors, and items with their pictures and AOIs',
    ).optional(),
  })
  .describe('Request to import into a study')

export const ImportNew = z
  .strictObject({
    ...fields,
    studyId: Uuid.describe('Id of the new study of recordings').optional(),
    project: ProjectName.optional(),
  })
  .describe('Request to create a study')

export const ImportId = z
  .string()
  .regex(/^i[0-9a-f]{32}$/)
  .describe('An import')

const Conversion = z
  .object({
    format: text('Name of the format'),
    title: text('Display name'),
    files: z.array(z.string()).describe('Files that hold recordings'),
    participants: z.array(
      z.object({ name: text('Participant'), files: z.array(z.string()).describe('Files that name the participant') }),
    ),
    items: z.array(z.string()).describe('Item names'),
    pictures: z
      .object({
        files: z.array(z.string()).describe('Pictures among the files'),
        items: z
          .array(z.object({ name: text('Name in the files'), picture: text('Its picture; null for none').nullable() }))
          .describe('Items, each with its picture'),
      })
      .nullable()
      .describe('Pictures that came with the recordings; null for none'),
    messages: z
      .array(
        z.object({
          example: text('One of the messages, at most 60 characters of it'),
          begins: text('Text with which all messages of the kind begin'),
          count: count('Messages of the kind'),
        }),
      )
      .describe('Kinds of messages that may begin, end or name a trial, the most frequent first'),
    left: z.array(z.string()).describe('Data that was left out'),
    assumed: z.array(z.string()).describe('Assumptions made'),
    check: z.array(z.string()).describe('Doubts to check, since they would change results'),
  })
  .describe('Result of converting recordings')

const Held = z
  .object({
    participants: count('Participants'),
    items: count('Items'),
    tests: count('Tests'),
    samples: count('Samples'),
    fixations: count('Fixations with default settings'),
  })
  .describe('Contents of a study')

export const ImportReport = z
  .object({
    study: StudyReference,
    snapshot: sha256('Snapshot of its data'),
    published: flag('false if the data was already imported, and for a dry run'),
    counts: z
      .object({
        participants: count('Participants of the whole study'),
        items: count('Items'),
        tests: count('Tests'),
        samples: count('Samples'),
      })
      .describe('Contents of the study after the import'),
    conversion: Conversion.nullable().describe('null for a bundle'),
    change: z
      .object({ before: Held, after: Held })
      .nullable()
      .describe('Contents of the study before and after a replacement, in a dry run; else null'),
    nothingNew: text('Recordings that the study already has, if it has all of them; else null').nullable(),
    left: z.array(z.string()).describe('Ignored files that operating systems add to archives'),
  })
  .describe('Result of an import')

const someFiles = {
  files: z.array(z.string()).describe('First files, by name'),
  fileCount: count('Number of files'),
}

const FoundTable = z
  .object({
    file: text('Name of the file'),
    header: z.array(z.string()).describe('Names of the columns'),
    rows: z.array(z.array(z.string())).describe('First rows; long cells are truncated'),
    decimalComma: flag('True if the table uses decimal commas'),
    mapping: z
      .unknown()
      .describe('Proposed mapping, with `?` for values to fill in; null if there is none, or the request had one'),
    fault: text('Reason why there is no proposal; else null').nullable(),
    conditions: z
      .array(z.object({ column: text('Its name'), values: z.array(z.string()) }))
      .describe('Columns with one value for each participant, and few different values'),
    thresholds: z
      .array(
        z.object({
          column: text('Its name'),
          steps: z.array(
            z.object({
              least: z.number().describe('Lowest valid number'),
              lostPercents: z.number().min(0).max(100).describe('Share of rows with gaze whose number is below it'),
            }),
          ),
        }),
      )
      .describe('Columns that may hold the confidence of gaze'),
  })
  .describe('A table that needs a mapping of its columns')

const FoundFiles = z
  .object({
    formats: z
      .array(
        z.object({
          name: text('Name of a format'),
          title: text('Display name'),
          firstCount: count('Files that would be read in this format, unless `format` names another'),
          ...someFiles,
        }),
      )
      .describe('Formats that fit; if several have a `firstCount`, choose one by `format`'),
    derived: z
      .array(z.object({ what: text('Kind of the files'), ...someFiles }))
      .describe('Tables that hold results rather than recordings'),
    others: z.object(someFiles).describe('Other files'),
    table: FoundTable.nullable().describe('null if a format fits and the request named no other'),
  })
  .describe('Formats recognised in the files')

export const Import = z
  .object({
    id: ImportId,
    study: StudyReference.nullable().describe('Study to extend or create; null if the files name it'),
    append: flag('True if the import adds to an existing study'),
    dryRun: flag('True if the import only checks and publishes nothing'),
    uploads: z.array(z.object({ id: UploadId, name: text('The file'), bytes: count('Length of the file, bytes') })),
    state: z.enum(['queued', 'running', 'succeeded', 'failed', 'canceled']).describe('State of the import'),
    progress: z.object({
      percent: z.number().min(0).max(100).describe('Approximate progress, percent'),
      samples: count('Samples processed so far'),
    }),
    createdAt: time('Time of the request'),
    startedAt: time('Time at which the last try began; null before').nullable(),
    finishedAt: time('Time at which it ended; null before').nullable(),
    found: FoundFiles.nullable().describe(
      'Preview of a dry run of recordings that has ended or failed; otherwise null',
    ),
    report: ImportReport.nullable().describe('null unless its state is succeeded'),
    error: Problem.nullable().describe('Reason for the failure, with every problem; else null'),
  })
  .describe('An import, run by a worker. Available for a week after its end.')

export type ImportView = z.infer<typeof Import>
