import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { addProblem, type Problems } from '../../model/bundle-problems.ts'
import { PUPIL_UNITS } from '../../model/eye-columns.ts'
import { valueAtPath } from '../../model/json-faults.ts'
import { toUs } from '../../model/microseconds.ts'
import { mayBeNotPlain, plainTextFaults } from '../../model/plain-text.ts'
import { isProjectName, PROJECT_MAX, PROJECT_RULE } from '../../model/projects.ts'
import type { Aoi, AoiPart, Item, Polygon, Recording, Study } from '../../model/study.ts'
import { about } from './about-json.ts'
import {
  AOI_TAG_MAX,
  AOI_TAGS_MAX,
  AOIS_MAX,
  ITEMS_MAX,
  NAME_MAX,
  PARTS_MAX,
  POINTS_MAX,
  POLYGON_POINTS_MAX,
  PROSE_MAX,
  STEPS_MAX,
  STUDY_JSON_MAX_DEPTH,
  STUDY_JSON_MAX_VALUES,
} from './bundle-limits.ts'
import { measureJson } from './measure-json.ts'
import { DAY_MS, MAX_PX, MAX_SIZE_PX } from './parse-cell.ts'

/**
 * Schema of study.json (docs/bundle.md, "study.json"). It is strict about items and AOIs, where a misspelt name would
 * silently change results; steps of the flow are stored unchanged.
 */
const FILE = 'study.json'

const uuid = z
  .string({ error: 'must be a UUID' })
  .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'must be a UUID')
  .transform((id) => id.toLowerCase())
/** Name of the study, an item or an AOI. */
const text = z.string({ error: 'must be text' }).max(NAME_MAX, `must have at most ${NAME_MAX} characters`)
const boolean = z.boolean({ error: 'must be true or false' })
const range = (min: number, max: number) => {
  const error = `must be a number from ${min} to ${max}`
  return z.number({ error }).min(min, error).max(max, error)
}
const px = range(-MAX_PX, MAX_PX)
const time = range(-DAY_MS, DAY_MS)
const missing = { error: 'must be an object' }
/** A list with at most so many entries. */
const listOf = <T extends z.ZodType>(one: T, max: number, what: string) =>
  z.array(one, { error: `must be a list of ${what}` }).max(max, `must have at most ${max} ${what}`)

const httpUrl = z
  .string({ error: 'must be an http or https URL, or empty' })
  .max(PROSE_MAX, `must have at most ${PROSE_MAX} characters`)
  .regex(/^(https?:\/\/.+)?$/i, { error: 'must be an http or https URL, or empty', abort: true })
  .refine((url) => url === '' || URL.canParse(url), 'must be an http or https URL, or empty')

const item = z.strictObject(
  {
    id: uuid,
    filename: text.min(1, 'must not be empty'),
    cdnUrl: httpUrl.nullish().transform((url) => url ?? ''),
    type: text,
    stimuliDurationMs: range(0, DAY_MS)
      .nullish()
      .transform((value) => value ?? null),
    widthPx: range(1, MAX_SIZE_PX)
      .nullish()
      .transform((value) => value ?? null),
    heightPx: range(1, MAX_SIZE_PX)
      .nullish()
      .transform((value) => value ?? null),
  },
  missing,
)

const corner = z.object({ xPx: px, yPx: px }, missing)
const rectangle = z.object({ topLeft: corner, bottomRight: corner }, missing)
const polygon = z.object(
  {
    points: listOf(z.object({ x: px, y: px }, missing), POLYGON_POINTS_MAX, 'points').min(
      3,
      'must have at least 3 points',
    ),
  },
  missing,
)
/** Time in ms, stored to the µs. */
const part = z
  .object(
    {
      areaPoints: z.union([rectangle, polygon]),
      timeRange: z.object({ fromMs: time, toMs: time }, missing).nullish(),
    },
    missing,
  )
  .transform(({ areaPoints, timeRange }): AoiPart => {
    if (!timeRange) return { areaPoints }
    return { areaPoints, timeRange: { fromMs: toUs(timeRange.fromMs) / 1000, toMs: toUs(timeRange.toMs) / 1000 } }
  })
