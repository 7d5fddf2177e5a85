import Presentation from 'pptxgenjs'
import { dataUrl } from '../../../figures/save.ts'
import { type CaptionWords, captioner } from './caption-words.ts'
import { fitColumns } from './columns.ts'
import type { DocumentBlock, DocumentCell, DocumentFacts } from './contents.ts'
import { type Media, mediaOf, pictureOf, type Room, sizeIn } from './media.ts'
import { rowsInPages, type Slide, slidesOf } from './slides.ts'
import { DOCUMENT_FONT, INKS, isRightToLeft, widthOf, writable } from './text.ts'

/** Slide of 16:9, in inches. */
const WIDE = 13.333
const EDGE = 0.5
const TEXT = WIDE - 2 * EDGE
const TITLE_Y = 0.42
const BODY_Y = 1.2
const CAPTION_Y = 6.72
const END_Y = 7.3
const MM_PER_INCH = 25.4
const PT_PER_INCH = 72
/** Width of a drawing, whose letters are then about 12 pt. */
const DRAWING_PX = 900
const LINE_HEIGHT = 1.22
const CELL = { side: 0.06, above: 0.035 }

type Page = ReturnType<Presentation['addSlide']>
/** Writes a report as slides. @param onFigure called with the number of figures done */
export async function pptxOf(
  blocks: DocumentBlock[],
  { title, program }: DocumentFacts,
  onFigure: (n: number) => void,
) {
  const file = new Presentation()
  Object.assign(file, {
    layout: 'LAYOUT_WIDE',
    title: writable(title),
    subject: 'Report',
    author: program,
    company: '',
  })
  file.theme = { headFontFace: DOCUMENT_FONT, bodyFontFace: DOCUMENT_FONT }
  addMasters(file)
  const caption = captioner()
  let figures = 0
  for (const slide of slidesOf(blocks)) {
    if (slide.is === 'title') await addTitle(file, slide)
    else if (slide.is === 'table') addTables(file, slide)
    else if (slide.is === 'text') addText(addPage(file, slide), slide.texts, { y: BODY_Y, h: END_Y - BODY_Y, size: 14 })
    else {
      await addFigure(addPage(file, slide), slide, caption(slide.figure))
      onFigure(++figures)
    }
  }
  return (await file.write({ outputType: 'blob', compression: true })) as Blob
}

const [FIRST, OTHER] = ['Report', 'Report page']
const AT = { x: EDGE, w: TEXT, margin: 0, fontFace: DOCUMENT_FONT }
const NUMBER = {
  x: WIDE - EDGE - 0.6,
  y: 7.12,
  w: 0.6,
  h: 0.25,
  align: 'right',
  fontFace: DOCUMENT_FONT,
  fontSize: 9,
} as const

/** Adds the masters, whose titles programs list. */
function addMasters(file: Presentation): void {
  const titled = (title: string, y: number, h: number, valign: 'top' | 'bottom') => {
    const options = { name: 'title', type: 'title' as const, ...AT, y, h, valign, bold: true, color: INKS.ink }
    file.defineSlideMaster({
      title,
      objects: [{ placeholder: { options, text: '' } }],
      slideNumber: { ...NUMBER, color: INKS.muted },
    })
  }
  titled(FIRST, 1.9, 1.9, 'bottom')
  titled(OTHER, TITLE_Y, 0.7, 'top')
}

/** Adds a slide with its title, and the section above it. */
function addPage(file: Presentation, { over, title }: Pick<Slide, 'over' | 'title'>, part = ''): Page {
  const page = file.addSlide({ masterName: OTHER })
  const whole = `${title}${part}`
  page.addText(writable(whole), {
    placeholder: 'title',
    ...directed(whole),
    fontSize: sizeFor(whole, [20, 18, 16, 14, 12, 10], 2),
  })
  if (over !== '' && over !== title)
    page.addText(writable(over), {
      x: EDGE,
      y: 0.17,
      w: TEXT,
      h: 0.22,
      margin: 0,
      fontFace: DOCUMENT_FONT,
      fontSize: sizeFor(over, [11, 9, 7], 1),
      color: INKS.muted,
      ...directed(over),
    })
  return page
}

