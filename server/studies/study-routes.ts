import { LRUCache } from 'lru-cache'
import type { z } from 'zod'
import type { AdmittedToken } from '../../engine/access/token-file.ts'
import { recordedEyes } from '../../engine/model/eye-columns.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { type ListedStudy, listedStudyOf } from '../../engine/snapshot/catalog.ts'
import { readListed } from '../../engine/snapshot/read-listed.ts'
import { selectTests } from '../../engine/snapshot/selection.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { may } from '../access/authorize.ts'
import { seenItems } from '../access/link-gate.ts'
import { studyTag } from '../access/preconditions.ts'
import { namesTag } from '../exports/send-file.ts'
import { type FixedAnswer, fixedAnswer } from '../http/fixed-answer.ts'
import { encodeCursor } from '../http/query.ts'
import type { Answers } from '../routes/route.ts'
import type { STUDY_ROUTES } from '../routes/studies.ts'
import type { Flow } from '../schemas/flow.ts'
import type { DropRate, StudyDetails } from '../schemas/study.ts'
import { studySummary } from './study-summary.ts'

/** Returns the handlers that read studies. */
export function studyRoutes(studies: Studies): Answers<typeof STUDY_ROUTES> {
  const detailsOf = cachedDetails()
  return {
    listStudies: async ({ token, query: { limit, project, cursor: [after = ''] = [] } }) => {
      const later = (await readableStudies(token)).filter(([id]) => id > after)
      const readable = project === undefined ? later : await ofProject(later, project)
      const found = await mapStudies(readable.slice(0, limit), studySummary)
      return { ...found, nextCursor: readable.length > limit ? encodeCursor([readable[limit - 1][0]]) : null }
    },
    getStudy: async ({ req, res, snapshot }) => {
      const tag = studyTag(snapshot.id)
      res.setHeader('ETag', tag)
      if (namesTag(req, tag)) return void res.status(304).end()
      const send = await detailsOf(snapshot, seenItems(res, snapshot.study))
      await send(req, res)
    },
    getFlow: ({ snapshot: { study } }) => {
      const { id, steps, isServiceBasicSurveyEnabled } = study
      return { study: { id }, steps, isServiceBasicSurveyEnabled } as z.infer<typeof Flow>
    },
    getDropRates: async ({ token }) => mapStudies(await readableStudies(token), dropRate),
  }

  /** Returns the studies that a token may read, with the current snapshot of each. */
  async function readableStudies(token: AdmittedToken): Promise<[id: string, snapshotId: string][]> {
    return [...(await studies.currents())].filter(([id]) => may('read', token, id))
  }

  /** Returns the studies of a project; a damaged one is of none. */
  async function ofProject(listed: [id: string, snapshotId: string][], project: string) {
    const { facts } = await readListed(studies, listed)
    const own = new Set(facts.filter(([, found]) => found.project === project).map(([id]) => id))
    return listed.filter(([id]) => own.has(id))
  }

  /** Maps the entries of the catalogue; a study that cannot be read does not affect the others. */
  async function mapStudies<T>(
    listed: [id: string, snapshotId: string][],
    view: (id: string, facts: ListedStudy) => T,
  ): Promise<{ studies: T[]; damaged?: string[] }> {
    const { facts, damaged } = await readListed(studies, listed)
    const views = facts.map(([id, found]) => view(id, found))
    return damaged.length === 0 ? { studies: views } : { studies: views, damaged: damaged.map(([id]) => id) }
  }
}

/** LRU cache of details: maximum characters of JSON, and lifetime, since a removed study must leave the memory. */
const CACHED = { maxSize: 16 * 2 ** 20, ttl: 300_000 }

/** Returns a cache of the details of studies: a snapshot never changes, so its answer is built and compressed once. */
function cachedDetails(): (snapshot: Snapshot, seen: number[]) => Promise<FixedAnswer> {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'private, no-cache' }
  const known = new LRUCache<string, FixedAnswer>(CACHED)
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

/** Describes a study. @param seen indexes of the visible items */
async function details(snapshot: Snapshot, seen: number[]): Promise<z.infer<typeof StudyDetails>> {
  const { study } = snapshot
  const { itemIndexes } = await selectTests(snapshot, { itemId: null, gradeMin: 1 })
  const testCounts = new Int32Array(study.items.length)
  for (const itemIndex of itemIndexes) testCounts[itemIndex]++
  const items = seen.map((i) => ({ ...study.items[i], testCount: testCounts[i] }))
  const aois = study.aois.filter(({ itemId }) => items.some(({ id }) => id === itemId))
  const recording = study.recording ? { recording: study.recording } : {}
  const about = study.about ? { about: study.about } : {}
  const recorded = recordedEyes(snapshot.manifest)
  const eyes = recorded.length > 0 ? { eyes: recorded } : {}
  return {
    ...studySummary(study.id, listedStudyOf(snapshot.manifest, study)),
    items,
    aois,
    ...recording,
    ...eyes,
    ...about,
  }
}

function dropRate(id: string, { counts }: ListedStudy): z.infer<typeof DropRate> {
  const { participants: startedCount, completed: completedCount } = counts
  const dropRatePercents = startedCount === 0 ? null : (100 * (startedCount - completedCount)) / startedCount
  return { study: { id }, startedCount, completedCount, dropRatePercents }
}
