import { EXPORTS } from '../../engine/exports/registry.ts'
import { FORMAT_NAMES } from '../../engine/model/format-names.ts'
import { NUMBER_PARAMETERS, PARAMETER_NAMES, type ParameterName, UUID } from '../../engine/model/parameters.ts'
import type { Json } from './json.ts'

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
export const list = (items: Json, more: Json = {}): Json => ({ type: 'array', items, ...more })
const text = (description: string, more: Json = {}): Json => ({ type: 'string', description, ...more })
const count = (description: string): Json => ({ type: 'integer', minimum: 0, description })
const number = (description: string, more: Json = {}): Json => ({ type: 'number', description, ...more })
const flag = (description: string): Json => ({ type: 'boolean', description })
const time = (description: string): Json => ({ type: 'string', format: 'date-time', description })
const sha256 = (description: string): Json => text(description, { pattern: '^[0-9a-f]{64}$' })
const orNull = ({ description, ...schema }: Json): Json => ({ anyOf: [schema, { type: 'null' }], description })

/** All properties are required but those named in `optional`. */
function object(description: string, properties: Record<string, Json>, optional: string[] = []): Json {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', description, properties, ...(required.length > 0 ? { required } : {}) }
}

/** What the document says of a parameter's values. */
export function parameterSchema(name: ParameterName): Json {
  if (name === 'itemId')
    return { anyOf: [ref('Uuid'), { type: 'string', pattern: '^([Nn][Uu][Ll][Ll])?$' }], default: 'NULL' }
  const { kind, min, max, default: value } = NUMBER_PARAMETERS[name]
  return { type: kind === 'int' ? 'integer' : 'number', minimum: min, maximum: max, default: value }
}

const EXPORT_NAMES = { type: 'string', enum: EXPORTS.map(({ name }) => name) }
const PARAMETERS = Object.fromEntries(
  PARAMETER_NAMES.map((name) => [
    name,
    name === 'itemId' ? orNull({ ...ref('Uuid'), description: 'null for all items' }) : parameterSchema(name),
  ]),
)
const NEXT_CURSOR = orNull({
  type: 'string',
  description: 'Give it as `cursor` to get the next page; null on the last',
})

const PROBLEMS = {
  Problem: object(
    'RFC 9457. `type` is the address of a page that says what it means and what to do.',
    {
      type: text('A page of this server', { format: 'uri-reference' }),
      title: text('What is wrong, in general'),
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: text('What is wrong with this request'),
      instance: {
        ...ref('Uuid'),
        description: "The request's id, as in X-Request-Id and in the log; not inside a job",
      },
      errors: list(ref('Fault'), { minItems: 1, description: 'Every parameter that breaks its rule' }),
    },
    ['instance', 'errors'],
  ),
  Fault: object(
    'A refused parameter',
    {
      parameter: text('Its name, as it came'),
      rule: text('The rule that it broke'),
      value: text('Its value, as it came'),
      nearest: text('The name that it may have been meant to be'),
    },
    ['nearest'],
  ),
}

/** The steps of a flow (docs/bundle.md, "study.json"). A step is served as it was imported, so that no field is promised but `type`. */
const FLOW = {
  Flow: object('The ordered steps of a test', {
    study: object('The study', { id: ref('Uuid') }),
    steps: list(ref('Step'), { description: 'Carried out in this order' }),
    isServiceBasicSurveyEnabled: flag("Whether the platform's basic survey is enabled"),
  }),
  Step: {
    description: 'A step; its fields depend on its `type`, and unknown types and fields are served as they came.',
    anyOf: [ref('MessageStep'), ref('CountdownStep'), ref('StimuliStep'), ref('QuestionStep'), ref('OtherStep')],
  },
  MessageStep: step('message', 'Shows a text', {
    text: text('What the participant reads'),
    cta: open('Call to action', { text: text('Its label'), elementType: text('Such as `button`') }),
  }),
  CountdownStep: step('countdown', 'Counts down', { durationMs: { type: 'integer', description: 'ms' } }),
  StimuliStep: step('stimuli', 'Shows an item', {
    stimuli: open('What is shown, and how', {
      id: { ...ref('Uuid'), description: "The item's id" },
      type: text('Such as `images`'),
      durationMs: { type: 'integer', description: 'How long it is shown, ms' },
      isScrollingEnabled: flag('Whether it can be scrolled'),
      isFinishOnKeyEnabled: flag('Whether a key ends it'),
      isFinishOnClickEnabled: flag('Whether a click ends it'),
      watermarkOpacity: number('0 is none'),
    }),
  }),
  QuestionStep: step('question', 'Asks something', {
    question: open('The question', {
      id: ref('Uuid'),
      refItem: open('The item that it is about', { id: ref('Uuid') }),
      type: text('`choice` or `form`'),
      text: text('The question; a form may carry a placeholder'),
      isAnswerRequired: flag('Whether it must be answered'),
      answerViewMode: text('`text` for a choice, `textArea` for a form'),
      sortingValue: { type: 'integer', description: 'Orders questions' },
      answers: list(ref('Answer'), { description: 'Of a choice' }),
      hasRandomizedAnswers: flag('Of a choice'),
      minAnswerCount: { type: 'integer', description: 'Of a choice' },
      maxAnswerCount: { type: 'integer', description: 'Of a choice' },
      formType: text('Of a form, such as `serviceBasicSurvey`'),
    }),
  }),
  Answer: open('An answer that can be chosen', {
    id: ref('Uuid'),
    text: text('What it says'),
    sortingValue: { type: 'integer', description: 'Orders answers' },
    imageUrl: { type: ['string', 'null'], description: 'null without an image' },
  }),
  OtherStep: open('A step of any type', { type: text('Its type') }, ['type']),
}

