import type { Size } from '../../../isomorphic/same-shape.ts'

/**
 * Placements of a picture in the displayed item: whole with bars at its sides, stretched, cropped, or centred at its
 * own size. `sized` is whole, too, and the item gets the size of the picture.
 */
export type HowShown = 'sized' | 'contain' | 'fill' | 'cover' | 'none'

export const HOW_SHOWN: Record<HowShown, string> = {
  sized: 'whole, as large as each screen allowed',
  contain: 'whole, with bars at its sides',
  fill: 'stretched over all of it',
  cover: 'filling it, cropped at two edges',
  none: 'in its own size, in the middle',
}

const SIDE_MAX_PX = 4096

/** Returns the place of a picture in an area, in px of the area. */
export function placeIn(area: Size, picture: Size, how: HowShown): { x: number; y: number } & Size {
  const [across, down] = [area.widthPx / picture.widthPx, area.heightPx / picture.heightPx]
  const scale = how === 'none' ? 1 : how === 'cover' ? Math.max(across, down) : Math.min(across, down)
  const [widthPx, heightPx] =
    how === 'fill' ? [area.widthPx, area.heightPx] : [picture.widthPx * scale, picture.heightPx * scale]
  return { x: (area.widthPx - widthPx) / 2, y: (area.heightPx - heightPx) / 2, widthPx, heightPx }
}

/** Draws a picture as it was displayed: a PNG with the aspect ratio of the area, at the picture's resolution. */
export async function drawAsShown(image: HTMLImageElement, area: Size, how: HowShown): Promise<Blob> {
  const own = { widthPx: image.naturalWidth, heightPx: image.naturalHeight }
  const place = placeIn(area, own, how)
  const sharp = Math.max(1, own.widthPx / place.widthPx, own.heightPx / place.heightPx)
  const scale = Math.min(sharp, SIDE_MAX_PX / Math.max(area.widthPx, area.heightPx))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(area.widthPx * scale)
  canvas.height = Math.round(area.heightPx * scale)
  const context = canvas.getContext('2d')!
  context.fillStyle = '#808080'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, place.x * scale, place.y * scale, place.widthPx * scale, place.heightPx * scale)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the picture cannot be drawn')) : resolve(blob))),
  )
}
