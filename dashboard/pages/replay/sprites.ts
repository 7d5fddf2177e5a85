import { RIM } from '../../figures/stimulus.tsx'

/** Picture of a dot or an arrow, drawn once for each colour: it is copied faster than it is drawn. */
export type Sprite = { picture: HTMLCanvasElement; middle: number }

const sprites = new Map<string, Sprite>()
const SPRITES_MAX = 512

/** Returns a sprite that is at most `sizePx` from its middle to each side. @param draw draws it around 0, 0 */
function spriteOf(key: string, sizePx: number, draw: (context: CanvasRenderingContext2D) => void): Sprite {
  const known = sprites.get(key)
  if (known !== undefined) return known
  const middle = Math.ceil(sizePx) + 1
  const picture = document.createElement('canvas')
  picture.width = 2 * middle
  picture.height = 2 * middle
  const context = picture.getContext('2d')!
  context.translate(middle, middle)
  draw(context)
  if (sprites.size >= SPRITES_MAX) sprites.clear()
  sprites.set(key, { picture, middle })
  return { picture, middle }
}

/** Returns a dot of a colour with a rim. */
export function dotOf(color: string, radius: number): Sprite {
  return spriteOf(`dot ${radius} ${color}`, radius * 1.1, (context) => {
    context.arc(0, 0, radius, 0, 2 * Math.PI)
    context.fillStyle = color
    context.fill()
    context.strokeStyle = RIM
    context.lineWidth = radius / 5
    context.stroke()
  })
}

/** Returns an arrow of a colour, whose tip is in the middle. */
export function arrowOf(color: string, scale: number): Sprite {
  return spriteOf(`arrow ${scale} ${color}`, 16 * scale, (context) => {
    context.moveTo(0, 0)
    context.lineTo(0, 15 * scale)
    context.lineTo(4 * scale, 11.5 * scale)
    context.lineTo(10.5 * scale, 10.5 * scale)
    context.closePath()
    context.fillStyle = color
    context.fill()
    context.strokeStyle = '#ffffff'
    context.lineWidth = 1.2 * scale
    context.stroke()
  })
}