const tagRule = `must be text of 1 to ${AOI_TAG_MAX} characters, without space around it`
const tag = z
  .string({ error: tagRule })
  .max(AOI_TAG_MAX, tagRule)
  .regex(/^\S(.*\S)?$/s, tagRule)
/** Tags of an AOI; absent means the same as an empty list. */
const tags = listOf(tag, AOI_TAGS_MAX, 'tags')
  .refine((given) => new Set(given).size === given.length, 'must name each tag once')
  .nullish()
const aoi = z
  .strictObject(
    {
      id: uuid,
      itemId: uuid,
      name: text,
      tags,
      parts: listOf(part, PARTS_MAX, 'parts').min(1, 'must have at least one part'),
    },
    missing,
  )
  .transform(
    ({ id, itemId, name, tags, parts }): Aoi => ({ id, itemId, name, ...(tags?.length ? { tags } : {}), parts }),
  )

const characters = (min: number, max: number) => {
  const error = `must be text of ${min} to ${max} characters`
  const isWithin = (given: string) => given.length >= min && (given.length <= max || [...given].length <= max)
  return z.string({ error }).refine(isWithin, error).meta({ minLength: min, maxLength: max })
}
const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  const isWithin = (given: number) => Number.isInteger(given) && given >= min && given <= max
  return z.number({ error }).refine(isWithin, error).meta({ type: 'integer', minimum: min, maximum: max })
}
/** An unknown fact may be absent or null. */
const recording = z
  .strictObject(
    {
      manufacturer: characters(1, 200).nullish(),
      model: characters(1, 200).nullish(),
      calibrationType: characters(1, 200).nullish(),
      environment: characters(1, 200).nullish(),
      nominalSamplingRateHz: range(1, 10_000).nullish(),
      screenWidthPx: whole(1, MAX_SIZE_PX).nullish(),
      screenHeightPx: whole(1, MAX_SIZE_PX).nullish(),
      screenWidthCm: range(1, 1000).nullish(),
      screenHeightCm: range(1, 1000).nullish(),
      viewingDistanceCm: range(1, 1000).nullish(),
      calibrationPoints: whole(0, 100).nullish(),
      pupilUnit: z
        .enum(PUPIL_UNITS, { error: `must be ${PUPIL_UNITS.slice(0, -1).join(', ')} or ${PUPIL_UNITS.at(-1)}` })
        .nullish(),
    },
    missing,
  )
  .transform((given): Recording => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)))

const project = z
  .string({ error: PROJECT_RULE })
  .refine(isProjectName, PROJECT_RULE)
  .meta({ minLength: 1, maxLength: PROJECT_MAX })
  .describe('Name of the project to which the study belongs')

const study = z
  .strictObject(
    {
      id: uuid,
      name: text,
      isServiceBasicSurveyEnabled: boolean,
      steps: listOf(z.looseObject({ type: text }, missing), STEPS_MAX, 'steps'),
      items: listOf(item, ITEMS_MAX, 'items'),
      aois: listOf(aoi, AOIS_MAX, 'AOIs'),
      recording: recording.nullish().transform((given) => given ?? undefined),
      about,
      isArchived: boolean
        .nullish()
        .transform((given) => given || undefined)
        .describe('True to hide the study from lists'),
      project: project.nullish().transform((given) => given ?? undefined),
    },
    missing,
  )
  .meta({
    title: 'study.json of a Gazette study bundle',
    description: 'Also checked, beyond this schema: unique ids, references, areas, time ranges (see the bundle docs).',
  })

/** Returns the JSON Schema (draft 2020-12) of study.json, as published in docs/study.schema.json. */
export function studyJsonSchema(): object {
  return z.toJSONSchema(study, { io: 'input' })
}

/** Valid content of study.json; `itemIds` is null if there was no list of items. */
export type StudyRead = { id: string | null; study: Study | null; itemIds: Set<string> | null }

