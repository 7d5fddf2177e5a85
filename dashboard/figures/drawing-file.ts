import { render, type VNode } from 'preact'
import { inkOn } from '../core/colors/aoi-colors.ts'
import { LIGHT } from '../core/colors/theme.ts'
import { withResolution } from '../core/png-resolution.ts'
import { cutTo } from '../ui/chart/words.tsx'
import { dataUrl, FIGURE_FONT, type LegendEntry, wrap } from './save.ts'

const SVG = 'http://www.w3.org/2000/svg'
const MARGIN = 24
/** Width of a letter, wider than most, since the fonts of the reader are unknown. */
const CAPTION_LETTER_PX = 6.7
const LEGEND_ROW_PX = 26

/** Parts of a saved drawing; `bar` is an <svg> of its own size below it. */
type SavedWith = { title: string; legend: LegendEntry[]; bar: VNode | null }

/** Room around a drawing in px, and above it for a title. @param isWide true for a legend of sentences at its right */
type Room = { margin: number; top: number; isWide: boolean }

/**
 * Returns a drawing that stands alone, on white: title, drawing, colour bar, legend, caption, with pictures embedded.
 */
export async function standalone(
  drawing: VNode,
  { caption, ...beside }: SavedWith & { caption: string },
): Promise<SVGSVGElement> {
  const { svg, width, height } = await placed(drawing, beside, { margin: MARGIN, top: 52, isWide: false })
  const lines = wrap(caption, Math.floor((width - 2 * MARGIN) / CAPTION_LETTER_PX))
  svg.append(element('text', { x: MARGIN, y: 34, 'font-size': 17, 'font-weight': 600, fill: LIGHT.ink }, beside.title))
  const below = height + 28
  for (const [i, line] of lines.entries()) {
    const y = below + i * 16
    svg.append(element('text', { x: MARGIN, y, 'font-size': 11.5, fill: LIGHT.muted }, line))
  }
  return sized(svg, width, below + lines.length * 16 + 8)
}

/**
 * Returns a drawing for a document, which has title and caption as text: as {@link standalone}, without both.
 *
 * @param isWide true for a place that is much wider than high: a legend of sentences then stands at the right
 */
export async function withoutTexts(drawing: VNode, beside: SavedWith, isWide: boolean): Promise<SVGSVGElement> {
  const { svg, width, height } = await placed(drawing, beside, { margin: 2, top: 2, isWide })
  return sized(svg, width, height + (beside.legend.length > 0 ? 18 : 4))
}

/** Places a drawing with its colour bar and legend on white. @returns their size so far, in px */
async function placed(drawing: VNode, { title, legend, bar }: SavedWith, { margin, top, isWide }: Room) {
  const inner = drawn(drawing)
  const [innerWidth, innerHeight] = ['width', 'height'].map((name) => Number(inner.getAttribute(name)))
  const svg = element('svg', { width: 0, height: 0, 'font-family': FIGURE_FONT })
  svg.append(element('title', {}, title), element('rect', { width: '100%', height: '100%', fill: LIGHT.surface }))
  inner.setAttribute('x', String(margin))
  inner.setAttribute('y', String(top))
  svg.append(inner)
  const below = top + innerHeight + (bar === null ? 0 : placeBar(svg, drawn(bar), margin, top + innerHeight + 14))
  await Promise.all([...inner.querySelectorAll('image')].map(embed))
  const wide = Math.min(SENTENCE_MAX_PX, Math.max(...widthsOf(legend)))
  if (isWide && wide > SENTENCE_PX) {
    const height = drawLegend(svg, legend, { x: margin + innerWidth + MARGIN, y: top }, wide)
    return { svg, width: innerWidth + MARGIN + wide + 2 * margin, height: Math.max(below, top + height) }
  }
  const width = Math.max(480, innerWidth, wide) + 2 * margin
  const height = below + drawLegend(svg, legend, { x: margin, y: below + 16 }, width - 2 * margin)
  return { svg, width, height }
}

