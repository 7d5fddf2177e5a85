import { z } from 'zod'
import { CHOICES } from '../../engine/analysis/analysis-kinds.ts'
import { AOI_ORDERS } from '../../engine/analysis/statistics/aoi-ranks.ts'
import { TEST_KINDS } from '../../engine/analysis/statistics/compare.ts'
import { MIXED_EFFECTS } from '../../engine/analysis/statistics/mixed.ts'
import { PUPIL_UNITS } from '../../engine/model/eye-columns.ts'
import { DENOMINATORS } from '../../engine/model/parameters.ts'
import { count, exportName, number, text, Uuid } from './values.ts'

/** Statistics of a study: docs/analysis.md. */

const real = z.number()
const perhaps = (description: string) => real.nullable().describe(description)
const pair = <T extends z.ZodType>(of: T) => z.tuple([of, of])
const unknown = real.nullable()

export const KeptTests = z
  .object({
    tests: count('Tests that pass the filter'),
    testsTotal: count('Tests of the item'),
    participants: count('Participants with a test that passes'),
    participantsTotal: count('Participants with a test'),
  })
  .describe('Tests that a filter keeps')

export const CountedTests = z
  .object({ tests: count('Tests'), participants: count('Participants') })
  .describe('Tests with valid gaze')

const computed = {
  export: exportName.describe('Export that has its values'),
  notes: text('Version and settings, as in the notes of exports'),
  kept: KeptTests,
  counted: CountedTests,
}

export const DescribedValues = z
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

export const TestResult = z
  .object({
    statistic: real,
    p: number('Two-sided p'),
    isExact: z.boolean().describe('True if p is exact, false if it is approximate'),
  })
  .describe('Result of a statistical test')

export const EffectSize = z
  .object({ value: real, low: number('Lower limit of the 95 % interval'), high: number('Upper limit') })
  .describe('Effect of a comparison')

const tested = {
  medians: pair(unknown),
  means: pair(unknown),
  test: TestResult.nullable().describe('null for so few values that p cannot reach 0.05'),
  pHolm: perhaps('Holm-corrected p, over all comparisons'),
  effect: EffectSize.nullable().describe('null for fewer than three values'),
}

const measure = text('Column of aoi-fixations-stats or reading')
const methods = text('Sentences for a methods section, with their sources')
const seed = z.int().describe('Seed of the random draws')

export const Comparisons = z
  .object({
    measure,
    test: z.enum(TEST_KINDS).describe('U of Mann and Whitney, or the difference of means by permutation'),
    seed,
    groups: z.array(z.object(computed)),
    sharedParticipants: count('Participants in more than one group; if any, nothing is compared'),
    aoiIds: z.array(Uuid),
    values: z
      .array(z.array(z.object({ participantIds: z.array(Uuid), values: z.array(real) })))
      .describe('By AOI, by group: values of the participants who have one'),
    summaries: z.array(z.array(DescribedValues)).describe('By AOI, by group'),
    comparisons: z.array(
      z.object({
        aoi: count('Index of the AOI'),
        first: count('Index of the first group'),
        second: count('Index of the second group'),
        n: pair(count('Participants with a value')),
        ...tested,
      }),
    ),
  })
  .describe('Comparison of a measure between groups of participants, in each AOI of an item')

export const Within = z
  .object({
    measure,
    seed,
    items: z.array(z.object({ itemId: Uuid, ...computed })).describe('Items of the AOIs'),
    aoiIds: z.array(Uuid).describe('Compared AOIs, in the order of the request'),
    participantIds: z.array(Uuid).describe('Participants with a value in every AOI'),
    incompleteParticipants: count('Participants who are left out, since they lack a value in some AOI'),
    values: z.array(z.array(real)).describe('By AOI, by participant'),
    summaries: z.array(DescribedValues).describe('By AOI'),
    friedman: z
      .object({
        statistic: number('χ²'),
        df: z.int().describe('Degrees of freedom'),
        p: real,
        kendallsW: number('Agreement of the participants'),
      })
      .nullable()
      .describe('Test of all AOIs; null for two AOIs or fewer than three participants'),
    comparisons: z
      .array(
        z.object({
          first: count('Index of the first AOI'),
          second: count('Index of the second AOI'),
          n: count('Participants'),
          ...tested,
        }),
      )
      .describe('Each pair of AOIs, by Wilcoxon’s signed-rank test'),
  })
  .describe('Comparison of a measure between AOIs, within participants')

