import { z } from 'zod'
import { NAME_MAX, PARTICIPANT_TEXT_MAX, PROSE_MAX } from '../../engine/import/bundle/bundle-limits.ts'
import { Aoi } from './study.ts'
import { count, flag, nextCursor, ProjectName, sha256, text, time, Uuid } from './values.ts'

/** Bodies of requests that write, and their answers. */

const snapshot = sha256('Resulting snapshot of the study')

export const CreatedStudy = z.object({ id: Uuid, snapshot }).describe('Created study')

export const ChangedStudy = z.object({ snapshot }).describe('Changed study')

export const ChangedDescription = ChangedStudy.extend({
  isDryRun: flag('True if nothing changed because the request was a dry run'),
  changedItemIds: z.array(Uuid).describe('Items that changed, or whose AOIs changed'),
  affectedTestCount: count('Tests of these items'),
  affectedParticipantCount: count('Participants with these tests'),
  aois: z.array(Aoi).optional().describe('AOIs of the item that a CSV of boxes makes'),
}).describe('Effect of a change on existing recordings')

export const AddedParticipant = z
  .object({
    participantId: Uuid,
    testCount: count('Tests of the participant'),
    sampleCount: count('Samples of the participant'),
    snapshot,
  })
  .describe('A participant that is on disk and in every later export')

const value = z.union([z.string(), z.number(), z.boolean(), z.null()])
const cells = z.record(z.string(), value)

/** Samples as lists of equal length, or as rows; values are those of a column of samples.csv. */
const samples = z
  .union([z.record(z.string(), z.array(value)), z.array(cells)])
  .describe('Columns of samples.csv without `test_id`, as lists of equal length, or a list of rows')

const events = z.array(cells).describe('Rows of events.csv without `test_id`')

export const NewParticipant = z
  .object({
    participant: z
      .record(z.string(), z.union([value, z.array(z.string()), cells]))
      .describe(
        `The columns of participants.csv; \`tags\` as a list, and \`external_data\` as an object. Ids, names and keys have at most ${NAME_MAX} characters, notes and external data ${PROSE_MAX}, and all texts of a participant together ${PARTICIPANT_TEXT_MAX}`,
      ),
    tests: z
      .array(z.looseObject({ samples: samples.optional(), events: events.optional() }))
      .describe('The columns of tests.csv without `participant_id`, and `samples` and `events`')
      .optional(),
    validations: z.array(cells).describe('The columns of validations.csv without `participant_id`').optional(),
  })
  .describe('A participant with tests and samples. Gazette creates omitted ids.')

export const ParticipantAttributes = z
  .object({
    external_id: z.string().max(NAME_MAX).nullable(),
    display_name: z.string().max(NAME_MAX).nullable(),
    age: z.int().min(0).max(150).nullable(),
    gender: z.int().min(0).max(2).nullable().describe('0 female, 1 male, 2 other'),
    display_gender: z.string().max(NAME_MAX).nullable(),
    quality_grade: z.int().min(1).max(6).nullable(),
    is_completed: z.boolean(),
    notes: z.string().max(PROSE_MAX).nullable(),
  })
  .partial()
  .describe('Attributes to change; null makes an attribute unknown')

export const NewStudy = z
  .looseObject({ id: Uuid, name: text('Display name') })
  .describe('The object of study.json, as docs/study.schema.json describes it')

export const StudyRenaming = z
  .strictObject({
    name: z.string().min(1).max(NAME_MAX).describe('Display name of the study').optional(),
    isArchived: flag('True hides the study from lists, false shows it again').optional(),
    project: ProjectName.nullable().describe('Project of the study; null takes it out of its project').optional(),
    items: z
      .array(
        z
          .strictObject({
            id: Uuid,
            filename: z
              .string()
              .min(1)
              .max(NAME_MAX)
              .describe('New name. If omitted, the item keeps its name')
              .optional(),
          })
          .describe('An item to keep'),
      )
      .max(100_000)
      .describe(
        'Items to keep, in their new order. All others are removed, with their AOIs and the steps that show them',
      )
      .optional(),
    removesTests: flag('Remove the tests of removed items; otherwise, an item with tests cannot be removed').optional(),
  })
  .describe(
    'Changes to the name and project of a study, whether it is archived, and the names, order and number of its items',
  )

export const NewAois = z
  .array(z.looseObject({ id: Uuid, name: text('Name') }))
  .describe('The AOIs of the item, as in study.json; `itemId` may be left out')

const HistoryEntry = z
  .object({
    at: time('Time of the change'),
    tokenId: text('Id of the token'),
    tokenName: text('Name of the token, for who may change the study; null for others, and if it is gone').nullable(),
    did: text('Kind of change, such as `participant added`'),
    details: z
      .array(text('A difference, in words'))
      .describe('Differences of the description of the study, or names of changed attributes')
      .optional(),
    participantId: Uuid.optional(),
    testCount: count('Added tests').optional(),
    sampleCount: count('Added samples').optional(),
    snapshot,
  })
  .describe('A change of a study')

const Undoable = z
  .object({
    did: text('Kind of the change'),
    at: time('Time of the change'),
    until: time('Time until which it can be undone'),
  })
  .describe('The newest change, if it can be undone')

export const StudyHistory = z
  .object({ entries: z.array(HistoryEntry), undoable: Undoable.nullable(), nextCursor })
  .describe('Changes over HTTP, newest first')

const PastSet = z
  .object({
    until: time('Time of the replacement'),
    tokenId: text('Id of the token; null for an import').nullable(),
    aois: z.array(Aoi),
  })
  .describe('Earlier AOIs of an item')

export const PastAois = z
  .object({ entries: z.array(PastSet), nextCursor })
  .describe('Earlier AOIs of an item, newest first')