/** An object that may have further properties, and need not have these. */
function open(description: string, properties: Record<string, Json>, required: string[] = []): Json {
  const schema = { type: 'object', description, properties, additionalProperties: true }
  return required.length > 0 ? { ...schema, required } : schema
}

function step(type: string, description: string, properties: Record<string, Json>): Json {
  return open(description, { type: { const: type }, ...properties }, ['type'])
}

const PX = 'In pixels of the item'
const CORNER = object(PX, { xPx: number('From the left'), yPx: number('From the top') })
const SUMMARY = {
  id: ref('Uuid'),
  name: text('What it is called'),
  snapshot: sha256('The version of its data; it changes with each import'),
  participantCount: count('Participants'),
  itemCount: count('Items'),
  testCount: count('Tests: one participant looking at one item once'),
  sampleCount: count('Samples of all tests'),
}
const STUDIES = {
  StudySummary: object('A study that the token may read', SUMMARY),
  StudyPage: object('A page of studies, by id', { studies: list(ref('StudySummary')), nextCursor: NEXT_CURSOR }),
  StudyDetails: object('A study with its items and AOIs, as they were imported', {
    ...SUMMARY,
    items: list(ref('Item')),
    aois: list(ref('Aoi')),
  }),
  Item: object('A stimulus', {
    id: ref('Uuid'),
    filename: text('Its file name'),
    cdnUrl: text('Address of its image, or empty'),
    type: text('Such as `images`'),
    stimuliDurationMs: orNull(number('How long it is shown, ms; null when unknown')),
    widthPx: orNull(number('Its own width; null when unknown')),
    heightPx: orNull(number('Its own height; null when unknown')),
    testCount: count('Tests in which it was shown'),
  }),
  Aoi: object('An area of interest on one item', {
    id: ref('Uuid'),
    itemId: ref('Uuid'),
    name: text('Its name'),
    parts: list(ref('AoiPart'), { minItems: 1 }),
  }),
  AoiPart: object(
    'A part of an area of interest',
    {
      areaPoints: { anyOf: [ref('Rectangle'), ref('Polygon')] },
      timeRange: orNull({ ...ref('TimeRange'), description: 'When it counts; always, without one' }),
    },
    ['timeRange'],
  ),
  Rectangle: object('Left and top inclusive, right and bottom not', { topLeft: CORNER, bottomRight: CORNER }),
  Polygon: object('Its border belongs to it', {
    points: list(object('In 0..1 of the item', { x: number('From the left'), y: number('From the top') }), {
      minItems: 3,
    }),
  }),
  TimeRange: object('From item onset, half-open', { fromMs: number('Inclusive, ms'), toMs: number('Exclusive, ms') }),
  DropRates: object('Of every study that the token may read', { studies: list(ref('DropRate')) }),
  DropRate: object('How many participants did not complete a study', {
    study: object('The study', { id: ref('Uuid') }),
    startedCount: count('All participants'),
    completedCount: count('Those who completed it'),
    dropRatePercents: orNull({
      type: 'number',
      minimum: 0,
      maximum: 100,
      description: '100 × (started − completed) / started; null when nobody started',
    }),
  }),
}

