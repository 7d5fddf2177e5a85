import { Router } from 'express'
import { addPage } from './add-path.ts'
import { escapeHtml, page, sendPage } from './plain-page.ts'
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
