import type { Aoi } from '../../../core/api.ts'
import { ellipseCorners, polygonArea, rectangleCorners, type XY } from './parts.ts'

/** AOI from a file, without an id yet. */
export type FileAoi = Pick<Aoi, 'name' | 'parts' | 'tags'>

/** Elements that draw nothing by themselves. */
const SILENT = /^(svg|g|a|defs|title|desc|metadata|style|sodipodi:.*|inkscape:.*)$/
/** Elements whose content is drawn elsewhere, or not at all. */
const SKIPPED = 'defs, clipPath, mask, pattern, symbol, marker, metadata'

/**
 * Reads AOIs from an SVG: each rect, polygon, ellipse, circle, and path of straight lines becomes an AOI, named by its
 * title, label or id. No content of the file is inserted into the page.
 *
 * @returns the AOIs, and a list of everything else in the file
 */
export function readSvg(text: string, itemSize: { widthPx: number | null; heightPx: number | null }) {
  const document = new DOMParser().parseFromString(text, 'image/svg+xml')
  const root = document.documentElement
  if (document.querySelector('parsererror') !== null || !(root instanceof SVGSVGElement))
    return { aois: [], faults: ['The file must be a complete, well-formed SVG.'] }
  const view = viewOf(root, itemSize)
  if (view === null)
    return {
      aois: [],
      faults: ['The svg element must have a viewBox, or width and height in px, to fit over the item.'],
    }
  const aois: FileAoi[] = []
  const faults: string[] = []
  for (const element of root.querySelectorAll('*')) {
    if (SILENT.test(element.nodeName) || element.closest(SKIPPED) !== null) continue
    const shape = element instanceof SVGGeometryElement ? cornersIn(element) : null
    if (shape === null || 'fault' in shape) {
      faults.push(
        `${labelOf(element)} ${shape?.fault ?? 'is not a rect, polygon, ellipse, circle or path of straight lines'}.`,
      )
      continue
    }
    const matrix = matrixOf(element as SVGGraphicsElement)
    const onItem = ([x, y]: XY): XY => {
      const { a, b, c, d, e, f } = matrix
      return [(a * x + c * y + e - view.x) / view.width, (b * x + d * y + f - view.y) / view.height]
    }
    const parts = shape.rings.map((ring) => ({ areaPoints: polygonArea(ring.map(onItem)) }))
    aois.push({ name: nameOf(element) || nameOfGroup(element) || `AOI ${aois.length + 1}`, parts })
  }
  if (aois.length === 0 && faults.length === 0) faults.push('The file has no shapes.')
  return { aois, faults }
}

type View = { x: number; y: number; width: number; height: number }

function viewOf(
  root: SVGSVGElement,
  { widthPx, heightPx }: { widthPx: number | null; heightPx: number | null },
): View | null {
  const [x, y, width, height] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (width > 0 && height > 0 && Number.isFinite(x) && Number.isFinite(y)) return { x, y, width, height }
  const [ownWidth, ownHeight] = [root.getAttribute('width'), root.getAttribute('height')].map((text) =>
    /^[\d.]+(px)?$/.test(text ?? '') ? Number.parseFloat(text!) : 0,
  )
  if (ownWidth > 0 && ownHeight > 0) return { x: 0, y: 0, width: ownWidth, height: ownHeight }
  return widthPx === null || heightPx === null ? null : { x: 0, y: 0, width: widthPx, height: heightPx }
}

type Shape = { rings: XY[][] } | { fault: string }

