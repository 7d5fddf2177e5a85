import { scalePoint } from 'd3-scale'
import type { Measure } from '../../../isomorphic/measures.ts'
import type { MixedData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { isolate } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { AoiNumber } from '../../figures/aoi-label.tsx'
import { COUNTS_PX } from '../../ui/chart/axis.tsx'
import { useInks } from '../../ui/chart/drawing.tsx'
import { Chart, useFrame } from '../../ui/chart/plot.tsx'
import { cutTo, Words } from '../../ui/chart/words.tsx'
import { type Group, groupColors } from './group-list.ts'
import { nameOfMeasure, nameWithUnit } from './measure-texts.ts'
import type { ComparedAoi } from './within-panel.tsx'

const PLOT_PX = 274
const BELOW_PX = 58
const DOT_PX = 3
const MEAN_PX = 5
/** Half the distance of the groups at an AOI. */
const BESIDE_PX = 11

type MixedPanelProps = {
  data: MixedData
  measure: Measure
  groups: Group[]
  aois: ComparedAoi[]
  width: number
  colors: Colors
}

/** Draws a line for each group through its means with their intervals, a dot for each participant, and n below. */
export function MixedPanel({ data, measure, groups, aois, width, colors }: MixedPanelProps) {
  const ofCells = data.groups.flatMap(({ cells }) => cells)
  const all = [
    ...data.groups.flatMap(({ values }) => values.flat()),
    ...ofCells.flatMap(({ low, high }) => [low, high]),
  ]
  const known = all.filter((value) => value !== null)
  return (
    <Chart
      {...{ width, colors }}
      plotPx={PLOT_PX}
      below={BELOW_PX + COUNTS_PX * groups.length}
      class="between-within"
      label={`${nameOfMeasure(measure)} of ${groups.length} groups in ${aois.map(({ aoi }) => isolate(aoi.name)).join(', ')}`}
      y={{
        of: [Math.min(0, ...known), Math.max(1, ...known)],
        label: nameWithUnit(measure),
        isNice: true,
      }}
    >
      <GroupMeans {...{ data, groups, aois }} />
    </Chart>
  )
}

function GroupMeans({ data, groups, aois }: Pick<MixedPanelProps, 'data' | 'groups' | 'aois'>) {
  const { y, left, right, bottom } = useFrame()
  const colors = useInks()
  const inks = groupColors(colors)
  const x = scalePoint([...aois.keys()], [left, right]).padding(0.5)
  const besidePx = Math.min(BESIDE_PX * (groups.length - 1), x.step() * 0.35)
  const lane = scalePoint([...groups.keys()], [-besidePx, besidePx])
  const at = (a: number, g: number) => x(a)! + lane(g)!
  return (
    <>
      {data.groups.map(({ values, cells, participantIds }, g) => (
        <g key={groups[g]?.name ?? g}>
          {values.map((own, a) =>
            own.map((value, i) => (
              <circle
                key={`${a} ${participantIds[i]}`}
                cx={at(a, g).toFixed(1)}
                cy={y(value).toFixed(1)}
                r={DOT_PX}
                fill={inks[g]}
                fill-opacity="0.35"
              />
            )),
          )}
          <path
            class="mean"
            d={cells
              .flatMap(({ mean }, a) => (mean === null ? [] : [`${at(a, g).toFixed(1)} ${y(mean).toFixed(1)}`]))
              .map((point, i) => `${i === 0 ? 'M' : 'L'}${point}`)
              .join('')}
            fill="none"
            stroke={inks[g]}
            stroke-width="2"
            stroke-dasharray={DASHES[g]}
          />
          {cells.map(({ mean, low, high }, a) => (
            <g key={aois[a].aoi.id} transform={`translate(${at(a, g).toFixed(1)},0)`}>
              {low !== null && high !== null && (
                <line class="interval" y1={y(low)} y2={y(high)} stroke={inks[g]} stroke-width="2.5" />
              )}
              {mean !== null && <circle cy={y(mean)} r={MEAN_PX} fill={inks[g]} stroke={colors.surface} />}
            </g>
          ))}
        </g>
      ))}
      {aois.map(({ aoi, place, color }, a) => (
        <g key={aoi.id} transform={`translate(${x(a)!.toFixed(1)},0)`}>
          <AoiNumber place={place} color={color} x={-11} y={bottom + 8} />
          <Words y={bottom + 42} anchor="middle">
            {isolate(cutTo(aoi.name, x.step() - 6))}
          </Words>
          {data.groups.map(({ cells }, g) => (
            <Words key={groups[g]?.name ?? g} y={bottom + BELOW_PX + g * COUNTS_PX} anchor="middle" isMuted>
              {cells[a].n}
            </Words>
          ))}
        </g>
      ))}
      {groups.map(({ name }, g) => (
        <Words key={name} x={left - 10} y={bottom + BELOW_PX + g * COUNTS_PX} anchor="end" isMuted>
          {`n ${g + 1}`}
        </Words>
      ))}
    </>
  )
}

/** Dashes of the lines of groups, which so differ not only by colour. */
const DASHES = ['', '7 4', '2 4', '9 3 2 3']

/** Returns a row for each participant and AOI. */
export function mixedNumbers(
  { data, measure, groups, aois }: Pick<MixedPanelProps, 'data' | 'measure' | 'groups' | 'aois'>,
  names: Map<string, string>,
): Numbers {
  return {
    columns: ['group', 'aoi_name', 'participant', measure.column],
    rows: data.groups.flatMap(({ participantIds, values }, g) =>
      aois.flatMap(({ aoi }, a) =>
        participantIds.map((id, i) => [groups[g]?.name ?? '', aoi.name, names.get(id) ?? id, values[a][i]]),
      ),
    ),
  }
}