const CATALOG = {
  ExportList: object('What can be exported, its parameters and formats', {
    exports: list(ref('Export')),
    parameters: list(ref('ParameterDescription')),
    formats: list(ref('FormatDescription')),
  }),
  FormatDescription: object('A format that every export comes in', {
    name: { enum: FORMAT_NAMES },
    title: text('What it is called'),
    extension: text('How names of its files end'),
  }),
  Export: object('A kind of CSV', {
    name: EXPORT_NAMES,
    title: text('What it is called'),
    rowPer: text('What one row is'),
    path: text('Its path; {studyId} is to be filled in'),
    variant: { enum: ['raw', 'normalized', 'mouse', null], description: 'Tells apart exports that share a path' },
    settings: list({ enum: PARAMETER_NAMES }, { description: 'Parameters that its notes echo' }),
    schema: text('Where its Table Schema is', { format: 'uri-reference' }),
  }),
  ParameterDescription: object(
    'A parameter that every export takes',
    {
      name: { enum: PARAMETER_NAMES },
      kind: { enum: ['uuid', 'int', 'float'] },
      unit: text('What it counts'),
      default: { type: ['number', 'null'], description: 'What it is when it is not given' },
      min: number('The least that is allowed'),
      max: number('The most that is allowed'),
      meaning: text('What it does'),
    },
    ['unit', 'min', 'max'],
  ),
  TableSchema: object('A Frictionless Table Schema; `unit` is an addition', {
    $schema: text('The profile', { format: 'uri' }),
    title: text('What the export is called'),
    description: text('What one row is'),
    fields: list(ref('TableField'), { description: 'The columns, in order' }),
    missingValues: list({ type: 'string' }, { description: 'Where a field does not say it' }),
  }),
  TableField: object(
    'A column',
    {
      name: text('As in the header'),
      type: { enum: ['string', 'integer', 'number', 'boolean', 'datetime', 'array'] },
      format: { enum: ['uuid', 'uri', 'any'] },
      unit: orNull(text('What it counts; null where that is nothing')),
      description: text('What it means'),
      missingValues: list({ type: 'string' }, { maxItems: 1, description: 'What an unknown value looks like' }),
      constraints: object('What holds for each value', { required: { const: true } }),
    },
    ['format', 'constraints'],
  ),
}

const JOBS = {
  Job: object(
    'A large export, or one that was asked for with `Prefer: respond-async`',
    {
      id: ref('JobId'),
      export: EXPORT_NAMES,
      study: object('The study', { id: ref('Uuid') }),
      snapshot: sha256('The version of the data that it is made from'),
      parameters: object('All parameters, defaults filled in', PARAMETERS),
      state: ref('JobState'),
      progress: ref('JobProgress'),
      createdAt: time('When it was asked for'),
      startedAt: orNull(time('When work on it began; null before')),
      finishedAt: orNull(time('When it ended; null before')),
      expiresAt: orNull(time('When its file goes; null without one')),
      file: orNull({ ...ref('JobFile'), description: 'null unless its state is succeeded' }),
      error: orNull({
        ...ref('Problem'),
        description: 'Why it failed, or the damage on disk that it expired for; else null',
      }),
      format: { enum: FORMAT_NAMES, description: 'What the file is; only there where that is not CSV' },
    },
    ['format'],
  ),
  JobId: text('Of equal requests it is the same', { pattern: '^x[0-9a-f]{64}$' }),
  JobState: {
    enum: ['queued', 'running', 'succeeded', 'failed', 'canceled', 'expired'],
    description:
      '`queued`, then `running`, then one of `succeeded`, `failed`, `canceled`; `expired` once the file is gone',
  },
  JobProgress: object('How far it is', {
    percent: number('Of its samples', { minimum: 0, maximum: 100 }),
    samplesDone: count('Samples worked through'),
    samplesTotal: count('Samples of its tests'),
    rows: count('Rows written, without the header'),
    bytes: count('Bytes written, not compressed'),
    etaSeconds: orNull(number('A guess of the seconds that are left; null when there is none', { minimum: 0 })),
  }),
  JobFile: object('The file, in the format that was asked for', {
    href: text('Where it is', { format: 'uri-reference' }),
    name: text('What a download is called'),
    bytes: count('Its length'),
    gzipBytes: orNull(count('The length of its gzip twin; null when the format has none')),
    rows: count('Rows, without the header'),
    sha256: sha256('Of the plain file'),
    gzipSha256: orNull(sha256('Of the gzip twin; null when there is none')),
  }),
  JobPage: object('A page of jobs, newest first', { jobs: list(ref('Job')), nextCursor: NEXT_CURSOR }),
}

/** Every JSON body, by name. */
export const SCHEMAS: Record<string, Json> = {
  Uuid: { type: 'string', format: 'uuid', pattern: UUID.source.replaceAll('a-f', 'a-fA-F') },
  ...PROBLEMS,
  ...FLOW,
  ...STUDIES,
  ...CATALOG,
  ...JOBS,
}
