import { Router } from 'express'
import type { z } from 'zod'
import { studyFacts } from '../../engine/exports/study-facts.ts'
import type { Fault } from '../../engine/model/errors.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { bestGrades, countGrades, findParticipant, readParticipants } from '../../engine/snapshot/list-participants.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { readableStudy } from '../access/readable-study.ts'
import { onlyMethods } from '../http/problems.ts'
import { decodeCursor, encodeCursor, queryOf, readLimit, refuseUnknown } from '../http/query.ts'
import type { Participants } from '../schemas/dashboard.ts'

const GRADES = [1, 2, 3, 4, 5, 6]

/**
 * Returns the routes of participants, with the grade of each test and, over all, how many tests of each item have each
 * grade.
 */
export function participantRoutes(store: Store): Router {
  const router = Router({ caseSensitive: true })
  router
    .route('/studies/:studyId/participants')
    .get(async (req, res) => {
      const snapshot = await readableStudy(store, res, String(req.params.studyId))
      const query = queryOf(req.url)
      const faults: Fault[] = []
      const limit = readLimit(query, faults)
      const after = decodeCursor(query, 1, faults)?.[0]
      refuseUnknown(query, ['limit', 'cursor'], faults)
      const start = after === undefined ? 0 : ((await findParticipant(snapshot, after)) ?? -1) + 1
      const { hasTags, externalDataNames } = studyFacts(snapshot)
      const total = snapshot.manifest.counts.participants
      const participants = await describe(snapshot, start, limit)
      const body: z.infer<typeof Participants> = {
        total,
        itemIds: snapshot.study.items.map(({ id }) => id),
        hasTags,
        externalDataNames,
        ...(await gradeCounts(snapshot)),
        participants,
        nextCursor: start + limit >= total ? null : encodeCursor([participants[participants.length - 1].id]),
      }
      res.setHeader('Cache-Control', 'private, no-cache')
      res.json(body)
    })
    .all(onlyMethods('GET', 'HEAD', 'POST'))
  return router
}

/** Counts, for each minimum grade from 1 to 6, the tests and participants that a filter of that grade keeps. */
async function gradeCounts(snapshot: Snapshot) {
  const { tests, bestOfParticipants, participants } = await countGrades(snapshot)
  const testsByGrade = snapshot.study.items.map(() => GRADES.map(() => 0))
  for (const [itemIndex, grade, count] of tests) testsByGrade[itemIndex][grade - 1] = count
  const sum = (counts: number[][], isCounted: (grade: number) => boolean) =>
    counts.reduce((total, row) => total + (isCounted(row.at(-2)!) ? row.at(-1)! : 0), 0)
  return {
    testsByGrade,
    keptTests: GRADES.map((least) => sum(tests, (grade) => grade >= least)),
    keptParticipants: GRADES.map((least) => sum(bestOfParticipants, (grade) => grade >= least)),
    participantsByGrade: GRADES.map((own) => sum(participants, (grade) => grade === own)),
  }
}

/**
 * Describes a page of participants; `grades` are in the order of `itemIds`: the best of the participant's tests on the
 * item, null without one.
 */
async function describe(snapshot: Snapshot, start: number, limit: number) {
  const participants = await readParticipants(snapshot, start, limit)
  const gradesOf = participants.map(() => snapshot.study.items.map((): number | null => null))
  for (const [row, itemIndex, grade] of await bestGrades(snapshot, start, start + participants.length))
    gradesOf[row - start][itemIndex] = grade
  return participants.map((participant, i) => {
    const { id, externalId, createdAt, displayName, age, displayGender, qualityGrade, isCompleted } = participant
    const { tags, externalData } = participant
    const grades = gradesOf[i]
    const facts = { id, externalId, createdAt, displayName, age, displayGender, qualityGrade, isCompleted }
    return { ...facts, tags, externalData, grades }
  })
}