function cornersIn(element: SVGGeometryElement): Shape | null {
  const value = (name: string) => Number.parseFloat(element.getAttribute(name) ?? '0')
  const isPlain = (...names: string[]) =>
    names.every((name) => /^\s*(-?[\d.]+(e-?\d+)?(px)?)?\s*$/i.test(element.getAttribute(name) ?? ''))
  const unit = { fault: 'has a length in a unit other than px' }
  if (element instanceof SVGRectElement) {
    if (!isPlain('x', 'y', 'width', 'height')) return unit
    const [left, top] = [value('x'), value('y')]
    const box = { left, top, right: left + value('width'), bottom: top + value('height') }
    return { rings: [rectangleCorners(box)] }
  }
  if (element instanceof SVGEllipseElement || element instanceof SVGCircleElement) {
    if (!isPlain('cx', 'cy', 'r', 'rx', 'ry')) return unit
    const [x, y] = [value('cx'), value('cy')]
    const [rx, ry] = element instanceof SVGCircleElement ? [value('r'), value('r')] : [value('rx'), value('ry')]
    return { rings: [ellipseCorners({ left: x - rx, top: y - ry, right: x + rx, bottom: y + ry })] }
  }
  if (element instanceof SVGPolygonElement) {
    const numbers = (element.getAttribute('points')?.match(NUMBER) ?? []).map(Number)
    return { rings: [Array.from({ length: numbers.length >> 1 }, (_, i): XY => [numbers[2 * i], numbers[2 * i + 1]])] }
  }
  return element instanceof SVGPathElement ? ringsOfPath(element.getAttribute('d') ?? '') : null
}

const NUMBER = /[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/gi

/**
 * Parses a path of M, L, H, V and Z, absolute or relative. A part inside another would be a hole, which AOIs cannot
 * have.
 */
function ringsOfPath(text: string): Shape {
  const curve = /[csqta]/i.exec(text.replaceAll(/e[-+]?\d/gi, ''))?.[0]
  if (curve !== undefined) return { fault: `is a path with a curve (${curve}): only M, L, H, V and Z are read` }
  const rings: XY[][] = []
  let [x, y] = [0, 0]
  for (const [, letter, rest] of text.matchAll(/([mlhvz])([^mlhvz]*)/gi)) {
    const numbers = (rest.match(NUMBER) ?? []).map(Number)
    const isRelative = letter === letter.toLowerCase()
    const kind = letter.toLowerCase()
    if (kind === 'z' && rings.length > 0) [x, y] = rings[rings.length - 1][0]
    if (kind === 'm') rings.push([])
    const step = kind === 'h' || kind === 'v' ? 1 : 2
    for (let i = 0; i + step <= numbers.length; i += step) {
      const [toX, toY] =
        kind === 'v'
          ? [isRelative ? 0 : x, numbers[i]]
          : [numbers[i], step === 1 ? (isRelative ? 0 : y) : numbers[i + 1]]
      ;[x, y] = isRelative ? [x + toX, y + toY] : [toX, toY]
      if (rings.length === 0) return { fault: 'is a path that does not begin with M' }
      rings[rings.length - 1].push([x, y])
    }
  }
  if (rings.length === 0 || rings.some(({ length }) => length < 3))
    return { fault: 'is a path with fewer than 3 corners' }
  if (rings.some((ring, i) => rings.some((other, j) => i !== j && holds(other, ring[0]))))
    return { fault: 'is a path with a hole, which an AOI cannot have' }
  return { rings }
}

function holds(ring: XY[], [x, y]: XY): boolean {
  let inside = false
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [[ax, ay], [bx, by]] = [ring[i], ring[j]]
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside
  }
  return inside
}

/** Returns the combined transform of an element and its ancestors. */
function matrixOf(element: SVGGraphicsElement): DOMMatrix {
  let matrix = new DOMMatrix()
  for (let at: Element | null = element; at instanceof SVGGraphicsElement; at = at.parentElement) {
    const own = at instanceof SVGSVGElement ? null : at.transform.baseVal.consolidate()
    if (own) matrix = DOMMatrix.fromMatrix(own.matrix).multiply(matrix)
  }
  return matrix
}

function nameOf(element: Element): string {
  const title = [...element.children].find(({ nodeName }) => nodeName === 'title')?.textContent
  const label = element.getAttribute('inkscape:label') ?? element.getAttribute('aria-label')
  return (title ?? label ?? element.id).trim()
}

/** Returns the name of a group that holds only this element. */
function nameOfGroup({ parentElement: group }: Element): string {
  const shapes = [...(group?.children ?? [])].filter(({ nodeName }) => nodeName !== 'title' && nodeName !== 'desc')
  return group?.nodeName === 'g' && shapes.length === 1 ? nameOf(group) : ''
}

function labelOf(element: Element): string {
  const name = nameOf(element)
  return `<${element.nodeName}>${name === '' ? '' : ` “${name}”`}`
}
