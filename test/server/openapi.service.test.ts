import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { trimFilter } from '../../engine/model/parameters.ts'
import { isProjectName } from '../../engine/model/projects.ts'
import { IN_DEGREES } from '../../isomorphic/detector-settings.ts'
import { settingsOfPreset } from '../../isomorphic/presets.ts'
import { encodeCursor } from '../../server/http/query.ts'
import { kept } from '../engine/kept.ts'
import { type Json, type Operation, openContract, type ParameterObject, send } from './contract.ts'
import { ITEM, OTHER_STUDY, openTestServer, STUDY, until } from './test-server.ts'

const contract = openContract()
/**
 * Operations with test files of their own, since they need bodies, other tokens or more parameters: uploads, imports,
 * webhooks, links, operators and statistics.
 */
const operations = contract.operations.filter(
  ({ path }) => !/^\/(uploads|imports|webhooks|operations)|\/imports$|\/links|\/analysis\//.test(path),
)
/** Next page of a list, by its path. */
const cursors: Record<string, string> = {}

const settings = { TRUST_PROXY: '1', HOLD_SECONDS: '1', REQUESTS_PER_MINUTE: '100000' }
const service = kept(await openTestServer(settings, { hasWorker: true }))
const fixations = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
const ask = async (median: number | string) => {
  const headers = { 'x-auth-token': service.read, prefer: 'respond-async' }
  const answer = await send(service.url, { path: `${fixations}?movingMedianRangeMs=${median}`, headers })
  return (JSON.parse(answer.body.toString()) as { id: string }).id
}
/** Jobs as the operations on jobs meet them: one with a file, one in parts, one that was withdrawn. */
const jobIds = [await ask(901), await ask('903&output=parts'), await ask(902)]
const stateOf = async (id: string) =>
  ((await (await service.get(`/api2/jobs/${id}`)).json()) as { state: string }).state
for (const id of jobIds) await until(async () => (await stateOf(id)) === 'succeeded')
await service.get(`/api2/jobs/${jobIds[2]}`, {}, 'DELETE')
for (const path of ['/studies', '/jobs'])
  cursors[path] = ((await (await service.get(`/api2${path}?limit=1`)).json()) as { nextCursor: string }).nextCursor
await fetch(`${service.url}/api2/studies/${STUDY}/analyses/mine`, {
  method: 'PUT',
  headers: { 'x-auth-token': service.write, 'content-type': 'application/json' },
  body: '{}',
})
cursors['/studies/{studyId}/history'] = encodeCursor(['0'])
cursors['/studies/{studyId}/items/{itemId}/aois/history'] = encodeCursor(['0'])

test('the document is valid OpenAPI 3.1, and is what the server sends to anybody', async () => {
  const answer = await send(service.url, { path: '/api2/openapi.json' })
  const document = JSON.parse(answer.body.toString()) as Json
  expect(document).toEqual(contract.document)
  expect(document.openapi).toMatch(/^3\.1\.\d$/)
  expect(document.info).toMatchObject({ version: '2.5.0' })
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
})

test('nothing in the document is unused, and every reference leads somewhere', () => {
  const text = JSON.stringify(contract.document)
  const used = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, name]) => name))
  const components = contract.document.components as Record<string, Json>
  for (const name of used) {
    const [kind, key] = name.split('/')
    expect(components[kind]?.[key], name).toBeDefined()
  }
  const kinds = ['schemas', 'parameters', 'responses']
  const defined = kinds.flatMap((kind) => Object.keys(components[kind]).map((key) => `${kind}/${key}`))
  expect(defined.filter((name) => !used.has(name))).toEqual([])
})

type Part = { value: string; isGood: boolean }
const good = (value: string): Part => ({ value, isGood: true })
const bad = (value: string): Part => ({ value, isGood: false })