const effectName = z.enum(MIXED_EFFECTS)

export const Mixed = z
  .object({
    methods,
    measure,
    seed,
    groups: z.array(
      z.object({
        filter: text('Filter of the group'),
        items: z.array(z.object({ itemId: Uuid, ...computed })).describe('Items of the AOIs'),
        participantIds: z.array(Uuid).describe('Participants with a value in every AOI'),
        incompleteParticipants: count('Participants who are left out, since they lack a value in some AOI'),
        values: z.array(z.array(real)).describe('By AOI, by participant'),
        cells: z
          .array(
            z.object({
              n: count('Participants'),
              mean: unknown,
              sd: perhaps('Sample standard deviation'),
              low: perhaps('Lower limit of the 95 % interval of the mean, by Student’s t'),
              high: perhaps('Upper limit'),
            }),
          )
          .describe('By AOI'),
      }),
    ),
    aoiIds: z.array(Uuid).describe('Compared AOIs, in the order of the request'),
    sharedParticipants: count('Participants in more than one group; if any, nothing is compared'),
    noTest: text('Why there is no analysis of variance; null if there is one').nullable(),
    anova: z
      .array(
        z.object({
          effect: effectName,
          df: z.int().describe('Degrees of freedom'),
          errorDf: z.int().describe('Degrees of freedom of its error'),
          squares: perhaps('Sum of squares'),
          errorSquares: perhaps('Sum of squares of its error'),
          f: perhaps('F; null if values are constant'),
          p: perhaps('p without correction'),
          epsilon: perhaps('Greenhouse and Geisser’s ε; 1 between groups'),
          correctedP: perhaps('p with both degrees of freedom times ε'),
          etaSquared: perhaps('Generalized η²'),
        }),
      )
      .nullable()
      .describe('Mixed analysis of variance; null if a group has fewer than three participants'),
    contrasts: z
      .array(
        z.object({
          effect: effectName,
          groups: pair(count('Index of the group')).nullable().describe('Compared groups; null for all'),
          conditions: pair(count('Index of the AOI')).nullable().describe('Compared AOIs; null for the mean of all'),
          n: pair(count('Participants')),
          means: pair(unknown).describe('Of an interaction, the mean difference of the AOIs in each group'),
          difference: EffectSize.nullable().describe(
            'First mean − second mean; null for fewer than three participants',
          ),
          test: tested.test,
          pHolm: perhaps('Holm-corrected p, over the differences of the same effect'),
        }),
      )
      .describe('Differences of two groups, of two AOIs, and of two AOIs between two groups, by permutation'),
  })
  .describe('Comparison of a measure between groups of participants and between AOIs, within participants')

const VisitSummary = z.object({
  tests: count('Tests with a visit'),
  visits: count('Visits'),
  perTest: perhaps('Mean over the tests with a visit'),
  dwellMs: perhaps('Mean dwell time of a visit'),
  durationMs: perhaps('Mean duration of a visit'),
})

const SurvivalStep = z.object({
  t: number('ms'),
  atRisk: count('Participants who had not looked before'),
  events: count('Participants who looked in this interval'),
  survival: number('Share of participants who have not looked yet'),
  low: number('Lower limit of the 95 % interval'),
  high: number('Upper limit'),
})