/** Returns the first of the sizes in which a text takes at most so many lines of a slide; the last if none does. */
function sizeFor(text: string, sizes: number[], lines: number): number {
  return sizes.find((size) => linesOf(text, size, TEXT) <= lines) ?? sizes.at(-1)!
}

/** Returns how many lines a text takes, in a box of a width in inches. */
function linesOf(text: string, size: number, width: number, isBold = false): number {
  const room = width * PT_PER_INCH
  let [lines, left] = [1, room]
  const blank = widthOf(' ', size, isBold)
  for (const word of text.split(/\s+/)) {
    const wide = widthOf(word, size, isBold)
    if (wide > left && left < room) [lines, left] = [lines + 1, room]
    lines += Math.max(0, Math.ceil(wide / room) - 1)
    left -= Math.min(wide, room) + blank
  }
  return lines
}

function directed(text: string): { rtlMode: boolean; align: 'left' | 'right' } {
  const isRtl = isRightToLeft(text)
  return { rtlMode: isRtl, align: isRtl ? 'right' : 'left' }
}

async function addTitle(file: Presentation, { title, texts, picture }: Slide & { is: 'title' }): Promise<void> {
  const page = file.addSlide({ masterName: FIRST })
  const fontSize = sizeFor(title, [34, 28, 24, 20, 16, 12], 3)
  page.addText(writable(title), { placeholder: 'title', ...directed(title), fontSize })
  addText(page, texts, { y: 4, h: 1.5, size: 14, color: INKS.muted })
  if (picture === null) return
  const box = { x: EDGE, y: 0.6, w: 3.5, h: 1.2 }
  await addMedia(page, (room) => pictureOf(picture, room), 'Logo', box, false)
}

function paragraphs(texts: string[], color: string) {
  return texts.map((text) => ({
    text: writable(text),
    options: { color, breakLine: true, paraSpaceAfter: 6, ...directed(text) },
  }))
}

type TextBox = { y: number; h: number; size: number; color?: string }

/** Adds paragraphs, in letters small enough for the box. */
function addText(page: Page, texts: string[], { y, h, size, color = INKS.ink }: TextBox): void {
  if (texts.length === 0) return
  const heightAt = (pt: number) => texts.reduce((sum, text) => sum + linesOf(text, pt, TEXT) * pt * LINE_HEIGHT + 6, 0)
  const sizes = [size, ...[12, 11, 10, 9, 8, 7, 6].filter((smaller) => smaller < size)]
  const fontSize = sizes.find((pt) => heightAt(pt) <= h * PT_PER_INCH) ?? sizes.at(-1)!
  page.addText(paragraphs(texts, color), {
    x: EDGE,
    y,
    w: TEXT,
    h,
    margin: 0,
    valign: 'top',
    fontFace: DOCUMENT_FONT,
    fontSize,
  })
}

/** Adds a figure, its caption below, and in the notes all that its caption says. */
async function addFigure(page: Page, { figure, texts }: Slide & { is: 'figure' }, { short, more }: CaptionWords) {
  const top = BODY_Y + (texts.length > 0 ? 0.45 : 0)
  addText(page, texts, { y: BODY_Y - 0.08, h: 0.5, size: 12 })
  const box = { x: EDGE, y: top, w: TEXT, h: CAPTION_Y - 0.12 - top }
  const drawing = await figure.drawing!({ widthPx: DRAWING_PX, isWide: true })
  await addMedia(page, (room) => mediaOf(drawing, room), figure.title, box, true)
  addText(page, [short], { y: CAPTION_Y, h: 0.42, size: 10, color: INKS.muted })
  page.addNotes(writable([short, ...more].join('\n')))
}