/** Values that a parameter's own schema allows, and some that it does not. */
function valuesOf(
  { schema }: ParameterObject,
  known: string[],
): { good: fc.Arbitrary<string>; bad: fc.Arbitrary<string> } {
  const { type, minimum, maximum, enum: choices } = schema as Record<string, never>
  const nonsense = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('-1', '1e3', '0x10', ' 1', 'NaN'),
  )
  if (type === 'integer') {
    const outside = fc.oneof(fc.integer({ max: minimum - 1 }), fc.integer({ min: maximum + 1 })).map(String)
    return {
      good: fc.integer({ min: minimum, max: maximum }).map(String),
      bad: fc.oneof(outside, nonsense, fc.constant('')),
    }
  }
  if (type === 'number') {
    const inside = fc
      .integer({ min: Math.ceil(minimum * 1000), max: Math.floor(maximum * 1000) })
      .map((n) => String(n / 1000))
    return { good: inside, bad: fc.oneof(fc.constantFrom(String(minimum - 0.001), String(maximum + 1)), nonsense) }
  }
  if (choices) return { good: fc.constantFrom(...(choices as string[])), bad: nonsense }
  return { good: fc.constantFrom(...known), bad: nonsense }
}

const KNOWN: Record<string, (path: string) => string[]> = {
  exports: () => ['fixations', 'saccades,fixations'],
  analysis: () => ['mine', ''],
  name: () => ['mine'],
  // Only AOIs of the study, which each item of these has.
  aoiNames: () => ['left', ''],
  // The study has no events, of which a name is refused.
  eventType: () => [''],
  readingFrom: () => ['first-fixation', 'first-line', 'first-word', '0', '250'],
  itemId: () => [ITEM, ITEM.toUpperCase(), '', 'NULL', 'null'],
  studyId: () => [STUDY, STUDY.toUpperCase()],
  study: () => [STUDY, OTHER_STUDY],
  jobId: () => jobIds,
  part: () => ['1'],
  cursor: (path) => [cursors[path]],
  q: () => ['a', 'LEFT p', ' '],
  project: () => ['Pilots', 'Café 1'],
  state: () => ['queued', 'running', 'succeeded', 'failed', 'canceled', 'expired'],
}

/** A name for good or bad values of one parameter; a bad value that happens to be good is thrown away. */
function partOf(parameter: ParameterObject, path: string): fc.Arbitrary<Part> {
  const values = valuesOf(parameter, KNOWN[parameter.name]?.(path) ?? [''])
  // Names of events and of AOIs only matter where time is measured from events, and where looks are counted.
  if (parameter.name === 'eventType' || parameter.name === 'aoiNames') return values.good.map(good)
  // Any text is searched.
  if (parameter.name === 'q') return fc.oneof(values.good, fc.string({ unit: 'grapheme' })).map(good)
  const isGoodAnyway = (value: string) => {
    const { type, minimum, maximum, enum: choices } = parameter.schema as Record<string, never>
    if (choices) return (choices as string[]).includes(value)
    if (type === 'integer' || type === 'number')
      return /^-?\d{1,9}(\.\d{1,9})?$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
    // A filter of spaces is none.
    if (parameter.name === 'filter' && trimFilter(value) === null) return true
    if (parameter.name === 'project' && isProjectName(value)) return true
    if (parameter.name === 'readingFrom' && /^\d{1,9}$/.test(value)) return true
    return (
      KNOWN[parameter.name]?.(path).includes(value) || (parameter.name === 'itemId' && /^(NULL|null)?$/.test(value))
    )
  }
  return fc.oneof(
    { weight: 3, arbitrary: values.good.map(good) },
    { weight: 1, arbitrary: values.bad.filter((value) => !isGoodAnyway(value)).map(bad) },
  )
}

/** Only the job that was withdrawn already is withdrawn again, so that the others keep their files. */
const idsFor = (method: string, known: string[]) => (method === 'DELETE' ? known.slice(-1) : known)

const HEADERS: Record<string, fc.Arbitrary<string>> = {
  'If-None-Match': fc.constantFrom('*', '"x"', 'W/"x", "y"', '"'),
  'Accept-Encoding': fc.constantFrom('gzip', 'identity', 'br, gzip;q=0.1', '*', 'gzip;q=0', ';;,q'),
  Prefer: fc.constantFrom('respond-async', 'wait=1', 'wait=0', 'wait=99', 'respond-async, wait=5', 'wait="2"', 'x;y=z'),
  Range: fc.constantFrom(
    'bytes=0-9',
    'bytes=5-',
    'bytes=-5',
    'bytes=999999999-',
    'bytes=9-1',
    'bytes=0-1,3-4',
    'lines=1',
  ),
  'If-Range': fc.constantFrom('"x"', 'nonsense'),
}

type Sent = { method: string; path: string; headers: Record<string, string>; expects: (status: number) => boolean }

function sometimes<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
}

