import type { HeatmapData } from '../../core/api.ts'
import { differenceColor, differenceOn, heatOn } from '../../core/colors/heat-colors.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { type HeatStyle, paintCells, paintValues, peakOf, smoothed } from '../../core/heat/paint-heat.ts'
import { isolate, significant } from '../../core/number-texts.ts'
import { ColorSteps } from '../../figures/color-steps.tsx'
import type { Picture } from '../../figures/stimulus.tsx'
import { Drawing } from '../../ui/chart/drawing.tsx'
import { cutTo, Words } from '../../ui/chart/words.tsx'

/** Heatmap of a group, or the difference of two, as a picture. */
type Panel = { title: string; href: string }
/** Largest absolute difference, and the names of the groups at the two ends of its scale. */
type Difference = { end: number; first: string; second: string }
type Panels = { panels: Panel[]; end: number; style: HeatStyle; difference: Difference | null }

const GAP_PX = 16
const TITLE_PX = 24
const TOLD_PX = 58
const BAR_PX = 62
const BAR_WIDEST_PX = 420
const STEPS = 41
const WHITE: [number, number, number] = [255, 255, 255]

/** Paints the groups' heatmaps on one scale, up to the highest peak, and the first minus the second. */
export function paintPanels(heats: { name: string; data: HeatmapData }[], style: HeatStyle): Panels {
  const grids = heats.map(({ data }) => smoothed(data, style.kernel))
  const end = Math.max(...grids.map(peakOf))
  const panels = heats.map(({ name, data }, g) => ({ title: name, href: paintValues(data, grids[g], end, style) }))
  if (heats.length < 2) return { panels, end, style, difference: null }
  const [one, other] = heats
  const difference = grids[0].map((value, i) => value - grids[1][i])
  const most = peakOf(difference.map(Math.abs))
  const href = paintCells(one.data, difference, (value) => differenceColor(most === 0 ? 0 : value / most))
  panels.push({ title: `${one.name} less ${other.name}`, href })
  return { panels, end, style, difference: { end: most, first: one.name, second: other.name } }
}

type HeatPanelsProps = { data: Panels; unit: string; picture: Picture; aspect: number; width: number; colors: Colors }

export function HeatPanels({
  data: { panels, end, style, difference },
  unit,
  picture,
  aspect,
  width,
  colors,
}: HeatPanelsProps) {
  const across = width < 560 ? 1 : Math.min(panels.length, aspect < 1 ? 4 : 3)
  const wide = Math.floor((width - (across - 1) * GAP_PX) / across)
  const high = Math.round(wide / aspect)
  const down = Math.ceil(panels.length / across)
  const bottom = down * (high + TITLE_PX + GAP_PX)
  const height = bottom + TOLD_PX + (difference === null ? 4 : BAR_PX)
  return (
    <Drawing {...{ width, height, colors }} label={`Heatmaps: ${panels.map(({ title }) => isolate(title)).join(', ')}`}>
      {panels.map(({ title, href }, i) => {
        const left = (i % across) * (wide + GAP_PX)
        const top = Math.floor(i / across) * (high + TITLE_PX + GAP_PX)
        return (
          <g key={title} transform={`translate(${left},${top})`}>
            <Words y={16} fontPx={13} isStrong>
              {isolate(title)}
            </Words>
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
      <g class="scale-bar" transform={`translate(0,${bottom})`}>
        <ScaleBar {...{ end, style, unit }} width={Math.min(width, BAR_WIDEST_PX)} />
      </g>
      {difference !== null && (
        <g class="difference-bar" transform={`translate(0,${bottom + TOLD_PX})`}>
          <DifferenceBar {...{ difference, unit }} width={Math.min(width, BAR_WIDEST_PX)} />
        </g>
      )}
    </Drawing>
  )
}

type ScaleBarProps = { end: number; style: HeatStyle; unit: string; width: number }

/** Draws the colour bar that the heatmaps of all groups share. */
function ScaleBar({ end, style, unit, width }: ScaleBarProps) {
  return (
    <>
      <title>{`Colours of the heatmaps, from 0 to ${significant(end)} ${unit} per cell`}</title>
      <ColorSteps steps={STEPS} width={width} colorAt={(share) => heatOn(WHITE, style.colors, share, style.opacity)} />
      <Words y={29}>0</Words>
      <Words x={width} y={29} anchor="end">
        {significant(end)}
      </Words>
      <Words y={46} isMuted>{`${unit} per cell, all groups`}</Words>
    </>
  )
}

type DifferenceBarProps = { difference: Difference; unit: string; width: number }

/** Draws the colour bar of the difference, with the group that has more at each end. */
function DifferenceBar({ difference: { end, first, second }, unit, width }: DifferenceBarProps) {
  const most = `± ${significant(end)} ${unit} per cell`
  const names = Math.floor(width / 2) - 16
  return (
    <>
      <title>{`Difference: ${isolate(second)} has more on the left, ${isolate(first)} on the right, at most ${most}`}</title>
      <ColorSteps steps={STEPS} y={4} width={width} colorAt={(share) => differenceOn(WHITE, 2 * share - 1)} />
      <Words y={33}>{`more in ${isolate(cutTo(second, names - 52))}`}</Words>
      <Words x={width / 2} y={33} anchor="middle">
        0
      </Words>
      <Words x={width} y={33} anchor="end">
        {`more in ${isolate(cutTo(first, names - 52))}`}
      </Words>
      <Words y={50} isMuted>{`Difference, at most ${most}`}</Words>
    </>
  )
}
