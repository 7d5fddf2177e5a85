import { z } from 'zod'
import { EYE_COLUMN_NAMES } from '../../engine/model/eye-columns.ts'
import { About, Recording } from './study.ts'
import { count, number, Parameters, sha256, text, Uuid } from './values.ts'

export const Spread = z
  .object({
    n: count('Number of values'),
    median: number('Median'),
    min: number('Minimum'),
    max: number('Maximum'),
  })
  .describe('Spread of some values')

const perhaps = (description: string) => Spread.nullable().describe(`${description}; null if none is known`)

export const MeasuredData = z
  .object({
    tests: count('Tests that pass all exclusions'),
    testsWithGaze: count('Tests with gaze'),
    rateHz: perhaps('Samples per second, of the median step of each test'),
    lossPercents: perhaps('Share of samples without gaze of each test'),
    precision: Spread.extend({
      unit: z.enum(['deg', 'percents']).describe('Degrees, if the size of the screen is known'),
    })
      .nullable()
      .describe('RMS-S2S in windows of 200 ms, of each test'),
    precisionPercents: Spread.optional().describe(
      'The same in percent of the width and height of the displayed item, if `precision` is in degrees',
    ),
    accuracy: Spread.extend({
      unit: z.enum(['deg', 'px']).describe('Degrees, if the size of the screen is known'),
      validations: count('Targets with gaze, of all participants'),
    })
      .nullable()
      .describe('Mean distance of gaze from validation targets, of each participant'),
    fixations: perhaps('Fixations of each test'),
    eyes: z
      .array(Spread.extend({ column: text('Column of quality-stats') }))
      .optional()
      .describe('Measures of each eye, over tests'),
    points: z
      .object({
        points: count('Points'),
        interpolated: count('Interpolated ones'),
        cuts: count('Gaps of more than 50 ms between valid samples'),
      })
      .describe('Gaze points of all tests'),
    steps: z
      .object({
        merged: count('Fixations that were merged with the one before'),
        cut: count('Fixations that were longer than the longest, so that they were cut'),
        bridged: count('Runs of fast points that are too short for a saccade'),
        filled: count('Lost positions that I2MC interpolated'),
      })
      .describe('Steps of the detector of fixations in all tests'),
    pupils: z
      .object({
        recorded: count('Sizes'),
        interpolated: count('Interpolated ones, in place of lost or removed ones'),
        range: count('Removed: out of range'),
        eyelid: count('Removed: while an eyelid closed or opened'),
        speed: count('Removed: changed too fast'),
        padding: count('Removed: close to a gap'),
        island: count('Removed: isolated between gaps'),
      })
      .optional()
      .describe('Pupil sizes of all tests and of the chosen eyes, if pupils were recorded'),
  })
  .describe('Measurements of the data of the kept tests')

export const Exclusion = z
  .object({
    because: z.enum(['item', 'grade', 'ignored', 'quality', 'filter']),
    value: text(
      'Value of the exclusion: file name of the item, lowest grade, ignored participants, quality condition, or filter',
    ),
    tests: count('Remaining tests'),
    participants: count('Remaining participants'),
  })
  .describe('An exclusion, applied after the ones before it')

export const MethodsSource = z
  .object({
    key: text('Key of the BibTeX entry'),
    short: text('Citation key in the paragraph'),
    reference: text('Full reference'),
    doi: text('DOI'),
    bibtex: text('BibTeX entry'),
  })
  .describe('A source that the methods section cites')

export const AppliedParameters = Parameters.partial().describe('Parameters that influence the numbers')

export const MethodsFacts = z
  .object({
    studyId: Uuid,
    studyName: text('Display name'),
    snapshotId: sha256('Snapshot of its data'),
    version: text("Gazette's version"),
    participants: count('Participants'),
    completed: count('Participants who completed the study'),
    tests: count('Tests'),
    participantsWithTests: count('Participants who have a test'),
    exclusions: z.array(Exclusion),
    recording: Recording.nullable(),
    eyes: z.array(z.enum(EYE_COLUMN_NAMES)).optional().describe('Recorded columns of each eye'),
    about: About.optional(),
    samples: count('Samples of these tests'),
    measured: MeasuredData.nullable().describe('null if there are more samples than `samplesMax`'),
    samplesMax: count('Maximum number of samples that the server measures').nullable(),
    parameters: AppliedParameters,
    aois: z.object({
      count: count('Areas of interest'),
      items: count('Items with AOIs'),
      texts: count('Items with words among them'),
      sizePercents: perhaps('Their sizes, in percent of the item; of an AOI that moves, the mean over its time'),
    }),
  })
  .describe('The facts of a methods section')

export const Methods = z
  .object({
    paragraph: text('Known facts, in sentences'),
    toAdd: z.array(z.string()).describe('Facts to add: missing, or known only to the authors'),
    sources: z.array(MethodsSource).describe('Sources that the paragraph cites; the last is the reporting guideline'),
    facts: MethodsFacts,
  })
  .describe('The methods section of a study, and the facts behind it')