function requestOf({ method, path, parameters, isOpen }: Operation): fc.Arbitrary<Sent> {
  const inside = (kind: string) => parameters.filter((each) => each.in === kind)
  const paths = fc.tuple(...inside('path').map((each) => pathPart(each, method)))
  const query = fc.tuple(...inside('query').map((each) => sometimes(partOf(each, path))))
  const headers = fc.tuple(...inside('header').map((each) => sometimes(HEADERS[each.name])))
  const mostly = <T>(usual: T, ...others: T[]) =>
    fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...others) })
  const more = mostly('', 'movingMedianRange=1', 'x', '%', '=', 'limit=1&limit=2&variant=raw&variant=raw')
  const token = mostly('good', 'none', 'nonsense', 'unknown')
  const forwarded = mostly('https', 'http')
  const address = fc.integer({ min: 1, max: 2 ** 24 })
  return fc
    .record({ paths, query, headers, more, token, forwarded, address })
    .map(({ paths, query, headers, more, token, forwarded, address }) => {
      const filled = inside('path').reduce((at, { name }, i) => at.replace(`{${name}}`, paths[i].value), `/api2${path}`)
      const pairs = inside('query').flatMap(({ name }, i) => (query[i] ? [`${name}=${encode(query[i].value)}`] : []))
      // This study came without pictures; test/server/images.service.test.ts has some.
      const isPathGood = paths.every(({ isGood }) => isGood) && !path.endsWith('/image')
      const isQueryGood =
        query.every((part) => part === null || part.isGood) && more === '' && !crosses(path, inside('query'), query)
      const text = [...pairs, ...(more === '' ? [] : [more])].join('&')
      const tokens: Record<string, string> = { good: service.read, nonsense: 'x', unknown: STUDY }
      return {
        method,
        path: text === '' ? filled : `${filled}?${text}`,
        headers: {
          // Every request comes from an address of its own, or failing ones would wait for each other.
          'x-forwarded-for': `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`,
          'x-forwarded-proto': forwarded,
          ...(token === 'none' ? {} : { 'x-auth-token': tokens[token] }),
          ...Object.fromEntries(inside('header').flatMap(({ name }, i) => (headers[i] ? [[name, headers[i]]] : []))),
        },
        expects: expectation({
          isHttps: forwarded === 'https',
          isIn: isOpen || token === 'good',
          isPathGood,
          isQueryGood,
          // The study has no screen in cm, which a threshold in degrees needs where it is heeded.
          mayBeRefused: inside('query').some(
            ({ name }, i) => IN_DEGREES_NAMES.includes(name) && Number(query[i]?.value ?? 0) > 0,
          ),
        }),
      }
    })
}

/**
 * Checks run in the order 401, 404, 400; a broken escape in the path may be told before the path is known to be wrong.
 */
function expectation(is: {
  isHttps: boolean
  isIn: boolean
  isPathGood: boolean
  isQueryGood: boolean
  mayBeRefused: boolean
}) {
  if (!is.isHttps) return (status: number) => status === 403
  if (!is.isIn) return (status: number) => status === 401
  if (!is.isPathGood) return (status: number) => status === 404 || status === 400
  if (!is.isQueryGood) return (status: number) => status === 400
  const good = [304, 404, 410, 416, 422, ...(is.mayBeRefused ? [400] : [])]
  return (status: number) => status < 300 || good.includes(status)
}

const IN_DEGREES_NAMES: string[] = Object.values(IN_DEGREES)

function crosses(path: string, parameters: ParameterObject[], query: (Part | null)[]): boolean {
  const textOf = (name: string) => query[parameters.findIndex((each) => each.name === name)]?.value
  const preset = settingsOfPreset(textOf('preset'))
  const given = (name: string, otherwise: string) => Number(textOf(name) ?? preset[name] ?? otherwise)
  const isFromOnset = (textOf('eventType') ?? '') === ''
  const isWhole = EXPORTS.some((entry) => entry.kind === 'sums' && path.endsWith(`/${entry.path}`))
  return (
    (textOf('output') === 'parts' && (isWhole || textOf('format') === 'xlsx')) ||
    (isFromOnset && (given('fromMs', '0') < 0 || given('toMs', '0') < 0)) ||
    given('minFixationDurationMs', '80') > given('maxFixationDurationMs', '400') ||
    given('fromMs', '0') >= given('toMs', 'Infinity') ||
    given('pupilBaselineFromMs', '0') > given('pupilBaselineToMs', '50') ||
    given('pupilFromMs', '-500') >= given('pupilToMs', '5000')
  )
}

