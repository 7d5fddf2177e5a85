import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { Aoi, GazeBin, GazeData } from '../core/api.ts'
import type { AoiPaint } from '../core/colors/aoi-colors.ts'
import type { Colors } from '../core/colors/theme.ts'
import type { Numbers } from '../core/numbers-csv.ts'
import { AoiLabel } from './aoi-label.tsx'
import { AxisBottom, AxisLeft, COUNTS_PX, CountsBelow } from './axis.tsx'
import { Drawing } from './drawing.tsx'
import { EventLines } from './event-lines.tsx'

const LEFT = 190
const RIGHT = 12
const PANEL = 96
const GAP = 30
const STRIP = 22
/** Longest step between points without a gap: docs/signal.md, step 4. */
const JOINED_MS = 50

type GazeTimeProps = {
  data: GazeData
  aois: Aoi[]
  paint: AoiPaint
  isOne: boolean
  /** Events of the one participant. */
  events: { tMs: number; name: string }[]
  untilMs: number
  width: number
  colors: Colors
}

/** Draws the position of gaze over time, horizontally and vertically, and its share in each AOI. */
export function GazeTime({ data, aois, paint, isOne, events, untilMs, width, colors }: GazeTimeProps) {
  const stripTop = 2 * (PANEL + GAP) + 34
  const bottom = stripTop + aois.length * STRIP
  const height = bottom + 48 + (isOne ? 0 : COUNTS_PX)
  const x = scaleLinear([0, untilMs / 1000], [LEFT, width - RIGHT]).clamp(true)
  return (
    <Drawing
      width={width}
      height={height}
      label={`Gaze over time in bins of ${data.binMs} ms: horizontal and vertical position, and share in each area of interest`}
    >
      <AxisBottom scale={x} y={bottom} top={20} n={8} label="Time from item onset, s" colors={colors} />
      {!isOne && (
        <CountsBelow
          scale={x}
          y={bottom}
          left={LEFT}
          n={8}
          label="Participants in the bin"
          countAt={(tick) => data.bins[Math.floor((tick * 1000) / data.binMs)]?.participants ?? null}
          colors={colors}
        />
      )}
      {(['X', 'Y'] as const).map((axis, i) => (
        <Position key={axis} {...{ data, axis, isOne, x, width, colors }} top={20 + i * (PANEL + GAP)} />
      ))}
      <EventLines
        events={events.filter(({ tMs }) => tMs >= 0 && tMs <= untilMs)}
        px={(ms) => x(ms / 1000)}
        {...{ bottom, colors }}
        top={14}
        right={width - RIGHT}
      />
      {aois.length > 0 && (
        <text y={stripTop - 10} font-size="13" font-weight="600" fill={colors.ink}>
          Share of gaze points in each AOI
        </text>
      )}
      {aois.map((aoi, a) => (
        <AoiStrip key={aoi.id} {...{ data, aoi, a, paint, x, width, colors }} top={stripTop + a * STRIP} />
      ))}
    </Drawing>
  )
}

type Of = (value: number) => number
type PartProps = { data: GazeData; x: Of; top: number; width: number; colors: Colors }

/** Draws gaze along one axis of the item: the points of one participant, or mean and spread of all. */
function Position({ data, axis, isOne, x, top, width, colors }: PartProps & { axis: 'X' | 'Y'; isOne: boolean }) {
  // The axis points down: 0 % is the top of the item.
  const y = scaleLinear([0, 100], [top, top + PANEL]).clamp(true)
  const at = ({ fromMs }: GazeBin) => x((fromMs + data.binMs / 2) / 1000)
  const color = axis === 'X' ? colors.accent : colors.second
  return (
    <g>
      <text y={top + 14} font-size="13" font-weight="600" fill={colors.ink}>
        {axis === 'X' ? 'Horizontal' : 'Vertical'}
      </text>
      <text y={top + 31} font-size="12" fill={colors.muted}>
        {axis === 'X' ? '% from the left' : '% from the top'}
      </text>
      <text y={top + 47} font-size="12" fill={colors.muted}>
        {isOne ? 'gaze points' : 'mean ± 1 SD of'}
      </text>
      {!isOne && (
        <text y={top + 63} font-size="12" fill={colors.muted}>
          participants’ means
        </text>
      )}
      <AxisLeft scale={y} x={LEFT} right={width - RIGHT} n={2} colors={colors} />
      {isOne ? (
        <path d={pointPath(data, axis === 'X' ? 1 : 2, x, y)} fill="none" stroke={color} stroke-width="1.75" />
      ) : (
        <>
          <path d={bandPath(data.bins, axis, at, y)} fill={color} fill-opacity="0.2" />
          <path d={meanPath(data.bins, axis, at, y)} fill="none" stroke={color} stroke-width="2" />
        </>
      )}
    </g>
  )
}

