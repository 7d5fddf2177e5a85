import type { IRouter, RequestHandler } from 'express'
import { ProblemError } from './problems.ts'

/** Methods of HTTP, in the order in which Allow lists them. */
const METHODS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof METHODS)[number]

/**
 * Adds a path to a router, the only way to do so: every method that nothing answers is refused with 405, and Allow
 * lists the others.
 *
 * @param before runs whatever the method; `refusing` runs before a method is refused
 */
export function addPath(
  router: IRouter,
  path: string,
  answers: Partial<Record<Method, RequestHandler[]>>,
  { before = [], refusing = [] }: { before?: RequestHandler[]; refusing?: RequestHandler[] } = {},
): void {
  const allowed = METHODS.filter((method) => answers[method] || (method === 'head' && answers.get))
  const route = router.route(path)
  if (before.length > 0) route.all(before)
  for (const [method, handlers] of Object.entries(answers)) route[method as Method](handlers)
  route.all(refusing, () => {
    throw methodNotAllowed(allowed.join(', ').toUpperCase())
  })
}

/** Returns the problem of a method that a path does not take. @param Allow those that it takes */
export function methodNotAllowed(Allow: string): ProblemError {
  return new ProblemError('method_not_allowed', { headers: { Allow } })
}

/** Adds a page, which is read and nothing else. */
export function addPage(router: IRouter, path: string, ...handlers: RequestHandler[]): void {
  addPath(router, path, { get: handlers })
}
