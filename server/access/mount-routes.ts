import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Sessions } from '../../engine/access/sessions.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import type { StudyReader } from '../../engine/snapshot/snapshots.ts'
import { addPath } from '../http/add-path.ts'
import { checkingBody, refuseBody } from '../http/body/body.ts'
import { checkedBody, jsonReader } from '../http/body/json-body.ts'
import { ProblemError } from '../http/problems.ts'
import { readQuery } from '../routes/parameter.ts'
import type { Bound, Route } from '../routes/route.ts'
import { requireRole, requireToken, tokenOf } from './authorize.ts'
import type { Failures } from './failures.ts'
import { guardLinks } from './link-gate.ts'
import { allowPages } from './other-pages.ts'
import type { FindTokens } from './reach.ts'
import { changeableStudy, readableStudy } from './readable-study.ts'

/** Looks up the object that a path parameter names. @throws ProblemError not_found */
type Find = (req: Request, res: Response) => Promise<Record<string, unknown>>

type Parts = {
  studies: StudyReader
  tokens: FindTokens
  sessions: Sessions
  failures: Failures
  /** Limits requests per token or address. */
  limit: RequestHandler
  /** Origins of pages that may send participants. */
  collectOrigins: string
  /** Lookups of jobs, imports and webhooks, by name of the path parameter. */
  finds: Record<string, Find>
}

/**
 * Returns a router for the routes of the table, with their authorization; any other path needs a token before it is not
 * found. Checks run in this order: token, limit, links, role, path parameters, query, body.
 */
export function mountRoutes(bound: Bound[], parts: Parts): Router {
  const router = Router({ caseSensitive: true })
  const { tokens, failures, sessions, limit, studies } = parts
  const entering = [requireToken(tokens, failures, sessions), limit]
  const isOpen = ({ route: { role } }: Bound) => role === 'anyone' || role === 'self'
  const add = (path: string) => {
    const routes = bound.filter(({ route }) => route.path === path)
    const answers = routes.map(({ route, answer }) => {
      const { method, role } = route
      const bodies = route.body === undefined ? [refuseBody] : []
      if (role === 'self') return [method, [...bodies, ...(answer as RequestHandler[])]]
      const handler = answering(route, answer as (asked: object) => unknown, parts)
      if (role === 'anyone') return [method, [...bodies, limit, handler]]
      return [method, [...bodies, ...entering, guardLinks(studies, route), ...requiringRole(route), handler]]
    })
    addPath(router, path, Object.fromEntries(answers), {
      before: routes.some(({ route }) => route.isForOtherSites) ? [allowPages(parts.collectOrigins)] : [],
      refusing: routes.every(isOpen)
        ? [refuseBody]
        : [refuseBody, ...entering, guardLinks(studies), ...requiringRole(routes[0].route)],
    })
  }
  const pathsOf = (some: Bound[]) => new Set(some.map(({ route }) => route.path))
  for (const path of pathsOf(bound.filter(isOpen))) add(path)
  router.use(unlessDecodable(requireToken(tokens, failures, sessions)))
  for (const path of pathsOf(bound.filter((each) => !isOpen(each)))) add(path)
  router.use(refuseBody, ...entering, guardLinks(studies))
  return router
}

/** Runs a handler before the router tries to decode the path, which it refuses if it cannot. */
function unlessDecodable(handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    try {
      decodeURIComponent(req.path)
    } catch {
      return handler(req, res, next)
    }
    next()
  }
}

/**
 * Returns middleware that lets only tokens with the role of a route pass; a route of a study checks the rights on that
 * study.
 */
