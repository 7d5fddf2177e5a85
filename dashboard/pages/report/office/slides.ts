import type { DrawnFigure } from '../../../figures/drawn-figures.ts'
import type { DocumentBlock, DocumentCell } from './contents.ts'

/** Contents of a slide. @param over name of the section that it belongs to */
export type Slide = { over: string; title: string; texts: string[] } & (
  | { is: 'title'; picture: HTMLImageElement | null }
  | { is: 'text' }
  | { is: 'table'; head: DocumentCell[][]; body: DocumentCell[][] }
  | { is: 'figure'; figure: DrawnFigure }
)

/** Letters of text that a slide has beside a figure or a table, and alone. */
const BESIDE_MAX = 260
const ALONE_MAX = 2400

/**
 * Divides a report into slides: the title, one of each figure and of each table, and of the text between them; a short
 * text stands with the figure or table that follows it.
 */
export function slidesOf(blocks: DocumentBlock[]): Slide[] {
  const slides: Slide[] = []
  let [over, title, whole] = ['', '', '']
  let texts: string[] = []
  let picture: HTMLImageElement | null = null
  const flush = () => {
    for (const some of inPages(texts)) slides.push({ is: 'text', over, title: title || over || whole, texts: some })
    texts = []
  }
  const beside = () => {
    if (texts.join(' ').length > BESIDE_MAX) flush()
    const short = texts
    texts = []
    return short
  }
  for (const block of blocks) {
    if (block.is === 'picture') picture = block.picture
    // A note below the title of the report stands on its slide.
    else if (block.is === 'text')
      (block.isNote && slides.at(-1)?.is === 'title' ? slides.at(-1)! : { texts }).texts.push(block.text)
    else if (block.is === 'list') texts.push(...block.entries)
    else if (block.is === 'heading') {
      flush()
      if (block.level === 1) {
        whole = block.text
        slides.push({ is: 'title', over: '', title: whole, texts: [], picture })
      } else if (block.level === 2) [over, title] = [block.text, '']
      else title = block.text
    } else if (block.is === 'figure') {
      slides.push({ is: 'figure', texts: beside(), over, title: block.figure.title, figure: block.figure })
      title = ''
    } else {
      slides.push({
        is: 'table',
        texts: beside(),
        over,
        title: title || block.title || over,
        head: block.head,
        body: block.body,
      })
      title = ''
    }
  }
  flush()
  return slides
}

/** Divides texts into pages, between paragraphs and, in long ones, between sentences. */
function inPages(texts: string[]): string[][] {
  const pages: string[][] = []
  let left = 0
  for (const text of texts.flatMap(inParts)) {
    if (text.length > left || pages.length === 0) {
      pages.push([])
      left = ALONE_MAX
    }
    pages.at(-1)!.push(text)
    left -= text.length
  }
  return pages
}

function inParts(text: string): string[] {
  const parts: string[] = []
  for (const sentence of text.match(/.*?(?:[.!?](?=\s)|$)\s*/gs) ?? []) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + sentence.length <= ALONE_MAX) parts[parts.length - 1] = last + sentence
    else parts.push(sentence)
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/**
 * Divides the rows of a table among slides.
 *
 * @param heights of the rows
 * @param room for them on a slide, without the head
 */
export function rowsInPages<Row>(rows: Row[], heights: number[], room: number): Row[][] {
  const pages: Row[][] = []
  let left = -1
  for (const [r, row] of rows.entries()) {
    if (heights[r] > left) {
      pages.push([])
      left = room
    }
    pages.at(-1)!.push(row)
    left -= heights[r]
  }
  return pages
}
