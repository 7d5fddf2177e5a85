import type { IRouter, Request, RequestHandler } from 'express'
import { ProblemError } from './problems.ts'

/** Methods of HTTP, in the order in which Allow lists them. */
const METHODS = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof METHODS)[number]

/**
 * Adds a path to a router. Nothing else may add one: a method without a handler gets 405, and Allow lists the others.
 *
 * @param before runs for every method; `refusing` runs before a method is refused
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
  route.all(refusing, ({ method }: Request) => {
    throw methodNotAllowed(method, allowed.join(', ').toUpperCase())
  })
}

/** Returns the problem of a method that a path does not support. @param Allow the supported methods */
export function methodNotAllowed(method: string, Allow: string): ProblemError {
  const detail = `This path accepts ${Allow.replace(/, (?=[A-Z]+$)/, ' and ')}, not ${method}.`
  return new ProblemError('method_not_allowed', { headers: { Allow }, detail })
}

/** Adds a page that can only be read. */
export function addPage(router: IRouter, path: string, ...handlers: RequestHandler[]): void {
  addPath(router, path, { get: handlers })
}
