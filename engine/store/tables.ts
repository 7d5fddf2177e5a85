import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { GazeSums } from '../compute/grade.ts'
import type { Participant, Snapshot, Test } from '../study.ts'
import { type Column, columnOf, type Kinds, rowAt, type Table, tableOf } from '../table.ts'

/**
 * The tables of a snapshot as JSON: one array per field, which loads several times faster than a list of objects, and each in a line
 * of its own, so that they can be read one by one. `participants.json` and `tests.json` hold what exports need; `given.json`, in the
 * same order, what the bundle gave and what was measured, from which a later import fills the missing facts anew.
 */
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

export function participantsToJson(participants: Participant[]): string {
  return linesOf(toColumns(participants, namesOf(PARTICIPANT)))
}

/** @throws Error when the file is not what the manifest promises */
export async function readParticipantsTable(path: string, sha256: string): Promise<Table> {
  return readTable(path, sha256, PARTICIPANT)
}

export function testsToJson(tests: Test[]): string {
  return linesOf(toColumns(tests, namesOf(TEST)))
}

/** @throws Error when the file is not what the manifest promises */
export async function readTestsTable(path: string, sha256: string): Promise<Table> {
  return readTable(path, sha256, TEST)
}

function namesOf<Row>(kinds: Kinds<Row>): (keyof Row & string)[] {
  return Object.keys(kinds) as (keyof Row & string)[]
}

/** JSON of which each line is a field, but the first and the last. */
function linesOf(columns: Columns): string {
  const fields = Object.entries(columns).map(([name, values]) => `${JSON.stringify(name)}:${JSON.stringify(values)}`)
  return `{\n${fields.join(',\n')}\n}`
}

/** Such a file, field by field: the text of all, and what JSON makes of it, outweigh the table by far. */
async function readTable<Row>(path: string, sha256: string, kinds: Kinds<Row>): Promise<Table> {
  const columns: Record<string, Column> = {}
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let line = Buffer.allocUnsafe(CHUNK_BYTES)
  let length = 0
  const take = (bytes: Buffer) => {
    if (length + bytes.length > line.length) line = Buffer.concat([line, Buffer.allocUnsafe(length + bytes.length)])
    bytes.copy(line, length)
    length += bytes.length
  }
  const file = await open(path)
  try {
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null)
      if (bytesRead === 0) break
      const bytes = chunk.subarray(0, bytesRead)
      hash.update(bytes)
      let start = 0
      for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
        take(bytes.subarray(start, end))
        if (length > 1) Object.assign(columns, fieldOf(line.subarray(0, length), kinds))
        length = 0
        start = end + 1
      }
      take(bytes.subarray(start))
    }
  } finally {
    await file.close()
  }
  if (hash.digest('hex') !== sha256) throw new Error(`${basename(path)} has changed`)
  return tableOf(columns, kinds)
}

/** A field from its line, with or without the comma behind it. */
function fieldOf<Row>(line: Buffer, kinds: Kinds<Row>): Record<string, Column> {
  const colon = line.indexOf(COLON)
  const name = JSON.parse(line.toString('utf8', 0, colon)) as keyof Row & string
  const end = line.at(-1) === COMMA ? line.length - 1 : line.length
  return { [name]: columnOf(kinds[name], JSON.parse(line.toString('utf8', colon + 1, end))) }
}

const CHUNK_BYTES = 1 << 20
const LF = 10
const COLON = 58
const COMMA = 44

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