/** Places a drawing in the middle of a box, as large as fits, or at its left. @param make returns it for its room */
async function addMedia(
  page: Page,
  make: (room: Room) => Promise<Media>,
  title: string,
  box: { x: number; y: number; w: number; h: number },
  isCentred: boolean,
): Promise<void> {
  const room = { widthMm: box.w * MM_PER_INCH, heightMm: box.h * MM_PER_INCH, enlarges: isCentred }
  const media = await make(room)
  const { widthMm, heightMm } = sizeIn(room, media)
  const [w, h] = [widthMm / MM_PER_INCH, heightMm / MM_PER_INCH]
  const x = isCentred ? box.x + (box.w - w) / 2 : box.x
  page.addImage({ data: await dataUrl(media.svg ?? media.png), x, y: box.y, w, h, altText: writable(title) })
}

type TableSlide = Slide & { is: 'table' }

/** Letters of a table, from large to small; it is on several slides before they get smaller than those of the first. */
const LARGE_PT = [14, 12, 11, 10]
const SMALL_PT = [9, 8, 7, 6, 5]

/** Adds a table on as many slides as its rows take; each repeats its head. */
function addTables(file: Presentation, slide: TableSlide): void {
  const top = BODY_Y + (slide.texts.length > 0 ? 0.45 : 0)
  const room = END_Y - 0.25 - top
  const large = LARGE_PT.map((size) => tableIn(slide, [size], room)).find(({ isWhole }) => isWhole)
  const { pages, size, colW, heightOf } = large ?? tableIn(slide, [LARGE_PT.at(-1)!, ...SMALL_PT], room)
  for (const [p, rows] of pages.entries()) {
    const page = addPage(file, slide, pages.length > 1 ? ` (${p + 1} of ${pages.length})` : '')
    if (p === 0) addText(page, slide.texts, { y: BODY_Y - 0.08, h: 0.5, size: 12 })
    const all = [...slide.head, ...rows]
    page.addTable(
      all.map((cells, r) => rowOf(cells, r < slide.head.length, size)),
      { x: EDGE, y: top, w: TEXT, colW, rowH: all.map(heightOf), autoPage: false },
    )
  }
}

/** Divides a table into slides. @returns isWhole true if it fits one without a broken word */
function tableIn({ head, body }: TableSlide, sizesPt: number[], room: number) {
  const padding = 2 * CELL.side * PT_PER_INCH + 1
  const { sizePt: size, widthsPt, fits } = fitColumns([...head, ...body], TEXT * PT_PER_INCH, padding, widthOf, sizesPt)
  const colW = widthsPt.map((width) => width / PT_PER_INCH)
  const heightOf = (cells: DocumentCell[]) => {
    const lines = cells.map(({ text, names }, c) => linesOf(text, size, colW[c] - 2 * CELL.side, names))
    return (Math.max(1, ...lines) * size * LINE_HEIGHT) / PT_PER_INCH + 2 * CELL.above
  }
  const ofHead = head.reduce((sum, cells) => sum + heightOf(cells), 0)
  const pages = body.length === 0 ? [[]] : rowsInPages(body, body.map(heightOf), room - ofHead)
  return { pages, size, colW, heightOf, isWhole: fits && pages.length === 1 }
}

function rowOf(cells: DocumentCell[], isHead: boolean, fontSize: number): Parameters<Page['addTable']>[0][number] {
  const rule = { type: 'solid' as const, pt: 0.5, color: INKS.line }
  const none = { type: 'none' as const }
  return cells.map(({ text, names, isNumber }) => ({
    text: writable(text),
    options: {
      ...directed(text),
      ...(isNumber && { align: 'right' as const }),
      ...(isHead && { fill: { color: INKS.sunken } }),
      bold: names,
      color: INKS.ink,
      fontFace: DOCUMENT_FONT,
      fontSize,
      valign: 'top' as const,
      border: [rule, none, rule, none] as [typeof rule, typeof none, typeof rule, typeof none],
      margin: [CELL.above, CELL.side, CELL.above, CELL.side] as [number, number, number, number],
    },
  }))
}
