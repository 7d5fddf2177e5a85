import { z } from 'zod'
import { AOI_COLOR_NAMES } from '../../../isomorphic/aoi-color-names.ts'
import { DETECTOR_NAMES } from '../../../isomorphic/detector-settings.ts'
import { OFFSET_MAX_PX, OFFSET_SOURCES } from '../../../isomorphic/gaze-offsets.ts'
import { EYES } from '../../model/eye-columns.ts'
import {
  EXTRAS,
  LINE_CHOICES,
  NUMBER_PARAMETERS,
  type NumberParameter,
  READING_STARTS,
  UUID,
  WINDOW_MAX_MS,
} from '../../model/parameters.ts'

const TITLE_MAX = 200
const REASON_MAX = 500
const IGNORED_MAX = 1000
const OFFSETS_MAX = 1000
const AOI_COLORS_MAX = 1000
const AOI_NAME_MAX = 1000
const FILTER_MAX = 2000
const REPORT_MAX = 10_000
const EXTRAS_TEXT = new RegExp(`^(${EXTRAS.join('|')})(,(${EXTRAS.join('|')}))*$`)

const Uuid = z.string().regex(UUID, 'must be a UUID').meta({ format: 'uuid' })
const px = () => z.number().min(-OFFSET_MAX_PX).max(OFFSET_MAX_PX)

/** Returns the schema of a number parameter of an export, with its range. */
function rangeOf({ kind, min, max }: NumberParameter): z.ZodNumber {
  return (kind === 'int' ? z.int() : z.number()).min(min).max(max)
}

const { participantQualityGradeItemMin: grade, ...settings } = NUMBER_PARAMETERS
const numbers = Object.fromEntries(
  Object.entries(settings).map(([name, parameter]) => [name, rangeOf(parameter).optional()]),
)

/** Schema of an analysis in a request; all fields are optional. */
export const Analysis = z
  .strictObject({
    title: z.string().max(TITLE_MAX).optional().describe('Display name'),
    settings: z
      .strictObject({
        detector: z.enum(DETECTOR_NAMES).optional(),
        eye: z.enum(EYES).optional(),
        readingFrom: z.union([z.enum(READING_STARTS), z.int().min(0).max(WINDOW_MAX_MS)]).optional(),
        lines: z.enum(LINE_CHOICES).optional(),
        extras: z.string().regex(EXTRAS_TEXT).optional(),
        ...numbers,
      })
      .optional()
      .describe('Parameters of exports, by name, used unless a request gives its own'),
    filter: z.string().max(FILTER_MAX).optional().describe('Only tests for which this condition is true'),
    participantQualityGradeItemMin: rangeOf(grade).optional().describe('Only tests of at least this grade'),
    fromMs: z.int().min(0).max(WINDOW_MAX_MS).optional().describe('Only fixations that begin at this time, or later'),
    toMs: z.int().min(1).max(WINDOW_MAX_MS).optional().describe('Only fixations that begin before this time'),
    ignored: z
      .array(
        z.strictObject({
          participantId: Uuid,
          reason: z.string().max(REASON_MAX).describe('Reason; may be empty'),
        }),
      )
      .max(IGNORED_MAX)
      .optional()
      .describe('Participants whose tests are left out'),
    offsets: z
      .array(
        z.strictObject({
          participantId: Uuid,
          testId: Uuid.optional().describe('Only this test. If absent, all tests without an offset of their own'),
          dxPx: px().describe('Added to the x of gaze, in px of the window; positive moves it to the right'),
          dyPx: px().describe('Added to the y of gaze, in px of the window; positive moves it down'),
          source: z.enum(OFFSET_SOURCES).describe('Origin of the offset'),
        }),
      )
      .max(OFFSETS_MAX)
      .optional()
      .describe('Constant corrections of gaze, which apply before everything else'),
    aoiColors: z
      .record(z.string().max(AOI_NAME_MAX), z.enum(AOI_COLOR_NAMES))
      .refine((colors) => Object.keys(colors).length <= AOI_COLORS_MAX, `must have at most ${AOI_COLORS_MAX} names`)
      .optional()
      .describe('Colours in figures, by names of AOIs; the others have colours in the order of the study'),
    report: z
      .string()
      .max(REPORT_MAX)
      .optional()
      .describe('Contents of the report, as the query of its page: sections, figures of the board, groups, own text'),
  })
  .describe('Settings and ignored participants of a study, under one name')