export const Transitions = z
  .object({
    ...computed,
    nested: z.enum(AOI_ORDERS).describe('AOI to which a fixation in several AOIs belongs'),
    aoiIds: z.array(Uuid).describe('AOIs of the item; all lists have this order'),
    hiddenAois: z.array(z.int()).describe('Indexes of AOIs that contain fixations, all of which belong to another AOI'),
    transitions: z
      .object({
        counts: z.array(z.array(z.int())),
        leaving: z.array(z.int()),
        probabilities: z
          .array(z.array(unknown))
          .describe('Share of all transitions from the same AOI; null if there are none'),
        total: z.int(),
      })
      .describe('From row to column; the last place is outside all AOIs'),
    visits: z.array(VisitSummary),
    visiting: z
      .object({ timesMs: z.array(real), tests: z.array(z.int()), percents: z.array(z.array(unknown)) })
      .describe('`tests`: tests that have not ended at a time; `percents`: share of these in a visit, by AOI'),
    firstLooks: z
      .array(
        z.object({
          n: count('Participants'),
          looked: count('Participants who looked at the AOI'),
          steps: z.array(SurvivalStep),
          medianMs: perhaps('Time by which half have looked'),
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
    measures: z.array(DescribedValues.extend({ column: text('Column of quality-stats') })).describe('Over tests'),
    participants: z
      .array(
        z.object({
          participantId: Uuid,
          tests: count('Tests of the participant'),
          medians: z.array(unknown).describe('Values over these tests, in the order of `measures`'),
        }),
      )
      .describe('Each participant'),
    lossByOrder: z
      .array(MeanAt('Position in the order in which items were shown'))
      .describe('Mean over tests of the share of samples without gaze, in percent'),
    tests: z.array(
      z.object({
        testId: Uuid,
        participantId: Uuid,
        itemId: Uuid,
        order: perhaps('Position in the order in which items were shown'),
        validSamples: count('Samples with gaze'),
        values: z.array(unknown).describe('In the order of `measures`'),
      }),
    ),
  })
  .describe('Quality measures of tests, with a summary')

export const Loss = z
  .object({ ...computed, bins: z.array(MeanAt('Start of the bin, ms from item onset')) })
  .describe('Mean over tests of the share of times without gaze, in percent, over time')

export const AverageInBins = z.object({
  n: z.array(z.int()).describe('Participants with a value'),
  mean: z.array(unknown).describe('null without values'),
  sd: z.array(unknown).describe('Sample standard deviation; null for fewer than two values'),
  low: z.array(unknown).describe('Lower limit of the 95 % interval of the mean'),
  high: z.array(unknown).describe('Upper limit'),
})

export const Pupils = z
  .object({
    event: text('Name of the events from which time is measured; null for item onset').nullable(),
    unit: z.enum(PUPIL_UNITS).nullable().describe('Unit of the sizes; null if unknown'),
    binStartsMs: z.array(real).describe('Start of each bin, ms from item onset or the event'),
    groups: z
      .array(
        z.object({
          export: computed.export,
          notes: computed.notes,
          filter: text('Condition of the group; empty for all tests'),
          kept: KeptTests,
          testsWithSizes: count('Tests with recorded sizes'),
          participants: count('Participants with a size in any bin'),
          epochs: count('Tests, or events in them, with a size in any bin'),
          epochsWithBaseline: count('Epochs that have a baseline'),
          size: AverageInBins.describe('Pupil size, by bin'),
          aboveBaseline: AverageInBins.describe('Size above the baseline, by bin'),
        }),
      )
      .describe('In the order of the request'),
    eventNames: z.array(z.string()).describe('Names of the events of these tests; at most 1000'),
  })
  .describe('Averages of pupils over time')

export const Microsaccades = z
  .object({
    methods,
    eventType: text('Name of the events from which time is measured; null for item onset').nullable(),
    maxDeg: real.describe('Greatest amplitude of a microsaccade, in degrees'),
    binMs: number('Width of a bin'),
    binStartsMs: z.array(real).describe('Start of each bin, ms from item onset or the event'),
    groups: z
      .array(
        z.object({
          ...computed,
          filter: text('Condition of the group; empty for all tests'),
          testsWithBothEyes: count('Tests with gaze of both eyes at 200 Hz or more'),
          testsWithoutDegrees: count(
            'Tests among them that are left out, since the size or distance of the screen is unknown',
          ),
          participants: count('Participants with gaze of both eyes in a bin'),
          epochs: count('Tests, or events in them, with gaze of both eyes'),
          microsaccades: count('Microsaccades in these epochs'),
          largerSaccades: count('Binocular saccades in these epochs that are larger'),
          rate: AverageInBins.describe('Microsaccades a second of gaze, by bin, over participants'),
          counts: z.array(z.int()).describe('Microsaccades that begin in the bin'),
          seconds: z.array(unknown).describe('Seconds with gaze of both eyes in the bin'),
          mainSequence: z
            .object({
              n: count('Microsaccades with an amplitude and a velocity above 0'),
              slope: perhaps('Slope of log₁₀ peak velocity on log₁₀ amplitude; null for fewer than three'),
              intercept: perhaps('log₁₀ of the peak velocity at 1°'),
              r: perhaps('Correlation of both'),
            })
            .describe('Line through the logarithms, by least squares'),
          everyNth: count('1 if all microsaccades are listed, else every nth is'),
          amplitudesDeg: z.array(real).describe('Amplitude of each listed microsaccade, in degrees'),
          peaksDegPerS: z.array(real).describe('Mean of the peak velocities of both eyes'),
        }),
      )
      .describe('In the order of the request'),
  })
  .describe('Rate of binocular microsaccades over time, and their main sequence')

const Interval = {
  n: z.array(z.int()).describe('Participants with a time that counts'),
  mean: z.array(unknown).describe('null without participants'),
  low: z.array(unknown).describe('Lower limit of the 95 % interval of the mean; null for fewer than two participants'),
  high: z.array(unknown).describe('Upper limit'),
}

export const Looks = z
  .object({
    methods,
    eventType: text('Name of the events from which time is measured; null for item onset').nullable(),
    denominator: z.enum(DENOMINATORS).describe('Times of which looks are a share'),
    aoiNames: z.array(z.string()).describe('Names of AOIs; all lists have this order'),
    binStartsMs: z.array(real).describe('Start of each bin, ms from item onset or the event'),
    groups: z
      .array(
        z.object({
          ...computed,
          filter: text('Condition of the group; empty for all tests'),
          participants: count('Participants with a time that counts'),
          epochs: count('Tests, or events in them, with a time that counts'),
          looks: z
            .array(
              z.object({
                proportion: z.object({ ...Interval, sd: z.array(unknown) }).describe('Share of looks, by bin'),
                elog: z.object(Interval).describe('Empirical logit, weighted, by bin'),
              }),
            )
            .describe('By AOI name'),
        }),
      )
      .describe('In the order of the request'),
  })
  .describe('Averages of looks at AOIs over time')

export const Clusters = z
  .object({
    methods,
    signal: z.enum(CHOICES.signal.values).describe('Compared values'),
    design: z.enum(CHOICES.design.values),
    eventType: text('Name of the events from which time is measured; null for item onset').nullable(),
    conditions: z
      .array(
        z.object({
          name: text('Filter of the group, or AOI name'),
          notes: computed.notes,
          participants: count('Compared participants'),
        }),
      )
      .describe('The two conditions, in the order of the request'),
    leftOutParticipants: count('Participants with values of one condition only, in a comparison within participants'),
    sharedParticipants: count('Participants in both groups of a comparison between participants; if any, none is made'),
    binMs: number('Width of a bin'),
    alpha: number('Two-sided p of a t below which its bin belongs to a cluster'),
    permutations: count('Largest number of arrangements'),
    seed,
    arrangements: count('Number of all arrangements, at most 2⁵³ − 1'),
    isExact: z.boolean().describe('True if all arrangements were computed, false if random ones'),
    leastP: perhaps('Least p that so many participants can reach; null for fewer than two'),
    noP: text('Why clusters have no p; null if they have one').nullable(),
    bins: z.array(
      z.object({
        startMs: number('Start of the bin, ms from item onset or the event'),
        n: pair(count('Participants with a value; within, with both')),
        means: pair(unknown),
        difference: perhaps('First mean − second mean'),
        low: perhaps('Lower limit of its 95 % interval'),
        high: perhaps('Upper limit'),
        t: perhaps('null for fewer than two values, or constant ones'),
        df: z.int().describe('Degrees of freedom'),
        threshold: perhaps('Size of t beyond which the bin belongs to a cluster'),
      }),
    ),
    clusters: z.array(
      z.object({
        fromMs: number('Start of its first bin'),
        toMs: number('End of its last bin'),
        firstBin: count('Index of its first bin'),
        bins: count('Number of its bins'),
        mass: perhaps('Sum of t'),
        p: perhaps('Two-sided p, corrected for all bins; null if it cannot reach 0.05'),
      }),
    ),
  })
  .describe('Comparison of two conditions over time, by cluster permutation')

export const Scanpaths = z
  .object({
    ...computed,
    methods,
    scanpaths: z
      .array(
        z.object({
          participantId: Uuid,
          testId: Uuid,
          fixations: count('Fixations'),
          aoiString: text('A letter for each fixation, the place where it is; a dot is outside all AOIs'),
          places: count('AOIs of the item, plus 1 for outside'),
          transitions: count('Transitions between stays'),
          transitionEntropyBits: perhaps('Entropy of the place that follows; null without a transition'),
          stationaryEntropyBits: perhaps('Entropy of the places left; null without a transition'),
          recurrencePercents: perhaps('Pairs of fixations that recur; null for fewer than two fixations'),
          determinismPercents: perhaps('Recurrences in diagonal lines; null without recurrences'),
          laminarityPercents: perhaps('Those in horizontal and vertical lines; null without recurrences'),
          recurrenceCenterPercents: perhaps('Mean distance of recurrences; null without recurrences'),
          saccadePairs: count('Fixations that a saccade follows'),
          coefficientK: perhaps('Coefficient K, standardized over all tests, as in the export'),
          means: z
            .object({
              levenshteinSimilarity: unknown,
              needlemanWunsch: unknown,
              vector: unknown,
              direction: unknown,
              length: unknown,
              position: unknown,
              duration: unknown,
            })
            .describe('Means of the values of its pairs; null without values'),
        }),
      )
      .describe('First test of each participant'),
    pairs: z.array(
      z.object({
        first: count('Index of the first scanpath'),
        second: count('Index of the second scanpath'),
        levenshtein: count('Levenshtein distance of the AOI strings'),
        levenshteinSimilarity: perhaps('1 − the distance, divided by the length of the longer; null if both are empty'),
        needlemanWunsch: z.int().describe('Needleman–Wunsch score of the AOI strings'),
        vector: perhaps('MultiMatch: similarity of shape; null for fewer than three fixations, as are the others'),
        direction: unknown,
        length: unknown,
        position: unknown,
        duration: unknown,
      }),
    ),
  })
  .describe('Comparison of the scanpaths of each pair of participants')

export const Reading = z
  .object({
    ...computed,
    methods,
    words: z
      .array(
        z.object({
          aoiId: Uuid,
          line: z.int().describe('Line of the text'),
          place: z.int().describe('Place in the line'),
          text: text('The word itself; empty if its AOI is named by its place alone'),
        }),
      )
      .describe('In reading order; empty for an item without words'),
    measures: z
      .array(
        z.object({
          column: text('Column of the export reading; the values of true and false are 100 and 0 %'),
          n: z.array(z.int()).describe('Participants with a value, by word'),
          means: z.array(unknown).describe('Mean over these, by word; null without any'),
          sds: z.array(unknown).describe('Sample standard deviation, by word; null for fewer than two'),
          ofText: z
            .object({ n: count('Participants with a value'), mean: unknown, sd: unknown })
            .describe('Over participants, of the means of their words'),
        }),
      )
      .describe('Averages of the measures'),
  })
  .describe('Reading measures of words, averaged over participants')

const people = {
  participants: count('Participants'),
  completed: count('Participants who completed the study'),
  age: DescribedValues,
}

export const DescribedParticipants = z
  .object({
    notes: text('Version and settings, as in the notes of exports'),
    ...people,
    genders: z.array(z.object({ displayGender: text('Empty if unknown'), ...people })),
  })
  .describe('Number, age and gender of participants')

export const Tags = z
  .object({
    ...computed,
    measures: z.array(z.string()).describe('Columns of aoi-tags-stats'),
    tags: z.array(
      z.object({
        tag: text('Tag of AOIs'),
        aoiCount: count('AOIs with the tag'),
        itemCount: count('Items of these AOIs'),
        participantCount: count('Participants with a test of these items that has valid gaze'),
        testCount: count('Tests of these items with valid gaze'),
        participantIds: z.array(Uuid).describe('These participants'),
        values: z.array(z.array(unknown)).describe('By measure, by participant'),
        described: z.array(DescribedValues).describe('By measure, over participants with a value'),
      }),
    ),
  })
  .describe('Measures of the tags of AOIs over all items')

export const SuggestedOffset = z
  .object({
    count: count('Clicks, or targets, with gaze'),
    dxPx: perhaps('Offset of x; null if there are too few'),
    dyPx: perhaps('Offset of y; null if there are too few'),
    distancePx: perhaps('Median distance between gaze and these places'),
    leftPx: perhaps('Median distance that would remain with the offset'),
  })
  .describe('Suggested offset, in px of the window')

export const Offsets = z
  .object({
    notes: text('Version and settings, as in the notes of exports'),
    clicksMin: count('Fewest clicks that suggest an offset'),
    targetsMin: count('Fewest validation targets that suggest an offset'),
    participants: z.array(z.object({ participantId: Uuid, validations: SuggestedOffset, clicks: SuggestedOffset })),
    tests: z
      .array(z.object({ testId: Uuid, itemId: Uuid, participantId: Uuid, clicks: SuggestedOffset }))
      .describe('Tests with clicks'),
  })
  .describe('Offsets that would move gaze to validation targets and to clicks')
