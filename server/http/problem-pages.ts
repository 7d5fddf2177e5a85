import { createHash } from 'node:crypto'
import { type Response, Router } from 'express'
import { addPage } from './add-path.ts'
import { PROBLEMS, ProblemError, type ProblemKind } from './problems.ts'

/** Returns the pages to which `type` leads, and their index. */
export function problemPages(program: string): Router {
  const kinds = [...new Set(Object.values(PROBLEMS))].sort((a, b) => a.status - b.status)
  const pages = new Map(kinds.map((kind) => [kind.slug, kindPage(kind, program)]))
  const index = page(
    'Problems',
    `<p>Every error of Gazette is one of these.</p><ul>${kinds.map(listEntry).join('')}</ul>`,
  )
  const router = Router({ caseSensitive: true })
  addPage(router, '/', (_req, res) => sendPage(res, index))
  addPage(router, '/:slug', (req, res) => {
    const found = pages.get(String(req.params.slug))
    if (found === undefined) throw new ProblemError('not_found')
    sendPage(res, found)
  })
  return router
}

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#1b1f24;background:#fff}@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#15181c}a{color:#8ab4f8}}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

function kindPage({ status, slug, title, meaning, advice }: ProblemKind, program: string): string {
  return page(
    title,
    `<p>Status ${status}, type <code>/docs/problems/${slug}</code></p><h2>What it means</h2><p>${escapeHtml(meaning)}</p>` +
      `<h2>What to do</h2><p>${escapeHtml(advice.replaceAll('`gazette ', `\`${program} `))}</p><p><a href="/docs/problems/">All problems</a></p>`,
  )
}

function listEntry({ status, slug, title }: ProblemKind): string {
  return `<li><a href="/docs/problems/${slug}">${escapeHtml(title)}</a> (${status})</li>`
}

function page(title: string, body: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${escapeHtml(title)} · Gazette</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>\n`
  )
}

function sendPage(res: Response, html: string): void {
  res.setHeader('Content-Security-Policy', `default-src 'none'; style-src 'sha256-${STYLE_HASH}'`)
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Cache-Control', 'public, max-age=3600')
  res.send(html)
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