function sized(svg: SVGElement, width: number, height: number): SVGSVGElement {
  svg.setAttribute('width', String(width))
  svg.setAttribute('height', String(height))
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`)
  return svg as SVGSVGElement
}

function drawn(drawing: VNode): SVGSVGElement {
  const host = document.createElement('div')
  render(drawing, host)
  return host.querySelector('svg')!
}

/** Places the colour bar. @returns its height in px */
function placeBar(svg: SVGElement, bar: SVGSVGElement, left: number, top: number): number {
  bar.setAttribute('x', String(left))
  bar.setAttribute('y', String(top))
  svg.append(bar)
  return Number(bar.getAttribute('height')) + 14
}

/** Width from which on an entry of a legend is a sentence, and the room that it gets beyond that of the drawing. */
const SENTENCE_PX = 240
const SENTENCE_MAX_PX = 800
/** Width of a letter of a legend. */
const LEGEND_LETTER_PX = 7.4

/** Returns how wide each entry of a legend may be, in px; the fonts of the reader are unknown. */
function widthsOf(legend: LegendEntry[]): number[] {
  return legend.map(({ label }) => 30 + label.length * LEGEND_LETTER_PX + 18)
}

/** Draws the legend. @returns its height in px */
function drawLegend(svg: SVGElement, legend: LegendEntry[], from: { x: number; y: number }, width: number): number {
  let x = 0
  let row = 0
  const wides = widthsOf(legend)
  // Sentences stand in columns, short labels one after the other.
  const widest = Math.max(0, ...wides)
  for (const [i, { color, mark, label }] of legend.entries()) {
    const wide = widest > SENTENCE_PX ? Math.max(widest, width / 3) : wides[i]
    if (x > 0 && x + wide > width) {
      x = 0
      row++
    }
    const y = from.y + row * LEGEND_ROW_PX
    svg.append(
      element('rect', { x: from.x + x, y, width: 22, height: 18, fill: color }),
      element(
        'text',
        {
          x: from.x + x + 11,
          y: y + 13.5,
          'text-anchor': 'middle',
          'font-size': 12,
          'font-weight': 700,
          fill: inkOn(color),
        },
        mark,
      ),
      element('text', { x: from.x + x + 30, y: y + 13.5, 'font-size': 13, fill: LIGHT.ink }, cutTo(label, width - 30)),
    )
    x += wide
  }
  return legend.length === 0 ? 0 : (row + 1) * LEGEND_ROW_PX
}

function element(name: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  if (text !== undefined) made.textContent = text
  return made
}

/** Embeds a picture as a data URL; removes one that cannot be loaded. */
async function embed(image: SVGImageElement): Promise<void> {
  const href = image.getAttribute('href') ?? ''
  if (href.startsWith('data:')) return
  try {
    const response = await fetch(href, { credentials: 'same-origin' })
    if (!response.ok) throw new Error(`status ${response.status}`)
    image.setAttribute('href', await dataUrl(await response.blob()))
  } catch {
    image.remove()
  }
}

/** Returns a drawing as an SVG file, as wide on paper as the PNG. */
export function svgBlob(svg: SVGSVGElement): Blob {
  const onPaper = svg.cloneNode(true) as SVGSVGElement
  onPaper.setAttribute('width', `${WIDTH_MM}mm`)
  onPaper.setAttribute('height', `${(WIDTH_MM * ratioOf(svg)).toFixed(2)}mm`)
  return new Blob([new XMLSerializer().serializeToString(onPaper)], { type: 'image/svg+xml' })
}

/** Width of a saved figure on paper: two columns of a journal. */
const WIDTH_MM = 180
const DPI = 300
const MM_PER_INCH = 25.4

/** Returns a drawing as a PNG of 300 pixels per inch. @param widthMm on paper */
export async function pngBlob(svg: SVGSVGElement, widthMm = WIDTH_MM): Promise<Blob> {
  const widthPx = Math.round((widthMm / MM_PER_INCH) * DPI)
  const image = new Image()
  image.src = await dataUrl(svgBlob(svg))
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = widthPx
  canvas.height = Math.round(widthPx * ratioOf(svg))
  const pen = canvas.getContext('2d')!
  // Whole px have not quite the shape of the drawing: its edge would shine through.
  pen.fillStyle = LIGHT.surface
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.drawImage(image, 0, 0, canvas.width, canvas.height)
  const drawn = await new Promise<Blob>((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('no picture')) : resolve(blob)), 'image/png'),
  )
  return new Blob([withResolution(new Uint8Array(await drawn.arrayBuffer()), DPI)], { type: 'image/png' })
}

/** Returns the height of a drawing by its width. */
export function ratioOf(svg: SVGSVGElement): number {
  return Number(svg.getAttribute('height')) / Number(svg.getAttribute('width'))
}
