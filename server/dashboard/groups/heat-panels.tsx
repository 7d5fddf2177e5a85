import { interpolatePuOr } from 'd3-scale-chromatic'
import type { HeatmapData } from '../api.ts'
import { Drawing } from '../charts/drawing.tsx'
import type { Picture } from '../charts/stimulus.tsx'
import type { Colors } from '../colors/theme.ts'
import { smooth } from '../heat/kernel.ts'
import { type HeatStyle, paintHeat, sigmaOf } from '../heat/paint-heat.ts'
import { isolate, significant } from '../number-texts.ts'

/** A heatmap of a group, or the difference of two, as a picture. */
type Panel = { title: string; href: string }
type Panels = { panels: Panel[]; end: number; differenceEnd: number }

const GAP_PX = 16
const TITLE_PX = 24
const TOLD_PX = 18

/** Paints the groups' heatmaps with one scale, up to the highest peak, and the first less the second. */
export function paintPanels(heats: { name: string; data: HeatmapData }[], style: HeatStyle): Panels {
  const end = Math.max(...heats.map(({ data }) => paintHeat(data, style).peak))
  const panels = heats.map(({ name, data }) => ({ title: name, href: paintHeat(data, { ...style, max: end }).href }))
  if (heats.length < 2) return { panels, end, differenceEnd: 0 }
  const [one, other] = heats
  const { href, most } = paintDifference(one.data, other.data, style.kernel)
  panels.push({ title: `${one.name} less ${other.name}`, href })
  return { panels, end, differenceEnd: most }
}

/** Orange where the first has more, violet where the second has, up to the largest difference either way. */
function paintDifference(one: HeatmapData, other: HeatmapData, kernel: number): { href: string; most: number } {
  const { columns, rows } = one
  const differences = one.weights.map((weight, i) => weight - other.weights[i])
  const values = smooth(differences, columns, rows, sigmaOf(one, kernel))
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0)
  const canvas = document.createElement('canvas')
  canvas.width = columns
  canvas.height = rows
  const context = canvas.getContext('2d')!
  const image = context.createImageData(columns, rows)
  for (let i = 0; i < values.length; i++) {
    const share = most === 0 ? 0 : values[i] / most
    const [r, g, b] = interpolatePuOr(0.5 - share * 0.45)
      .match(/\d+/g)!
      .map(Number)
    image.data.set([r, g, b, Math.round(240 * Math.min(1, Math.abs(share) / 0.3) ** 0.7)], i * 4)
  }
  context.putImageData(image, 0, 0)
  return { href: canvas.toDataURL('image/png'), most }
}

export function HeatPanels({
  data: { panels, end, differenceEnd },
  unit,
  picture,
  aspect,
  width,
  colors,
}: {
  data: Panels
  unit: string
  picture: Picture
  aspect: number
  width: number
  colors: Colors
}) {
  const across = width < 560 ? 1 : Math.min(panels.length, aspect < 1 ? 4 : 3)
  const wide = Math.floor((width - (across - 1) * GAP_PX) / across)
  const high = Math.round(wide / aspect)
  const down = Math.ceil(panels.length / across)
  const told = [
    `Darkest: ${significant(end)} ${unit} per cell`,
    ...(differenceEnd > 0 ? [`Difference up to ± ${significant(differenceEnd)}`] : []),
  ]
  const height = down * (high + TITLE_PX + GAP_PX) + 4 + told.length * TOLD_PX
  return (
    <Drawing width={width} height={height} label={`Heatmaps: ${panels.map(({ title }) => isolate(title)).join(', ')}`}>
      {panels.map(({ title, href }, i) => {
        const left = (i % across) * (wide + GAP_PX)
        const top = Math.floor(i / across) * (high + TITLE_PX + GAP_PX)
        return (
          <g key={title} transform={`translate(${left},${top})`}>
            <text y="16" font-size="13" font-weight="600" fill={colors.ink}>
              {isolate(title)}
            </text>
            <g transform={`translate(0,${TITLE_PX})`}>
              <rect width={wide} height={high} fill="#ffffff" stroke={colors.line} />
              {picture.href !== null && (
                <image href={picture.href} width={wide} height={high} preserveAspectRatio="none" opacity="0.45" />
              )}
              <image href={href} width={wide} height={high} preserveAspectRatio="none" />
            </g>
          </g>
        )
      })}
      {told.map((line, l) => (
        <text key={line} y={height - 6 - (told.length - 1 - l) * TOLD_PX} font-size="12" fill={colors.muted}>
          {line}
        </text>
      ))}
    </Drawing>
  )
}
