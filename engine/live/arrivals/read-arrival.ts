import { createHash, randomUUID } from 'node:crypto'
import { EVENTS_MAX } from '../../import/bundle/bundle-limits.ts'
import { furtherColumns, hasBoundedText, TEXT_RULE } from '../../import/bundle/participant-columns.ts'
import { EVENT_CELLS, eventOf } from '../../import/bundle/read-events.ts'
import { PARTICIPANT_CELLS, participantOfRow } from '../../import/bundle/read-participants.ts'
import { DISPLAY_RULE, missingDisplay, TEST_CELLS, testOfRow } from '../../import/bundle/read-tests.ts'
import { VALIDATION_CELLS, validationOfRow } from '../../import/bundle/read-validations.ts'
import { noProblems, throwProblems } from '../../model/bundle-problems.ts'
import type { ParticipantColumns } from '../../model/study.ts'
import {
  type GivenEvent,
  type GivenParticipant,
  type GivenValidation,
  NO_COLUMNS,
} from '../../snapshot/table-columns.ts'
import type { Arrival, ArrivedTest } from '../../study/arrival.ts'
import { measureTest } from '../../study/samples/measure-samples.ts'
import { type BodyKind, readArrivalBody } from './read-body.ts'
import { boundedList, type Fields, fieldsOf, readCells, refuseOthers, report, type Where } from './read-cells.ts'
import { readSamplesOf } from './read-samples.ts'

/** Limits of one participant. */
const TESTS_MAX = 10_000
const VALIDATIONS_MAX = 100_000

/**
 * Parses and validates a participant with tests and samples in a request (docs/live.md). Creates missing ids.
 *
 * @throws ServiceError invalid_bundle with the first 100 problems
 */
export function readArrival(bytes: Buffer, kind: BodyKind): Arrival {
  const problems = noProblems()
  const body = fieldsOf(readArrivalBody(bytes, kind), { path: '', problems })
  const at = (path: string) => ({ path, problems })
  refuseOthers(body ?? {}, ['participant', 'tests', 'validations'], at(''))
  const given = fieldsOf(body?.participant, at('participant'))
  const { participant, columns } = readParticipant(given ?? {}, at('participant'))
  const ids = new Set<string>()
  const tests = boundedList(body?.tests, TESTS_MAX, at('tests')).flatMap((test, i) => {
    const read = readTest(test, participant.id, ids, at(`tests[${i}]`))
    return read === null ? [] : [read]
  })
  const validations = boundedList(body?.validations, VALIDATIONS_MAX, at('validations')).flatMap((validation, i) => {
    const read = readValidation(validation, participant.id, at(`validations[${i}]`))
    return read === null ? [] : [read]
  })
  throwProblems(problems, 'the body')
  return {
    participant,
    columns,
    tests,
    validations,
    sampleCount: tests.reduce((sum, { samples }) => sum + samples.n, 0),
    bytes: bytes.length,
    content: createHash('sha256').update(bytes).digest('hex'),
  }
}

function readParticipant(fields: Fields, where: Where): { participant: GivenParticipant; columns: ParticipantColumns } {
  const { external_data: external, ...own } = fields
  refuseOthers(own, Object.keys(PARTICIPANT_CELLS), where)
  const further = { ...where, path: `${where.path}.external_data` }
  const data = external === undefined || external === null ? {} : (fieldsOf(external, further) ?? {})
  const cells = Object.fromEntries(Object.entries(data).map(([name, value]) => [`external_data_${name}`, value]))
  const header = { cells: [...Object.keys(cells), ...('tags' in own ? ['tags'] : [])], line: 0 }
  const { columns, known } = furtherColumns(header, 'body', NO_COLUMNS, where.problems)
  const row = readCells(
    { participant_id: randomUUID(), ...own, ...cells },
    { ...PARTICIPANT_CELLS, ...columns } as typeof PARTICIPANT_CELLS,
    where,
  )
  // An incomplete participant is refused later, with all other problems.
  const participant = row === null ? NOBODY : participantOfRow(row)
  if (row !== null && !hasBoundedText(participant)) report(where, '', null, TEXT_RULE)
  return { participant, columns: known }
}

const NOBODY = { id: '' } as GivenParticipant

function readTest(value: unknown, participantId: string, ids: Set<string>, where: Where): ArrivedTest | null {
  const fields = fieldsOf(value, where)
  if (fields === null) return null
  const { samples: given, events: happened, ...own } = fields
  const { participant_id: _, ...cells } = TEST_CELLS
  refuseOthers(own, Object.keys(cells), where)
  const samples = readSamplesOf(given, { ...where, path: `${where.path}.samples` })
  const row = readCells({ test_id: randomUUID(), ...own }, cells, where)
  const at = (path: string) => ({ ...where, path: `${where.path}.${path}` })
  const events = boundedList(happened, EVENTS_MAX, at('events')).map((event, i) =>
    readEvent(event, row?.test_id ?? '', at(`events[${i}]`)),
  )
  if (row === null || samples === null) return null
  const whole = { ...row, participant_id: participantId }
  if (ids.has(whole.test_id!)) report(where, 'test_id', whole.test_id, 'must be unique')
  ids.add(whole.test_id!)
  const missing = missingDisplay(whole)
  if (missing !== null) report(where, missing, null, DISPLAY_RULE)
  const test = testOfRow(whole, (text) => text)
  if (samples.n > 0 && test.display === null && (test.browserWidthPx === null || test.browserHeightPx === null)) {
    const column = test.browserWidthPx === null ? 'browser_width_px' : 'browser_height_px'
    report(where, column, null, 'must be given, or the four item_display cells, since the test has samples')
  }
  const measured = measureTest(test, samples, 0, samples.n)
  return { given: test, samples, measured, events: events.filter((event) => event !== null) }
}

function readEvent(value: unknown, testId: string, where: Where): GivenEvent | null {
  const fields = fieldsOf(value, where)
  if (fields === null) return null
  const { test_id: _, ...cells } = EVENT_CELLS
  refuseOthers(fields, Object.keys(cells), where)
  const row = readCells(fields, cells, where)
  return row === null ? null : eventOf({ ...row, test_id: testId })
}

function readValidation(value: unknown, participantId: string, where: Where): GivenValidation | null {
  const fields = fieldsOf(value, where)
  if (fields === null) return null
  const { participant_id: _, ...cells } = VALIDATION_CELLS
  refuseOthers(fields, Object.keys(cells), where)
  const row = readCells(fields, cells, where)
  return row === null ? null : validationOfRow({ ...row, participant_id: participantId })
}
