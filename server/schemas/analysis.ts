import { z } from 'zod'
import { AOI_ORDERS } from '../../engine/analysis/aoi-ranks.ts'
import { TEST_KINDS } from '../../engine/analysis/compare.ts'
import { FORMAT_NAMES } from '../../engine/model/format-names.ts'
import { count, exportName, number, text, Uuid } from './values.ts'

/** What is computed of a study: docs/analysis.md. */

/** How it may be sent: as JSON, or as a table. */
export const ANALYSIS_FORMATS = ['json', ...FORMAT_NAMES] as const

const real = z.number()
const perhaps = (description: string) => real.nullable().describe(description)
const pair = <T extends z.ZodType>(of: T) => z.tuple([of, of])
const unknown = real.nullable()

const Kept = z.object({
  tests: count('Tests that the filter keeps'),
  testsTotal: count('Tests of the item'),
  participants: count('Participants who have one that is kept'),
  participantsTotal: count('Participants who have one'),
})

const computed = {
  export: exportName.describe('The export whose cells it is of'),
  notes: text('Version and settings, as in the notes of exports'),
  kept: Kept,
  counted: z.object({ tests: count('Tests'), participants: count('Participants') }).describe('Tests with valid gaze'),
}

const Described = z
  .object({
    n: count('Values'),
    mean: unknown,
    sd: perhaps('Sample standard deviation'),
    min: unknown,
    q1: unknown,
    median: unknown,
    q3: unknown,
    max: unknown,
  })
  .describe('Descriptive statistics; null without values')

const MeanAt = (at: string) => z.object({ at: number(at), tests: count('Tests with a value'), mean: real })

const tested = {
  medians: pair(unknown),
  means: pair(unknown),
  test: z
    .object({
      statistic: real,
      p: number('Two-sided p'),
      isExact: z.boolean().describe('True if p is exact, false if it is approximate'),
    })
    .nullable()
    .describe('null of fewer than three values'),
  pHolm: perhaps('p corrected by Holm over all comparisons'),
  effect: z
    .object({ value: real, low: number('Lower limit of its 95 % interval'), high: number('Upper limit') })
    .nullable()
    .describe('null of fewer than three values'),
}

const measure = text('The column of aoi-fixations-stats that is compared')
const seed = z.int().describe('Seed of the random draws')

export const Comparisons = z
  .object({
    measure,
    test: z.enum(TEST_KINDS).describe('U of Mann and Whitney, or the difference of means by permutation'),
    seed,
    groups: z.array(z.object(computed)),
    sharedParticipants: count('Participants in more than one group; then nothing is compared'),
    aoiIds: z.array(Uuid),
    values: z
      .array(z.array(z.object({ participantIds: z.array(Uuid), values: z.array(real) })))
      .describe('By AOI, by group: a value for each participant who has one'),
    summaries: z.array(z.array(Described)).describe('By AOI, by group'),
    comparisons: z.array(
      z.object({
        aoi: count('Place of the AOI'),
        first: count('Place of the first group'),
        second: count('Place of the second group'),
        n: pair(count('Participants with a value')),
        ...tested,
      }),
    ),
  })
  .describe('A measure compared between groups of participants, in each AOI of an item')

export const Within = z
  .object({
    measure,
    seed,
    items: z.array(z.object({ itemId: Uuid, ...computed })).describe('The items that the AOIs are of'),
    aoiIds: z.array(Uuid).describe('The AOIs that are compared, in the order in which they were asked for'),
    participantIds: z.array(Uuid).describe('Participants with a value in every AOI'),
    incompleteParticipants: count('Participants with a value in some AOIs only; left out'),
    values: z.array(z.array(real)).describe('By AOI, by participant'),
    summaries: z.array(Described).describe('By AOI'),
    friedman: z
      .object({
        statistic: number('χ²'),
        df: z.int().describe('Degrees of freedom'),
        p: real,
        kendallsW: number('Agreement of the participants'),
      })
      .nullable()
      .describe('The test of all AOIs; null of two, and of fewer than three participants'),
    comparisons: z
      .array(
        z.object({
          first: count('Place of the first AOI'),
          second: count('Place of the second AOI'),
          n: count('Participants'),
          ...tested,
        }),
      )
      .describe('Every two AOIs by Wilcoxon’s signed ranks'),
  })
  .describe('A measure compared between AOIs that the same participants saw')

