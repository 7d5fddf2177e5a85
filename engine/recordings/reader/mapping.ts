import { z } from 'zod'
import { ServiceError } from '../../model/errors.ts'
import { PUPIL_UNITS } from '../../model/eye-columns.ts'
import { jsonFaults } from '../../model/json-faults.ts'
import { plainTextFaults } from '../../model/plain-text.ts'
import { isPattern } from '../../snapshot/recordings-file.ts'
import { columnIn } from '../text/foreign-table.ts'

/**
 * Describes the meanings of the columns in a table of samples: the mapping file of `gazette convert --mapping`, made by
 * `gazette convert --guess`. Strict, since a misspelt key would silently change results. Column names are those in the
 * header, case-insensitive.
 */
const column = z.string().min(1)
const size = z.number().min(1).max(1e5)
const lengthUnit = z.enum(['px', 'fraction', 'percent'])
const gazeUnit = z.enum([...lengthUnit.options, 'norm', 'height', 'deg'])
const cm = z.number().min(1).max(1000)
const SIDES = ['left', 'right'] as const
const texts = z.array(z.string()).min(1)
const valid = z.union([z.strictObject({ column, values: texts }), z.strictObject({ column, least: z.number() })])

const mapping = z.strictObject({
  /** Version of this format. */
  gazetteMapping: z.literal(1),
  /** Notes on what to check before trusting a guess; readers ignore them. */
  notes: z.array(z.string()).default([]),
  /**
   * Restricts samples to rows with one of these texts in a column, or with any text for `values` null; null: all rows
   * are samples.
   */
  rows: z.strictObject({ column, values: texts.nullable() }).nullable().default(null),
  /** null: every file is one participant, named after the file. */
  participant: column.nullable(),
  /** null: there is one item. */
  item: column.nullable(),
  /** Distinguishes two looks of one participant at one item; null: there are none. */
  trial: column.nullable(),
  /**
   * Decides whether rows of an item (and trial) that a participant has seen before start a new test or continue the
   * existing one.
   */
  comesAgain: z.enum(['new-test', 'same-test']).default('new-test'),
  /**
   * `origin` item: 0 is the item's onset; first: the onset is the item's first sample. `unit` iso: dates with times, or
   * times of day.
   */
  time: z.strictObject({ column, unit: z.enum(['s', 'ms', 'us', 'ns', 'iso']), origin: z.enum(['item', 'first']) }),
  /**
   * One entry, or one for each eye: the mean of the valid ones is used. An entry without an `eye` beside entries with
   * one is of both eyes together, and is used alone. Units refer to the screen. From its middle: PsychoPy's `norm` and
   * `height`, and `deg`, degrees of visual angle, which need `viewing`.
   */
  gaze: z
    .array(
      z.strictObject({
        ...{ x: column, y: column, unit: gazeUnit, valid: valid.nullable().default(null) },
        /** Eye of the entry, whose gaze is then also kept separately. */
        eye: z.enum(SIDES).optional(),
      }),
    )
    .min(1)
    .max(3)
    .refine((eyes) => SIDES.every((side) => eyes.filter(({ eye }) => eye === side).length < 2), {
      message: 'must name each eye once at most',
    }),
  /** Pupil sizes; `unit` null: unknown. A size of 0 or less, or one listed in `missing`, is missing. */
  pupils: z
    .strictObject({ left: column.nullable(), right: column.nullable(), unit: z.enum(PUPIL_UNITS).nullable() })
    .optional(),
  /** Distances of the eyes from the tracker, in mm; missing values as for pupils. */
  eyeDistanceMm: z.strictObject({ left: column.nullable(), right: column.nullable() }).optional(),
  /**
   * Column of messages: in the rows that `rows` excludes, if any; otherwise each text that differs from the row before.
   * Messages that match `--event-message` become events.
   */
  events: column.nullable().optional(),
  /**
   * Regular expression of the messages that name the item of the rows after them, by its first group or the whole
   * message: in the column `events`. Replaces `item`.
   */
  itemMessage: z.string().min(1).refine(isPattern, { message: 'must be a regular expression' }).optional(),
  /** Origin of gaze coordinates, and the direction in which y grows. */
  origin: z.enum(['top-left', 'bottom-left', 'center-y-down', 'center-y-up']).default('top-left'),
  /**
   * Numbers in a gaze cell that mean lost, besides an empty cell, NA, NaN and the like; 0 only if x and y are both 0.
   */
  missing: z.array(z.string()).default([]),
  mouse: z.strictObject({ x: column, y: column, unit: lengthUnit }).nullable().default(null),
  /**
   * Columns that become tags of a person, and external_data_<name>: facts that stay the same for a person, such as a
   * condition.
   */
  tags: z.array(column).max(64).default([]),
  externalData: z.array(column).max(100).default([]),
  /** Columns of a person's age in whole years, and gender: `female`, `male`, `other` and the like. */
  age: column.nullable().optional(),
  gender: column.nullable().optional(),
  /** Scroll position, in px. */
  scroll: column.nullable().default(null),
  /** `true` or 1: a click. */
  click: column.nullable().default(null),
  /** null: given by `--screen`. */
  screen: z.strictObject({ widthPx: size, heightPx: size }).nullable(),
  /** Size of the screen and distance of the eyes from it, for gaze in degrees; without a height, px are square. */
  viewing: z
    .strictObject({ screenWidthCm: cm, screenHeightCm: cm.optional(), viewingDistanceCm: cm })
    .nullable()
    .default(null),
})

