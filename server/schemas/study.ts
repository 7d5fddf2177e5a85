import { z } from 'zod'
import { EYE_COLUMN_NAMES, PUPIL_UNITS } from '../../engine/model/eye-columns.ts'
import { count, flag, nextCursor, number, ProjectName, StudyReference, sha256, text, time, Uuid } from './values.ts'

export const StudySummary = z
  .object({
    id: Uuid,
    name: text('Display name'),
    snapshot: sha256('Snapshot of its data; changes with each import'),
    changedAt: time('Time of its last change'),
    keywords: z.array(z.string()).describe('Keywords of the study'),
    isArchived: flag('True if lists hide the study'),
    project: ProjectName.optional(),
    pictureItemId: Uuid.optional().describe('First item that has a picture; absent if none has'),
    participantCount: count('Participants'),
    itemCount: count('Items'),
    testCount: count('Tests: one participant looking at one item once'),
    sampleCount: count('Samples of all tests'),
  })
  .describe('A study that the token may read')

const damaged = z
  .array(Uuid)
  .optional()
  .describe('Studies left out because they are damaged on disk or stored in a format that this version does not read')

export const StudyPage = z
  .object({ studies: z.array(StudySummary), damaged, nextCursor })
  .describe('A page of studies, ordered by id')

const ofItem = { studyId: Uuid, studyName: text('Name of the study'), itemId: Uuid }

export const SearchResults = z
  .object({
    studies: z.array(z.object({ studyId: Uuid, name: text('Name'), isArchived: flag('True if lists hide the study') })),
    items: z.array(z.object({ ...ofItem, name: text('File name of the item') })),
    aois: z.array(z.object({ ...ofItem, itemName: text('File name of the item'), name: text('Name of the AOI') })),
    participants: z
      .array(z.object({ studyId: Uuid, participantId: Uuid, name: text('External id, else the display name') }))
      .describe('Of the study `studyId`'),
    hasMore: flag('True if more names fit'),
  })
  .describe('Names that fit a search, the best first')

export const Item = z
  .object({
    id: Uuid,
    filename: text('File name of the item'),
    cdnUrl: text('Address of the image; may be empty'),
    type: text('Such as `images`'),
    stimuliDurationMs: number('Display duration, ms; null if unknown').nullable(),
    widthPx: number('Width of the item, px; null if unknown').nullable(),
    heightPx: number('Height of the item, px; null if unknown').nullable(),
    testCount: count('Tests that show the item'),
  })
  .describe('A stimulus')

const corner = z
  .object({ xPx: number('Distance from the left'), yPx: number('Distance from the top') })
  .describe('In pixels of the item')

export const Rectangle = z
  .object({ topLeft: corner, bottomRight: corner })
  .describe('Left and top inclusive, right and bottom exclusive')

const point = z
  .object({ x: number('Distance from the left'), y: number('Distance from the top') })
  .describe('Fraction of the item, 0 to 1')

export const Polygon = z.object({ points: z.array(point).min(3) }).describe('Polygon; includes its border')

export const TimeRange = z
  .object({ fromMs: number('Inclusive, ms'), toMs: number('Exclusive, ms') })
  .describe('From item onset, half-open')

export const AoiPart = z
  .object({
    areaPoints: z.union([Rectangle, Polygon]),
    timeRange: TimeRange.nullable().describe('Time range in which the part counts. If absent, always').optional(),
  })
  .describe('A part of an area of interest')

export const Aoi = z
  .object({
    id: Uuid,
    itemId: Uuid,
    name: text('Name of the AOI'),
    tags: z.array(z.string()).optional().describe('Tags, which join AOIs across items'),
    parts: z.array(AoiPart).min(1),
  })
  .describe('An area of interest on one item')

export const Recording = z
  .object({
    manufacturer: text('Manufacturer of the eye tracker'),
    model: text('Model of the eye tracker'),
    calibrationType: text('Calibration procedure'),
    environment: text('Place of recording'),
    nominalSamplingRateHz: number('Nominal samples per second'),
    screenWidthPx: number('Width of the screen'),
    screenHeightPx: number('Height of the screen'),
    screenWidthCm: number('Width of the screen, cm'),
    screenHeightCm: number('Height of the screen, cm'),
    viewingDistanceCm: number('Viewing distance, cm'),
    calibrationPoints: count('Number of calibration points'),
    pupilUnit: z.enum(PUPIL_UNITS).describe('Unit of the pupil sizes'),
  })
  .partial()
  .describe('Tracker, screen and procedure of the recording, as far as known')

const lines = (what: string) => z.array(z.string().min(1)).describe(what)

export const Author = z
  .object({
    givenName: text('Given name of a person'),
    familyName: text('Family name of a person'),
    name: text('Name of a group, in place of the name of a person'),
    orcid: text('ORCID iD, such as 0000-0002-1825-0097'),
    affiliation: text('Affiliation'),
  })
  .partial()
  .describe('A person or a group')

export const About = z
  .object({
    description: text('Description of the study'),
    keywords: lines('Keywords'),
    authors: z.array(Author),
    license: text('SPDX licence identifier, such as CC-BY-4.0'),
    doi: text('DOI, such as 10.1000/182'),
    funding: lines('Funders'),
    ethics: lines('Approvals by ethics committees'),
    references: lines('Publications and addresses about the study'),
  })
  .partial()
  .describe('Description, authors, licence and citation of the study, as far as known')

export const StudyDetails = StudySummary.extend({
  items: z.array(Item),
  aois: z.array(Aoi),
  recording: Recording.optional(),
  eyes: z.array(z.enum(EYE_COLUMN_NAMES)).optional().describe('Recorded columns of each eye'),
  about: About.optional(),
}).describe('A study with its items and AOIs, as imported')

export const DropRate = z
  .object({
    study: StudyReference,
    startedCount: count('All participants'),
    completedCount: count('Participants who completed the study'),
    dropRatePercents: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .describe('100 × (started − completed) / started; null when nobody started'),
  })
  .describe('Drop rate of a study')

export const DropRates = z
  .object({ studies: z.array(DropRate), damaged })
  .describe('Drop rates of the studies that the token may read')
