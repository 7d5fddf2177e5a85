import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NextFunction, type RequestHandler, type Response, Router } from 'express'
import { PAGES } from '../../isomorphic/pages.ts'
import { addPage } from './add-path.ts'
import { fixedAnswer } from './fixed-answer.ts'
import { ProblemError } from './problems.ts'

/** Prefixes of the API, the documentation and the operators' pages: any other path below them gets a problem. */
const RESERVED = /^\/(api2|clients|docs|ops)(\/|$)/

/** Content security policy: no inline code, no other host, only files built with this server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Returns the routes of the dashboard: files that Vite built. They hold no data, so they need no token; everything they
 * show comes through /api2.
 */
export function dashboardRoutes(): Router {
  const directory = builtDirectory()
  const router = Router({ caseSensitive: true })
  const send = (res: Response, next: NextFunction) => {
    res.setHeader('Content-Security-Policy', POLICY)
    // An address holds filters and the text of a report: as a referrer, it would take as much room again.
    res.setHeader('Referrer-Policy', 'strict-origin')
    res.setHeader('Cache-Control', 'no-cache')
    res.sendFile('index.html', { root: directory, cacheControl: false }, (error) => {
      if (error && !res.headersSent) next(new ProblemError('not_found', { cause: error }))
    })
  }
  const page: RequestHandler = (_req, res, next) => send(res, next)
  for (const path of PAGES) addPage(router, path, page)
  const assets = readAssets(join(directory, 'assets'))
  addPage(router, '/assets/:name', (req, res, next) => {
    const answer = assets.get(String(req.params.name))
    return answer === undefined ? next('route') : answer(req, res, next)
  })
  // In a browser, an unknown address is a page, too.
  router.use((req, res, next) => {
    if (req.method !== 'GET' || RESERVED.test(req.path) || req.accepts(['json', 'html']) !== 'html') return next()
    res.status(404)
    send(res, next)
  })
  return router
}

/**
 * Returns a handler for each file by name. The files have half a megabyte in all, and each is compressed at its first
 * request.
 */
function readAssets(directory: string): Map<string, RequestHandler> {
  const names = existsSync(directory) ? readdirSync(directory) : []
  return new Map(
    names.map((name) => {
      // Names contain a hash of the file's content.
      const answer = fixedAnswer(
        { 'Cache-Control': 'public, max-age=31536000, immutable' },
        readFileSync(join(directory, name)),
      )
      return [name, (req, res) => answer(req, res.type(extname(name)))]
    }),
  )
}

/** Returns the directory of the built dashboard: beside the compiled server, also when this file runs as TypeScript. */
function builtDirectory(): string {
  const compiled = fileURLToPath(new URL('../../dashboard', import.meta.url))
  return existsSync(join(compiled, 'assets'))
    ? compiled
    : fileURLToPath(new URL('../../dist/dashboard', import.meta.url))
}
