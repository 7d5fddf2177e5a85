import { scalePoint } from 'd3-scale'
import type { Measure } from '../../../isomorphic/measures.ts'
import type { Aoi, WithinData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf, isolate, result } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { AoiNumber } from '../../figures/aoi-label.tsx'
import { useInks } from '../../ui/chart/drawing.tsx'
import { PlotDrawing, useFrame } from '../../ui/chart/plot.tsx'
import { cutTo, Words } from '../../ui/chart/words.tsx'
import { nameOfMeasure, nameWithUnit, pEquals } from './measure-texts.ts'

const PLOT_PX = 274
/** Room for numbers and names of AOIs, px. */
const BELOW_PX = 54
const MEDIAN_PX = 22
const DOT_PX = 3.4

/** Compared AOI: its number, and the colour of its dots. */
export type ComparedAoi = { aoi: Aoi; place: number; color: string }

type WithinPanelProps = { data: WithinData; measure: Measure; aois: ComparedAoi[]; width: number; colors: Colors }

/** Draws a line for each participant from AOI to AOI, with a dot for each value and a bar at each median. */
export function WithinPanel({ data, measure, aois, width, colors }: WithinPanelProps) {
  const { values, participantIds } = data
  return (
    <PlotDrawing
      {...{ width, colors }}
      plotPx={PLOT_PX}
      below={BELOW_PX}
      class="within-people"
      label={`${nameOfMeasure(measure)} of ${countOf(participantIds.length, 'participant')} in ${aois.map(({ aoi }) => isolate(aoi.name)).join(', ')}`}
      y={{ of: [0, Math.max(1, ...values.flat())], label: nameWithUnit(measure), isNice: true }}
    >
      <People data={data} aois={aois} />
    </PlotDrawing>
  )
}

function People({ data: { values, summaries, participantIds }, aois }: Pick<WithinPanelProps, 'data' | 'aois'>) {
  const { y, left, right, bottom } = useFrame()
  const { ink, muted } = useInks()
  const x = scalePoint([...aois.keys()], [left, right]).padding(0.5)
  const at = (a: number) => x(a)!
  return (
    <>
      {participantIds.map((id, i) => (
        <path
          key={id}
          d={values.map((own, a) => `${a === 0 ? 'M' : 'L'}${at(a).toFixed(1)} ${y(own[i]).toFixed(1)}`).join('')}
          fill="none"
          stroke={muted}
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
              stroke={ink}
              stroke-width="3"
            />
          )}
          <AoiNumber place={place} color={color} x={-11} y={bottom + 8} />
          <Words y={bottom + 42} anchor="middle">
            {isolate(cutTo(aoi.name, x.step() - 6))}
          </Words>
        </g>
      ))}
    </>
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
