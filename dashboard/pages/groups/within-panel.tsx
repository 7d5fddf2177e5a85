import { scaleLinear, scalePoint } from 'd3-scale'
import type { Measure } from '../../../isomorphic/measures.ts'
import type { Aoi, WithinData } from '../../core/api.ts'
import { inkOn } from '../../core/colors/aoi-colors.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { isolate, result } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { AxisLeft, cutTo } from '../../figures/axis.tsx'
import { Drawing } from '../../figures/drawing.tsx'
import { nameOfMeasure, pEquals } from './measure-texts.ts'

const LEFT = 58
const RIGHT = 16
const TOP = 26
const BOTTOM = 300
const BELOW_PX = 54
const MEDIAN_PX = 22
const DOT_PX = 3.4

/** Compared AOI: its number, and the colour of its dots. */
export type ComparedAoi = { aoi: Aoi; place: number; color: string }

type WithinPanelProps = { data: WithinData; measure: Measure; aois: ComparedAoi[]; width: number; colors: Colors }

/** Draws a line for each participant from AOI to AOI, with a dot for each value and a bar at each median. */
export function WithinPanel({ data, measure, aois, width, colors }: WithinPanelProps) {
  const { values, summaries, participantIds } = data
  const most = Math.max(1, ...values.flat())
  const y = scaleLinear([0, most], [BOTTOM, TOP]).nice()
  const x = scalePoint<number>(
    aois.map((_, a) => a),
    [LEFT, width - RIGHT],
  ).padding(0.5)
  const at = (a: number) => x(a) ?? LEFT
  const unit = measure.unit === '' ? '' : `, ${measure.unit}`
  return (
    <Drawing
      width={width}
      height={BOTTOM + BELOW_PX}
      class="within-people"
      label={`${nameOfMeasure(measure)} of ${participantIds.length} participants in ${aois.map(({ aoi }) => isolate(aoi.name)).join(', ')}`}
    >
      <AxisLeft
        scale={y}
        x={LEFT}
        right={width - RIGHT}
        n={5}
        label={`${nameOfMeasure(measure)}${unit}`}
        colors={colors}
      />
      {participantIds.map((id, i) => (
        <path
          key={id}
          d={values.map((own, a) => `${a === 0 ? 'M' : 'L'}${at(a).toFixed(1)} ${y(own[i]).toFixed(1)}`).join('')}
          fill="none"
          stroke={colors.muted}
          stroke-opacity="0.45"
        />
      ))}
      {aois.map(({ aoi, place, color }, a) => (
        <g key={aoi.id} transform={`translate(${at(a).toFixed(1)},0)`}>
          {values[a].map((value, i) => (
            <circle key={participantIds[i]} cy={y(value).toFixed(1)} r={DOT_PX} fill={color} />
          ))}
          {summaries[a].median !== null && (
            <line
              class="median"
              x1={-MEDIAN_PX}
              x2={MEDIAN_PX}
              y1={y(summaries[a].median)}
              y2={y(summaries[a].median)}
              stroke={colors.ink}
              stroke-width="3"
            />
          )}
          <rect x="-10" y={BOTTOM + 8} width="20" height="17" fill={color} />
          <text y={BOTTOM + 21} text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(color)}>
            {place + 1}
          </text>
          <text y={BOTTOM + 42} text-anchor="middle" font-size="12" fill={colors.ink}>
            {isolate(cutTo(aoi.name, x.step() - 6))}
          </text>
        </g>
      ))}
    </Drawing>
  )
}

/** Returns a row for each participant and AOI. */
export function withinNumbers(
  { data, measure, aois }: Pick<WithinPanelProps, 'data' | 'measure' | 'aois'>,
  names: Map<string, string>,
): Numbers {
  return {
    columns: ['aoi_name', 'participant', measure.column],
    rows: aois.flatMap(({ aoi }, a) =>
      data.participantIds.map((id, i) => [aoi.name, names.get(id) ?? id, data.values[a][i]]),
    ),
  }
}

/** Says what the test of all AOIs found; '' without one. */
export function friedmanText({ friedman }: WithinData): string {
  if (friedman === null) return ''
  const { statistic, df, p, kendallsW } = friedman
  return `Friedman χ²(${df}) = ${result(statistic)}, ${pEquals(p)}, Kendall’s W = ${result(kendallsW)}.`
}
