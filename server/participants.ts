import { Router } from 'express'
import type { Fault } from '../engine/errors.ts'
import type { Store } from '../engine/store/snapshots.ts'
import type { Snapshot } from '../engine/study.ts'
import { numbersOf } from '../engine/table.ts'
import { onlyMethods } from './problems.ts'
import { decodeCursor, encodeCursor, queryOf, readLimit, refuseUnknown } from './query.ts'
import { readableStudy } from './studies.ts'

const GRADES = [1, 2, 3, 4, 5, 6]

/** Who took part, with the grade of each test; and, over all, how many tests of each item have each grade. */
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
      const start = after === undefined ? 0 : snapshot.participants.findIndex(({ id }) => id === after) + 1
      const page = snapshot.participants.slice(start, start + limit)
      const isLast = start + limit >= snapshot.participants.length
      res.setHeader('Cache-Control', 'private, no-cache')
      res.json({
        total: snapshot.participants.length,
        itemIds: snapshot.study.items.map(({ id }) => id),
        ...gradeCounts(snapshot),
        participants: describe(snapshot, start, page.length),
        nextCursor: isLast ? null : encodeCursor([page[page.length - 1].id]),
      })
    })
    .all(onlyMethods('GET', 'HEAD'))
  return router
}

/** `keptTests` and `keptParticipants` say, for each least grade from 1 to 6, how many a filter of that grade keeps. */
function gradeCounts(snapshot: Snapshot) {
  const { study, participants } = snapshot
  const { items, people, grades } = columnsOf(snapshot)
  const testsByGrade = study.items.map(() => GRADES.map(() => 0))
  const best = new Int8Array(participants.length)
  for (const [i, grade] of grades.entries()) {
    testsByGrade[items[i]][grade - 1]++
    best[people[i]] = Math.max(best[people[i]], grade)
  }
  return {
    testsByGrade,
    keptTests: GRADES.map((least) => grades.filter((grade) => grade >= least).length),
    keptParticipants: GRADES.map((least) => best.filter((grade) => grade >= least).length),
    participantsByGrade: GRADES.map((grade) => participants.filter((each) => each.qualityGrade === grade).length),
  }
}

/** Of each test, indices into the study's items and participants, and its grade. */
function columnsOf({ tables: { tests } }: Snapshot) {
  return {
    items: numbersOf(tests, 'itemIndex'),
    people: numbersOf(tests, 'participantIndex'),
    grades: numbersOf(tests, 'qualityGradeItem'),
  }
}

/** `grades` are in the order of `itemIds`: the best of the participant's tests on the item, null without one. */
function describe(snapshot: Snapshot, start: number, n: number) {
  const { study, participants } = snapshot
  const { items, people, grades } = columnsOf(snapshot)
  const gradesOf = Array.from({ length: n }, () => study.items.map((): number | null => null))
  for (const [i, grade] of grades.entries()) {
    const own = gradesOf[people[i] - start]
    if (own !== undefined) own[items[i]] = Math.max(own[items[i]] ?? 0, grade)
  }
  return participants.slice(start, start + n).map((participant, i) => {
    const { id, externalId, createdAt, displayName, age, displayGender, qualityGrade, isCompleted } = participant
    return {
      id,
      externalId,
      createdAt,
      displayName,
      age,
      displayGender,
      qualityGrade,
      isCompleted,
      grades: gradesOf[i],
    }
  })
}
