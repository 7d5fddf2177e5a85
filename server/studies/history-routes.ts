import { dirname } from 'node:path'
import { type RequestHandler, Router } from 'express'
import type { z } from 'zod'
import type { Fault } from '../../engine/model/errors.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { readHistory } from '../../engine/study/history.ts'
import { listPastAois } from '../../engine/study/past-aois.ts'
import { readableStudy } from '../access/readable-study.ts'
import { onlyMethods, ProblemError } from '../http/problems.ts'
import { decodeCursor, encodeCursor, queryOf, readLimit, refuseUnknown } from '../http/query.ts'
import type { PastAois, StudyHistory } from '../schemas/writes.ts'

/** Returns the routes of a study's history: who changed it, and which AOIs its items had, newest first. */
export function historyRoutes(store: Store): Router {
  const router = Router({ caseSensitive: true })
  router
    .route('/studies/:studyId/history')
    .get(async (req, res) => {
      const { manifest, directory } = await readableStudy(store, res, String(req.params.studyId))
      const query = queryOf(req.url)
      const faults: Fault[] = []
      const limit = readLimit(query, faults)
      const [before] = decodeCursor(query, 1, faults) ?? []
      if (before !== undefined && !/^\d{1,9}$/.test(before))
        faults.push({ parameter: 'cursor', rule: 'must be a nextCursor as it came', value: before })
      refuseUnknown(query, ['limit', 'cursor'], faults)
      const all = await readHistory(dirname(directory), manifest)
      const end = before === undefined ? all.length : Math.min(Number(before), all.length)
      const start = Math.max(0, end - limit)
      const body: z.infer<typeof StudyHistory> = {
        entries: all
          .slice(start, end)
          .reverse()
          .map(({ at, tokenId, did, participantId, testCount, sampleCount, snapshotId: snapshot }) => ({
            at,
            tokenId,
            did,
            ...(participantId === undefined ? {} : { participantId, testCount, sampleCount }),
            snapshot,
          })),
        nextCursor: start > 0 ? encodeCursor([String(start)]) : null,
      }
      res.setHeader('Cache-Control', 'private, no-cache')
      res.json(body)
    })
    .all(onlyMethods('GET', 'HEAD'))
  router
    .route('/studies/:studyId/items/:itemId/aois/history')
    .get(answerPastAois(store))
    .all(onlyMethods('GET', 'HEAD'))
  return router
}

function answerPastAois(store: Store): RequestHandler {
  return async (req, res) => {
    const { study, directory } = await readableStudy(store, res, String(req.params.studyId))
    const itemId = String(req.params.itemId).toLowerCase()
    if (!study.items.some(({ id }) => id === itemId)) throw new ProblemError('not_found')
    const query = queryOf(req.url)
    const faults: Fault[] = []
    const limit = readLimit(query, faults)
    const [after = ''] = decodeCursor(query, 1, faults) ?? []
    refuseUnknown(query, ['limit', 'cursor'], faults)
    const present = study.aois.filter((aoi) => aoi.itemId === itemId)
    const { sets, hasMore } = await listPastAois(dirname(directory), itemId, present, { after, limit })
    const body: z.infer<typeof PastAois> = {
      entries: sets.map(({ until, tokenId, aois }) => ({ until, tokenId, aois })),
      nextCursor: hasMore ? encodeCursor([sets.at(-1)!.name]) : null,
    }
    res.setHeader('Cache-Control', 'private, no-cache')
    res.json(body)
  }
}
