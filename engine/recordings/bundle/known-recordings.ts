import { type Draft, noteDoubt, participantName } from '../draft/draft.ts'
import { shortened } from '../draft/note-texts.ts'
import type { ContinuedStudy } from './continued-study.ts'
import type { Tallies } from './spool-samples.ts'

type Kind = { item: string; samples: number; seen: number; lastMs: number }

/**
 * Reports participants all of whose tests are like those that the study has of one person, under whatever name: of the
 * same items, with as many samples with and without gaze, and as long. Only numbers that differ from test to test, or
 * lost samples, tell recordings apart.
 *
 * @param dropped tests that are not kept
 */
export function doubtKnown(
  draft: Draft,
  { prints, tests: { lastMs } }: Pick<Tallies, 'prints' | 'tests'>,
  dropped: Set<number>,
  { tests, participants }: Pick<ContinuedStudy, 'tests' | 'participants'>,
): void {
  const known = new Map<string, Set<string>>()
  for (const test of tests) known.set(keyOf(test), (known.get(keyOf(test)) ?? new Set()).add(test.participantId))
  const nameOf = new Map(participants.map(({ id, name }) => [id, name]))
  const own = new Map<number, Kind[]>()
  for (const [test, { participant, item, onsetMs }] of draft.tests.entries()) {
    if (dropped.has(test)) continue
    const { samples, lost } = prints.countsOf(test)
    const kinds = own.get(participant) ?? []
    own.set(participant, kinds)
    kinds.push({
      ...{ item: draft.items[item].filename, samples, seen: samples - lost },
      lastMs: Math.max(0, lastMs[test] - onsetMs),
    })
  }
  const alike = [...own].flatMap(([participant, kinds]) => {
    const sets = kinds.map((kind) => known.get(keyOf(kind)) ?? new Set<string>())
    const [id] = [...sets[0]].filter((one) => sets.every((set) => set.has(one)))
    const name = participantName(draft.participants[participant])
    return id !== undefined && isTold(kinds) ? [`${name} like ${nameOf.get(id)}`] : []
  })
  if (alike.length > 0)
    noteDoubt(
      draft,
      `the study has recordings of the same items with as many samples, with and without gaze, and as long: ${shortened(alike)}; check that they are not the same`,
    )
}

const keyOf = ({ item, samples, seen, lastMs }: Kind) => `${samples} ${seen} ${Math.round(lastMs)} ${item}`

/** Returns whether the numbers of tests are not those of any recording of the same experiment. */
function isTold(kinds: Kind[]): boolean {
  return kinds.some(({ samples, seen }) => seen < samples) || new Set(kinds.map(({ samples }) => samples)).size > 1
}
