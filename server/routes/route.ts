import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import type { LinkPage } from '../../engine/access/link.ts'
import type { AdmittedToken } from '../../engine/access/token-file.ts'
import type { ExportEntry } from '../../engine/exports/columns/export-entry.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import type { Item, Snapshot } from '../../engine/model/study.ts'
import type { ImportJob } from '../../engine/uploads/import-job.ts'
import type { Webhook } from '../../engine/webhooks/webhook.ts'
import type { Method } from '../http/add-path.ts'
import type { ProblemCode } from '../http/problems.ts'
import type { Checked, Json, Parameter, ParameterValues } from './parameter.ts'

/**
 * Rights that a route needs. `anyone`: no token. `read`, `write` or `collect` (send participants): that right on the
 * study in the path. `ops`: operators, and the route does not exist for others. `self`: the handler decides.
 */
type Role = 'anyone' | 'self' | 'read' | 'collect' | 'write' | 'ops'

/** A route below /api2: one method of a path, with everything that is known in advance. */
export type Route = {
  method: Method
  path: string
  role: Role
  /** True if a token of a lower role gets 403 before the study is looked up. */
  isRoleFirst?: boolean
  /** Detail of the 403 for operators of only some studies, who may not use the route. */
  needsAllStudies?: string
  /** Links that may use the route, besides those to the whole study; none if absent. */
  links?: readonly LinkPage[] | 'study' | 'item' | 'analysis' | 'downloads' | 'jobs'
  /** True if pages of other sites may use the route, with a token of their own. */
  isForOtherSites?: boolean
  /** Path parameters that are described differently than in `PATH_PARAMETERS`. */
  at?: readonly Parameter[]
  /** Query parameters, which are validated before the handler; no others are accepted. */
  query?: readonly Checked[]
  /** Query parameters that the handler validates, since their rules depend on the study. */
  planned?: readonly Parameter[]
  headers?: readonly Parameter[]
  body?: RouteBody
  /** Answers, the usual one first. */
  answers: Record<number, RouteAnswer>
  /** Problems besides those that follow from the rest of the entry. */
  problems?: readonly ProblemCode[]
  /** Summary in the OpenAPI document; a route without it belongs to the dashboard and may change with it. */
  tag?: string
  summary?: string
  description?: string
}

/**
 * A body: JSON of at most `maxBytes`, validated before the handler; without `maxBytes`, the handler reads the body
 * itself, as a stream.
 */
export type RouteBody = {
  schema?: z.ZodType
  maxBytes?: number
  /** Media types besides that of JSON, whose schema is `schema`. */
  types?: readonly string[]
  /** True if the body is optional. */
  isOptional?: boolean
}

export type RouteAnswer<Schema extends z.ZodType = z.ZodType> = {
  description: string
  /** Names of headers besides those of every answer; a name with `?` is optional. */
  headers: readonly string[]
  /** By media type: the schema of text or JSON, or the document's own description. */
  content?: Record<string, z.ZodType | Json>
  /** Schema of the body that the handler returns; without it, the handler sends the answer itself. */
  returns?: Schema
}

/** A JSON answer that the handler returns as a value. */
export function json<Schema extends z.ZodType>(description: string, schema: Schema, ...headers: string[]) {
  return { ...sent(description, schema, ...headers), returns: schema }
}

/** A JSON answer that the handler sends. */
export function sent(description: string, schema: z.ZodType, ...headers: string[]): RouteAnswer<never> {
  return { description, headers: ['Content-Length', ...headers], content: { 'application/json': schema } }
}

/** An answer without a body. */
export function empty(description: string, ...headers: string[]): RouteAnswer<never> {
  return { description, headers }
}

/** An answer with one of several media types. */
export function media(
  description: string,
  content: Record<string, z.ZodType | Json>,
  ...headers: string[]
): RouteAnswer<never> {
  return { description, headers, content }
}

export const TEXT = z.string()
export const BINARY: Json = {}

/** Fields of an entry besides method, path and role. */
type More = Omit<Route, 'method' | 'path' | 'role'>

/** Returns an entry of the table. The types of its handler's arguments and result follow from it. */
export function route<const M extends Method, const P extends string, const R extends Role, const E extends More>(
  method: M,
  path: P,
  role: R,
  entry: E,
) {
  return { method, path, role, ...entry }
}

/** Returns a part of the table from entries with common fields; fields of an entry take precedence. */
export function group(shared: Partial<More>) {
  return <const Routes extends Record<string, Route>>(routes: Routes): Routes =>
    Object.fromEntries(Object.entries(routes).map(([name, entry]) => [name, { ...shared, ...entry }])) as Routes
}

/** Objects that path parameters name; they are looked up before the handler, with 404 if they do not exist. */
type Found<Path extends string> = Of<Path, 'studyId', { snapshot: Snapshot }> &
  Of<Path, 'itemId', { item: Item }> &
  Of<Path, 'exportName', { entry: ExportEntry }> &
  Of<Path, 'jobId', { job: Job }> &
  Of<Path, 'importId', { importJob: ImportJob }> &
  Of<Path, 'webhookId', { webhook: Webhook }>
type Of<Path extends string, Name extends string, Thing> = Path extends `${string}:${Name}${string}` ? Thing : unknown

/** Arguments of a handler. */
export type RouteRequest<R extends Route> = Found<R['path']> & {
  req: Request
  res: Response
  token: AdmittedToken
  query: R['query'] extends readonly Checked[] ? ParameterValues<R['query']> : unknown
  body: R['body'] extends { schema: infer S extends z.ZodType; maxBytes: number } ? z.output<S> : undefined
}

/** Result of a handler: the body of a JSON answer; nothing if it has sent the answer, or there is no body. */
type Returned<R extends Route> = R['answers'][keyof R['answers']] extends infer A
  ? A extends { returns: infer S extends z.ZodType }
    ? z.infer<S>
    : never
  : never

/** Handler of a route. */
export type RouteHandler<R extends Route> = R['role'] extends 'self'
  ? RequestHandler[]
  : [Returned<R>] extends [never]
    ? (asked: RouteRequest<R>) => void | Promise<void>
    : (asked: RouteRequest<R>) => Returned<R> | undefined | Promise<Returned<R> | undefined>

/** Handlers of a part of the table, by name. */
export type Answers<Routes extends Record<string, Route>> = { [Name in keyof Routes]: RouteHandler<Routes[Name]> }

/** A route with its handler. */
export type Bound = { route: Route; answer: unknown }

/** Joins a part of the table with its handlers. */
export function bind<Routes extends Record<string, Route>>(routes: Routes, answers: Answers<Routes>): Bound[] {
  return Object.entries(routes).map(([name, entry]) => ({ route: entry, answer: answers[name] }))
}