/** Draws the share of gaze points in an AOI, bin by bin. @param a index of the AOI */
function AoiStrip({
  data,
  aoi,
  a,
  paint,
  x,
  top,
  width,
  colors,
}: PartProps & { aoi: Aoi; a: number; paint: AoiPaint }) {
  const color = paint.colors[a]
  return (
    <g opacity={paint.lit !== null && paint.lit !== a ? 0.35 : 1} transform={`translate(0,${top})`}>
      <AoiLabel name={aoi.name} place={a} y={2} px={LEFT - 44} {...{ color, colors }} />
      <rect x={LEFT} y="2" width={width - RIGHT - LEFT} height={STRIP - 4} fill={colors.sunken} />
      {data.bins.map((bin) =>
        bin.n > 0 && bin.inAoi[a] > 0 ? (
          <rect
            key={bin.fromMs}
            x={x(bin.fromMs / 1000)}
            y="2"
            width={Math.max(0.5, x((bin.fromMs + data.binMs) / 1000) - x(bin.fromMs / 1000))}
            height={STRIP - 4}
            fill={color}
            shape-rendering="crispEdges"
            fill-opacity={(0.12 + (0.88 * bin.inAoi[a]) / bin.n).toFixed(3)}
          />
        ) : null,
      )}
    </g>
  )
}

function meanPath(bins: GazeBin[], axis: 'X' | 'Y', at: (bin: GazeBin) => number, y: Of): string {
  const draw = line<GazeBin>(at, (bin) => y(bin[`mean${axis}`] ?? 0)).defined((bin) => bin.n > 0)
  return draw(bins) ?? ''
}

function bandPath(bins: GazeBin[], axis: 'X' | 'Y', at: (bin: GazeBin) => number, y: Of): string {
  const edge = (sign: number) => (bin: GazeBin) => y((bin[`mean${axis}`] ?? 0) + sign * (bin[`sd${axis}`] ?? 0))
  return area<GazeBin>(at, edge(-1), edge(1)).defined((bin) => bin.n > 0)(bins) ?? ''
}

function pointPath({ points, pointsEvery }: GazeData, which: number, x: Of, y: Of): string {
  const joinedMs = JOINED_MS * pointsEvery
  let path = ''
  let beforeMs = Number.NEGATIVE_INFINITY
  for (const point of points) {
    const isJoined = point[0] - beforeMs <= joinedMs && point[0] >= beforeMs
    path += `${isJoined ? 'L' : 'M'}${x(point[0] / 1000).toFixed(1)} ${y(point[which]).toFixed(1)}${isJoined ? '' : 'h0.1'}`
    beforeMs = point[0]
  }
  return path
}

export function gazeNumbers(data: GazeData, aois: Aoi[]): Numbers {
  return {
    columns: [
      'from_ms',
      'to_ms',
      'gaze_points',
      'participants',
      'mean_x_percent',
      'sd_x_percent',
      'mean_y_percent',
      'sd_y_percent',
      ...aois.map(({ name }, a) => `points in ${a + 1} ${name}`),
    ],
    rows: data.bins.map(({ fromMs, n, participants, meanX, sdX, meanY, sdY, inAoi }) => [
      fromMs,
      fromMs + data.binMs,
      n,
      participants,
      meanX,
      sdX,
      meanY,
      sdY,
      ...inAoi,
    ]),
  }
}
