import { useMemo } from 'preact/hooks'
import type { Aoi, Item } from '../../../core/api.ts'
import { inkOn } from '../../../core/colors/aoi-colors.ts'
import type { Picture } from '../../../figures/stimulus.tsx'
import { type AoiDraft, selectedPart } from '../draft/draft.ts'
import { overlapsOf } from '../shapes/overlaps.ts'
import { boxBetween, boxOf, cornersOf, ellipseCorners, isActiveAt, rectangleCorners, type XY } from '../shapes/parts.ts'
import type { Snapped } from '../shapes/snap.ts'
import type { Sketch } from './sketch.ts'
import type { BoardView, Tool } from './view.ts'

const RIM = '#101820'
const MARK = '#ffb000'

export type BoardDrawingProps = {
  item: Item
  picture: Picture
  draft: AoiDraft
  tool: Tool
  /** Time of the display: AOIs outside their time range are faint; null for all times. */
  tMs: number | null
  view: BoardView
  colors: string[]
  /** Fixations in percent of the item, for orientation. */
  spots: XY[]
  width: number
  height: number
  sketch: Sketch | null
  cursor: XY | null
  lines: Pick<Snapped, 'x' | 'y'>
}

/**
 * Draws the picture, the AOIs, their overlaps, and the shape in progress. Sizes that do not zoom are in px of the
 * screen.
 */
export function BoardDrawing(props: BoardDrawingProps) {
  const { picture, width, height, view, spots } = props
  const pixel = view.size
  const dots = spots.map(([x, y]) => `M${(x / 100) * width} ${(y / 100) * height}h0`).join('')
  return (
    <g>
      <defs>
        <pattern id="overlap" width={8 * pixel} height={8 * pixel} patternUnits="userSpaceOnUse">
          <path d={`M0 ${8 * pixel}L${8 * pixel} 0`} stroke={RIM} stroke-width={1.6 * pixel} />
          <path d={`M0 0L${8 * pixel} ${8 * pixel}`} stroke="#ffffff" stroke-width={1.6 * pixel} />
        </pattern>
      </defs>
      <rect class="board-ground" width={width} height={height} />
      {picture.href === null ? (
        <text class="board-lack" x={12 * pixel} y={24 * pixel} font-size={13 * pixel}>
          {picture.lack ?? ''}
        </text>
      ) : (
        <image href={picture.href} width={width} height={height} preserveAspectRatio="none" />
      )}
      {dots !== '' && (
        <g fill="none" stroke-linecap="round">
          <path d={dots} stroke={RIM} stroke-width={7 * pixel} opacity="0.5" />
          <path d={dots} stroke="#00c2a8" stroke-width={4.5 * pixel} />
        </g>
      )}
      <Shapes {...props} />
      <Overlaps {...props} />
      <Tags {...props} />
      <Handles {...props} />
      <Making {...props} />
    </g>
  )
}

const pointsOf = (corners: XY[], width: number, height: number) =>
  corners.map(([x, y]) => `${round(x * width)},${round(y * height)}`).join(' ')
const round = (value: number) => Math.round(value * 100) / 100

function Shapes({ draft, item, tMs, colors, width, height, view }: BoardDrawingProps) {
  const { aois, selected } = draft
  const pixel = view.size
  return (
    <>
      {aois.map((aoi, a) =>
        aoi.parts.map((part, p) => {
          const points = pointsOf(cornersOf(part.areaPoints, item), width, height)
          const isChosen = selected?.id === aoi.id
          return (
            <g
              key={`${aoi.id} ${p}`}
              class="board-part"
              data-grip="part"
              data-aoi={aoi.id}
              data-part={p}
              opacity={isActiveAt(part, tMs) ? 1 : 0.25}
            >
              <polygon points={points} fill="none" stroke="#ffffff" stroke-width={4.5 * pixel} stroke-opacity="0.65" />
              <polygon
                points={points}
                fill={colors[a]}
                fill-rule="evenodd"
                fill-opacity={isChosen ? 0.3 : 0.16}
                stroke={colors[a]}
                stroke-width={(isChosen ? 3.5 : 2) * pixel}
              />
            </g>
          )
        }),
      )}
    </>
  )
}

/** Hatches the overlap of two AOIs, which counts in both. */
function Overlaps({ draft: { aois }, item, width, height, tMs }: BoardDrawingProps) {
  const partAt = ([a, p]: [number, number]) => aois[a].parts[p]
  const all = useMemo(() => overlapsOf(aois, item), [aois, item])
  const overlaps = all.filter(({ one, other }) => isActiveAt(partAt(one), tMs) && isActiveAt(partAt(other), tMs))
  const pointsAt = (place: [number, number]) => pointsOf(cornersOf(partAt(place).areaPoints, item), width, height)
  return (
    <g class="board-overlaps">
      {overlaps.map(({ one, other }) => {
        const id = `clip-${one.join('-')}-${other.join('-')}`
        return (
          <g key={id}>
            <clipPath id={id}>
              <polygon points={pointsAt(one)} clip-rule="evenodd" />
            </clipPath>
            <polygon
              points={pointsAt(other)}
              fill="url(#overlap)"
              fill-rule="evenodd"
              fill-opacity="0.35"
              clip-path={`url(#${id})`}
            />
          </g>
        )
      })}
    </g>
  )
}

