import { isolate } from '../../../core/number-texts.ts'
import { type DrawnFigure, drawnFigureOf } from '../../../figures/drawn-figures.ts'

/** Cell of a table. @param names true where it is the name of its row or column */
export type DocumentCell = { text: string; names: boolean; isNumber: boolean }

/** Properties of a document. @param program with its version */
export type DocumentFacts = { title: string; program: string }

/** Part of a report, in the order of the page. */
export type DocumentBlock =
  | { is: 'heading'; level: 1 | 2 | 3; text: string }
  | { is: 'text'; text: string; isNote: boolean }
  | { is: 'list'; entries: string[] }
  | { is: 'table'; title: string; head: DocumentCell[][]; body: DocumentCell[][] }
  | { is: 'figure'; figure: DrawnFigure }
  | { is: 'picture'; picture: HTMLImageElement }

/**
 * Reads the contents of the report from its page, in order. What print leaves out is left out here, so that page, paper
 * and documents show the same.
 */
export function contentsOf(article: HTMLElement): DocumentBlock[] {
  return blocksIn(article, leftOutOfPrint())
}

/** Returns the selector of what the print styles of the page hide. */
function leftOutOfPrint(): string {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  const ofPrint = rules.filter((rule) => rule instanceof CSSMediaRule && rule.conditionText === 'print')
  return ofPrint
    .flatMap((rule) => [...(rule as CSSMediaRule).cssRules])
    .filter((rule): rule is CSSStyleRule => rule instanceof CSSStyleRule && rule.style.display === 'none')
    .map(({ selectorText }) => selectorText)
    .join(', ')
}

const TEXTS = 'p, dt, dd, pre, blockquote'

function blocksIn(parent: Element, hidden: string): DocumentBlock[] {
  return [...parent.children].flatMap((element): DocumentBlock[] => {
    if (element.matches(hidden) || !element.checkVisibility()) return []
    const read = (of: Element) => textOf(of, hidden)
    if (/^H[1-6]$/.test(element.tagName)) return headingOf(element, read(element))
    if (element instanceof HTMLTableElement) return [tableOf(element, read)]
    if (element instanceof HTMLImageElement) return [{ is: 'picture', picture: element }]
    if (element.tagName === 'FIGURE') return figureOf(element, hidden)
    if (element.matches('ul, ol')) return [{ is: 'list', entries: [...element.children].map(read) }]
    const isLine = element.matches(TEXTS) || isOfText(element)
    if (!isLine) return blocksIn(element, hidden)
    const text = read(element)
    return text === '' ? [] : [{ is: 'text', text, isNote: element.matches('.hint, .notice') }]
  })
}

function headingOf({ tagName }: Element, text: string): DocumentBlock[] {
  return text === '' ? [] : [{ is: 'heading', level: Math.min(3, Number(tagName[1])) as 1 | 2 | 3, text }]
}

/** Returns a figure, or what stands in its place, and its tables. */
function figureOf(element: Element, hidden: string): DocumentBlock[] {
  const figure = drawnFigureOf(element)
  if (figure === null) return blocksIn(element, hidden)
  const tables = [...element.querySelectorAll('table')]
    .filter((table) => table.closest(hidden) === null && table.checkVisibility())
    .map((table) => tableOf(table, (cell) => textOf(cell, hidden)))
  if (figure.drawing !== null) return [{ is: 'figure', figure }, ...tables]
  const states = [...element.querySelectorAll('.state')].flatMap((state) => blocksIn(state, hidden))
  return [{ is: 'heading', level: 3, text: figure.title }, ...states, ...tables]
}

/** Returns whether an element has text of its own, beside its elements. */
function isOfText(element: Element): boolean {
  return (
    element.tagName === 'STRONG' ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim() !== '')
  )
}

function tableOf(table: HTMLTableElement, read: (cell: Element) => string): DocumentBlock {
  const cellOf = (cell: HTMLTableCellElement): DocumentCell => ({
    text: read(cell),
    names: cell.tagName === 'TH',
    isNumber: cell.classList.contains('number'),
  })
  const rowsOf = (rows: HTMLTableRowElement[]) => rows.map(({ cells }) => [...cells].map(cellOf))
  const inHead = [...(table.tHead?.rows ?? [])]
  const body = rowsOf([...table.rows].filter((row) => !inHead.includes(row)))
  // The name of a column stands above its numbers.
  const ofNumbers = (c: number) => body.length > 0 && body.every((row) => row[c]?.isNumber)
  return {
    is: 'table',
    title: table.caption?.textContent ?? table.closest('section[aria-label]')?.getAttribute('aria-label') ?? '',
    head: rowsOf(inHead).map((row) => row.map((cell, c) => ({ ...cell, isNumber: ofNumbers(c) }))),
    body,
  }
}

/** Returns the text of an element as the page shows it: own lines where they are kept, names isolated. */
function textOf(element: Element, hidden: string): string {
  const keepsLines = getComputedStyle(element).whiteSpace.startsWith('pre')
  const textIn = (node: Node): string => {
    if (node instanceof Text) return node.data
    if (!(node instanceof Element) || node.matches(hidden) || node.matches('.unseen') || !node.checkVisibility())
      return ''
    // Such as the number of an AOI on its colour.
    if (node.tagName === 'svg') return [...node.querySelectorAll('text')].map((word) => word.textContent).join(' ')
    if (node.tagName === 'BR') return '\n'
    const inner = [...node.childNodes].map(textIn).join('')
    if (node.tagName === 'BDI') return isolate(inner)
    // What begins on a line of its own is a word of its own.
    return getComputedStyle(node).display.startsWith('inline') ? inner : ` ${inner} `
  }
  const text = [...element.childNodes].map(textIn).join('')
  return keepsLines ? text.trim() : text.replace(/\s+/g, ' ').trim()
}
