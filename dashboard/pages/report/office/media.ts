import { pngBlob, ratioOf } from '../../../figures/drawing-file.ts'
import { dataUrl } from '../../../figures/save.ts'
import { DOCUMENT_FONT } from './text.ts'

/** Drawing of a document. @param svg null where it has pictures in it, which few programs show within SVG */
export type Media = { svg: Blob | null; png: Blob; widthPx: number; ratio: number }

const MM_PER_INCH = 25.4
const MM_PER_PX = MM_PER_INCH / 96
/** Resolution of the picture beside an SVG, which pptxgenjs draws as large as the SVG says it is. */
const FALLBACK_DPI = 150

/** Box that a drawing fits into, in mm. */
export type Room = { widthMm: number; heightMm: number; enlarges: boolean }

/** Returns the size of a drawing in a box, in mm; its shape stays. */
export function sizeIn({ widthMm, heightMm, enlarges }: Room, { widthPx, ratio }: Pick<Media, 'widthPx' | 'ratio'>) {
  const own = enlarges ? Number.POSITIVE_INFINITY : widthPx * MM_PER_PX
  const width = Math.min(widthMm, heightMm / ratio, own)
  return { widthMm: width, heightMm: width * ratio }
}

/** Returns a drawing as files: PNG of 300 pixels per inch at its size in the box, and SVG where it has lines alone. */
export async function mediaOf(drawing: SVGSVGElement, room: Room): Promise<Media> {
  const shape = { widthPx: Number(drawing.getAttribute('width')), ratio: ratioOf(drawing) }
  const { widthMm } = sizeIn(room, shape)
  const png = await pngBlob(drawing, widthMm)
  const svg = drawing.querySelector('image') === null ? officeSvg(drawing, widthMm) : null
  return { svg, png, ...shape }
}

/** Returns a drawing as SVG for office programs: with a font that they know, and without an SVG within another. */
function officeSvg(drawing: SVGSVGElement, widthMm: number): Blob {
  const svg = drawing.cloneNode(true) as SVGSVGElement
  const widthPx = Math.round((widthMm / MM_PER_INCH) * FALLBACK_DPI)
  svg.setAttribute('width', String(widthPx))
  svg.setAttribute('height', String(Math.round(widthPx * ratioOf(drawing))))
  svg.setAttribute('font-family', DOCUMENT_FONT)
  // Whole px have not quite its shape.
  svg.setAttribute('preserveAspectRatio', 'none')
  for (const inner of svg.querySelectorAll('svg')) {
    const group = document.createElementNS(inner.namespaceURI!, 'g')
    const at = (name: string) => Number(inner.getAttribute(name) ?? 0)
    group.setAttribute('transform', `translate(${at('x')},${at('y')})`)
    group.append(...inner.childNodes)
    inner.replaceWith(group)
  }
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' })
}

/** Returns a picture of the page as a PNG, in a box. */
export async function pictureOf(picture: HTMLImageElement, room: Room): Promise<Media> {
  const { naturalWidth: width, naturalHeight: height } = picture
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const image = document.createElementNS(svg.namespaceURI!, 'image')
  const size = { width: String(width), height: String(height) }
  const href = await dataUrl(await (await fetch(picture.src)).blob())
  for (const [name, value] of Object.entries({ ...size, href })) image.setAttribute(name, value)
  for (const [name, value] of Object.entries(size)) svg.setAttribute(name, value)
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`)
  svg.append(image)
  return mediaOf(svg as SVGSVGElement, room)
}
