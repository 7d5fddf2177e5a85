import { scalePoint } from 'd3-scale'
import type { Measure } from '../../../isomorphic/measures.ts'
import type { MixedData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { isolate } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { AoiNumber } from '../../figures/aoi-label.tsx'
import { COUNTS_PX } from '../../ui/chart/axis.tsx'
import { useInks } from '../../ui/chart/drawing.tsx'
import { PlotDrawing, useFrame } from '../../ui/chart/plot.tsx'
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
    <PlotDrawing
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
    </PlotDrawing>
  )
}

type MeansProps = Pick<MixedPanelProps, 'data' | 'groups' | 'aois'>

function GroupMeans({ data, groups, aois }: MeansProps) {
  const { left, right } = useFrame()
  const x = scalePoint([...aois.keys()], [left, right]).padding(0.5)
  const besidePx = Math.min(BESIDE_PX * (groups.length - 1), x.step() * 0.35)
  const lane = scalePoint([...groups.keys()], [-besidePx, besidePx])
  return (
    <>
      {data.groups.map((of, g) => (
        <GroupMean key={groups[g]?.name ?? g} {...{ of, g, aois }} xAt={(a) => x(a)! + lane(g)!} />
      ))}
      <AoiCounts {...{ data, groups, aois }} xAt={(a) => x(a)!} stepPx={x.step()} />
    </>
  )
}

type GroupMeanProps = {
  of: MixedData['groups'][number]
  g: number
  aois: ComparedAoi[]
  /** Returns the place of an AOI, in px. */
  xAt: (a: number) => number
}

/** Draws a dot for each participant of a group, and a line through its means with their intervals. */
function GroupMean({ of: { values, cells, participantIds }, g, aois, xAt }: GroupMeanProps) {
  const { y } = useFrame()
  const colors = useInks()
  const ink = groupColors(colors)[g]
  const known = cells.flatMap(({ mean }, a) => (mean === null ? [] : [`${xAt(a).toFixed(1)} ${y(mean).toFixed(1)}`]))
  return (
    <g>
      {values.map((own, a) =>
        own.map((value, i) => (
          <circle
            key={`${a} ${participantIds[i]}`}
            cx={xAt(a).toFixed(1)}
            cy={y(value).toFixed(1)}
            r={DOT_PX}
            fill={ink}
            fill-opacity="0.35"
          />
        )),
      )}
      <path
        class="mean"
        d={known.map((point, i) => `${i === 0 ? 'M' : 'L'}${point}`).join('')}
        fill="none"
        stroke={ink}
        stroke-width="2"
        stroke-dasharray={DASHES[g]}
      />
      {cells.map(({ mean, low, high }, a) => (
        <g key={aois[a].aoi.id} transform={`translate(${xAt(a).toFixed(1)},0)`}>
          {low !== null && high !== null && (
            <line class="interval" y1={y(low)} y2={y(high)} stroke={ink} stroke-width="2.5" />
          )}
          {mean !== null && <circle cy={y(mean)} r={MEAN_PX} fill={ink} stroke={colors.surface} />}
        </g>
      ))}
    </g>
  )
}

/** Draws the names of the AOIs, and below them how many participants of each group they have. */
function AoiCounts({ data, groups, aois, xAt, stepPx }: MeansProps & Pick<GroupMeanProps, 'xAt'> & { stepPx: number }) {
  const { left, bottom } = useFrame()
  return (
    <>
      {aois.map(({ aoi, place, color }, a) => (
        <g key={aoi.id} transform={`translate(${xAt(a).toFixed(1)},0)`}>
          <AoiNumber place={place} color={color} x={-11} y={bottom + 8} />
          <Words y={bottom + 42} anchor="middle">
            {isolate(cutTo(aoi.name, stepPx - 6))}
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