function requiringRole({ path, role, isRoleFirst, needsAllStudies }: Route): RequestHandler[] {
  const guards: RequestHandler[] = []
  if (role === 'ops')
    guards.push((_req, res, next) => {
      if (tokenOf(res).role !== 'ops') throw new ProblemError('not_found')
      next()
    })
  if (role === 'write' && (isRoleFirst || !path.includes(':studyId'))) guards.push(requireRole('write'))
  if (needsAllStudies !== undefined)
    guards.push((_req, res, next) => {
      const { role: given, studies } = tokenOf(res)
      if (given !== 'ops' || studies !== 'all') throw new ProblemError('forbidden', { detail: needsAllStudies })
      next()
    })
  return guards
}

/** Facts known about a request so far. */
type Found = { req: Request; res: Response; snapshot?: Snapshot; query?: unknown; body?: unknown }

/** Returns the handler of a route, after the checks that the table declares for it. */
function answering(route: Route, answer: (asked: object) => unknown, parts: Parts): RequestHandler {
  const { body, query = [], planned } = route
  // A browser may cache data of a study, if it revalidates it each time.
  const isStudyData = route.method === 'get' && route.role === 'read' && route.path.startsWith('/studies')
  const cache = isStudyData ? 'private, no-cache' : 'no-store'
  const [status] = Object.keys(route.answers).map(Number)
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  const read = body?.maxBytes === undefined ? null : jsonReader(body.maxBytes)
  const isRead = ['get', 'head'].includes(route.method)
  const once = async (asked: Found): Promise<unknown> => {
    const { req, res } = asked
    for (const name of names) Object.assign(asked, await find(name, route, asked, parts))
    if (planned === undefined) asked.query = readQuery(query, req.url, asked.snapshot)
    if (read !== null) {
      await read(req, res)
      asked.body = checkedBody(req, body!.schema!)
    }
    res.setHeader('Cache-Control', cache)
    return answer({ ...asked, token: tokenOf(res) })
  }
  const handler = async (req: Request, res: Response) => {
    const value = await (isRead ? untilKept(once, req, res, parts.studies) : once({ req, res }))
    if (res.statusCode === 200 && !res.headersSent) res.status(status)
    if (value !== undefined) res.json(value)
    else if (status === 204 && !res.writableEnded) res.end()
  }
  return isRead ? handler : checkingBody(handler)
}

const TRIES_MAX = 3

/**
 * Answers from the newest snapshot again if that of the first try was removed meanwhile, as with a participant.
 *
 * @throws ProblemError busy if that happens again and again
 */
async function untilKept(
  answer: (asked: Found) => Promise<unknown>,
  req: Request,
  res: Response,
  studies: StudyReader,
): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    const asked: Found = { req, res }
    try {
      return await answer(asked)
    } catch (error) {
      if (res.headersSent || !(error instanceof ServiceError) || !(await wasRemoved(asked, studies))) throw error
      if (tries === TRIES_MAX) throw new ProblemError('busy', { cause: error })
    }
  }
}

/** Returns whether the snapshot of a request is gone, while its study has another. */
async function wasRemoved({ snapshot }: Found, studies: StudyReader): Promise<boolean> {
  if (snapshot === undefined) return false
  const { id } = snapshot.study
  const isGone = await studies.load(id, snapshot.id).then(
    () => false,
    (error) => error instanceof ServiceError && error.code === 'not_found',
  )
  return isGone && (await studies.currentId(id)) !== null
}

/**
 * Looks up the object that a path parameter names.
 *
 * @throws ProblemError not_found; forbidden if the token may only read it
 */
async function find(name: string, { role }: Route, asked: Found, { studies, finds }: Parts): Promise<object> {
  const { req, res, snapshot } = asked
  const given = String(req.params[name])
  if (name === 'studyId') {
    const isChanged = role === 'write' || role === 'collect'
    return {
      snapshot: await (isChanged ? changeableStudy(studies, res, given, role) : readableStudy(studies, res, given)),
    }
  }
  if (name === 'itemId') {
    const item = snapshot!.study.items.find(({ id }) => id === given.toLowerCase())
    if (item === undefined) throw new ProblemError('not_found')
    return { item }
  }
  return (await finds[name]?.(req, res)) ?? {}
}
