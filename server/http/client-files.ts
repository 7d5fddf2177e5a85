import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Request, Router } from 'express'
import { addPage } from './add-path.ts'
import { ProblemError } from './problems.ts'
import { publicOrigin } from './public-origin.ts'

/** Commands that install each kind of package, given its address. */
const INSTALL: [RegExp, (url: string) => string][] = [
  [/\.whl$/, (url) => `pip install ${url}`],
  [/^gazette_\d[^-]*\.tar\.gz$/, (url) => `Rscript -e 'install.packages("${url}", repos = NULL)'`],
  [/\.tgz$/, (url) => `npm install ${url}`],
]

/**
 * Returns the routes of `/clients/`: packages for Python, R and JavaScript that fit this server, and the commands that
 * install them. They hold no data, so they need no token.
 *
 * @param directory the output of `npm run build:clients`; may be absent
 */
export function clientRoutes(directory = builtDirectory()): Router {
  const names = existsSync(directory) ? readdirSync(directory).sort() : []
  const router = Router({ caseSensitive: true })
  addPage(router, '/', (req, res) => {
    res.setHeader('Cache-Control', 'no-store')
    res.type('text/plain').send(linesFor(names, req))
  })
  addPage(router, '/:name', (req, res, next) => {
    const name = String(req.params.name)
    if (!names.includes(name))
      throw new ProblemError('not_found', { detail: 'GET /clients/ lists the available files.' })
    res.sendFile(name, { root: directory, maxAge: '5m', dotfiles: 'allow' }, (error) => {
      if (error && !res.headersSent) next(new ProblemError('not_found', { cause: error }))
    })
  })
  return router
}

function linesFor(names: string[], req: Request): string {
  const base = `${publicOrigin(req)}${req.baseUrl}`
  const lines = INSTALL.flatMap(([pattern, line]) =>
    names.filter((name) => pattern.test(name)).map((name) => line(`${base}/${name}`)),
  )
  if (lines.length === 0) return 'No clients were built with this server: npm run build:clients makes them.\n'
  return `${lines.join('\n')}\n`
}

/**
 * Returns the directory in which the build puts the packages: above the compiled server, also when this file runs as
 * TypeScript.
 */
function builtDirectory(): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(isSource ? '../../dist/clients' : '../../clients', import.meta.url))
}
