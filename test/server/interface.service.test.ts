import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { smallBundle, writeBundle } from '../engine/import/bundles.ts'
import { kept } from '../engine/kept.ts'
import { type Json, openContract, operationsOf, send } from './contract.ts'
import { ITEM, openTestServer, STUDY, shareTestServer } from './test-server.ts'

/**
 * The public interface, transcribed by hand from docs/http.md, docs/export-formats.md and docs/bundle.md, so that
 * nothing here comes from the code that it holds to account.
 */

/** Integers but the velocity. */
const RANGES = {
  movingMedianRangeMs: { type: 'int', min: 20, max: 1000, default: 200 },
  gazeVelocityThreshold: { type: 'float', min: 1, max: 400, default: 150 },
  minFixationDurationMs: { type: 'int', min: 60, max: 1000, default: 80 },
  maxFixationDurationMs: { type: 'int', min: 60, max: 1000, default: 400 },
  saccadeMaxDurationMs: { type: 'int', min: 20, max: 300, default: 150 },
  participantQualityGradeItemMin: { type: 'int', min: 1, max: 6, default: 1 },
} as const
type Setting = keyof typeof RANGES

const FILTER: Setting[] = [
  'movingMedianRangeMs',
  'gazeVelocityThreshold',
  'minFixationDurationMs',
  'maxFixationDurationMs',
  'saccadeMaxDurationMs',
]
const MEDIAN_AND_GRADE: Setting[] = ['movingMedianRangeMs', 'participantQualityGradeItemMin']

/** Three rows share a path, and are told apart by `variant`. */
const EXPORTS: { row: string; path: string; variant?: string; item: boolean; settings: Setting[] }[] = [
  { row: 'Gazes, raw', path: 'eye-tracking/gazes/raw', item: false, settings: MEDIAN_AND_GRADE },
  {
    row: 'Gazes, normalized',
    path: 'eye-tracking/gazes/raw',
    variant: 'normalized',
    item: false,
    settings: MEDIAN_AND_GRADE,
  },
  {
    row: 'Gazes, raw denoised normalized and split',
    path: 'eye-tracking/gazes/raw-denoises-normalized-split',
    item: false,
    settings: MEDIAN_AND_GRADE,
  },
  { row: 'Fixations', path: 'eye-tracking/fixations', item: true, settings: FILTER },
  {
    row: 'AOI overall stats',
    path: 'eye-tracking/aois-all/overall-stats',
    item: true,
    settings: [...FILTER, 'participantQualityGradeItemMin'],
  },
  {
    row: 'AOI fixations stats per participant',
    path: 'eye-tracking/aois-all/fixations-stats',
    item: true,
    settings: FILTER,
  },
  { row: 'AOI fixations order', path: 'eye-tracking/aois-all/fixations-order', item: true, settings: FILTER },
  { row: 'AOI clicks stats per participant', path: 'eye-tracking/aois-all/clicks-stats', item: true, settings: FILTER },
  {
    row: 'Mouse position and clicks',
    path: 'eye-tracking/gazes/raw',
    variant: 'mouse',
    item: false,
    settings: MEDIAN_AND_GRADE,
  },
  {
    row: 'Keyboard and mouse overall stats per participant',
    path: 'keyboard-and-mouse/overall-per-participant',
    item: true,
    settings: [],
  },
]

/** The one table whose columns are fixed by the interface. */
const KEYBOARD_AND_MOUSE: Record<string, RegExp> = {
  study_id: /^[0-9a-f-]{36}$/,
  item_id: /^[0-9a-f-]{36}$/,
  item_filename: /./,
  item_cdn_url: /^https?:\/\/./,
  item_stimuli_duration_ms: /^\d+$/,
  participant_id: /^[0-9a-f-]{36}$/,
  participant_external_id: /^.*$/,
  participant_created_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  participant_display_name: /./,
  participant_age: /^\d+$/,
  participant_display_gender: /^(male|female|unknown)$/,
  participant_quality_grade: /^[1-6]$/,
  participant_quality_grade_item: /^[1-6]$/,
  test_item_display_order: /^\d+$/,
  test_duration_ms: /^\d+$/,
  test_finished_on_key: /^.*$/,
  test_has_finished_on_click: /^(true|false)$/,
  test_click_count: /^\d+$/,
  notes: /^.*$/,
}
const service = kept(await openTestServer({ SYNC_CONCURRENCY: '16' }))

const address = (path: string, query: Record<string, string> = {}) =>
  `/api2/studies/${STUDY}/collected-data/${path}?${new URLSearchParams(query)}`

async function statusOf(path: string): Promise<number> {
  const response = await service.get(path)
  await response.arrayBuffer()
  return response.status
}

