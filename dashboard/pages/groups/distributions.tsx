import type { Measure } from '../../../isomorphic/measures.ts'
import { seeded } from '../../../isomorphic/random.ts'
import type { Aoi } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { useInks } from '../../ui/chart/drawing.tsx'
import { PlotDrawing, useFrame } from '../../ui/chart/plot.tsx'
import { cutTo } from '../../ui/chart/words.tsx'
import type { Group } from './group-list.ts'
import { nameOfMeasure, nameWithUnit } from './measure-texts.ts'

const HEAD_PX = 20
const LANE_PX = 18
const GAP_PX = 10
const DOT_PX = 3.4
const SAID_LETTER_PX = 6.6

/** Values by participant. */
export type GroupValues = Map<string, number>

export type DistributionData = {
  aois: Aoi[]
  groups: Group[]
  measure: Measure
  /** By AOI, by group. */
  values: GroupValues[][]
  /** Medians by AOI and group; null for an empty group. */
  medians: (number | null)[][]
  /** Text beside the name of each AOI. */
  said: string[]
  paint: string[]
}

type DistributionsProps = { data: DistributionData; width: number; colors: Colors }

/** Draws a lane for each group in each AOI: a dot per participant, a line at the median. */
export function Distributions({ data, width, colors }: DistributionsProps) {
  const { aois, groups, measure, values } = data
  const most = Math.max(1, ...values.flatMap((lanes) => lanes.flatMap((lane) => [...lane.values()])))
  return (
    <PlotDrawing
      {...{ width, colors }}
      top={0}
      plotPx={aois.length * rowPx(groups)}
      label={`${nameOfMeasure(measure)} of each participant, in ${countOf(aois.length, 'area of interest', 'areas of interest')} and ${countOf(groups.length, 'group')}`}
      x={{ of: [0, most], label: nameWithUnit(measure), isNice: true }}
    >
      <Lanes data={data} width={width} />
    </PlotDrawing>
  )
}

const rowPx = (groups: Group[]) => HEAD_PX + groups.length * LANE_PX + GAP_PX

function Lanes({ data: { aois, groups, values, medians, said, paint }, width }: Omit<DistributionsProps, 'colors'>) {
  const { ink, muted } = useInks()
  return aois.map((aoi, a) => (
    <g key={aoi.id} transform={`translate(0,${a * rowPx(groups)})`}>
      <text x="0" y="14" font-size="12" fill={ink}>
        <tspan font-weight="600">{`${a + 1} ${isolate(cutTo(aoi.name, nameFor(said[a], width)))}`}</tspan>
        <tspan fill={muted}>{said[a] === '' ? '' : `  ${said[a]}`}</tspan>
      </text>
      {groups.map((group, g) => (
        <Lane
          key={group.name}
          values={[...values[a][g].values()]}
          median={medians[a][g]}
          y={HEAD_PX + (g + 0.5) * LANE_PX}
          color={paint[g]}
          seed={a * 16 + g}
        />
      ))}
    </g>
  ))
}

/** Returns the width in px for a name before its text: names are truncated, numbers are not. */
function nameFor(said: string, width: number): number {
  return Math.min(220, Math.max(40, width - 30 - said.length * SAID_LETTER_PX))
}

type LaneProps = {
  values: number[]
  median: number | null
  y: number
  color: string
  seed: number
}

function Lane({ values, median, y, color, seed }: LaneProps) {
  const { x } = useFrame()
  const { ink } = useInks()
  const random = seeded(seed)
  return (
    <g>
      {values.map((value, i) => (
        <circle
          key={i}
          cx={x(value).toFixed(1)}
          cy={(y + (random() - 0.5) * (LANE_PX - 2 * DOT_PX - 1)).toFixed(1)}
          r={DOT_PX}
          fill={color}
          fill-opacity="0.6"
        />
      ))}
      {median !== null && (
        <line
          x1={x(median)}
          x2={x(median)}
          y1={y - LANE_PX / 2 + 1}
          y2={y + LANE_PX / 2 - 1}
          stroke={ink}
          stroke-width="2.5"
        />
      )}
    </g>
  )
}

/** Returns one row per dot. */
export function distributionNumbers(
  { aois, groups, measure, values }: DistributionData,
  names: Map<string, string>,
): Numbers {
  const rows = aois.flatMap((aoi, a) =>
    groups.flatMap(({ name }, g) =>
      [...values[a][g]].map(([id, value]) => [aoi.name, name, names.get(id) ?? id, value]),
    ),
  )
  return { columns: ['aoi_name', 'group', 'participant', measure.column], rows }
}