function pathPart(parameter: ParameterObject, method: string): fc.Arbitrary<Part> {
  const { enum: choices } = parameter.schema as { enum?: string[] }
  const known = choices ?? KNOWN[parameter.name]('')
  const goods = idsFor(method, known).filter((value) => value !== '' && !/^null$/i.test(value))
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...goods).map(good) },
    {
      weight: 1,
      arbitrary: fc
        .oneof(
          fc.constantFrom('%zz', '%00', '..%2f..', '%2e%2e', `${STUDY}x`, 'x'.repeat(300)),
          fc.string({ minLength: 1 }).map(encode),
        )
        .filter((value) => !known.includes(value) && value !== '.' && value !== '..')
        .map(bad),
    },
  )
}

function encode(value: string): string {
  return encodeURIComponent(Buffer.from(value).toString())
}

function fill(path: string, method = 'GET'): string {
  const [jobId] = path.includes('{part}') ? jobIds.slice(1) : idsFor(method, jobIds)
  const filled = path
    .replace('{studyId}', STUDY)
    .replace('{itemId}', ITEM)
    .replace('{participantId}', ITEM)
    .replace('{jobId}', jobId)
    .replace('{part}', '1')
    .replace('{name}', 'mine')
  return `/api2${filled.replace('{export}', 'mouse')}`
}

describe('every answer is as the document says, and none is a 500', () => {
  const seen = new Set<number>()
  // What writes has its own suite: writes.test.ts; so have links to exports, of which wrong ones are throttled.
  const isReading = ({ method, path }: Operation) =>
    (['GET', 'HEAD'].includes(method) || path.startsWith('/jobs')) && !path.startsWith('/shared')
  for (const operation of operations.filter(isReading)) {
    const { method, path } = operation
    test(`${method} ${path}`, async () => {
      await fc.assert(
        fc.asyncProperty(requestOf(operation), async ({ expects, ...request }) => {
          const answer = await send(service.url, request)
          seen.add(answer.status)
          contract.check(method, path, answer)
          expect(answer.status).not.toBe(500)
          expect(expects(answer.status), `${answer.status}: ${answer.body}`).toBe(true)
        }),
        // Each other package is a job of its own.
        { numRuns: path.endsWith('/package') ? 6 : 12 },
      )
    })
    test(`${method} ${path}, asked with good values alone`, async () => {
      const request = { method, path: fill(path, method), headers: { 'x-auth-token': service.read } }
      const answer = await send(service.url, request)
      seen.add(answer.status)
      contract.check(method, path, answer)
      // The item of this study came without a picture; a package may take longer than it is held.
      const isPromised = path.endsWith('/package') && answer.status === 202
      expect(isPromised ? 200 : answer.status).toBe(
        method === 'DELETE' ? 204 : path.endsWith('/image') ? 404 : path.endsWith('{jobId}/events') ? 204 : 200,
      )
      if (method !== 'GET' || answer.status !== 200 || answer.headers.etag === undefined) return
      const headers = { ...request.headers, 'if-none-match': String(answer.headers.etag) }
      const again = await send(service.url, { ...request, headers })
      seen.add(again.status)
      contract.check(method, path, again)
      // What tells of now, as a job's state does, may have changed between.
      expect([200, 304]).toContain(again.status)
    })
  }

  test('any other method is refused, and told which there are', async () => {
    const read = operations.filter(({ method }) => method === 'GET')
    for (const path of new Set(read.map((each) => each.path))) {
      const own = operations.filter((each) => each.path === path).map(({ method }) => method)
      const allowed = [...new Set(['GET', 'HEAD', ...own])]
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((each) => !own.includes(each))) {
        const headers = { 'x-auth-token': service.read }
        const answer = await send(service.url, { method, path: fill(path), headers })
        contract.check(method, path, answer)
        expect([path, answer.status]).toEqual([path, 405])
        expect(String(answer.headers.allow).split(', ')).toEqual(allowed)
      }
      const head = await send(service.url, {
        method: 'HEAD',
        path: fill(path),
        headers: { 'x-auth-token': service.read },
      })
      contract.check('HEAD', path, head)
    }
  })

  test('the requests were of many kinds', () => {
    expect([...seen].sort()).toEqual(expect.arrayContaining([200, 204, 304, 400, 401, 403, 404]))
  })
})
