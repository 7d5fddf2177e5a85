import type { Palette } from './palettes.ts'
import type { Box, Sketch } from './sketch.ts'

export const GOODS = [
  'Table lamp',
  'Reading chair',
  'Tea pot',
  'Monstera',
  'Wall clock',
  'Wool throw',
  'Side table',
  'Stoneware vase',
]

/** A thing for the home, standing on the box's lower edge. */
export function drawGoods({ rect, ellipse, path }: Sketch, name: string, box: Box, colours: Palette): void {
  const x = (share: number) => box.x + box.width * share
  const y = (share: number) => box.y + box.height * share
  const part = (left: number, top: number, right: number, bottom: number) => ({
    x: x(left),
    y: y(top),
    width: x(right) - x(left),
    height: y(bottom) - y(top),
  })
  ellipse(part(0.1, 0.96, 0.9, 1.04), { fill: '#000000', opacity: 0.1 })
  if (name === 'Table lamp') {
    rect(part(0.47, 0.4, 0.53, 0.94), { fill: colours.ink })
    ellipse(part(0.28, 0.92, 0.72, 1), { fill: colours.ink })
    path(`M${x(0.3)} ${y(0.05)}L${x(0.7)} ${y(0.05)}L${x(0.9)} ${y(0.45)}L${x(0.1)} ${y(0.45)}Z`, {
      fill: colours.accent,
    })
  } else if (name === 'Reading chair') {
    for (const leg of [0.14, 0.8])
      path(`M${x(leg)} ${y(0.78)}L${x(leg + 0.06)} ${y(0.78)}L${x(leg + 0.03)} ${y(1)}L${x(leg)} ${y(1)}Z`, {
        fill: '#7a5230',
      })
    rect(part(0.12, 0.02, 0.88, 0.72), { fill: colours.main, radius: box.width * 0.16 })
    rect(part(0.16, 0.5, 0.84, 0.72), { fill: colours.accent, radius: 12 })
    for (const arm of [0, 0.82]) rect(part(arm, 0.4, arm + 0.18, 0.84), { fill: colours.deep, radius: 16 })
    rect(part(0.08, 0.7, 0.92, 0.84), { fill: colours.deep, radius: 8 })
  } else if (name === 'Tea pot') {
    path(
      `M${x(0.78)} ${y(0.56)}Q${x(1.12)} ${y(0.5)} ${x(0.98)} ${y(0.74)}Q${x(0.92)} ${y(0.86)} ${x(0.74)} ${y(0.84)}`,
      { stroke: colours.deep, strokeWidth: box.width * 0.055 },
    )
    path(`M${x(0.24)} ${y(0.82)}L${x(-0.02)} ${y(0.5)}L${x(0.08)} ${y(0.48)}L${x(0.34)} ${y(0.66)}Z`, {
      fill: colours.main,
    })
    ellipse(part(0.16, 0.46, 0.84, 1), { fill: colours.main })
    ellipse(part(0.32, 0.43, 0.68, 0.53), { fill: colours.deep })
    ellipse(part(0.45, 0.36, 0.55, 0.45), { fill: colours.accent })
  } else if (name === 'Monstera') {
    for (const [dx, dy, lean] of [
      [0.5, 0.1, 0],
      [0.22, 0.24, -0.1],
      [0.78, 0.22, 0.1],
      [0.32, 0.42, -0.06],
      [0.7, 0.44, 0.06],
    ]) {
      path(`M${x(0.5)} ${y(0.74)}Q${x(dx - lean)} ${y(dy + 0.3)} ${x(dx)} ${y(dy)}`, {
        stroke: '#2c5e3f',
        strokeWidth: 4,
      })
      path(
        `M${x(dx)} ${y(dy + 0.16)}Q${x(dx - 0.26)} ${y(dy + 0.06)} ${x(dx)} ${y(dy - 0.12)}Q${x(dx + 0.26)} ${y(dy + 0.06)} ${x(dx)} ${y(dy + 0.16)}Z`,
        { fill: lean === 0 ? '#4c9a63' : '#3b8254' },
      )
    }
    path(`M${x(0.28)} ${y(0.7)}L${x(0.72)} ${y(0.7)}L${x(0.66)} ${y(1)}L${x(0.34)} ${y(1)}Z`, { fill: colours.accent })
  } else if (name === 'Wall clock') {
    ellipse(
      { x: x(0), y: y(0.1), width: box.width, height: box.width },
      { fill: '#ffffff', stroke: colours.deep, strokeWidth: 12 },
    )
    const centre = `${x(0.5)} ${y(0.1) + box.width / 2}`
    path(`M${centre}L${x(0.5)} ${y(0.1) + box.width * 0.14}M${centre}L${x(0.78)} ${y(0.1) + box.width * 0.62}`, {
      stroke: colours.ink,
      strokeWidth: 8,
    })
    ellipse(
      { x: x(0.46), y: y(0.1) + box.width * 0.46, width: box.width * 0.08, height: box.width * 0.08 },
      { fill: colours.accent },
    )
  } else if (name === 'Wool throw') {
    for (let fold = 0; fold < 4; fold++)
      rect(part(0.04, 0.32 + fold * 0.16, 0.96, 0.5 + fold * 0.16), {
        fill: fold % 2 ? colours.main : colours.accent,
        radius: 14,
      })
    for (let fringe = 0; fringe < 12; fringe++)
      rect(part(0.07 + fringe * 0.074, 0.95, 0.09 + fringe * 0.074, 1.02), { fill: colours.main })
  } else if (name === 'Side table') {
    for (const leg of [0.16, 0.78])
      path(`M${x(leg)} ${y(0.52)}L${x(leg + 0.06)} ${y(0.52)}L${x(leg + 0.04)} ${y(1)}L${x(leg + 0.01)} ${y(1)}Z`, {
        fill: '#7a5230',
      })
    ellipse(part(0, 0.46, 1, 0.6), { fill: '#a9744a' })
    rect(part(0.32, 0.3, 0.62, 0.5), { fill: colours.soft, radius: 4 })
    rect(part(0.28, 0.44, 0.68, 0.51), { fill: colours.main, radius: 3 })
  } else {
    path(
      `M${x(0.4)} ${y(0.24)}L${x(0.6)} ${y(0.24)}Q${x(0.58)} ${y(0.42)} ${x(0.76)} ${y(0.58)}Q${x(0.96)} ${y(0.82)} ${x(0.68)} ${y(1)}L${x(0.32)} ${y(1)}Q${x(0.04)} ${y(0.82)} ${x(0.24)} ${y(0.58)}Q${x(0.42)} ${y(0.42)} ${x(0.4)} ${y(0.24)}Z`,
      { fill: colours.main },
    )
    path(`M${x(0.2)} ${y(0.66)}Q${x(0.5)} ${y(0.74)} ${x(0.8)} ${y(0.66)}`, { stroke: colours.soft, strokeWidth: 7 })
    path(
      `M${x(0.5)} ${y(0.24)}Q${x(0.46)} ${y(0.1)} ${x(0.36)} ${y(0)}M${x(0.52)} ${y(0.24)}Q${x(0.58)} ${y(0.1)} ${x(0.7)} ${y(0.04)}`,
      { stroke: '#4c7a4f', strokeWidth: 5 },
    )
  }
}
