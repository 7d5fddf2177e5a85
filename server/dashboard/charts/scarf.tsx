import { scaleLinear } from 'd3-scale'
import type { Aoi, FixationsData } from '../api.ts'
import { aoiColor, type Colors } from '../theme.ts'
import { AxisBottom, cutTo } from './axis.tsx'
import type { Numbers } from './figure.tsx'

export type ScarfData = {
  fixations: FixationsData
  aois: Aoi[]
  names: Map<string, string>
  untilMs: number
}

const LEFT = 96
const RIGHT = 12
const TOP = 8
const BOTTOM = 44

function rowHeight(n: number): number {
  return n <= 30 ? 18 : n <= 80 ? 12 : 7
}

/** Tests × time: each fixation in the colour of its first AOI, grey in none. One path a colour, whatever the number of tests. */
export function Scarf({ data, width, colors }: { data: ScarfData; width: number; colors: Colors }) {
  const { tests } = data.fixations
  const each = rowHeight(tests.length)
  const bottom = TOP + tests.length * each
  const height = bottom + BOTTOM
  const x = scaleLinear([0, data.untilMs / 1000], [LEFT, width - RIGHT])
  const paths = data.aois.map(() => '')
  let outside = ''
  for (const [row, { fixations }] of tests.entries()) {
    for (const [, , startMs, endMs, , , , first] of fixations) {
      const from = x(startMs / 1000).toFixed(1)
      const wide = Math.max(1, x(endMs / 1000) - x(startMs / 1000)).toFixed(1)
      const box = `M${from} ${TOP + row * each + 1}h${wide}v${each - 2}h-${wide}z`
      if (first === undefined) outside += box
      else paths[first] += box
    }
  }
  const labelEvery = each >= 12 ? 1 : 5
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Scarf plot of ${tests.length} tests over time, coloured by area of interest`}
    >
      <AxisBottom
        scale={x}
        y={bottom}
        top={TOP}
        n={8}
        label="Time from item onset, s"
        colors={colors}
        end={width - RIGHT}
      />
      <path d={outside} fill={colors.muted} fill-opacity="0.35" />
      {paths.map((path, a) => (path === '' ? null : <path key={data.aois[a].id} d={path} fill={aoiColor(a)} />))}
      <g font-size={each >= 18 ? 12 : 10} fill={colors.muted}>
        {tests.map(({ testId, participantId }, row) =>
          row % labelEvery > 0 ? null : (
            <text key={testId} x={LEFT - 8} y={TOP + row * each + each / 2 + 4} text-anchor="end">
              {cutTo(data.names.get(participantId) ?? participantId.slice(0, 8), LEFT - 12)}
            </text>
          ),
        )}
      </g>
    </svg>
  )
}

/** Returns one row per fixation, with the column names of the `fixations` export. */
export function fixationNumbers({ fixations, aois, names }: Omit<ScarfData, 'untilMs'>): Numbers {
  const rows = fixations.tests.flatMap(({ participantId, fixations: list }) =>
    list.map(([x, y, startMs, endMs, lengthPx, amplitude, saccadeMs, ...inAois], i) => [
      names.get(participantId) ?? participantId,
      i + 1,
      startMs,
      endMs,
      endMs - startMs,
      x,
      y,
      lengthPx,
      amplitude,
      saccadeMs,
      inAois.map((a) => aois[a].name).join(' | '),
    ]),
  )
  const columns = [
    'participant',
    'fixation_index',
    'fixation_starts_at_ms',
    'fixation_ends_at_ms',
    'fixation_duration_ms',
    'fixation_point_x',
    'fixation_point_y',
    'saccade_length_px',
    'saccade_amplitude_percent',
    'saccade_duration_ms',
    'aois',
  ]
  return { columns, rows }
}
