import { render, type VNode } from 'preact'
import { inkOn } from '../core/colors/aoi-colors.ts'
import { LIGHT } from '../core/colors/theme.ts'
import { withResolution } from '../core/png-resolution.ts'

const SVG = 'http://www.w3.org/2000/svg'
export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
const MARGIN = 24
/** Width of a letter, wider than most, since the fonts of the reader are unknown. */
const CAPTION_LETTER_PX = 6.7
const LEGEND_ROW_PX = 26

export type LegendEntry = { color: string; mark: string; label: string }

/** Texts of a saved drawing; `bar` is an <svg> of its own size below it. */
type SavedWith = { title: string; caption: string; legend: LegendEntry[]; bar: VNode | null }

/**
 * Returns a drawing that stands alone, on white: title, drawing, colour bar, legend, caption, with pictures embedded.
 */
export async function standalone(drawing: VNode, { title, caption, legend, bar }: SavedWith): Promise<SVGSVGElement> {
  const inner = drawn(drawing)
  const innerWidth = Number(inner.getAttribute('width'))
  const innerHeight = Number(inner.getAttribute('height'))
  const width = Math.max(480, innerWidth) + 2 * MARGIN
  const lines = wrap(caption, Math.floor((width - 2 * MARGIN) / CAPTION_LETTER_PX))
  const svg = element('svg', { width, height: 0, 'font-family': FONT })
  svg.append(
    element('title', {}, title),
    element('rect', { width: '100%', height: '100%', fill: LIGHT.surface }),
    element('text', { x: MARGIN, y: 34, 'font-size': 17, 'font-weight': 600, fill: LIGHT.ink }, title),
  )
  inner.setAttribute('x', String(MARGIN))
  inner.setAttribute('y', '52')
  svg.append(inner)
  const barHeight = bar === null ? 0 : placeBar(svg, drawn(bar), 52 + innerHeight + 14)
  const legendHeight = drawLegend(svg, legend, 52 + innerHeight + barHeight + 16, width - 2 * MARGIN)
  const below = 52 + innerHeight + barHeight + legendHeight + 28
  for (const [i, line] of lines.entries()) {
    const y = below + i * 16
    svg.append(element('text', { x: MARGIN, y, 'font-size': 11.5, fill: LIGHT.muted }, line))
  }
  const height = below + lines.length * 16 + 8
  svg.setAttribute('height', String(height))
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`)
  await Promise.all([...inner.querySelectorAll('image')].map(embed))
  return svg as SVGSVGElement
}

function drawn(drawing: VNode): SVGSVGElement {
  const host = document.createElement('div')
  render(drawing, host)
  return host.querySelector('svg')!
}

/** Places the colour bar. @returns its height in px */
function placeBar(svg: SVGElement, bar: SVGSVGElement, top: number): number {
  bar.setAttribute('x', String(MARGIN))
  bar.setAttribute('y', String(top))
  svg.append(bar)
  return Number(bar.getAttribute('height')) + 14
}

/** Draws the legend. @returns its height in px */
function drawLegend(svg: SVGElement, legend: LegendEntry[], top: number, width: number): number {
  let x = 0
  let row = 0
  const wides = legend.map(({ label }) => 30 + label.length * 7.4 + 18)
  // Sentences stand in columns, short labels one after the other.
  const widest = Math.max(0, ...wides)
  for (const [i, { color, mark, label }] of legend.entries()) {
    const wide = widest > 240 ? Math.max(widest, width / 3) : wides[i]
    if (x > 0 && x + wide > width) {
      x = 0
      row++
    }
    const y = top + row * LEGEND_ROW_PX
    svg.append(
      element('rect', { x: MARGIN + x, y, width: 22, height: 18, fill: color }),
      element(
        'text',
        {
          x: MARGIN + x + 11,
          y: y + 13.5,
          'text-anchor': 'middle',
          'font-size': 12,
          'font-weight': 700,
          fill: inkOn(color),
        },
        mark,
      ),
      element('text', { x: MARGIN + x + 30, y: y + 13.5, 'font-size': 13, fill: LIGHT.ink }, label),
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

/** Wraps a text into lines of at most so many letters, between words. */
export function wrap(text: string, most: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > most) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
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

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}

/** Returns a drawing as an SVG file, as wide on paper as the PNG. */
export function svgBlob(svg: SVGSVGElement): Blob {
  const sized = svg.cloneNode(true) as SVGSVGElement
  const ratio = Number(svg.getAttribute('height')) / Number(svg.getAttribute('width'))
  sized.setAttribute('width', `${WIDTH_MM}mm`)
  sized.setAttribute('height', `${(WIDTH_MM * ratio).toFixed(2)}mm`)
  return new Blob([new XMLSerializer().serializeToString(sized)], { type: 'image/svg+xml' })
}

/** Width of a saved figure on paper: two columns of a journal. */
const WIDTH_MM = 180
const DPI = 300
const MM_PER_INCH = 25.4

export async function pngBlob(svg: SVGSVGElement): Promise<Blob> {
  const { widthPx, heightPx } = pixelsOf(svg)
  const image = new Image()
  image.src = await dataUrl(svgBlob(svg))
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = widthPx
  canvas.height = heightPx
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
  const drawn = await new Promise<Blob>((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('no picture')) : resolve(blob)), 'image/png'),
  )
  return new Blob([withResolution(new Uint8Array(await drawn.arrayBuffer()), DPI)], { type: 'image/png' })
}

/** Returns the size in pixels of a drawing that is as wide as a figure on paper, at its resolution. */
function pixelsOf(svg: SVGSVGElement): { widthPx: number; heightPx: number } {
  const widthPx = Math.round((WIDTH_MM / MM_PER_INCH) * DPI)
  const ratio = Number(svg.getAttribute('height')) / Number(svg.getAttribute('width'))
  return { widthPx, heightPx: Math.round(widthPx * ratio) }
}

/** Downloads a file through the browser. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
