import { between, chance, pick, type Random } from '../random.ts'
import { pickHair, pickSkin } from './palettes.ts'
import type { Box, Sketch } from './sketch.ts'

/**
 * Draws head and shoulders of nobody in particular, filling the box.
 *
 * @returns the head and the pair of eyes, to be marked
 */
export function drawFace(sketch: Sketch, box: Box, clothes: string, random: Random): { head: Box; eyes: Box } {
  const { x, y, width, height } = box
  const skin = pickSkin(random)
  const hair = pickHair(random)
  const hasLongHair = chance(random, 0.5)
  const middle = x + width / 2
  const head = { x: middle - width * 0.21, y: y + height * 0.14, width: width * 0.42, height: height * 0.52 }
  const at = (fx: number, fy: number) => `${head.x + head.width * fx} ${head.y + head.height * fy}`

  if (hasLongHair)
    sketch.path(
      `M${at(-0.16, 1.16)}C${at(-0.36, -0.1)} ${at(0.2, -0.32)} ${at(0.5, -0.26)}C${at(0.8, -0.32)} ${at(1.36, -0.1)} ${at(1.16, 1.16)}Z`,
      { fill: hair },
    )
  const shoulders = `M${x + width * 0.06} ${y + height}C${x + width * 0.08} ${y + height * 0.78} ${x + width * 0.3} ${y + height * 0.77} ${middle} ${y + height * 0.77}C${x + width * 0.7} ${y + height * 0.77} ${x + width * 0.92} ${y + height * 0.78} ${x + width * 0.94} ${y + height}Z`
  sketch.path(shoulders, { fill: clothes })
  sketch.path(
    `M${at(0.26, 0.8)}L${at(0.26, 1.18)}C${at(0.36, 1.36)} ${at(0.64, 1.36)} ${at(0.74, 1.18)}L${at(0.74, 0.8)}Z`,
    { fill: skin },
  )
  sketch.path(
    `M${at(0.26, 0.98)}C${at(0.4, 1.12)} ${at(0.6, 1.12)} ${at(0.74, 0.98)}L${at(0.74, 0.84)}L${at(0.26, 0.84)}Z`,
    { fill: '#000000', opacity: 0.12 },
  )
  for (const side of [-0.07, 0.95])
    sketch.ellipse(
      {
        x: head.x + head.width * side,
        y: head.y + head.height * 0.44,
        width: head.width * 0.12,
        height: head.height * 0.17,
      },
      { fill: skin },
    )
  sketch.ellipse(head, { fill: skin })
  sketch.path(
    `M${at(-0.04, 0.5)}C${at(-0.14, -0.1)} ${at(0.25, -0.2)} ${at(0.52, -0.18)}C${at(0.9, -0.2)} ${at(1.12, 0.05)} ${at(1.04, 0.5)}C${at(0.98, 0.3)} ${at(0.86, 0.2)} ${at(0.66, 0.14)}C${at(0.5, 0.24)} ${at(0.14, 0.2)} ${at(-0.04, 0.5)}Z`,
    { fill: hair },
  )

  const iris = pick(random, ['#4b3621', '#3e6b89', '#4f7a4a', '#5b4a3a'])
  for (const side of [0.3, 0.7]) {
    const eye = {
      x: head.x + head.width * (side - 0.105),
      y: head.y + head.height * 0.44,
      width: head.width * 0.21,
      height: head.height * 0.085,
    }
    sketch.path(`M${at(side - 0.13, 0.385)}Q${at(side, 0.32)} ${at(side + 0.13, 0.385)}`, {
      stroke: hair,
      strokeWidth: head.height * 0.03,
    })
    sketch.ellipse(eye, { fill: '#ffffff' })
    const radius = eye.height * 0.5
    const round = (r: number, fill: string) =>
      sketch.ellipse(
        { x: eye.x + eye.width / 2 - r, y: eye.y + eye.height / 2 - r, width: 2 * r, height: 2 * r },
        { fill },
      )
    round(radius, iris)
    round(radius * 0.5, '#111111')
    sketch.path(`M${at(side - 0.115, 0.475)}Q${at(side, 0.4)} ${at(side + 0.115, 0.475)}`, {
      stroke: '#2a1a12',
      strokeWidth: head.height * 0.016,
    })
  }
  sketch.path(`M${at(0.5, 0.5)}Q${at(0.42, 0.64)} ${at(0.46, 0.67)}Q${at(0.5, 0.69)} ${at(0.55, 0.665)}`, {
    stroke: '#000000',
    strokeWidth: head.height * 0.014,
    opacity: 0.3,
  })
  const smile = between(random, 0.82, 0.87)
  sketch.path(`M${at(0.34, 0.765)}Q${at(0.5, smile)} ${at(0.66, 0.765)}Q${at(0.5, smile + 0.09)} ${at(0.34, 0.765)}Z`, {
    fill: '#b0433f',
  })
  sketch.path(`M${at(0.37, 0.78)}Q${at(0.5, smile)} ${at(0.63, 0.78)}Q${at(0.5, smile + 0.03)} ${at(0.37, 0.78)}Z`, {
    fill: '#ffffff',
  })
  return {
    head,
    eyes: {
      x: head.x + head.width * 0.12,
      y: head.y + head.height * 0.3,
      width: head.width * 0.76,
      height: head.height * 0.28,
    },
  }
}
