import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Request, Router } from 'express'
import { addPage } from './add-path.ts'
import { escapeHtml, page, sendPage } from './plain-page.ts'
import { ProblemError } from './problems.ts'
import { publicOrigin } from './public-origin.ts'

type Client = {
  language: string
  file: RegExp
  needs: string
  /** Returns the command that installs a package, given its address. */
  install: (url: string) => string
  /** Returns the first three lines, given the address of the server. */
  first: (server: string) => string
}

/** Packages of R that the client needs; an installation without a repository would not bring them. */
const R_NEEDS = `for (p in c("curl", "jsonlite", "openssl")) if (!requireNamespace(p, quietly = TRUE)) { chooseCRANmirror(ind = 1); install.packages(p) }`

const CLIENTS: Client[] = [
  {
    language: 'Python',
    file: /\.whl$/,
    needs: 'Python 3.10 or newer. It uses pandas, polars and pyarrow if they are installed.',
    install: (url) => `pip install ${url}`,
    first: (server) => `from gazette_client import Gazette
gazette = Gazette("${server}", "THE-TOKEN")
fixations = gazette.export("fixations", gazette.studies()[0])`,
  },
  {
    language: 'R',
    file: /^gazette_\d[^-]*\.tar\.gz$/,
    needs:
      'R 4.1 or newer with curl, jsonlite and openssl, which the line installs from CRAN if they are missing (on Debian, apt install r-cran-curl r-cran-jsonlite r-cran-openssl is faster).',
    install: (url) => `Rscript -e '${R_NEEDS}' -e 'install.packages("${url}", repos = NULL)'`,
    first: (server) => `library(gazette)
gz_server("${server}", "THE-TOKEN")
fixations <- gz_export("fixations", gz_studies()[1, ])`,
  },
  {
    language: 'JavaScript and TypeScript',
    file: /\.tgz$/,
    needs: 'Node 20.15 or newer, or a browser.',
    install: (url) => `npm install ${url}`,
    first: (server) => `import { openGazette } from 'gazette-client'
const gazette = openGazette({ url: '${server}', token: 'THE-TOKEN' })
const fixations = await gazette.rows('fixations', (await gazette.studies())[0])`,
  },
]

const NONE = 'No clients were built with this server: npm run build:clients makes them.'

/**
 * Returns the routes of `/clients/`: packages for Python, R and JavaScript that fit this server, and the commands that
 * install them, as a page for browsers and as lines for all others. They hold no data, so they need no token.
 *
 * @param program command with which the operator runs this program
 * @param directory the output of `npm run build:clients`; may be absent
 */
export function clientRoutes(program: string, directory = builtDirectory()): Router {
  const names = existsSync(directory) ? readdirSync(directory).sort() : []
  const router = Router({ caseSensitive: true })
  addPage(router, '/', (req, res) => {
    const installs = installsOf(names, req)
    res.vary('Accept')
    if (req.accepts(['text/plain', 'text/html']) === 'text/html')
      return sendPage(res, page('Clients', bodyOf(installs, publicOrigin(req), program)), 'no-store')
    res.setHeader('Cache-Control', 'no-store')
    res.type('text/plain').send(`${installs.map(({ line }) => line).join('\n') || NONE}\n`)
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

function installsOf(names: string[], req: Request): { client: Client; line: string }[] {
  const base = `${publicOrigin(req)}${req.baseUrl}`
  return CLIENTS.flatMap((client) =>
    names.filter((name) => client.file.test(name)).map((name) => ({ client, line: client.install(`${base}/${name}`) })),
  )
}

function bodyOf(installs: ReturnType<typeof installsOf>, server: string, program: string): string {
  if (installs.length === 0) return `<p>${NONE}</p>`
  const parts = installs.map(({ client: { language, needs, first }, line }) => {
    const code = (text: string) => `<pre><code>${escapeHtml(text)}</code></pre>`
    return `<h2>${language}</h2><p>It needs ${escapeHtml(needs)}</p>${code(line)}${code(first(server))}`
  })
  const token = `<p><code>THE-TOKEN</code> stands for an access token. Whoever runs this server makes one: <code>${escapeHtml(program)} token create</code>. Keep it out of scripts that you share: without it, the clients for Python and R read <code>GAZETTE_TOKEN</code> from the environment.</p>`
  return `<p>Packages that fit this server. Each reads an export as a table.</p>${token}${parts.join('')}<p><a href="/docs">All paths and parameters</a></p>`
}

/**
 * Returns the directory in which the build puts the packages: above the compiled server, also when this file runs as
 * TypeScript.
 */
function builtDirectory(): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(isSource ? '../../dist/clients' : '../../clients', import.meta.url))
}