describe('eye-tracking and mouse exports', () => {
  for (const { row, path, variant, item, settings } of EXPORTS) {
    const query: Record<string, string> = variant === undefined ? {} : { variant }

    test(`${row}: CSV with a header line`, async () => {
      const response = await service.get(address(path, query))
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toMatch(/^text\/csv\b/)
      const [header, first] = (await response.text()).split('\n')
      expect(header).toMatch(/^[a-z_]+(,[a-z_]+)+$/)
      expect(first).not.toBe('')
    })

    for (const name of settings) {
      const { type, min, max, default: usual } = RANGES[name]
      test(`${row}: ${name} from ${min} to ${max}, ${usual} by default`, async () => {
        // The other end of the pair must leave room.
        const room: Record<string, string> =
          name === 'minFixationDurationMs'
            ? { maxFixationDurationMs: '1000' }
            : name === 'maxFixationDurationMs'
              ? { minFixationDurationMs: '60' }
              : {}
        const ask = (value: string) => statusOf(address(path, { ...query, ...room, [name]: value }))
        for (const value of [min, max]) expect([value, await ask(String(value))]).toEqual([value, 200])
        for (const value of [min - 1, max + 1, '', 'x', `${usual} `, `-${usual}`])
          expect([value, await ask(String(value))]).toEqual([value, 400])
        expect(await ask(`${min}.5`)).toBe(type === 'float' ? 200 : 400)
        const tagOf = async (more: Record<string, string>) =>
          (await service.get(address(path, { ...query, ...more }), {}, 'HEAD')).headers.get('etag')
        expect(await tagOf({ [name]: String(usual) })).toBe(await tagOf({}))
        expect(await tagOf({ ...room, [name]: String(max) })).not.toBe(await tagOf(room))
      })
    }

    if (settings.includes('minFixationDurationMs'))
      test(`${row}: minFixationDurationMs at most maxFixationDurationMs`, async () => {
        const ask = (min: number, max: number) =>
          statusOf(address(path, { minFixationDurationMs: String(min), maxFixationDurationMs: String(max) }))
        expect(await ask(300, 300)).toBe(200)
        expect(await ask(301, 300)).toBe(400)
      })

    if (item)
      test(`${row}: itemId, where NULL means all items`, async () => {
        const bodyOf = async (more: Record<string, string>) =>
          (await service.get(address(path, { ...query, ...more }))).text()
        expect(await bodyOf({ itemId: ITEM })).toContain(ITEM)
        expect(await bodyOf({ itemId: 'NULL' })).toBe(await bodyOf({}))
        expect(await statusOf(address(path, { itemId: 'x' }))).toBe(400)
      })

    test(`${row}: in the document, with its parameters`, async () => {
      const document = (await (await service.get('/api2/openapi.json')).json()) as Json
      const operation = operationsOf(document).find(
        (each) => each.method === 'GET' && each.path === `/studies/{studyId}/collected-data/${path}`,
      )
      for (const name of settings) {
        const { type, min, max, default: usual } = RANGES[name]
        expect(operation?.parameters.find((each) => each.name === name)?.schema).toMatchObject({
          type: type === 'int' ? 'integer' : 'number',
          minimum: min,
          maximum: max,
          default: usual,
        })
      }
      const names = operation?.parameters.map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(['studyId', ...settings, ...(item ? ['itemId'] : [])]))
    })
  }
})

test('the columns of the keyboard and mouse table, in order, and what stands in them', async () => {
  const text = await (await service.get(address('keyboard-and-mouse/overall-per-participant'))).text()
  const [header, ...rows] = text.trimEnd().split('\n')
  const names = Object.keys(KEYBOARD_AND_MOUSE)
  expect(header.split(',')).toEqual(names)
  expect(rows).toHaveLength(2)
  for (const row of rows)
    for (const [i, cell] of row.split(',').entries())
      expect([names[i], cell]).toEqual([names[i], expect.stringMatching(KEYBOARD_AND_MOUSE[names[i]])])
})

test('items of a lower grade than asked for are left out', async () => {
  const rowsAt = async (grade: number) => {
    const query = { participantQualityGradeItemMin: String(grade) }
    return (await (await service.get(address('eye-tracking/gazes/raw', query))).text()).trimEnd().split('\n').length - 1
  }
  // Both tests of this study have grade 5.
  expect([await rowsAt(1), await rowsAt(5), await rowsAt(6)]).toEqual([2, 2, 0])
})

