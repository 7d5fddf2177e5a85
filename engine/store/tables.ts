import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { GazeSums } from '../compute/grade.ts'
import type { Participant, Test } from '../study.ts'

/**
 * The tables of a snapshot as JSON: one array per field, which loads several times faster than a list of objects, and each in a line
 * of its own, so that they can be read one by one. `participants.json` and `tests.json` hold what exports need; `given.json`, in the same order, what the bundle gave and what was
 * measured, from which a later import fills the missing facts anew.
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

const PARTICIPANT = [
  'id',
  'externalId',
  'createdAt',
  'displayName',
  'age',
  'gender',
  'displayGender',
  'qualityGrade',
  'isCompleted',
  'notes',
] as const satisfies (keyof Participant)[]

const TEST = [
  'id',
  'itemIndex',
  'participantIndex',
  'createdAt',
  'displayOrder',
  'durationUs',
  'finishedOnKey',
  'hasFinishedOnClick',
  'clickCount',
  'qualityGradeItem',
  'browserWidthPx',
  'browserHeightPx',
  'display',
  'notes',
  'file',
  'ordinal',
  'sampleCount',
] as const satisfies (keyof Test)[]

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
  return linesOf(toColumns(participants, PARTICIPANT))
}

/** @throws Error when the file is not what the manifest promises */
export async function readParticipantsTable(path: string, sha256: string): Promise<Participant[]> {
  return fromColumns(await readLines(path, sha256), PARTICIPANT)
}

export function testsToJson(tests: Test[]): string {
  return linesOf(toColumns(tests, TEST))
}

/** @throws Error when the file is not what the manifest promises */
export async function readTestsTable(path: string, sha256: string): Promise<Test[]> {
  return fromColumns(await readLines(path, sha256), TEST)
}

/** JSON of which each line is a field, but the first and the last. */
function linesOf(columns: Columns): string {
  const fields = Object.entries(columns).map(([name, values]) => `${JSON.stringify(name)}:${JSON.stringify(values)}`)
  return `{\n${fields.join(',\n')}\n}`
}

/** Such a file, of which no more than a field is text at a time: the text of hundreds of thousands of tests outweighs what it says. */
async function readLines(path: string, sha256: string): Promise<Columns> {
  const columns: Columns = {}
  const hash = createHash('sha256')
  let line: Buffer[] = []
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      const field = Buffer.concat([...line, chunk.subarray(start, end)]).toString('utf8')
      if (field !== '{') Object.assign(columns, JSON.parse(`{${field.replace(/,$/, '')}}`))
      line = []
      start = end + 1
    }
    line.push(chunk.subarray(start))
  }
  if (hash.digest('hex') !== sha256) throw new Error(`${basename(path)} has changed`)
  return columns
}

const LF = 10

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
export function givenFromJson(
  json: string,
  snapshot: { study: { items: { id: string }[] }; participants: Participant[]; tests: Test[] },
): Given {
  const stored = JSON.parse(json) as Record<'participants' | 'tests' | 'measured', Columns>
  const participants = fromColumns<Pick<GivenParticipant, (typeof GIVEN_PARTICIPANT)[number]>>(
    stored.participants,
    GIVEN_PARTICIPANT,
  )
  const tests = fromColumns<Pick<GivenTest, (typeof GIVEN_TEST)[number]>>(stored.tests, GIVEN_TEST)
  return {
    participants: participants.map((given, i) => ({ ...snapshot.participants[i], ...given })),
    tests: tests.map((given, i) => {
      const { itemIndex, participantIndex, file: _f, ordinal: _o, sampleCount: _s, ...test } = snapshot.tests[i]
      const itemId = snapshot.study.items[itemIndex].id
      return { ...test, ...given, itemId, participantId: snapshot.participants[participantIndex].id }
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
