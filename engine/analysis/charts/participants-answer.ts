import { settingsNotes } from '../../exports/columns/notes.ts'
import type { Plan } from '../../model/plan.ts'
import type { Participant, Snapshot } from '../../model/study.ts'
import { selectPlanned } from '../../run/estimate.ts'
import { readParticipants } from '../../snapshot/rows/list-participants.ts'
import { type Described, describe } from '../statistics/descriptive.ts'

/** Numbers of participants and of those who completed the study, and their known ages. */
type DescribedParticipants = { participants: number; completed: number; age: Described }

/**
 * Describes the participants with a test that a plan selects, all together and by gender ('' if unknown); all
 * participants if the plan leaves nobody out.
 */
export async function participantsAnswer(plan: Plan, snapshot: Snapshot, signal: AbortSignal) {
  const all = await readParticipants(snapshot, await rowsOf(plan, snapshot, signal))
  const genders = [...new Set(all.map(({ displayGender }) => displayGender))]
  return {
    notes: settingsNotes(plan),
    ...describedOf(all),
    genders: genders.map((displayGender) => ({
      displayGender,
      ...describedOf(all.filter((each) => each.displayGender === displayGender)),
    })),
  }
}

function describedOf(some: Participant[]): DescribedParticipants {
  return {
    participants: some.length,
    completed: some.filter(({ isCompleted }) => isCompleted).length,
    age: describe(some.flatMap(({ age }) => (age === null ? [] : [age]))),
  }
}

async function rowsOf(plan: Plan, snapshot: Snapshot, signal: AbortSignal): Promise<Int32Array> {
  const { itemId = null, participantQualityGradeItemMin: gradeMin = 1, filter = null, analysis } = plan.parameters
  const isEverybody = itemId === null && gradeMin <= 1 && filter === null && analysis === undefined
  if (isEverybody) return Int32Array.from({ length: snapshot.manifest.counts.participants }, (_, i) => i)
  return Int32Array.from(new Set((await selectPlanned(plan, snapshot, signal)).participantRows)).sort()
}