/** The fields of each step, and one of each type as a platform might deliver it, with a field that nobody knows. */
const ID = '5a000000-0000-4000-8000-000000000001'
const STEPS = [
  { type: 'message', text: 'Welcome', cta: { text: 'Start', elementType: 'button' } },
  { type: 'countdown', durationMs: 3000 },
  {
    type: 'stimuli',
    stimuli: {
      id: ID,
      type: 'images',
      durationMs: 5000,
      isScrollingEnabled: false,
      isFinishOnKeyEnabled: true,
      isFinishOnClickEnabled: false,
      watermarkOpacity: 0,
    },
  },
  {
    type: 'question',
    question: {
      id: ID,
      refItem: { id: ID },
      type: 'choice',
      text: 'Which one?',
      isAnswerRequired: true,
      answerViewMode: 'text',
      sortingValue: 1,
      answers: [
        { id: ID, text: 'This', sortingValue: 1, imageUrl: null },
        { id: ID, text: 'That', sortingValue: 2, imageUrl: 'https://cdn.test/b.png' },
      ],
      hasRandomizedAnswers: false,
      minAnswerCount: 1,
      maxAnswerCount: 1,
    },
  },
  {
    type: 'question',
    question: {
      id: ID,
      refItem: { id: ID },
      type: 'form',
      text: 'Anything else?',
      isAnswerRequired: false,
      answerViewMode: 'textArea',
      sortingValue: 2,
      formType: 'serviceBasicSurvey',
    },
  },
  { type: 'calibration', points: 9, later: { nested: [1, null] } },
]

test('the flow, with every type of step as it was imported', async () => {
  const bundle = smallBundle()
  const [item] = bundle.study.items
  const study = { ...bundle.study, items: [{ ...item, id: ID }], aois: [], steps: STEPS }
  const directory = await writeBundle(join(service.dataDir, 'flow'), {
    study,
    participants: [],
    tests: [],
    samples: [],
  })
  const options = { append: false, dryRun: false, now: new Date(), threads: 1, memoryMib: 128 }
  await importBundle({ dataDir: service.dataDir, directory, ...options })
  const path = '/studies/{studyId}/flow'
  const answer = await send(service.url, {
    path: `/api2${path.replace('{studyId}', study.id)}`,
    headers: { 'x-auth-token': service.read },
  })
  const contract = openContract()
  contract.check('GET', path, answer)
  const schemas = ['MessageStep', 'CountdownStep', 'StimuliStep', 'QuestionStep', 'QuestionStep', 'OtherStep']
  for (const [i, name] of schemas.entries()) contract.checkValue(name, STEPS[i])
  expect(answer.headers['content-type']).toMatch(/^application\/json\b/)
  const expected = { study: { id: study.id }, steps: STEPS, isServiceBasicSurveyEnabled: true }
  expect(JSON.parse(answer.body.toString())).toEqual(expected)
})

test('the document names every field of every step', async () => {
  const { components } = (await (await service.get('/api2/openapi.json')).json()) as { components: { schemas: Json } }
  const properties = (name: string, ...inside: string[]) =>
    Object.keys(
      inside.reduce((at, key) => (at.properties as Record<string, Json>)[key], components.schemas[name] as Json)
        .properties as Json,
    )
  expect(properties('Flow')).toEqual(['study', 'steps', 'isServiceBasicSurveyEnabled'])
  expect(properties('MessageStep')).toEqual(['type', 'text', 'cta'])
  expect(properties('MessageStep', 'cta')).toEqual(['text', 'elementType'])
  expect(properties('CountdownStep')).toEqual(['type', 'durationMs'])
  expect(properties('StimuliStep')).toEqual(['type', 'stimuli'])
  expect(properties('StimuliStep', 'stimuli')).toEqual([
    'id',
    'type',
    'durationMs',
    'isScrollingEnabled',
    'isFinishOnKeyEnabled',
    'isFinishOnClickEnabled',
    'watermarkOpacity',
  ])
  expect(properties('QuestionStep')).toEqual(['type', 'question'])
  expect(properties('QuestionStep', 'question')).toEqual([
    'id',
    'refItem',
    'type',
    'text',
    'isAnswerRequired',
    'answerViewMode',
    'sortingValue',
    'answers',
    'hasRandomizedAnswers',
    'minAnswerCount',
    'maxAnswerCount',
    'formType',
  ])
  expect(properties('Answer')).toEqual(['id', 'text', 'sortingValue', 'imageUrl'])
})

test('the drop rate, with the authentication header', async () => {
  expect(await statusOf('/api2/studies-all/drop-rate')).toBe(200)
})

test('every path wants X-AUTH-TOKEN', async () => {
  const paths = [
    ...EXPORTS.map(({ path }) => address(path)),
    `/api2/studies/${STUDY}/flow`,
    '/api2/studies-all/drop-rate',
  ]
  const strange = await shareTestServer({ TRUST_PROXY: '1' })
  try {
    for (const [i, path] of paths.entries()) {
      const response = await fetch(strange.url + path, { headers: { 'x-forwarded-for': `10.0.0.${i}` } })
      expect([path, response.status]).toEqual([path, 401])
    }
  } finally {
    await strange.close()
  }
})

test('version and prefix', async () => {
  const { info, servers } = (await (await service.get('/api2/openapi.json')).json()) as Record<string, Json>
  expect(info.version).toBe('2.5.0')
  expect(servers).toMatchObject([{ url: '/api2' }])
})
