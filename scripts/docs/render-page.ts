import { Marked, type Tokens } from 'marked'

/** A page of the documentation. `text` of a section is what the search reads. */
export type DocsPage = { slug: string; title: string; html: string; sections: DocsSection[] }
export type DocsSection = { id: string; heading: string; text: string }

/**
 * Renders a page of Markdown for the dashboard. Links between pages lead to `/help`; what is not served is left as text;
 * pictures and diagrams are left out.
 *
 * @param pages slugs by path, relative to the root of the repository, such as `docs/signal.md`
 * @param path of this page, relative to the same
 */
export function renderPage(markdown: string, path: string, pages: Map<string, string>): DocsPage {
  const marked = new Marked()
  const sections: DocsSection[] = []
  const used = new Map<string, number>()
  let title = path
  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens)
        const heading = plain(html)
        if (depth === 1) {
          title = heading
          sections.push({ id: '', heading, text: '' })
          return `<h1>${html}</h1>\n`
        }
        const id = uniqueId(heading, used)
        sections.push({ id, heading, text: '' })
        return `<h${depth} id="${id}">${html}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const html = this.parser.parseInline(tokens)
        const to = addressOf(href, path, pages)
        return to === null ? html : `<a href="${escaped(to)}">${html}</a>`
      },
      image: () => '',
      html: () => '',
      code({ text, lang }: Tokens.Code) {
        return lang === 'mermaid' ? '' : `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`
      },
    },
    hooks: {
      postprocess: (html) =>
        html
          .replace(/<table>/g, '<div class="table-scroll" tabindex="0"><table>')
          .replace(/<\/table>/g, '</table></div>')
          .replace(/<th>/g, '<th scope="col">')
          .replace(/<p>\s*<\/p>\n?/g, ''),
    },
  })
  const html = withoutEmptyTables(marked.parse(markdown, { async: false }))
  fillTexts(html, sections)
  return { slug: pages.get(path) ?? path, title, html, sections }
}

/** A table that held only pictures has neither names of columns nor texts. */
function withoutEmptyTables(html: string): string {
  return html.replace(/<div class="table-scroll" tabindex="0"><table>([\s\S]*?)<\/table><\/div>/g, (table) =>
    plain(table) === '' ? '' : table,
  )
}

/** Gives each section the text between its heading and the next. */
function fillTexts(html: string, sections: DocsSection[]): void {
  const bodies = html.split(/<h[1-6](?: id="[^"]*")?>[\s\S]*?<\/h[1-6]>/).slice(1)
  for (const [i, body] of bodies.entries()) if (sections[i] !== undefined) sections[i].text = plain(body)
}

/** Returns the address of a link on the dashboard; null for what it does not serve. */
function addressOf(href: string, from: string, pages: Map<string, string>): string | null {
  if (/^(https?:|mailto:)/.test(href)) return href
  if (href.startsWith('#')) return href
  const [file, hash] = href.split('#')
  const slug = pages.get(resolved(file, from))
  if (slug === undefined) return null
  return `/help${slug === '' ? '' : `/${slug}`}${hash === undefined ? '' : `#${hash}`}`
}

/** Returns the path that a relative link leads to. */
function resolved(file: string, from: string): string {
  const parts = from.split('/').slice(0, -1)
  for (const part of file.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** Returns the id that GitHub gives a heading; the second of the same name ends in -1. */
function uniqueId(heading: string, used: Map<string, number>): string {
  const id = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
  const before = used.get(id) ?? 0
  used.set(id, before + 1)
  return before === 0 ? id : `${id}-${before}`
}

/** Returns the text of HTML. */
function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim()
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}
