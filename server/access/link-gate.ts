import type { RequestHandler, Response } from 'express'
import { isCoveredBy, type Link, type LinkRequest } from '../../engine/access/link.ts'
import { studyFacts } from '../../engine/exports/columns/study-facts.ts'
import { type FilePlan, isPackage } from '../../engine/model/plan.ts'
import type { Study } from '../../engine/model/study.ts'
import type { StudyReader } from '../../engine/snapshot/snapshots.ts'
import { ProblemError } from '../http/problems.ts'
import { queryOf } from '../http/query.ts'
import type { Route } from '../routes/route.ts'
import { tokenOf } from './authorize.ts'
import { SAFE_METHODS } from './session-cookie.ts'

/**
 * Authorizes the holder of a link: answers 404 for every request that the table does not allow for links. Requests with
 * other tokens pass. `mayReadPlan` refuses jobs that a link may not see.
 *
 * @param route the requested route; undefined if there is none
 */
export function guardLinks(studies: StudyReader, route?: Route): RequestHandler {
  return async (req, res, next) => {
    const { link, studies: readable } = tokenOf(res)
    if (link === undefined) return next()
    const { studyId = '', itemId = '', name = '' } = req.params as Record<string, string>
    const isOfStudy = readable.includes(studyId.toLowerCase())
    if (!SAFE_METHODS.includes(req.method) || !isShown(route, link, { isOfStudy, itemId, name }))
      throw new ProblemError('not_found')
    const isTests = isOfStudy && (Array.isArray(route!.links) || route!.links === 'downloads')
    if (isTests && !(await isWithinLink(studies, studyId, link, queryOf(req.url)))) throw new ProblemError('not_found')
    next()
  }
}

/** Returns whether a link may use a route, regardless of the tests that it shows. */
function isShown(
  route: Route | undefined,
  link: Link,
  { isOfStudy, itemId, name }: { isOfStudy: boolean; itemId: string; name: string },
): boolean {
  const links = route?.links
  if (route === undefined || links === undefined) return false
  if (route.path.includes(':studyId') && !isOfStudy) return false
  if (links === 'jobs' || links === 'downloads') return link.hasDownloads
  if (links === 'item') return link.itemId === null || link.itemId === itemId.toLowerCase()
  if (links === 'analysis') return link.page === 'study' || link.analysis === name
  return links === 'study' || link.page === 'study' || (links as readonly string[]).includes(link.page)
}

async function isWithinLink(
  studies: StudyReader,
  studyId: string,
  link: Link,
  query: Map<string, string[]>,
): Promise<boolean> {
  const values = (name: string) => query.get(name) ?? []
  const names = ['itemId', 'filter', 'participantQualityGradeItemMin', 'participantId', 'analysis']
  if (names.some((name) => values(name).length > 1)) return false
  const [itemId, filter, gradeMin, participantId, analysis] = names.map((name) => values(name)[0] ?? null)
  return areWithin(studies, studyId, link, [{ itemId, filter, gradeMin, participantId, analysis }])
}

/**
 * Returns whether the holder of a link may see the file of a plan. Other tokens may see it if they may read its study.
 */
export async function mayReadPlan(studies: StudyReader, res: Response, plan: FilePlan): Promise<boolean> {
  const { link } = tokenOf(res)
  if (link === undefined) return true
  const asked = (isPackage(plan) ? plan.tables : [plan]).map(({ parameters }): LinkRequest => {
    const { itemId = null, filter = null, participantQualityGradeItemMin: gradeMin = null } = parameters
    return { itemId, filter, gradeMin, participantId: null, analysis: parameters.analysis ?? null }
  })
  return areWithin(studies, plan.studyId, link, asked)
}

async function areWithin(studies: StudyReader, studyId: string, link: Link, all: LinkRequest[]): Promise<boolean> {
  const snapshot = link.filter === null ? null : await studies.current(studyId)
  const externalData = snapshot === null ? [] : studyFacts(snapshot).externalDataNames
  return all.every((asked) => isCoveredBy(link, asked, externalData))
}

/** Returns the indexes of the items that a token may see in a study that it may read. */
export function seenItems(res: Response, { items }: Study): number[] {
  const itemId = tokenOf(res).link?.itemId ?? null
  return items.flatMap(({ id }, i) => (itemId === null || id === itemId ? [i] : []))
}
