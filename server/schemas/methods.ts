import { z } from 'zod'
import { About, Recording } from './study.ts'
import { count, number, Parameters, sha256, text, Uuid } from './values.ts'

const summary = z.object({
  n: count('Number of known values'),
  median: number('Their median'),
  min: number('The least'),
  max: number('The greatest'),
})

const perhaps = (description: string) => summary.nullable().describe(`${description}; null where nothing is known`)

const Measured = z.object({
  tests: count('Tests that are kept'),
  testsWithGaze: count('Tests with gaze'),
  rateHz: perhaps('Samples per second, of the median step of each test'),
  lossPercents: perhaps('Share of samples without gaze of each test'),
  precision: summary
    .extend({ unit: z.enum(['deg', 'percents']).describe('Degrees where the set-up of the screen is known') })
    .nullable()
    .describe('RMS-S2S in windows of 200 ms, of each test'),
  accuracy: summary
    .extend({
      unit: z.enum(['deg', 'px']).describe('Degrees where the set-up of the screen is known'),
      validations: count('Targets with gaze, of all participants'),
    })
    .nullable()
    .describe('Mean distance of gaze from validation targets, of each participant'),
  fixations: perhaps('Fixations of each test'),
})

const Exclusion = z
  .object({
    because: z.enum(['item', 'grade', 'ignored', 'quality', 'filter']),
    value: text(
      "The item's file name, the least grade, who is ignored, what tests of too low quality have, the condition",
    ),
    tests: count('Tests that are left'),
    participants: count('Participants who are left'),
  })
  .describe('A condition, on top of those before it')

const Source = z.object({
  key: text('Key of its BibTeX entry'),
  short: text('Citation key in the paragraph'),
  reference: text('For a list of references'),
  doi: text('Its DOI'),
  bibtex: text('Its BibTeX entry'),
})

export const Methods = z
  .object({
    paragraph: text('Facts that are known, in sentences'),
    toAdd: z.array(z.string()).describe('Facts that are missing or known only to the authors'),
    sources: z.array(Source).describe('Sources that the paragraph cites; the last is the reporting guideline'),
    facts: z.object({
      studyId: Uuid,
      studyName: text('Display name'),
      snapshotId: sha256('The version of its data'),
      version: text("Gazette's version"),
      participants: count('Participants'),
      completed: count('Participants who completed the study'),
      tests: count('Tests'),
      participantsWithTests: count('Participants who have a test'),
      exclusions: z.array(Exclusion),
      recording: Recording.nullable(),
      about: About.optional(),
      samples: count('Samples of the tests that are kept'),
      measured: Measured.nullable().describe('null where there are more samples than `samplesMax`'),
      samplesMax: count('The most samples that are measured for an answer').nullable(),
      parameters: Parameters.partial().describe('Parameters that influence the numbers'),
      aois: z.object({
        count: count('Areas of interest'),
        items: count('Items that have one'),
        sizePercents: perhaps('Their sizes, in percent of the item'),
      }),
    }),
  })
  .describe('The methods of a study in words, and the facts behind them')
