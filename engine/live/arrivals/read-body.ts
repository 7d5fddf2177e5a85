import { isUtf8 } from 'node:buffer'
import { measureJson } from '../../import/bundle/measure-json.ts'
import { refusal } from '../../model/bundle-problems.ts'
import { mayBeNotPlain, plainTextFaults } from '../../model/plain-text.ts'

/** JSON with one object, or NDJSON with one object per line. */
export type BodyKind = 'json' | 'ndjson'

const DEPTH_MAX = 16
/** Largest number of values in a body: a value takes at least one byte and a comma, and up to 16 bytes of memory. */
const VALUES_MAX = 32_000_000
const LINES_MAX = 4_000_000

/**
 * Parses a participant's body to one object with `participant`, `tests` and `validations`, after counting its values
 * and their nesting.
 *
 * @throws ServiceError invalid_bundle
 */
export function readArrivalBody(bytes: Buffer, kind: BodyKind): unknown {
  checkJson(bytes, DEPTH_MAX, VALUES_MAX)
  return kind === 'json' ? parse(bytes.toString('utf8'), 'the body') : ofLines(bytes.toString('utf8'))
}

/**
 * Refuses invalid UTF-8, and JSON with too many values or too deep.
 *
 * @param subject name of the JSON in messages
 * @throws ServiceError invalid_bundle
 */
export function checkJson(bytes: Buffer, depthMax: number, valuesMax: number, subject = 'the body'): void {
  if (!isUtf8(bytes)) throw refusal(subject, 'must be UTF-8')
  const { depth, values } = measureJson(bytes)
  if (depth > depthMax) throw refusal(subject, `must be nested at most ${depthMax} deep, not ${depth}`)
  if (values > valuesMax) throw refusal(subject, `must hold at most ${valuesMax} values, not ${values}`)
}

/** Parses JSON. @param what names it in a problem. @throws ServiceError invalid_bundle */
export function parse(text: string, what: string): unknown {
  const json = parsed(text, what)
  const [fault] = mayBeNotPlain(text) ? plainTextFaults(json, what) : []
  if (fault !== undefined)
    throw refusal(what, fault.rule, { column: fault.parameter === what ? null : fault.parameter })
  return json
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refusal(what, 'must be valid JSON, which knows no NaN and ends with its last bracket', { cause })
  }
}

type Line = {
  participant?: unknown
  test?: unknown
  samples?: unknown
  sample?: unknown
  validation?: unknown
  event?: unknown
}
type LineTest = Record<string, unknown> & { samples?: unknown; events?: unknown }

/**
 * Assembles an object from lines: first `{"participant":…}`; for each test `{"test":…}`, then its samples, as
 * `{"sample":…}` rows or one `{"samples":…}`, and its events, `{"event":…}`; and `{"validation":…}`.
 */
function ofLines(text: string): unknown {
  const body = { participant: undefined as unknown, tests: [] as unknown[], validations: [] as unknown[] }
  let rows: unknown[] | null = null
  let events: unknown[] | null = null
  let line = 0
  for (const written of text.split('\n', LINES_MAX + 1)) {
    const what = `line ${++line}`
    if (line > LINES_MAX) throw refusal('the body', `must have at most ${LINES_MAX} lines`)
    if (written.trim() === '') continue
    const given = parse(written, what) as Line | null
    const [kind, ...others] = Object.keys(given ?? {})
    const test = body.tests.at(-1) as LineTest | undefined
    if (others.length > 0) throw refusal(what, 'must be an object with one field')
    if (kind === 'participant') {
      if (body.participant !== undefined) throw refusal(what, 'must not be a second participant')
      body.participant = given!.participant
    } else if (kind === 'test') {
      rows = null
      events = null
      body.tests.push(given!.test)
    } else if (kind === 'validation') body.validations.push(given!.validation)
    else if (kind !== 'sample' && kind !== 'samples' && kind !== 'event')
      throw refusal(what, 'must be an object with participant, test, sample, samples, event or validation')
    else if (typeof test !== 'object' || test === null) throw refusal(what, 'must come after its test')
    else if (kind === 'event') {
      if (events === null && test.events !== undefined)
        throw refusal(what, 'must not give the events of a test in two ways')
      if (events === null) test.events = events = []
      events.push(given!.event)
    } else if (kind === 'sample' && (rows !== null || test.samples === undefined)) {
      if (rows === null) test.samples = rows = []
      rows.push(given!.sample)
    } else if (test.samples === undefined) test.samples = given!.samples
    else throw refusal(what, 'must not give the samples of a test in two ways')
  }
  return body
}
