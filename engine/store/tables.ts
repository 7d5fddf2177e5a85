import type { GazeSums } from '../compute/grade.ts'
import type { Participant, Test } from '../study.ts'

/**
 * The tables of a snapshot as JSON: one array per field, which loads several times faster than a list of objects.
 * `participants.json` and `tests.json` hold what exports need; `given.json`, in the same order, what the bundle gave and what was
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
  return JSON.stringify(toColumns(participants, PARTICIPANT))
}

export function participantsFromJson(json: string): Participant[] {
  return fromColumns(JSON.parse(json), PARTICIPANT)
}

export function testsToJson(tests: Test[]): string {
  return JSON.stringify(toColumns(tests, TEST))
}

export function testsFromJson(json: string): Test[] {
  return fromColumns(JSON.parse(json), TEST)
}

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
