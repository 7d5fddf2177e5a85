import type { TransitionsData } from '../../core/api.ts'
import { inkOn } from '../../core/colors/aoi-colors.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { aoiAtTime } from '../../figures/aoi-at-time.ts'
import { type Point, spreadDots } from '../../figures/aoi-tags.ts'
import { aoiCorners, centerOf, RIM, type StimulusData } from '../../figures/stimulus.tsx'
import { Drawing } from '../../ui/chart/drawing.tsx'

/** Arrow between two AOIs, for `count` transitions. */
type Arrow = { from: number; to: number; count: number }

const WIDEST_PX = 12
const DOT_PX = 13

/** Returns the arrows between AOIs, most frequent first, up to a maximum number. */
export function arrowsOf({ counts }: TransitionsData['transitions'], aoiCount: number, most: number): Arrow[] {
  const all: Arrow[] = []
  for (let from = 0; from < aoiCount; from++)
    for (let to = 0; to < aoiCount; to++)
      if (from !== to && counts[from][to] > 0) all.push({ from, to, count: counts[from][to] })
  return all.sort((one, other) => other.count - one.count).slice(0, most)
}

type ArrowsProps = Pick<StimulusData, 'item' | 'aois' | 'picture' | 'aspect'> & {
  arrows: Arrow[]
  aoiColors: string[]
  width: number
  colors: Colors
}

/**
 * Draws arrows over the picture, bent to the right, wider for more transitions; the outside of all AOIs has no place.
 */
export function Arrows({ arrows, aois, aoiColors, item, picture, aspect, width, colors }: ArrowsProps) {
  const height = Math.round(width / aspect)
  const corners = aois.map((aoi) =>
    aoiAtTime(aoi, picture.frame?.tMs ?? null).shown.map(({ areaPoints }) =>
      aoiCorners(areaPoints, item, width, height),
    ),
  )
  const centers = spreadDots(
    corners.map((parts) => centerOf(parts[0])),
    2 * DOT_PX,
    width,
  )
  const most = Math.max(1, ...arrows.map(({ count }) => count))
  return (
    <Drawing
      {...{ width, height, colors }}
      label={`The ${arrows.length} most frequent transitions between areas of interest, as arrows over the item`}
    >
      <rect width={width} height={height} fill={colors.sunken} />
      {picture.href !== null && <image href={picture.href} width={width} height={height} preserveAspectRatio="none" />}
      <rect width={width} height={height} fill="#ffffff" opacity="0.55" />
      {corners.flatMap((parts, a) =>
        parts.map((part, p) => (
          <polygon key={`${a} ${p}`} points={part.join(' ')} fill="none" stroke={aoiColors[a]} stroke-width="1.5" />
        )),
      )}
      {[...arrows].reverse().map(({ from, to, count }) => (
        <Bent
          key={`${from} ${to}`}
          from={centers[from]}
          to={centers[to]}
          wide={Math.max(1.2, (WIDEST_PX * count) / most)}
          title={`${from + 1} to ${to + 1}: ${count}`}
        />
      ))}
      {centers.map(([x, y], a) => (
        <g key={aois[a].id}>
          <circle cx={x} cy={y} r={DOT_PX} fill={aoiColors[a]} stroke="#ffffff" stroke-width="1.5" />
          <text x={x} y={y + 4} text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(aoiColors[a])}>
            {a + 1}
          </text>
        </g>
      ))}
    </Drawing>
  )
}

function Bent({ from, to, wide, title }: { from: Point; to: Point; wide: number; title: string }) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
  const far = Math.hypot(dx, dy) || 1
  const bend: Point = [(from[0] + to[0]) / 2 - dy * 0.18, (from[1] + to[1]) / 2 + dx * 0.18]
  // The head ends at the edge of the dot, along its direction.
  const [ix, iy] = [to[0] - bend[0], to[1] - bend[1]]
  const inward = Math.hypot(ix, iy) || 1
  const [ux, uy] = [ix / inward, iy / inward]
  const tip: Point = [to[0] - ux * Math.min(DOT_PX, far / 3), to[1] - uy * Math.min(DOT_PX, far / 3)]
  const head = 5 + wide
  const base: Point = [tip[0] - ux * head, tip[1] - uy * head]
  const side = head * 0.6
  return (
    <g>
      <title>{title}</title>
      <path
        d={`M${from.join(' ')}Q${bend.join(' ')} ${base.join(' ')}`}
        fill="none"
        stroke={RIM}
        stroke-width={wide}
        opacity="0.62"
      />
      <path
        d={`M${tip.join(' ')}L${base[0] - uy * side} ${base[1] + ux * side}L${base[0] + uy * side} ${base[1] - ux * side}z`}
        fill={RIM}
        opacity="0.8"
      />
    </g>
  )
}