function Tags({ draft: { aois }, item, colors, width, height, view: { size: pixel } }: BoardDrawingProps) {
  const tagOf = (aoi: Aoi, a: number, p: number) => {
    const { left, top } = boxOf(cornersOf(aoi.parts[p].areaPoints, item))
    return (
      <g
        key={`${aoi.id} ${p}`}
        class="board-tag"
        transform={`translate(${left * width},${top * height}) scale(${pixel})`}
      >
        <rect width="24" height="17" fill={colors[a]} stroke="#ffffff" stroke-width="0.75" />
        <text x="12" y="13" text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(colors[a])}>
          {a + 1}
        </text>
      </g>
    )
  }
  return <>{aois.map((aoi, a) => aoi.parts.map((_, p) => tagOf(aoi, a, p)))}</>
}

/** Above this number of corners, handles are small, and edges have none. */
const MANY = 24

/** Draws handles, large enough for a finger, on the corners and edges of the selected part. */
function Handles({ draft, item, tool, width, height, view: { size: pixel } }: BoardDrawingProps) {
  const { selected } = draft
  const part = selectedPart(draft)
  if (selected === null || part === null || tool !== 'select') return null
  const corners = cornersOf(part.areaPoints, item)
  const handle = (kind: 'corner' | 'edge', [x, y]: XY, i: number) => (
    <g
      key={`${kind} ${i}`}
      class={`board-${kind}`}
      data-grip={kind}
      data-aoi={selected.id}
      data-part={selected.part}
      data-corner={i}
      transform={`translate(${x * width},${y * height}) scale(${pixel})`}
    >
      <circle r={corners.length > MANY ? 7 : 12} fill="#000000" fill-opacity="0" />
      {kind === 'edge' ? (
        <circle r="3.5" fill="#ffffff" stroke={RIM} stroke-width="1.25" />
      ) : (
        <circle
          r={i === selected.corner ? 8 : corners.length > MANY ? 3.5 : 5.5}
          fill={i === selected.corner ? MARK : '#ffffff'}
          stroke={RIM}
          stroke-width="2"
        />
      )}
    </g>
  )
  const middles = corners.map(([x, y], i): XY => {
    const [nextX, nextY] = corners[(i + 1) % corners.length]
    return [(x + nextX) / 2, (y + nextY) / 2]
  })
  return (
    <>
      {corners.length <= MANY && middles.map((middle, i) => handle('edge', middle, i))}
      {corners.map((corner, i) => handle('corner', corner, i))}
    </>
  )
}

/** Draws the shape in progress, its snap lines, and the cross that keys move. */
function Making({ sketch, cursor, lines, width, height, view: { size: pixel } }: BoardDrawingProps) {
  const line = { stroke: MARK, 'stroke-width': 1.5 * pixel, 'stroke-dasharray': `${5 * pixel} ${4 * pixel}` }
  const [x, y] = cursor ?? [0, 0]
  return (
    <>
      {lines.x !== null && <path d={`M${lines.x * width} ${-height}V${2 * height}`} {...line} />}
      {lines.y !== null && <path d={`M${-width} ${lines.y * height}H${2 * width}`} {...line} />}
      {sketch !== null && <SketchShape sketch={sketch} width={width} height={height} pixel={pixel} />}
      {cursor !== null && (
        <g class="board-cross" transform={`translate(${x * width},${y * height}) scale(${pixel})`}>
          <path d="M-16 0H16M0 -16V16" stroke="#ffffff" stroke-width="5" />
          <path d="M-16 0H16M0 -16V16" stroke={RIM} stroke-width="2" />
        </g>
      )}
    </>
  )
}

type SketchProps = { sketch: Sketch; width: number; height: number; pixel: number }

function SketchShape({ sketch: { tool, points, at }, width, height, pixel }: SketchProps) {
  const box = boxBetween(points[0], at)
  const isOpen = tool === 'polygon' || tool === 'split'
  const corners = isOpen ? [...points, at] : tool === 'ellipse' ? ellipseCorners(box) : rectangleCorners(box)
  const Shape = isOpen ? 'polyline' : 'polygon'
  const shown = pointsOf(corners, width, height)
  return (
    <g class="board-sketch" fill={MARK} fill-opacity={isOpen ? 0 : 0.2}>
      <Shape points={shown} stroke={RIM} stroke-width={4 * pixel} fill="none" />
      <Shape points={shown} stroke={MARK} stroke-width={2 * pixel} />
      {points.map(([x, y], i) => (
        <circle key={i} cx={x * width} cy={y * height} r={4.5 * pixel} fill={MARK} fill-opacity="1" stroke={RIM} />
      ))}
    </g>
  )
}
