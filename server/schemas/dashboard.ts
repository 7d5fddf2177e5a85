import { z } from 'zod'
import { Link } from '../../engine/access/link.ts'
import { PUPIL_UNITS } from '../../engine/model/eye-columns.ts'
import { RECORD_ROLES } from '../../engine/model/token-roles.ts'
import { exportName, flag, Uuid } from './values.ts'

/** Bodies that only the dashboard uses; they may change with it. */

const token = z.object({
  name: z.string(),
  role: z.enum(RECORD_ROLES),
  /** Ids of the studies that are in its reach now. */
  studies: z.union([z.literal('all'), z.array(z.string())]),
  projects: z.array(z.string()),
  expiresAt: z.string().nullable(),
})

export const Session = z.object({
  version: z.string(),
  /** Command with which the operator runs the program. */
  program: z.string(),
  signedIn: z.boolean(),
  changeToken: z.string().nullable(),
  token: token.nullable(),
  /** Sign-in address without a token, and whether this person has used it. */
  provider: z.object({ name: z.string(), isOwn: z.boolean() }).nullable(),
  /** Content of the visitor's link; null for everybody else. */
  link: Link.extend({ madeBy: z.string() }).nullable(),
})

const byGrade = z.array(z.int()).length(6)

export const Participant = z.object({
  id: Uuid,
  externalId: z.string(),
  createdAt: z.string(),
  displayName: z.string(),
  age: z.number().nullable(),
  displayGender: z.string(),
  qualityGrade: z.int(),
  isCompleted: z.boolean(),
  tags: z.array(z.string()),
  externalData: z.record(z.string(), z.string()),
  grades: z.array(z.int().nullable()).describe("The best of the participant's tests on each item; null without one"),
  loss: z
    .object({ medianPercents: z.number().nullable(), ofItems: z.array(z.number().nullable()) })
    .optional()
    .describe('With `losses`: samples without gaze on each item, and their median; null without samples'),
})

export const Kept = z.object({
  tests: z.int(),
  testsTotal: z.int(),
  participants: z.int(),
  participantsTotal: z.int(),
})

export const Participants = z.object({
  total: z.int(),
  kept: Kept.describe('Tests and participants that the conditions keep, of those of the study or item'),
  itemIds: z.array(Uuid),
  hasTags: flag('True if participants of the study have tags'),
  externalDataNames: z.array(z.string()).describe('Without `external_data_`'),
  testsByGrade: z.array(byGrade),
  keptTests: byGrade.describe('Number kept by a filter with this lowest grade'),
  keptParticipants: byGrade,
  participantsByGrade: byGrade,
  participants: z.array(Participant),
  nextCursor: z.string().nullable(),
})

const head = z.object({ export: exportName, notes: z.string(), kept: Kept })

/** The tests that the numbers are of: those of the kept ones with valid gaze, where it is about gaze. */
export const DrawnTests = z.object({ tests: z.int(), participants: z.int() })

const chartHead = head.extend({ counted: DrawnTests })

export const Preview = head.extend({
  estimate: z.object({ samples: z.number(), bytes: z.number() }),
  cellMax: z.int(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())).nullable(),
  isSmall: flag('True if it would be answered at once'),
})

const real = z.number()
const perhaps = real.nullable()

/** x %, y %, start ms, end ms, saccade length px, amplitude %, duration ms, then the indexes of its AOIs. */
export const FixationRow = z.tuple([real, real, real, real, perhaps, perhaps, perhaps], z.int())

export const FixationsData = chartHead.extend({
  aoiRanks: z.array(z.int()).describe('Place of each AOI of the item, the smallest first'),
  fixationCount: z.int(),
  testCount: z.int(),
  listedTests: z.int(),
  lastEndMs: z.int().describe('End of the last fixation of all tests; 0 without one'),
  sums: z.object({ durationMs: real, saccadeCount: z.int(), amplitudePercent: real }),
  means: z.object({ durationMs: perhaps, amplitudePercent: perhaps }).describe('Over fixations, over saccades'),
  tests: z.array(
    z.object({
      testId: Uuid,
      participantId: Uuid,
      fixations: z.array(FixationRow),
      events: z
        .array(z.tuple([real, z.string()]))
        .optional()
        .describe('Time and name of the first 100 events of the test'),
    }),
  ),
})

export const GazeBin = z.object({
  fromMs: real,
  n: z.int(),
  participants: z.int(),
  meanX: perhaps,
  meanY: perhaps,
  sdX: perhaps,
  sdY: perhaps,
  inAoi: z.array(z.int()),
})

export const GazeData = chartHead.extend({
  binMs: real,
  pointCount: z.int(),
  laterCount: z.int(),
  pointsEvery: z.int(),
  bins: z.array(GazeBin),
  points: z.array(z.tuple([real, real, real])),
})

export const HeatmapData = chartHead.extend({
  of: z.enum(['gazes', 'fixations']),
  unit: z.string(),
  weighting: z.enum(['counts', 'participants']),
  widthPx: real,
  heightPx: real,
  columns: z.int(),
  rows: z.int(),
  count: z.int(),
  total: real,
  outside: real,
  participants: z.int(),
  weights: z.array(real),
})

export const AoisData = chartHead.extend({ columns: z.array(z.string()), rows: z.array(z.array(z.string())) })

/** Size at which an item was shown, and the reason why gaze cannot be drawn on its picture; null if it can. */
export const PictureShown = z.object({
  shown: z.object({ widthPx: real, heightPx: real }).nullable(),
  misfit: z.string().nullable(),
  isVaried: z.boolean(),
  video: z
    .object({ durationMs: real, frameRateHz: perhaps })
    .nullable()
    .describe('Duration and mean frame rate of a video, null where it does not say it; null for a picture'),
  longestTestMs: perhaps.describe('Duration of the longest test of the item'),
})

export const GazeTrack = z.object({ tMs: z.array(real), x: z.array(perhaps), y: z.array(perhaps) })

export const TestEvent = z.object({ tMs: real, name: z.string(), value: z.string() })

export const RecordedTest = z.object({
  testId: Uuid,
  participantId: Uuid,
  durationMs: perhaps,
  window: z.object({ widthPx: real, heightPx: real }).nullable(),
  display: z.object({ leftPx: real, topPx: real, widthPx: real, heightPx: real }).nullable(),
  gaze: GazeTrack,
  segmentStarts: z.array(z.int()),
  mouse: GazeTrack,
  clicks: z.array(z.int()),
  scroll: z.array(z.tuple([real, real])),
  events: z.array(TestEvent),
})

export const Recordings = chartHead.extend({
  tests: z.array(RecordedTest).describe('The first tests, as many as a browser plays smoothly at once'),
  limit: z
    .object({ of: z.enum(['tests', 'samples']), most: z.int() })
    .nullable()
    .describe('Limit that leaves further tests out: the largest number of tests, or of samples. null if all play'),
})

export const EyeTrace = z.object({
  recorded: z.array(perhaps),
  removed: z.array(z.int()),
  size: z.array(perhaps),
  interpolated: z.array(z.int()),
  blinks: z.array(z.object({ fromMs: real, toMs: real })),
})

export const PupilTrace = z.object({
  testId: Uuid,
  participantId: Uuid,
  durationMs: perhaps,
  tMs: z.array(real),
  left: EyeTrace,
  right: EyeTrace,
  size: z.array(perhaps),
  baseline: perhaps,
  events: z.array(TestEvent),
})

export const PupilTraces = chartHead.extend({ unit: z.enum(PUPIL_UNITS).nullable(), tests: z.array(PupilTrace) })
