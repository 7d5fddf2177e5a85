import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RequestHandler, Router } from 'express'
import { addPage } from '../http/add-path.ts'
import { fixedAnswer } from '../http/fixed-answer.ts'
import { ProblemError } from '../http/problems.ts'

/** Swagger UI, which the build puts beside this file, also when it runs as TypeScript. */
const UI_DIRECTORY = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/server/openapi/swagger-ui' : './swagger-ui', import.meta.url),
)
const UI_VERSION: string = JSON.parse(readFileSync(join(UI_DIRECTORY, 'package.json'), 'utf8')).version
/** Path with the version, so that browsers may cache its files without expiry. */
const UI_PATH = `/docs/ui-${UI_VERSION}`
const UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

/** Content security policy: no inline code or style, no other host. Its icons are data: images in its style sheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>API · Gazette</title>
<link rel="icon" href="${UI_PATH}/favicon-32x32.png">
<link rel="stylesheet" href="${UI_PATH}/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<main id="api"><noscript><p>This page needs JavaScript. Without it, read <a href="/api2/openapi.json">the OpenAPI document</a>
and <a href="/docs/problems/">the problems</a>.</p></noscript></main>
<script src="${UI_PATH}/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`

const PAGE_CSS = `body { margin: 0 auto; max-width: 80rem; }
noscript p { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; }
`

/**
 * Settings of the page. There is no validator, since it is on another host. A token that you type in is forgotten with
 * the page. Without one, the dashboard's session answers, but the curl command that is shown still needs a token.
 */
const PAGE_JS = `SwaggerUIBundle({
  url: '/api2/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  requestInterceptor: (request) => {
    if (!request.headers['X-AUTH-TOKEN'] && request.url.includes('/api2/')) request.curlOptions = ['-H "X-AUTH-TOKEN: $TOKEN"']
    return request
  },
})
`

/** Returns the routes of `/docs`: a page to read and try the API. It holds no data, so it needs no token. */
export function docsRoutes(): Router {
  const router = Router({ caseSensitive: true })
  const text = (type: string, body: string): RequestHandler => {
    const headers = { 'Content-Security-Policy': POLICY, 'Cache-Control': 'public, max-age=300' }
    return fixedAnswer({ ...headers, 'Content-Type': `${type}; charset=utf-8` }, body)
  }
  addPage(router, '/docs', text('text/html', PAGE))
  addPage(router, '/docs/page.css', text('text/css', PAGE_CSS))
  addPage(router, '/docs/page.js', text('text/javascript', PAGE_JS))
  for (const name of UI_FILES) {
    addPage(router, `${UI_PATH}/${name}`, (_req, res, next) => {
      const options = { root: UI_DIRECTORY, immutable: true, maxAge: '1y', dotfiles: 'allow' as const }
      res.sendFile(name, options, (error) => {
        if (error && !res.headersSent) next(new ProblemError('not_found', { cause: error }))
      })
    })
  }
  return router
}
