import { join } from 'node:path'
import type { GazeSums } from '../compute/grade.ts'
import type { Participant, Snapshot, Test } from '../study.ts'
import { type Kinds, rowAt, type Table, type TableSource } from '../table.ts'
import { openTable, pagedTableToBytes, readTableFile, tableToBytes } from './table-file.ts'

/**
 * What a snapshot knows of its participants and tests. These three hold what exports need; `given.json`, in the same order, what the
 * bundle gave and what was measured, from which a later import fills the missing facts anew: as JSON, one array per field, which loads
 * several times faster than a list of objects.
 */
export const PARTICIPANTS_FILE = 'participants.table'
export const TESTS_FILE = 'tests.table'
export const TEST_PAGES_FILE = 'tests.pages'

type Columns = Record<string, unknown[]>

/** What a bundle said of a participant: '' and null where it said nothing. */
export type GivenParticipant = Omit<Participant, 'qualityGrade'> & { qualityGrade: number | null }

/** What a bundle said of a test: null where it said nothing. */
export type GivenTest = Omit<
  Test,
  'itemIndex' | 'participantIndex' | 'clickCount' | 'qualityGradeItem' | 'file' | 'ordinal' | 'sampleCount'
> & { itemId: string; participantId: string; clickCount: number | null; qualityGradeItem: number | null }

/** What was found in a test's samples. */
export type Measured = GazeSums & { sampleCount: number; clickCount: number }

const PARTICIPANT: Kinds<Participant> = {
  id: 'text',
  externalId: 'text',
  createdAt: 'text',
  displayName: 'text',
  age: 'number',
  gender: 'number',
  displayGender: 'text',
  qualityGrade: 'number',
  isCompleted: 'boolean',
  notes: 'text',
}

const TEST: Kinds<Test> = {
  id: 'text',
  itemIndex: 'number',
  participantIndex: 'number',
  createdAt: 'text',
  displayOrder: 'number',
  durationUs: 'number',
  finishedOnKey: 'text',
  hasFinishedOnClick: 'boolean',
  clickCount: 'number',
  qualityGradeItem: 'number',
  browserWidthPx: 'number',
  browserHeightPx: 'number',
  display: 'rectangle',
  notes: 'text',
  file: 'number',
  ordinal: 'number',
  sampleCount: 'number',
}

const GIVEN_PARTICIPANT = ['displayGender', 'qualityGrade'] as const satisfies (keyof GivenParticipant)[]
const GIVEN_TEST = ['clickCount', 'qualityGradeItem', 'display'] as const satisfies (keyof GivenTest)[]
const MEASURED = [
  'sampleCount',
  'clickCount',
  'validCount',
  'spanUs',
  'missingUs',
  'durationUs',
  'onScreenCount',
  'windowedCount',
] as const satisfies (keyof Measured)[]

/** By these, tests are chosen and their samples found. All else of a test is only looked at when it is its turn. */
const TEST_IN_MEMORY = [
  'itemIndex',
  'participantIndex',
  'durationUs',
  'qualityGradeItem',
  'file',
  'ordinal',
  'sampleCount',
] as const satisfies (keyof Test)[]

export function participantsToBytes(participants: Participant[]): Buffer {
  return tableToBytes(participants, PARTICIPANT)
}

/** @throws Error when the file is not what the manifest promises */
export async function readParticipantsTable(directory: string, sha256: string): Promise<Table> {
  return readTableFile(join(directory, PARTICIPANTS_FILE), sha256, PARTICIPANT, null)
}

/** The bytes of both files. */
export function testsToBytes(tests: Test[]): { table: Buffer; pages: Buffer } {
  return pagedTableToBytes(tests, TEST, [...TEST_IN_MEMORY])
}

/** @throws Error when the file is not what the manifest promises; its pages are compared when they are read */
export async function readTestsTable(directory: string, sha256: string): Promise<Table> {
  return readTableFile(join(directory, TESTS_FILE), sha256, TEST, join(directory, TEST_PAGES_FILE))
}

/** In a thread, the tables of which it was handed the sources. */
export function openTables({ participants, tests }: TableSources): Snapshot['tables'] {
  return { participants: openTable(participants, PARTICIPANT), tests: openTable(tests, TEST) }
}

export type TableSources = { participants: TableSource; tests: TableSource }

export type Given = { participants: GivenParticipant[]; tests: GivenTest[]; measured: Measured[] }

/** @param given in the order of the snapshot's participants and tests */
export function givenToJson({ participants, tests, measured }: Given): string {
  return JSON.stringify({
    participants: toColumns(participants, GIVEN_PARTICIPANT),
    tests: toColumns(tests, GIVEN_TEST),
    measured: toColumns(measured, MEASURED),
  })
}

/** Puts together what a snapshot's bundle gave, in the order of its participants and tests. */
export function givenFromJson(json: string, { study, tables }: Pick<Snapshot, 'study' | 'tables'>): Given {
  const stored = JSON.parse(json) as Record<'participants' | 'tests' | 'measured', Columns>
  const participants = fromColumns<Pick<GivenParticipant, (typeof GIVEN_PARTICIPANT)[number]>>(
    stored.participants,
    GIVEN_PARTICIPANT,
  )
  const tests = fromColumns<Pick<GivenTest, (typeof GIVEN_TEST)[number]>>(stored.tests, GIVEN_TEST)
  const people = participants.map((given, i) => ({ ...rowAt<Participant>(tables.participants, i), ...given }))
  return {
    participants: people,
    tests: tests.map((given, i) => {
      const stored = rowAt<Test>(tables.tests, i)
      const { itemIndex, participantIndex, file: _f, ordinal: _o, sampleCount: _s, ...test } = stored
      return { ...test, ...given, itemId: study.items[itemIndex].id, participantId: people[participantIndex].id }
    }),
    measured: fromColumns(stored.measured, MEASURED),
  }
}

function toColumns<Row, Name extends keyof Row & string>(rows: Row[], names: readonly Name[]): Columns {
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])]))
}

function fromColumns<Row>(columns: Columns, names: readonly (keyof Row & string)[]): Row[] {
  const arrays = names.map((name) => columns[name])
  const n = arrays[0].length
  if (arrays.some((array) => array.length !== n)) throw new Error('columns of unequal length')
  return Array.from({ length: n }, (_, i) => {
    const row = {} as Record<string, unknown>
    for (let j = 0; j < names.length; j++) row[names[j]] = arrays[j][i]
    return row as Row
  })
}
