import { scaleLinear } from 'd3-scale'
import type { ClustersData, LooksData } from '../../core/api.ts'
import { inkOn } from '../../core/colors/aoi-colors.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { isolate } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { AxisBottom, AxisLeft, COUNTS_PX, CountsBelow, cutTo } from '../../figures/axis.tsx'
import { Drawing } from '../../figures/drawing.tsx'
import { MeanLine } from '../../figures/mean-line.tsx'
import { type Group, groupColors } from './group-list.ts'
import { pEquals } from './measure-texts.ts'

/** AOI in the figure: its number, name and colour, and its clusters; null for what is not compared. */
export type LookedAt = { place: number; name: string; color: string; clusters: ClustersData | null }

const LEFT = 52
const RIGHT = 14
const TOP = 44
const PLOT_PX = 130
/** Room below a plot: its axis with its label, and a row of counts for each group. */
const AXIS_PX = 62
const BAR_PX = 5

type LooksPanelsProps = {
  looks: LooksData
  binMs: number
  groups: Group[]
  aois: LookedAt[]
  width: number
  colors: Colors
}

/** Draws, for each AOI, each group's share of looks over time with its interval, and a bar for each cluster. */
export function LooksPanels({ looks, binMs, groups, aois, width, colors }: LooksPanelsProps) {
  const untilMs = looks.binStartsMs.length === 0 ? binMs : looks.binStartsMs[looks.binStartsMs.length - 1] + binMs
  const x = scaleLinear([(looks.binStartsMs[0] ?? 0) / 1000, untilMs / 1000], [LEFT, width - RIGHT])
  const panelPx = TOP + PLOT_PX + AXIS_PX + COUNTS_PX * (groups.length - 1)
  return (
    <Drawing
      width={width}
      height={panelPx * aois.length}
      class="looks-over-time"
      label={`Looks over time at ${aois.map(({ name }) => isolate(name)).join(', ')}, ${groups.length} groups, ${looks.binStartsMs.length} bins`}
    >
      {aois.map((aoi, k) => (
        <g key={aoi.place} transform={`translate(0,${k * panelPx})`} data-aoi={aoi.place + 1}>
          <Panel {...{ looks, binMs, groups, aoi, x, width, colors }} />
        </g>
      ))}
    </Drawing>
  )
}

type Scale = ReturnType<typeof scaleLinear<number, number>>
type PanelProps = Omit<LooksPanelsProps, 'aois'> & { aoi: LookedAt; x: Scale }

function Panel({ looks, binMs, groups, aoi, x, width, colors }: PanelProps) {
  const k = looks.aoiNames.indexOf(aoi.name)
  const shares = looks.groups.map((group) => inPercent(group.looks[k].proportion))
  const bottom = TOP + PLOT_PX
  const most = Math.max(1, ...shares.flatMap(({ mean, high }) => [...mean, ...high].map((value) => value ?? 0)))
  const y = scaleLinear([0, Math.min(100, most)], [bottom, TOP]).nice()
  const inks = groupColors(colors)
  const n = width < 500 ? 4 : 8
  const binAt = (seconds: number) => looks.binStartsMs.findLastIndex((start) => start <= seconds * 1000)
  return (
    <>
      <rect width="20" height="17" fill={aoi.color} />
      <text x="10" y="13" text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(aoi.color)}>
        {aoi.place + 1}
      </text>
      <text x="28" y="13" font-size="12" fill={colors.ink}>
        <tspan font-weight="600">{isolate(cutTo(aoi.name, width - 190))}</tspan>
        <tspan fill={colors.muted}>{'  share of looks, %'}</tspan>
      </text>
      <AxisBottom
        scale={x}
        y={bottom}
        top={TOP}
        n={n}
        label={`Time from ${looks.eventType ?? 'item onset'}, s`}
        colors={colors}
      />
      <AxisLeft scale={y} x={LEFT} right={width - RIGHT} n={4} colors={colors} />
      {shares.map((share, g) => (
        <g key={groups[g]?.name ?? g}>
          <MeanLine {...{ x, y }} atMs={looks.binStartsMs.map((start) => start + binMs / 2)} of={share} ink={inks[g]} />
          <CountsBelow
            scale={x}
            y={bottom}
            left={LEFT + 4}
            n={n}
            row={g}
            label={`n ${g + 1}`}
            countAt={(tick) => share.n[binAt(tick)] ?? null}
            colors={colors}
          />
        </g>
      ))}
      {aoi.clusters?.clusters.map(({ fromMs, toMs, p }) => (
        <g key={fromMs} class="cluster">
          <rect
            x={x(fromMs / 1000)}
            y={TOP - 12}
            width={Math.max(1, x(toMs / 1000) - x(fromMs / 1000))}
            height={BAR_PX}
            fill={p === null ? 'none' : colors.ink}
            stroke={colors.ink}
          />
          <text
            x={Math.min(width - RIGHT - 30, Math.max(LEFT + 30, x((fromMs + toMs) / 2000)))}
            y={TOP - 15}
            text-anchor="middle"
            font-size="11"
            fill={colors.ink}
          >
            {p === null ? 'no p' : pEquals(p)}
          </text>
        </g>
      ))}
    </>
  )
}

type Shares = LooksData['groups'][number]['looks'][number]['proportion']

function inPercent({ n, mean, low, high }: Shares): Pick<Shares, 'n' | 'mean' | 'low' | 'high'> {
  // An interval by Student's t may reach beyond what a share can be.
  const percent = (values: (number | null)[]) =>
    values.map((value) => (value === null ? null : Math.min(100, Math.max(0, 100 * value))))
  return { n, mean: percent(mean), low: percent(low), high: percent(high) }
}

/** Returns a row for each group, AOI and bin, with all digits, and the cluster that the bin belongs to. */
export function looksNumbers({ looks, groups, aois }: Pick<LooksPanelsProps, 'looks' | 'groups' | 'aois'>): Numbers {
  const names = ['n', 'mean', 'sd', 'low', 'high'] as const
  return {
    columns: [
      'group',
      'aoi_name',
      'bin_starts_at_ms',
      ...names.map((name) => (name === 'n' ? 'participant_count' : `look_proportion_${name}`)),
      'cluster_p',
    ],
    rows: looks.groups.flatMap((group, g) =>
      aois.flatMap((aoi) => {
        const { proportion } = group.looks[looks.aoiNames.indexOf(aoi.name)]
        return looks.binStartsMs.map((start, bin) => [
          groups[g]?.name ?? '',
          aoi.name,
          start,
          ...names.map((name) => proportion[name][bin]),
          aoi.clusters?.clusters.find(({ fromMs, toMs }) => fromMs <= start && start < toMs)?.p ?? null,
        ])
      }),
    ),
  }
}
