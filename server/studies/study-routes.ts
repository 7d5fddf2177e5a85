import { type RequestHandler, type Response, Router } from 'express'
import { LRUCache } from 'lru-cache'
import type { z } from 'zod'
import { forEach } from '../../engine/concurrency/side-by-side.ts'
import { type Fault, ServiceError } from '../../engine/model/errors.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { StudyFacts } from '../../engine/snapshot/catalog.ts'
import { selectTests } from '../../engine/snapshot/selection.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { may, tokenOf } from '../access/authorize.ts'
import { seenItems } from '../access/link-gate.ts'
import { studyTag } from '../access/preconditions.ts'
import { readableStudy, studyIdFaults } from '../access/readable-study.ts'
import { namesTag } from '../exports/send-file.ts'
import { fixedAnswer } from '../http/fixed-answer.ts'
import { onlyMethods } from '../http/problems.ts'
import { decodeCursor, encodeCursor, queryOf, readLimit, refuseUnknown, single } from '../http/query.ts'
import type { DropRate, StudyDetails, StudySummary } from '../schemas/study.ts'

export function studyRoutes(store: Studies): Router {
  const router = Router({ caseSensitive: true })
  const detailsOf = cachedDetails()
  const get = (path: string, handler: RequestHandler, ...further: string[]) =>
    router
      .route(path)
      .get(handler)
      .all(onlyMethods('GET', 'HEAD', ...further))

  get(
    '/studies',
    async (req, res) => {
      const { limit, after } = readListQuery(req.url)
      const readable = (await readableStudies(res)).filter(([id]) => id > after)
      const found = await mapStudies(readable.slice(0, limit), summary)
      sendData(res, { ...found, nextCursor: readable.length > limit ? encodeCursor([readable[limit - 1][0]]) : null })
    },
    'POST',
  )

  get(
    '/studies/:studyId',
    async (req, res, next) => {
      const snapshot = await readableStudy(store, res, String(req.params.studyId))
      refuseUnknown(queryOf(req.url), [])
      const tag = studyTag(snapshot.id)
      res.setHeader('ETag', tag)
      if (namesTag(req, tag)) return void res.setHeader('Cache-Control', 'private, no-cache').status(304).end()
      return (await detailsOf(snapshot, seenItems(res, snapshot.study)))(req, res, next)
    },
    'PUT',
    'DELETE',
  )

  get('/studies/:studyId/flow', async (req, res) => {
    const { study } = await readableStudy(store, res, String(req.params.studyId))
    const query = queryOf(req.url)
    const faults = studyIdFaults(query, study.id)
    single(query, 'studyId', faults)
    refuseUnknown(query, ['studyId'], faults)
    const { id, steps, isServiceBasicSurveyEnabled } = study
    sendData(res, { study: { id }, steps, isServiceBasicSurveyEnabled })
  })

  get('/studies-all/drop-rate', async (req, res) => {
    refuseUnknown(queryOf(req.url), [])
    sendData(res, await mapStudies(await readableStudies(res), dropRate))
  })

  /** Returns the studies that a token may read, and what is current of each. */
  async function readableStudies(res: Response): Promise<[id: string, snapshotId: string][]> {
    return [...(await store.currents())].filter(([id]) => may('read', tokenOf(res), id))
  }

  /** Maps what the catalogue has of studies. One that cannot be read costs the others nothing. */
  async function mapStudies<T>(
    listed: [id: string, snapshotId: string][],
    view: (id: string, facts: StudyFacts) => T,
  ): Promise<{ studies: T[]; damaged?: string[] }> {
    const damaged: string[] = []
    const loaded = new Map<string, StudyFacts | null>()
    const unread = listed.filter(([id, snapshotId]) => store.known(id, snapshotId) === null)
    await forEach(unread, AT_ONCE, async ([id, snapshotId]) => {
      try {
        loaded.set(id, await store.facts(id, snapshotId))
      } catch (error) {
        if (!(error instanceof ServiceError) || !['corrupt', 'other_format'].includes(error.code)) throw error
        damaged.push(id)
      }
    })
    const studies: T[] = []
    for (const [id, snapshotId] of listed) {
      const facts = loaded.get(id) ?? store.known(id, snapshotId)
      if (facts !== null) studies.push(view(id, facts))
    }
    return damaged.length === 0 ? { studies } : { studies, damaged: damaged.sort() }
  }

  return router
}

/**
 * Studies whose facts are read side by side the first time: fewer than libuv's threads, so that no other request waits
 * for them.
 */
const AT_ONCE = 12

function readListQuery(url: string): { limit: number; after: string } {
  const query = queryOf(url)
  const faults: Fault[] = []
  const limit = readLimit(query, faults)
  const after = decodeCursor(query, 1, faults)?.[0] ?? ''
  refuseUnknown(query, ['limit', 'cursor'], faults)
  return { limit, after }
}

function summary(id: string, { snapshotId, name, counts }: StudyFacts): z.infer<typeof StudySummary> {
  return {
    id,
    name,
    snapshot: snapshotId,
    participantCount: counts.participants,
    itemCount: counts.items,
    testCount: counts.tests,
    sampleCount: counts.samples,
  }
}

/** Details that are cached: characters of JSON, and how long, as a study that was removed must go from memory. */
const CACHED = { maxSize: 16 * 2 ** 20, ttl: 300_000 }

/**
 * Returns the answers with the details of studies. A snapshot never changes: its answer is made, and compressed, once.
 */
function cachedDetails(): (snapshot: Snapshot, seen: number[]) => Promise<RequestHandler> {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'private, no-cache' }
  const known = new LRUCache<string, RequestHandler>(CACHED)
  return async (snapshot, seen) => {
    const isWhole = seen.length === snapshot.study.items.length
    const key = isWhole ? snapshot.id : `${snapshot.id} ${seen.join()}`
    const cached = known.get(key)
    if (cached) return cached
    const text = JSON.stringify(await details(snapshot, seen))
    const answer = fixedAnswer(headers, text)
    known.set(key, answer, { size: text.length })
    return answer
  }
}

/** @param seen places of the items that are told */
async function details(snapshot: Snapshot, seen: number[]): Promise<z.infer<typeof StudyDetails>> {
  const { study } = snapshot
  const { itemIndexes } = await selectTests(snapshot, { itemId: null, gradeMin: 1 })
  const testCounts = new Int32Array(study.items.length)
  for (const itemIndex of itemIndexes) testCounts[itemIndex]++
  const items = seen.map((i) => ({ ...study.items[i], testCount: testCounts[i] }))
  const aois = study.aois.filter(({ itemId }) => items.some(({ id }) => id === itemId))
  const recording = study.recording ? { recording: study.recording } : {}
  const about = study.about ? { about: study.about } : {}
  const { id: snapshotId, manifest } = snapshot
  const facts = { snapshotId, name: study.name, counts: manifest.counts }
  return { ...summary(study.id, facts), items, aois, ...recording, ...about }
}

function dropRate(id: string, { counts }: StudyFacts): z.infer<typeof DropRate> {
  const { participants: startedCount, completed: completedCount } = counts
  const dropRatePercents = startedCount === 0 ? null : (100 * (startedCount - completedCount)) / startedCount
  return { study: { id }, startedCount, completedCount, dropRatePercents }
}

function sendData(res: Response, body: unknown): void {
  res.setHeader('Cache-Control', 'private, no-cache')
  res.json(body)
}
