import { type KeptTests, keptOf } from '../../engine/analysis/charts/selection-counts.ts'
import { medianOf } from '../../engine/compute/order-statistics.ts'
import { studyFacts } from '../../engine/exports/columns/study-facts.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import type { Fault } from '../../engine/model/errors.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { selectPlanned } from '../../engine/run/estimate.ts'
import { findAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import { knowsEarlySamples } from '../../engine/snapshot/early-samples.ts'
import {
  bestGrades,
  countGrades,
  countSamplesOfEach,
  findParticipant,
  readParticipants,
} from '../../engine/snapshot/rows/list-participants.ts'
import { selectTests } from '../../engine/snapshot/selection.ts'
import { printedOrNull, roundToPrinted } from '../../engine/text/cells.ts'
import { seenItems } from '../access/link-gate.ts'
import { planRequest } from '../exports/read-request.ts'
import { leaving } from '../http/leaving.ts'
import { encodeCursor, queryOf, refuseUnknown } from '../http/query.ts'
import { readValues } from '../routes/parameter.ts'
import { cursor as cursorOf, LIMIT, LOSSES } from '../routes/parameters.ts'
import type { Answers } from '../routes/route.ts'
import type { PARTICIPANT_ROUTES } from '../routes/studies.ts'

const OWN = [LIMIT, cursorOf(1), LOSSES] as const
const GRADES = [1, 2, 3, 4, 5, 6]

/**
 * Returns the handler that lists participants with their grades, the number of tests that conditions keep and, over all
 * participants, the number of tests of each item with each grade.
 */
export function participantRoutes(): Answers<typeof PARTICIPANT_ROUTES> {
  return {
    listParticipants: async ({ req, res, snapshot }) => {
      const query = queryOf(req.url)
      const faults: Fault[] = []
      const { limit, cursor, losses } = readValues(OWN, query, faults)
      const after = cursor?.[0]
      const start = after === undefined ? 0 : ((await findParticipant(snapshot, after)) ?? -1) + 1
      const { hasTags, externalDataNames } = studyFacts(snapshot)
      const { rows, kept } = await selectionOf(query, snapshot, faults, leaving(res))
      const next = rows.filter((row) => row >= start)
      const seen = seenItems(res, snapshot.study)
      const shown = next.slice(0, limit)
      const isToldLost = losses === 'true' || (losses === 'known' && knowsEarlySamples(snapshot))
      const [described, lost, counts] = await Promise.all([
        describe(snapshot, shown, seen),
        isToldLost ? lossesOf(snapshot, shown, seen, leaving(res)) : null,
        gradeCounts(snapshot, seen),
      ])
      const participants = lost === null ? described : described.map((each, i) => ({ ...each, loss: lost[i] }))
      return {
        total: rows.length,
        itemIds: seen.map((i) => snapshot.study.items[i].id),
        hasTags,
        externalDataNames,
        kept,
        ...counts,
        participants,
        nextCursor: next.length <= limit ? null : encodeCursor([participants[participants.length - 1].id]),
      }
    },
  }
}

/** Counts, for each minimum grade from 1 to 6, the tests and participants that pass it. */
async function gradeCounts(snapshot: Snapshot, seen: number[]) {
  const { tests, bestOfParticipants, participants } = await countGrades(snapshot)
  const testsByGrade = snapshot.study.items.map(() => GRADES.map(() => 0))
  for (const [itemIndex, grade, count] of tests) testsByGrade[itemIndex][grade - 1] = count
  const sum = (counts: number[][], isCounted: (grade: number) => boolean) =>
    counts.reduce((total, row) => total + (isCounted(row.at(-2)!) ? row.at(-1)! : 0), 0)
  return {
    testsByGrade: seen.map((i) => testsByGrade[i]),
    keptTests: GRADES.map((least) => sum(tests, (grade) => grade >= least)),
    keptParticipants: GRADES.map((least) => sum(bestOfParticipants, (grade) => grade >= least)),
    participantsByGrade: GRADES.map((own) => sum(participants, (grade) => grade === own)),
  }
}

/**
 * Returns the rows of the participants with a test that passes filter, minimum grade and item, and how many tests pass;
 * without any of these, all participants and tests.
 *
 * @throws ProblemError invalid_param, with these faults and its own
 */
async function selectionOf(
  query: Map<string, string[]>,
  snapshot: Snapshot,
  faults: Fault[],
  client: AbortSignal,
): Promise<{ rows: Int32Array; kept: KeptTests }> {
  const own: string[] = OWN.map(({ name }) => name)
  const asked = new Map([...query].filter(([name]) => !own.includes(name)))
  refuseUnknown(asked, ['filter', 'participantQualityGradeItemMin', 'itemId', 'analysis'], faults)
  if (asked.size === 0) {
    const all = await selectTests(snapshot, { itemId: null, gradeMin: 1 }, client)
    const rows = Int32Array.from({ length: snapshot.manifest.counts.participants }, (_, i) => i)
    return { rows, kept: keptOf(all, all) }
  }
  const named = await findAnalysis(snapshot, asked.get('analysis'))
  const { plan } = planRequest({ query: asked, named, snapshot, own: [], faults }, (parameters) =>
    makePlan({ snapshot, exportName: 'keyboard-mouse-overall', parameters, formulaGuard: false }),
  )
  const selected = await selectPlanned(plan, snapshot, client)
  const all = await selectTests(snapshot, { itemId: plan.parameters.itemId ?? null, gradeMin: 1 }, client)
  return { rows: Int32Array.from(new Set(selected.participantRows)).sort(), kept: keptOf(selected, all) }
}

/**
 * Describes participants; `grades` are in the order of `itemIds`: the best of the participant's tests on the item, null
 * without one.
 *
 * @param rows ascending
 * @param seen indexes of the visible items
 */
async function describe(snapshot: Snapshot, rows: Int32Array, seen: number[]) {
  if (rows.length === 0) return []
  const [participants, best] = await Promise.all([
    readParticipants(snapshot, rows),
    bestGrades(snapshot, rows[0], rows[rows.length - 1] + 1),
  ])
  const gradesOf = new Map(Array.from(rows, (row) => [row, snapshot.study.items.map((): number | null => null)]))
  for (const [row, itemIndex, grade] of best) {
    const grades = gradesOf.get(row)
    if (grades) grades[itemIndex] = grade
  }
  return participants.map((participant, i) => {
    const { id, externalId, createdAt, displayName, age, displayGender, qualityGrade, isCompleted } = participant
    const { tags, externalData } = participant
    const facts = { id, externalId, createdAt, displayName, age, displayGender, qualityGrade, isCompleted }
    return { ...facts, tags, externalData, grades: seen.map((item) => gradesOf.get(rows[i])![item]) }
  })
}

/**
 * Returns the samples without gaze on each visible item, in percent as printed by `quality-stats`, and their median;
 * null without samples.
 *
 * @param rows ascending
 */
async function lossesOf(snapshot: Snapshot, rows: Int32Array, seen: number[], stop: AbortSignal) {
  if (rows.length === 0) return []
  const lossOf = new Map<string, number>()
  for (const [row, itemIndex, sampleCount, validCount] of await countSamplesOfEach(
    snapshot,
    rows[0],
    rows[rows.length - 1] + 1,
    stop,
  ))
    if (sampleCount > 0)
      lossOf.set(`${row} ${itemIndex}`, roundToPrinted((100 * (sampleCount - validCount)) / sampleCount))
  return Array.from(rows, (row) => {
    const ofItems = seen.map((item) => lossOf.get(`${row} ${item}`) ?? null)
    const known = Float64Array.from(ofItems.filter((loss) => loss !== null))
    return { medianPercents: printedOrNull(medianOf(known)), ofItems }
  })
}
