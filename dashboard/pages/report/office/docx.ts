import {
  AlignmentType,
  BorderStyle,
  Document,
  Footer,
  HeadingLevel,
  ImageRun,
  type IRunOptions,
  LineRuleType,
  Packer,
  PageNumber,
  Paragraph,
  type ParagraphChild,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  WidthType,
} from 'docx'
import type { DrawnFigure } from '../../../figures/drawn-figures.ts'
import { type CaptionWords, captioner } from './caption-words.ts'
import { fitColumns } from './columns.ts'
import type { DocumentBlock, DocumentCell, DocumentFacts } from './contents.ts'
import { type Media, mediaOf, pictureOf, type Room, sizeIn } from './media.ts'
import { DOCUMENT_FONT, INKS, isRightToLeft, widthOf, writable } from './text.ts'

/** A4, with the margins of a printed report. */
const PAGE = { width: '210mm', height: '297mm' } as const
const MARGINS = { top: '16mm', bottom: '16mm', left: '14mm', right: '14mm' } as const
const TEXT_MM = 182
const TEXT_PT = (TEXT_MM / 25.4) * 72
const TWIPS_PER_PT = 20
const PX_PER_MM = 96 / 25.4
/** Two figures with their captions fit on a page. */
const FIGURE: Room = { widthMm: TEXT_MM, heightMm: 120, enlarges: false }
const LOGO: Room = { widthMm: 60, heightMm: 20, enlarges: false }
const PADDING_PT = 3
const HEADINGS = { 1: HeadingLevel.TITLE, 2: HeadingLevel.HEADING_1, 3: HeadingLevel.HEADING_2 }

/** Writes a report as a Word document of A4 pages. @param onFigure called with the number of figures done */
export async function docxOf(
  blocks: DocumentBlock[],
  { title, program }: DocumentFacts,
  onFigure: (n: number) => void,
) {
  const children: (Paragraph | Table)[] = []
  const caption = captioner()
  let figures = 0
  for (const [b, block] of blocks.entries()) {
    if (block.is === 'figure') {
      children.push(...(await figureOf(block.figure, caption(block.figure))))
      onFigure(++figures)
    } else if (block.is === 'picture')
      children.push(paragraph([await imageOf(await pictureOf(block.picture, LOGO), LOGO, 'Logo')]))
    else children.push(...textsOf(block, blocks[b - 1], blocks[b + 1]))
  }
  const footer = new Paragraph({
    alignment: AlignmentType.RIGHT,
    children: [
      new TextRun({ children: [PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES], size: 18, color: INKS.muted }),
    ],
  })
  const document = new Document({
    title: writable(title),
    creator: program,
    lastModifiedBy: program,
    styles: STYLES,
    sections: [
      {
        properties: { page: { size: PAGE, margin: MARGINS } },
        footers: { default: new Footer({ children: [footer] }) },
        children,
      },
    ],
  })
  return Packer.toBlob(document)
}

const headed = (sizePt: number, before: number) => ({
  run: { font: DOCUMENT_FONT, size: sizePt * 2, bold: true, color: INKS.ink },
  paragraph: { keepNext: true, keepLines: true, spacing: { before: before * TWIPS_PER_PT, after: 4 * TWIPS_PER_PT } },
})
const STYLES = {
  default: {
    document: {
      run: { font: DOCUMENT_FONT, size: 20, color: INKS.ink },
      paragraph: { spacing: { after: 6 * TWIPS_PER_PT, line: 264, lineRule: LineRuleType.AUTO } },
    },
    title: headed(20, 0),
    heading1: headed(14, 16),
    heading2: headed(11, 10),
  },
}

/** Returns the paragraphs and tables of a block of texts. @param before, after the blocks beside it */
function textsOf(
  block: Exclude<DocumentBlock, { is: 'figure' | 'picture' }>,
  before: DocumentBlock | undefined,
  after: DocumentBlock | undefined,
): (Paragraph | Table)[] {
  if (block.is === 'heading') return [paragraph([run(block.text)], block.text, { heading: HEADINGS[block.level] })]
  if (block.is === 'list') return block.entries.map((text) => paragraph([run(text)], text, { bullet: { level: 0 } }))
  const spacing = before?.is === 'table' ? BELOW_TABLE : {}
  if (block.is === 'text') {
    const look = block.isNote ? { color: INKS.muted, size: 18 } : {}
    // Between a heading and its figure: neither is parted from it.
    const keepNext = before?.is === 'heading' && (after?.is === 'figure' || after?.is === 'table')
    return [paragraph(linesOf(block.text, look), block.text, { keepNext, ...spacing })]
  }
  const isNamed = before?.is === 'heading' && before.level === 3
  const named = { keepNext: true, ...spacing }
  const name = isNamed ? [] : [paragraph([run(block.title, { bold: true, size: 18 })], block.title, named)]
  // A document ends in a paragraph; elsewhere, one that is empty would let LibreOffice part the next heading.
  const end = after === undefined ? [paragraph([])] : []
  return [...name, tableOf([...block.head, ...block.body], block.head.length), ...end]
}

