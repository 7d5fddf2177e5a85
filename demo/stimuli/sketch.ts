import type { AoiPart, TimeRange } from '../../engine/study.ts'

/** In pixels of the item. */
export type Box = { x: number; y: number; width: number; height: number }

/** Where gaze is drawn to: a box with its pull, and how many lines of text there are to read in it (0: a picture). */
export type Region = Box & { pull: number; lines: number; isButton: boolean }

/** A stimulus with its areas of interest, which are where its parts were drawn. */
export type Drawing = {
  widthPx: number
  heightPx: number
  svg: string
  aois: { name: string; parts: AoiPart[] }[]
  regions: Region[]
}

export type Shade = { fill?: string; stroke?: string; strokeWidth?: number; radius?: number; opacity?: number }
export type Type = {
  size: number
  fill: string
  isBold?: boolean
  isSerif?: boolean
  anchor?: 'start' | 'middle' | 'end'
}
type Attention = { pull?: number; lines?: number; isButton?: boolean; timeRange?: TimeRange }

const SANS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
const SERIF = "Georgia, 'Liberation Serif', 'DejaVu Serif', serif"

export type Sketch = ReturnType<typeof createSketch>

/** A sheet to draw on, from back to front; marking an area of interest also draws gaze there. */
export function createSketch(widthPx: number, heightPx: number, background: string) {
  const markup: string[] = []
  const aois: Drawing['aois'] = []
  const regions: Region[] = []
  const sheet = { x: 0, y: 0, width: widthPx, height: heightPx }

  const rect = (box: Box, shade: Shade) =>
    markup.push(
      `<rect x="${n(box.x)}" y="${n(box.y)}" width="${n(box.width)}" height="${n(box.height)}"${paint(shade)}/>`,
    )
  const ellipse = (box: Box, shade: Shade) =>
    markup.push(
      `<ellipse cx="${n(box.x + box.width / 2)}" cy="${n(box.y + box.height / 2)}" rx="${n(box.width / 2)}" ry="${n(box.height / 2)}"${paint(shade)}/>`,
    )
  const path = (d: string, shade: Shade) =>
    markup.push(`<path d="${d.replace(/-?\d+\.\d+/g, (number) => n(Number(number)))}"${paint(shade)}/>`)
  const polygon = (points: [number, number][], shade: Shade) =>
    path(`M${points.map((p) => p.join(' ')).join('L')}Z`, shade)

  /** Draws a line of text and returns its box; the length is fixed, so that every font fills the same area. */
  const text = (x: number, y: number, words: string, type: Type): Box => {
    const { size, fill, isBold = false, isSerif = false, anchor = 'start' } = type
    const width = textWidth(words, type)
    const look = `${isBold ? ' font-weight="bold"' : ''}${isSerif ? ` font-family="${SERIF}"` : ''}`
    const place = anchor === 'start' ? '' : ` text-anchor="${anchor}"`
    const length = words.length > 1 ? ` textLength="${n(width)}" lengthAdjust="spacingAndGlyphs"` : ''
    markup.push(
      `<text x="${n(x)}" y="${n(y)}" font-size="${n(size)}" fill="${fill}"${look}${place}${length}>${escaped(words)}</text>`,
    )
    const left = anchor === 'start' ? x : anchor === 'middle' ? x - width / 2 : x - width
    return { x: left, y: y - size, width, height: size * 1.25 }
  }

  /** Breaks text into lines no wider than `width` and returns the paragraph's box and its number of lines. */
  const paragraph = (x: number, y: number, width: number, words: string, type: Type, leading = 1.4) => {
    const lines = [''] as string[]
    for (const word of words.split(' ')) {
      const longer = lines[lines.length - 1] === '' ? word : `${lines[lines.length - 1]} ${word}`
      if (textWidth(longer, type) <= width) lines[lines.length - 1] = longer
      else lines.push(word)
    }
    for (const [i, line] of lines.entries()) text(x, y + i * type.size * leading, line, type)
    return {
      x,
      y: y - type.size,
      width,
      height: ((lines.length - 1) * leading + 1.25) * type.size,
      lines: lines.length,
    }
  }

  const drawGaze = (box: Box, { pull = 1, lines = 0, isButton = false }: Attention) =>
    regions.push({ ...box, pull, lines, isButton })

  /** Marks rectangles as one area of interest, whose pull they share. */
  const mark = (name: string, boxes: Box | Box[], attention: Attention = {}) => {
    const list = Array.isArray(boxes) ? boxes : [boxes]
    const ranged = attention.timeRange ? { timeRange: attention.timeRange } : {}
    aois.push({ name, parts: list.map((box) => ({ areaPoints: corners(clip(box, sheet)), ...ranged })) })
    for (const box of list) drawGaze(box, { ...attention, pull: (attention.pull ?? 1) / list.length })
  }

  /** Marks polygons, in pixels, as one area of interest. */
  const markPolygons = (name: string, shapes: [number, number][][], attention: Attention = {}) => {
    const ranged = attention.timeRange ? { timeRange: attention.timeRange } : {}
    const share = (point: [number, number]) => ({ x: unit(point[0] / widthPx), y: unit(point[1] / heightPx) })
    aois.push({ name, parts: shapes.map((points) => ({ areaPoints: { points: points.map(share) }, ...ranged })) })
    for (const points of shapes) drawGaze(inner(points), { ...attention, pull: (attention.pull ?? 1) / shapes.length })
  }

  const finish = (): Drawing => {
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}" font-family="${SANS}">`
    const svg = [
      head,
      `<rect width="${widthPx}" height="${heightPx}" fill="${background}"/>`,
      ...markup,
      '</svg>',
      '',
    ].join('\n')
    return { widthPx, heightPx, svg, aois, regions }
  }
  return { sheet, rect, ellipse, path, polygon, text, paragraph, mark, markPolygons, finish }
}