const isIn = ({ gaze }: { gaze: { unit: string }[] }, ...units: string[]) =>
  gaze.some(({ unit }) => units.includes(unit))
const checked = mapping
  .refine(({ itemMessage, item, events }) => itemMessage === undefined || (item === null && events != null), {
    ...{ path: ['itemMessage'], message: 'must come with events, and with item null' },
  })
  .refine((one) => !isIn(one, 'deg') || one.viewing !== null, {
    ...{ path: ['viewing'], message: 'must give screenWidthCm and viewingDistanceCm for gaze in degrees' },
  })
  .refine((one) => !isIn(one, 'norm', 'height', 'deg') || one.origin.startsWith('center'), {
    ...{ path: ['origin'], message: 'must be center-y-up or center-y-down for gaze in norm, height or deg' },
  })

export type Mapping = z.output<typeof mapping>

/** Parses a mapping file. @throws ServiceError usage, listing every broken rule */
export function parseMapping(text: string, name: string): Mapping {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new ServiceError('usage', `${name} is not JSON; make a mapping with gazette convert --guess`, {
      cause: error,
    })
  }
  const parsed = checked.safeParse(json)
  const broken = [
    ...plainTextFaults(json, 'the mapping'),
    ...jsonFaults(parsed.error?.issues ?? [], json, 'the mapping'),
  ]
  if (parsed.success && broken.length === 0) return parsed.data
  const faults = broken.map(({ parameter, rule, value }) => `${parameter} ${rule}, got ${value}`)
  throw new ServiceError('usage', `${name} is not a mapping: ${faults.join('; ')}`)
}

/** Parts of a mapping that name columns. */
export type Naming = Pick<
  Mapping,
  | ('rows' | 'participant' | 'item' | 'trial' | 'time' | 'mouse' | 'scroll' | 'click' | 'events' | 'pupils')
  | ('eyeDistanceMm' | 'age' | 'gender')
> & {
  gaze: Pick<Mapping['gaze'][number], 'x' | 'y' | 'valid'>[]
} & Partial<Pick<Mapping, 'tags' | 'externalData'>>

/** Lists the columns that a mapping names. */
export function namedColumns(naming: Naming): string[] {
  const { rows, participant, item, trial, time, gaze, mouse, scroll, click, events, pupils } = naming
  const { eyeDistanceMm: distance, age, gender, tags = [], externalData = [] } = naming
  const names = [rows?.column, participant, item, trial, time.column, scroll, click, events, mouse?.x, mouse?.y]
  names.push(pupils?.left, pupils?.right, distance?.left, distance?.right)
  names.push(age, gender, ...tags, ...externalData)
  for (const { x, y, valid } of gaze) names.push(x, y, valid?.column)
  return names.filter((name) => typeof name === 'string')
}

/** Lists the columns of a mapping that a header lacks. */
export function missingColumns(header: string[], mapping: Mapping): string[] {
  return namedColumns(mapping).filter((name) => columnIn(header, name) < 0)
}