const BELOW_TABLE = { spacing: { before: 9 * TWIPS_PER_PT } }

type ParagraphLook = ConstructorParameters<typeof Paragraph>[0] & object

/** @param text whose direction the paragraph has */
function paragraph(children: ParagraphChild[], text = '', look: ParagraphLook = {}): Paragraph {
  return new Paragraph({ ...look, ...(isRightToLeft(text) && { bidirectional: true }), children })
}

function run(text: string, look: IRunOptions = {}): TextRun {
  return new TextRun({ ...look, ...(isRightToLeft(text) && { rightToLeft: true }), text: writable(text) })
}

function linesOf(text: string, look: IRunOptions): TextRun[] {
  return text.split('\n').map((line, l) => run(line, l === 0 ? look : { ...look, break: 1 }))
}

/** Returns a figure with its title above and its caption below, which no page parts. */
async function figureOf({ title, drawing, paperMm }: DrawnFigure, { short, more }: CaptionWords): Promise<Paragraph[]> {
  const room = { ...FIGURE, heightMm: Math.max(FIGURE.heightMm, paperMm ?? 0) }
  const media = await mediaOf(await drawing!({ widthPx: Math.floor(TEXT_MM * PX_PER_MM) - 4, isWide: false }), room)
  const together = { keepNext: true, keepLines: true, spacing: { after: 2 * TWIPS_PER_PT } }
  const small = (text: string, look: ParagraphLook) =>
    paragraph([run(text, { size: 15, color: INKS.muted })], text, look)
  const last = { keepLines: true, spacing: { after: 2 * TWIPS_PER_PT } }
  return [
    paragraph([run(title)], title, { heading: HeadingLevel.HEADING_2 }),
    paragraph([await imageOf(media, room, title)], '', {
      ...together,
      spacing: { line: 240, lineRule: LineRuleType.AUTO },
    }),
    paragraph([run(short, { size: 18 })], short, more.length > 0 ? together : last),
    ...more.map((text, m) => small(text, m < more.length - 1 ? together : last)),
  ]
}

async function imageOf(media: Media, room: Room, title: string): Promise<ImageRun> {
  const { widthMm, heightMm } = sizeIn(room, media)
  const transformation = { width: Math.round(widthMm * PX_PER_MM), height: Math.round(heightMm * PX_PER_MM) }
  const altText = { title: writable(title), description: writable(title), name: writable(title) }
  const png = { type: 'png' as const, data: await media.png.arrayBuffer() }
  return media.svg === null
    ? new ImageRun({ ...png, transformation, altText })
    : new ImageRun({ type: 'svg', data: await media.svg.arrayBuffer(), fallback: png, transformation, altText })
}

const RULE = { style: BorderStyle.SINGLE, size: 4, color: INKS.line }
const NO_RULE = { style: BorderStyle.NONE, size: 0, color: 'auto' }

/** Returns a table as wide as the page. @param heads number of its rows that each page repeats */
function tableOf(rows: DocumentCell[][], heads: number): Table {
  const { sizePt, widthsPt } = fitColumns(rows, TEXT_PT, 2 * PADDING_PT + 1, widthOf, [9, 8, 7, 6, 5])
  const twips = widthsPt.map((width) => Math.floor(width * TWIPS_PER_PT))
  const margins = { top: 30, bottom: 30, left: PADDING_PT * TWIPS_PER_PT, right: PADDING_PT * TWIPS_PER_PT }
  return new Table({
    width: { size: twips.reduce((sum, each) => sum + each, 0), type: WidthType.DXA },
    columnWidths: twips,
    layout: TableLayoutType.FIXED,
    margins,
    borders: {
      top: RULE,
      bottom: RULE,
      insideHorizontal: RULE,
      left: NO_RULE,
      right: NO_RULE,
      insideVertical: NO_RULE,
    },
    rows: rows.map(
      (cells, r) =>
        new TableRow({
          cantSplit: true,
          tableHeader: r < heads,
          children: cells.map((cell) =>
            cellOf(cell, sizePt, r < heads, r < rows.length - 1 && (r < heads || rows.length <= 12)),
          ),
        }),
    ),
  })
}

/** @param isKept true if its row stays on the page of the next */
function cellOf({ text, names, isNumber }: DocumentCell, sizePt: number, isHead: boolean, isKept: boolean): TableCell {
  const look = { size: sizePt * 2, bold: names }
  return new TableCell({
    ...(isHead && { shading: { fill: INKS.sunken } }),
    children: [
      paragraph(linesOf(text, look), text, {
        keepNext: isKept,
        spacing: { after: 0, line: 240, lineRule: LineRuleType.AUTO },
        ...(isNumber && { alignment: AlignmentType.END }),
      }),
    ],
  })
}
