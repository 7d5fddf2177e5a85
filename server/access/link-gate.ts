import type { RequestHandler, Response } from 'express'
import { type Asked, isWithin, type Link, type LinkPage } from '../../engine/access/link.ts'
import { studyFacts } from '../../engine/exports/columns/study-facts.ts'
import { type FilePlan, isPackage } from '../../engine/model/plan.ts'
import type { Study } from '../../engine/model/study.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { ProblemError } from '../http/problems.ts'
import { queryOf } from '../http/query.ts'
import { tokenOf } from './authorize.ts'
import { SAFE_METHODS } from './session-cookie.ts'

/** What each page asks of a study besides the study, its participants and its pictures. */
const ASKED_BY: Record<LinkPage, string[]> = {
  item: ['charts/fixations', 'charts/gaze', 'charts/heatmap', 'charts/aois'],
  replay: ['charts/recording', 'charts/fixations'],
  transitions: ['analysis/transitions'],
  groups: ['charts/heatmap', 'charts/fixations', 'analysis/comparisons', 'analysis/participants'],
  quality: ['analysis/quality', 'analysis/loss', 'charts/aois', 'methods'],
  report: ['charts/heatmap', 'charts/fixations', 'charts/aois', 'analysis/quality', 'analysis/participants', 'methods'],
  study: ['flow'],
}
ASKED_BY.study = [
  ...Object.values(ASKED_BY).flat(),
  'analyses',
  'analysis/within',
  'analysis/visits',
  'analysis/survival',
]

const OF_STUDY = /^\/studies\/([0-9a-fA-F-]{36})(?:\/([a-z0-9A-F/@-]+))?$/
const IMAGE = /^items\/([0-9a-fA-F-]{36})\/(?:image|shown)$/
const ANALYSIS = /^analyses\/([a-z0-9@-]+)$/
const EXPORT = /^(collected-data\/.+|package|previews\/[a-z-]+)$/
/** A job that it may not see is refused where jobs are: see `mayReadPlan`. */
const JOB = /^\/jobs\/x[0-9a-f]{64}(\/events|\/file)?$/

/**
 * Lets whoever holds a link ask for what the link shows, and for nothing else: all that is not listed here is not
 * found. Others pass.
 */
export function guardLinks(store: Store): RequestHandler {
  return async (req, res, next) => {
    const { link, studies } = tokenOf(res)
    if (link === undefined) return next()
    if (!SAFE_METHODS.includes(req.method)) throw new ProblemError('not_found')
    if (link.page === 'study' && req.path === '/studies-all/drop-rate') return next()
    if (link.hasDownloads && JOB.test(req.path)) return next()
    const [, studyId = '', part = ''] = OF_STUDY.exec(req.path) ?? []
    if (!studies.includes(studyId.toLowerCase())) throw new ProblemError('not_found')
    if (part === '') return next()
    const imageOf = IMAGE.exec(part)?.[1].toLowerCase()
    if (imageOf !== undefined && (link.itemId === null || link.itemId === imageOf)) return next()
    const analysis = ANALYSIS.exec(part)?.[1]
    if (analysis !== undefined && (link.page === 'study' || link.analysis === analysis)) return next()
    const isAsked = part === 'participants' || ASKED_BY[link.page].includes(part)
    if (!isAsked && !(link.hasDownloads && EXPORT.test(part))) throw new ProblemError('not_found')
    if (!(await isWithinLink(store, studyId, link, queryOf(req.url)))) throw new ProblemError('not_found')
    next()
  }
}

async function isWithinLink(store: Store, studyId: string, link: Link, query: Map<string, string[]>): Promise<boolean> {
  const values = (name: string) => query.get(name) ?? []
  const names = ['itemId', 'filter', 'participantQualityGradeItemMin', 'participantId', 'analysis']
  if (names.some((name) => values(name).length > 1)) return false
  const [itemId, filter, gradeMin, participantId, analysis] = names.map((name) => values(name)[0] ?? null)
  return areWithin(store, studyId, link, [{ itemId, filter, gradeMin, participantId, analysis }])
}

/** Returns whether the holder of a link may see a file of a plan; everybody else may who may read its study. */
export async function mayReadPlan(store: Store, res: Response, plan: FilePlan): Promise<boolean> {
  const { link } = tokenOf(res)
  if (link === undefined) return true
  const asked = (isPackage(plan) ? plan.tables : [plan]).map(({ parameters }): Asked => {
    const { itemId = null, filter = null, participantQualityGradeItemMin: gradeMin = null } = parameters
    return { itemId, filter, gradeMin, participantId: null, analysis: parameters.analysis ?? null }
  })
  return areWithin(store, plan.studyId, link, asked)
}

async function areWithin(store: Store, studyId: string, link: Link, all: Asked[]): Promise<boolean> {
  const snapshot = link.filter === null ? null : await store.current(studyId)
  const externalData = snapshot === null ? [] : studyFacts(snapshot).externalDataNames
  return all.every((asked) => isWithin(link, asked, externalData))
}

/** Returns the places of the items that a token sees of a study it may read. */
export function seenItems(res: Response, { items }: Study): number[] {
  const itemId = tokenOf(res).link?.itemId ?? null
  return items.flatMap(({ id }, i) => (itemId === null || id === itemId ? [i] : []))
}
