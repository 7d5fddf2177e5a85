import { z } from 'zod'
import { AOI_ORDERS } from '../../engine/analysis/aoi-ranks.ts'
import { TEST_KINDS } from '../../engine/analysis/compare.ts'
import { exportName, Uuid } from './values.ts'

const real = z.number()
const perhaps = real.nullable()
const pair = <T extends z.ZodType>(of: T) => z.tuple([of, of])

const Kept = z.object({ tests: z.int(), testsTotal: z.int(), participants: z.int(), participantsTotal: z.int() })

/** What an answer is computed of, and with which settings. */
const Computed = z.object({
  export: exportName,
  notes: z.string(),
  kept: Kept,
  counted: z.object({ tests: z.int(), participants: z.int() }),
})

/** A measure compared between groups of participants, in each AOI of an item. */
export const Comparisons = z.object({
  measure: z.string(),
  test: z.enum(TEST_KINDS),
  seed: z.int(),
  groups: z.array(Computed),
  sharedParticipants: z.int(),
  aoiIds: z.array(Uuid),
  /** By AOI, by group. */
  values: z.array(z.array(z.object({ participantIds: z.array(Uuid), values: z.array(real) }))),
  comparisons: z.array(
    z.object({
      /** Places of the AOI and of the two groups. */
      aoi: z.int(),
      first: z.int(),
      second: z.int(),
      n: pair(z.int()),
      medians: pair(perhaps),
      means: pair(perhaps),
      test: z.object({ statistic: real, p: real, isExact: z.boolean() }).nullable(),
      pHolm: perhaps,
      effect: z.object({ value: real, low: real, high: real }).nullable(),
    }),
  ),
})

const VisitSummary = z.object({
  tests: z.int(),
  visits: z.int(),
  perTest: perhaps,
  dwellMs: perhaps,
  durationMs: perhaps,
})

const SurvivalStep = z.object({
  t: real,
  atRisk: z.int(),
  events: z.int(),
  survival: real,
  low: real,
  high: real,
})

/** How gaze goes through the AOIs of an item; lists are by AOI, in the order of the study. */
export const Transitions = Computed.extend({
  /** Which AOI a fixation in several stands for in transitions. */
  nested: z.enum(AOI_ORDERS),
  aoiIds: z.array(Uuid),
  /** Places of AOIs that hold fixations and stand for none. */
  hiddenAois: z.array(z.int()),
  /** From row to column; the last place is outside all AOIs. */
  transitions: z.object({ counts: z.array(z.array(z.int())), leaving: z.array(z.int()), total: z.int() }),
  visits: z.array(VisitSummary),
  /** `tests` are not over at a time; `percents` of those, by AOI, are in a visit. */
  visiting: z.object({ timesMs: z.array(real), tests: z.array(z.int()), percents: z.array(z.array(perhaps)) }),
  firstLooks: z.array(
    z.object({ n: z.int(), looked: z.int(), steps: z.array(SurvivalStep), medianMs: perhaps, untilMs: real }),
  ),
  untilMs: real,
})
