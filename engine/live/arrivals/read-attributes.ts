import { PARTICIPANT_CELLS } from '../../import/bundle/read-participants.ts'
import { newReport, noProblems, throwReport } from '../../model/bundle-problems.ts'
import type { GivenParticipant } from '../../snapshot/table-columns.ts'
import { checkJson, parse } from './read-body.ts'
import { fieldsOf, readCells, refuseOthers } from './read-cells.ts'

/** Attributes of a participant that can be changed, by column name. */
const NAMES = {
  external_id: 'externalId',
  display_name: 'displayName',
  age: 'age',
  gender: 'gender',
  display_gender: 'displayGender',
  quality_grade: 'qualityGrade',
  is_completed: 'isCompleted',
  notes: 'notes',
} as const
type Name = keyof typeof NAMES

/**
 * Parses changed attributes of a participant: only given ones change, and null makes one unknown.
 *
 * @throws ServiceError invalid_bundle
 */
export function readAttributes(bytes: Buffer): Partial<GivenParticipant> {
  checkJson(bytes, 2, 1000)
  const where = { path: '', problems: noProblems() }
  const fields = fieldsOf(parse(bytes.toString('utf8'), 'the body'), where) ?? {}
  refuseOthers(fields, Object.keys(NAMES), where)
  const given = (Object.keys(NAMES) as Name[]).filter((name) => fields[name] !== undefined)
  const row = readCells(fields, Object.fromEntries(given.map((name) => [name, PARTICIPANT_CELLS[name]])), where)
  throwReport({ ...newReport(), bundle: where.problems }, 'the body')
  const values = row as Record<string, unknown>
  return Object.fromEntries(
    given.map((name) => [NAMES[name], name === 'is_completed' ? (values[name] ?? false) : values[name]]),
  )
}
