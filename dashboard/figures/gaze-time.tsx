import { area, line } from 'd3-shape'
import type { Aoi, GazeBin, GazeData } from '../core/api.ts'
import type { AoiPaint } from '../core/colors/aoi-colors.ts'
import type { Colors } from '../core/colors/theme.ts'
import type { Numbers } from '../core/numbers-csv.ts'
import { useInks } from '../ui/chart/drawing.tsx'
import { Plot, PlotDrawing, useFrame } from '../ui/chart/plot.tsx'
import { Words } from '../ui/chart/words.tsx'
import { AoiLabel } from './aoi-label.tsx'
import { EventLines } from './event-lines.tsx'
import type { ScarfData } from './scarf.tsx'

/** Room for names before the plot, px. */
const LEFT = 190
const TOP = 20
const PANEL = 96
const GAP = 30
const STRIP = 22
/** Longest step between points without a gap: docs/signal.md, step 4. */
const JOINED_MS = 50

type GazeTimeProps = Pick<ScarfData, 'aois' | 'paint' | 'untilMs'> & {
  data: GazeData
  isOne: boolean
  /** Events of the one participant. */
  events: { tMs: number; name: string }[]
  width: number
  colors: Colors
}

/** Draws the position of gaze over time, horizontally and vertically, and its share in each AOI. */
export function GazeTime({ data, aois, paint, isOne, events, untilMs, width, colors }: GazeTimeProps) {
  const stripTop = 2 * (PANEL + GAP) + 34
  const binAt = (seconds: number) => data.bins[Math.floor((seconds * 1000) / data.binMs)]
  return (
    <PlotDrawing
      {...{ width, colors }}
      top={TOP}
      left={LEFT}
      plotPx={stripTop + aois.length * STRIP - TOP}
      label={`Gaze over time in bins of ${data.binMs} ms: horizontal and vertical position, and share in each area of interest`}
      x={{ of: [0, untilMs / 1000], label: 'Time from item onset, s' }}
      counts={isOne ? [] : [{ label: 'Participants in the bin', at: (tick) => binAt(tick)?.participants ?? null }]}
    >
      {(['X', 'Y'] as const).map((axis, i) => (
        <Plot
          key={axis}
          width={width}
          top={TOP + i * (PANEL + GAP)}
          left={LEFT}
          plotPx={PANEL}
          y={{ of: [0, 100], n: 2, isDown: true }}
        >
          <Position {...{ data, axis, isOne }} />
        </Plot>
      ))}
      <EventLines events={events.filter(({ tMs }) => tMs >= 0 && tMs <= untilMs)} />
      {aois.length > 0 && (
        <Words y={stripTop - 10} fontPx={13} isStrong>
          Share of gaze points in each AOI
        </Words>
      )}
      {aois.map((aoi, a) => (
        <AoiStrip key={aoi.id} {...{ data, aoi, a, paint }} top={stripTop + a * STRIP} />
      ))}
    </PlotDrawing>
  )
}

/** Draws gaze along one axis of the item: the points of one participant, or mean and spread of all. */
function Position({ data, axis, isOne }: { data: GazeData; axis: 'X' | 'Y'; isOne: boolean }) {
  const { x, y, top } = useFrame()
  const { accent, second } = useInks()
  const at = ({ fromMs }: GazeBin) => x((fromMs + data.binMs / 2) / 1000)
  const color = axis === 'X' ? accent : second
  const told = [
    axis === 'X' ? '% from the left' : '% from the top',
    ...(isOne ? ['gaze points'] : ['mean ± 1 SD of', 'participants’ means']),
  ]
  return (
    <>
      <Words y={top + 14} fontPx={13} isStrong>
        {axis === 'X' ? 'Horizontal' : 'Vertical'}
      </Words>
      {told.map((words, i) => (
        <Words key={words} y={top + 31 + i * 16} isMuted>
          {words}
        </Words>
      ))}
      {isOne ? (
        <path d={pointPath(data, axis === 'X' ? 1 : 2, x, y)} fill="none" stroke={color} stroke-width="1.75" />
      ) : (
        <>
          <path d={bandPath(data.bins, axis, at, y)} fill={color} fill-opacity="0.2" />
          <path d={meanPath(data.bins, axis, at, y)} fill="none" stroke={color} stroke-width="2" />
        </>
      )}
    </>
  )
}

/** Draws the share of gaze points in an AOI, bin by bin. @param a index of the AOI */
function AoiStrip({ data, aoi, a, paint, top }: { data: GazeData; aoi: Aoi; a: number; paint: AoiPaint; top: number }) {
  const { x, left, right } = useFrame()
  const { sunken } = useInks()
  const color = paint.colors[a]
  return (
    <g opacity={paint.lit !== null && paint.lit !== a ? 0.35 : 1} transform={`translate(0,${top})`}>
      <AoiLabel name={aoi.name} place={a} color={color} y={2} px={LEFT - 44} />
      <rect x={left} y="2" width={right - left} height={STRIP - 4} fill={sunken} />
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

type Of = (value: number) => number

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
