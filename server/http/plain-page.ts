import { createHash } from 'node:crypto'
import type { Response } from 'express'

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#1b1f24;background:#fff}pre{overflow-x:auto;padding:.75rem;background:#80808020}@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#15181c}a{color:#8ab4f8}}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Returns a page without scripts. @param body as HTML */
export function page(title: string, body: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<title>${escapeHtml(title)} · Gazette</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>\n`
  )
}

/** Sends such a page. @param cacheControl for how long it may be kept */
export function sendPage(res: Response, html: string, cacheControl = 'public, max-age=3600'): void {
  res.setHeader('Content-Security-Policy', `default-src 'none'; style-src 'sha256-${STYLE_HASH}'`)
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Cache-Control', cacheControl)
  res.send(html)
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