/** Reads study.json; `study` is null if there was any problem. */
export function readStudy(bytes: Buffer, problems: Problems): StudyRead {
  const report = (line: number | null, value: string | null, rule: string) =>
    addProblem(problems, { file: FILE, line, column: null, value, rule })
  const nothing: StudyRead = { id: null, study: null, itemIds: null }
  if (!isUtf8(bytes)) {
    report(null, null, 'must be UTF-8')
    return nothing
  }
  const { values, depth } = measureJson(bytes)
  if (values > STUDY_JSON_MAX_VALUES) {
    report(null, null, `must hold at most ${STUDY_JSON_MAX_VALUES} values, objects and lists together`)
    return nothing
  }
  if (depth > STUDY_JSON_MAX_DEPTH) {
    report(null, null, `must hold no objects and lists more than ${STUDY_JSON_MAX_DEPTH} deep in each other`)
    return nothing
  }
  const source = bytes.toString('utf8').replace(/^\uFEFF/, '')
  let json: unknown
  try {
    json = JSON.parse(source)
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1]
    const line = at === undefined ? null : source.slice(0, Number(at)).split('\n').length
    report(line, null, 'must be valid JSON')
    return nothing
  }
  const before = problems.count
  if (mayBeNotPlain(source))
    for (const { parameter, rule, value } of plainTextFaults(json, FILE)) report(null, value, `${parameter} ${rule}`)
  const parsed = study.safeParse(json)
  for (const issue of parsed.error?.issues ?? []) reportIssue(issue, json, problems)
  const id = study.shape.id.safeParse((json as { id?: unknown } | null)?.id)
  const loose = parsed.success ? placed(parsed.data) : wellFormed(json)
  checkReferences(loose, problems)
  return {
    id: id.success ? id.data : null,
    // The schema would put a step's known fields first.
    study: problems.count === before ? { ...(parsed.data as Study), steps: (json as Study).steps } : null,
    itemIds: loose.itemIds,
  }
}

type Placed<T> = { index: number; value: T }
/** Returns the ids of all items, even invalid ones, as `itemIds`; null if there is no list of items. */
type WellFormed = {
  steps: Placed<Record<string, unknown>>[]
  itemIds: Set<string> | null
  items: Placed<Item>[]
  aois: Placed<Aoi>[]
}

function placed({ steps, items, aois }: z.output<typeof study>): WellFormed {
  const list = <T>(values: T[]): Placed<T>[] => values.map((value, index) => ({ index, value }))
  return { steps: list(steps), itemIds: new Set(items.map(({ id }) => id)), items: list(items), aois: list(aois) }
}

/**
 * Returns the items, AOIs and steps that are valid by themselves, so that one invalid item does not hide other
 * problems.
 */
function wellFormed(json: unknown): WellFormed {
  const { steps, items, aois } = (json ?? {}) as Record<string, unknown>
  const list = <T>(value: unknown, schema: z.ZodType<T>): Placed<T>[] =>
    !Array.isArray(value)
      ? []
      : value.flatMap((one, index) => {
          const parsed = schema.safeParse(one)
          return parsed.success ? [{ index, value: parsed.data }] : []
        })
  const ids = list(items, z.looseObject({ id: uuid })).map(({ value }) => value.id)
  return {
    steps: list(steps, z.looseObject({})),
    itemIds: Array.isArray(items) ? new Set(ids) : null,
    items: list(items, item as z.ZodType<Item>),
    aois: list(aois, aoi as z.ZodType<Aoi>),
  }
}