const VisitSummary = z.object({
  tests: count('Tests with a visit'),
  visits: count('Visits'),
  perTest: perhaps('Mean over the tests that have one'),
  dwellMs: perhaps('Mean sum of the fixations of a visit'),
  durationMs: perhaps('Mean from start to end of a visit'),
})

const SurvivalStep = z.object({
  t: number('ms'),
  atRisk: count('Participants who had not looked before'),
  events: count('Participants who looked in this interval'),
  survival: number('Share that has not looked yet'),
  low: number('Lower limit of its 95 % interval'),
  high: number('Upper limit'),
})

export const Transitions = z
  .object({
    ...computed,
    nested: z.enum(AOI_ORDERS).describe('Which AOI a fixation in several stands for in transitions'),
    aoiIds: z.array(Uuid).describe('The AOIs of the item; lists are in their order'),
    hiddenAois: z.array(z.int()).describe('Places of AOIs that hold fixations and stand for none'),
    transitions: z
      .object({
        counts: z.array(z.array(z.int())),
        leaving: z.array(z.int()),
        probabilities: z
          .array(z.array(unknown))
          .describe('Share of the transitions that leave the same place; null where none does'),
        total: z.int(),
      })
      .describe('From row to column; the last place is outside all AOIs'),
    visits: z.array(VisitSummary),
    visiting: z
      .object({ timesMs: z.array(real), tests: z.array(z.int()), percents: z.array(z.array(unknown)) })
      .describe('`tests` are not over at a time; `percents` of those, by AOI, are in a visit'),
    firstLooks: z
      .array(
        z.object({
          n: count('Participants'),
          looked: count('Participants who looked at the AOI'),
          steps: z.array(SurvivalStep),
          medianMs: perhaps('When half have looked'),
          untilMs: real,
          atRisk: z
            .array(z.int())
            .describe('Participants at risk just before each of `visiting.timesMs`: neither looked nor censored'),
        }),
      )
      .describe('Time to first fixation'),
    untilMs: real,
  })
  .describe('Transitions between the AOIs of an item, visits, and time to first fixation')

export const Quality = z
  .object({
    ...computed,
    measures: z.array(Described.extend({ column: text('Column of quality-stats') })).describe('Over tests'),
    participants: z
      .array(
        z.object({
          participantId: Uuid,
          tests: count('Their tests'),
          medians: z.array(unknown).describe('Over these tests, in the order of `measures`'),
        }),
      )
      .describe('Each participant'),
    lossByOrder: z
      .array(MeanAt('Place in the order in which items were shown'))
      .describe('Mean over tests of the share of samples without gaze, in percent'),
    tests: z.array(
      z.object({
        testId: Uuid,
        participantId: Uuid,
        itemId: Uuid,
        order: perhaps('Place in the order in which items were shown'),
        validSamples: count('Samples with gaze'),
        values: z.array(unknown).describe('In the order of `measures`'),
      }),
    ),
  })
  .describe('Measures of the quality of tests, and what they are like')

export const Loss = z
  .object({ ...computed, bins: z.array(MeanAt('Start of the bin, ms from item onset')) })
  .describe('Mean over tests of the share of times without gaze, in percent, over time')

const people = {
  participants: count('Participants'),
  completed: count('Participants who completed the study'),
  age: Described,
}

export const DescribedParticipants = z
  .object({
    notes: text('Version and settings, as in the notes of exports'),
    ...people,
    genders: z.array(z.object({ displayGender: text('Empty where none is known'), ...people })),
  })
  .describe('Number, age and gender of participants')