/** Points of an ellipse that fills the box, for polygons around round things. */
export function ellipsePoints({ x, y, width, height }: Box, count = 20): [number, number][] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count
    return [x + (width / 2) * (1 + Math.cos(angle)), y + (height / 2) * (1 + Math.sin(angle))]
  })
}

export function grown({ x, y, width, height }: Box, by: number): Box {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by }
}

/** About Helvetica's and Georgia's widths, by classes of letters. */
function textWidth(words: string, { size, isBold = false, isSerif = false }: Type): number {
  let em = 0
  for (const letter of words) {
    if (/[iljI.,:;'|!]/.test(letter)) em += 0.25
    else if (/[frt ()\-/]/.test(letter)) em += 0.31
    else if (/[mwMW@%]/.test(letter)) em += 0.86
    else if (/[A-Z&€]/.test(letter)) em += 0.68
    else em += 0.54
  }
  return em * size * (isBold ? 1.06 : 1) * (isSerif ? 1.06 : 1)
}

function corners({ x, y, width, height }: Box): AoiPart['areaPoints'] {
  const [left, top] = [Math.round(x), Math.round(y)]
  return {
    topLeft: { xPx: left, yPx: top },
    bottomRight: { xPx: Math.round(x + width), yPx: Math.round(y + height) },
  }
}

function clip(box: Box, sheet: Box): Box {
  const [x, y] = [Math.max(0, box.x), Math.max(0, box.y)]
  const [right, bottom] = [Math.min(sheet.width, box.x + box.width), Math.min(sheet.height, box.y + box.height)]
  return { x, y, width: right - x, height: bottom - y }
}

/** The middle of a polygon's bounding box, where gaze on it falls. */
function inner(points: [number, number][]): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top]
  return { x: left + width * 0.15, y: top + height * 0.15, width: width * 0.7, height: height * 0.7 }
}

function paint({ fill = 'none', stroke, strokeWidth = 1, radius, opacity }: Shade): string {
  const line = stroke ? ` stroke="${stroke}" stroke-width="${n(strokeWidth)}"` : ''
  return ` fill="${fill}"${line}${radius ? ` rx="${n(radius)}"` : ''}${opacity ? ` opacity="${opacity}"` : ''}`
}

const n = (value: number) => String(Math.round(value * 100) / 100)
const unit = (value: number) => Math.min(1, Math.max(0, Math.round(value * 1e6) / 1e6))
const escaped = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