function checkReferences({ steps, itemIds, items, aois }: WellFormed, problems: Problems): void {
  const report = (column: string, value: unknown, rule: string) =>
    addProblem(problems, { file: FILE, line: null, column, value: shown(value), rule })
  const byId = new Map<string, Item>()
  for (const { index, value } of items) {
    if (byId.has(value.id)) report(`items[${index}].id`, value.id, 'must be unique')
    byId.set(value.id, value)
    if ((value.widthPx === null) !== (value.heightPx === null)) {
      const absent = value.widthPx === null ? 'widthPx' : 'heightPx'
      report(`items[${index}].${absent}`, null, 'must be given, as the other size is: both or none')
    }
  }
  const knows = (id: string) => itemIds === null || itemIds.has(id.toLowerCase())
  for (const { index, value } of steps) {
    const { type, stimuli, question } = value as {
      type?: unknown
      stimuli?: { id?: unknown } | null
      question?: { refItem?: { id?: unknown } | null } | null
    }
    const rule = 'must be the id of an item'
    const shownId = type === 'stimuli' ? stimuli?.id : undefined
    if (type === 'stimuli' && (typeof shownId !== 'string' || !knows(shownId)))
      report(`steps[${index}].stimuli.id`, shownId, rule)
    const askedId = type === 'question' ? question?.refItem?.id : undefined
    if (typeof askedId === 'string' && !knows(askedId)) report(`steps[${index}].question.refItem.id`, askedId, rule)
  }
  const pointCount = aois.reduce((sum, { value }) => sum + countPoints(value), 0)
  if (pointCount > POINTS_MAX)
    report('aois', null, `must have at most ${POINTS_MAX} points together, not ${pointCount}`)
  const aoiIds = new Set<string>()
  for (const { index, value } of aois) {
    const path = `aois[${index}]`
    if (aoiIds.has(value.id)) report(`${path}.id`, value.id, 'must be unique')
    aoiIds.add(value.id)
    if (!knows(value.itemId)) report(`${path}.itemId`, value.itemId, 'must be the id of an item')
    value.parts.forEach((one, i) => {
      checkPart(one, byId.get(value.itemId), (column, given, rule) =>
        report(`${path}.parts[${i}].${column}`, given, rule),
      )
    })
  }
}

function countPoints({ parts }: Aoi): number {
  return parts.reduce((sum, { areaPoints }) => sum + ('points' in areaPoints ? areaPoints.points.length : 0), 0)
}

function checkPart(
  { areaPoints, timeRange }: AoiPart,
  shownOn: Item | undefined,
  report: (column: string, value: unknown, rule: string) => void,
): void {
  if ('points' in areaPoints) {
    if (!hasArea(areaPoints)) report('areaPoints', areaPoints, 'must have an area')
  } else {
    const { topLeft, bottomRight } = areaPoints
    if (!(topLeft.xPx < bottomRight.xPx && topLeft.yPx < bottomRight.yPx))
      report('areaPoints', areaPoints, 'must have a bottomRight beyond its topLeft, in x and y')
    if (shownOn && shownOn.widthPx === null && shownOn.heightPx === null)
      report('areaPoints', areaPoints, 'must be a polygon, or its item must have widthPx and heightPx')
  }
  if (timeRange && timeRange.fromMs >= timeRange.toMs)
    report('timeRange', timeRange, 'must have fromMs before toMs, to the microsecond')
}

/**
 * Returns whether a polygon has an area, by the shoelace formula. For points on one line, rounding gives a small area,
 * which is negligible compared with their bounding box.
 */
function hasArea({ points }: Polygon): boolean {
  const origin = points[0]
  let [left, right, top, bottom] = [origin.x, origin.x, origin.y, origin.y]
  let doubled = 0
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]]
    doubled += (a.x - origin.x) * (b.y - origin.y) - (b.x - origin.x) * (a.y - origin.y)
    if (b.x < left) left = b.x
    if (b.x > right) right = b.x
    if (b.y < top) top = b.y
    if (b.y > bottom) bottom = b.y
  }
  return Math.abs(doubled) > (right - left) * (bottom - top) * 1e-9
}

type Issue = z.core.$ZodIssue

/**
 * Converts an issue of the schema to problems: unknown names one by one and, for a union, the problems of the branch
 * that was meant.
 */
function reportIssue(issue: Issue, json: unknown, problems: Problems, path: PropertyKey[] = issue.path): void {
  const value = valueAtPath(json, path)
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) {
      const column = pathText([...path, key])
      addProblem(problems, {
        file: FILE,
        line: null,
        column,
        value: shown(valueAtPath(json, [...path, key])),
        rule: 'is no field of it',
      })
    }
  } else if (issue.code === 'invalid_union') {
    const isPolygon = value !== null && typeof value === 'object' && 'points' in value
    for (const inner of issue.errors[isPolygon ? 1 : 0] ?? [])
      reportIssue(inner, json, problems, [...path, ...inner.path])
  } else {
    addProblem(problems, {
      file: FILE,
      line: null,
      column: pathText(path) || null,
      value: shown(value),
      rule: value === undefined ? `is missing; ${issue.message}` : issue.message,
    })
  }
}

/** Formats a path, such as `items[2].widthPx`. */
function pathText(path: PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
}

function shown(value: unknown): string | null {
  return value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value)
}
