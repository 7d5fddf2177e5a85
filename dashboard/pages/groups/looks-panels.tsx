import type { ClustersData, LooksData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { AoiLabel } from '../../figures/aoi-label.tsx'
import { MeanLine } from '../../figures/mean-line.tsx'
import { apart } from '../../ui/chart/apart.ts'
import { Drawing, useInks } from '../../ui/chart/drawing.tsx'
import { belowPx, Plot, useFrame } from '../../ui/chart/plot.tsx'
import { Words } from '../../ui/chart/words.tsx'
import { type Group, groupColors } from './group-list.ts'
import { pEquals } from './measure-texts.ts'

/** AOI in the figure: its number, name and colour, and its clusters; null for what is not compared. */
export type LookedAt = { place: number; name: string; color: string; clusters: ClustersData | null }

/** Room above a plot: the name of its AOI, and the clusters with their p. */
const TOP = 44
const PLOT_PX = 130
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
export function LooksPanels({ aois, width, colors, ...props }: LooksPanelsProps) {
  const { looks, groups } = props
  const panels = aois.map((aoi) => panelOf({ aoi, ...props }))
  const panelPx = TOP + PLOT_PX + belowPx(panels[0])
  return (
    <Drawing
      {...{ width, colors }}
      height={panelPx * aois.length}
      class="looks-over-time"
      label={`Looks over time at ${aois.map(({ name }) => isolate(name)).join(', ')}, ${countOf(groups.length, 'group')}, ${countOf(looks.binStartsMs.length, 'bin')}`}
    >
      {aois.map((aoi, k) => (
        <g key={aoi.place} transform={`translate(0,${k * panelPx})`} data-aoi={aoi.place + 1}>
          <AoiLabel {...aoi} y={0} px={width - 190} />
          <Words x={width} y={13.5} anchor="end" isMuted>
            share of looks, %
          </Words>
          <Plot width={width} plotPx={PLOT_PX} top={TOP} {...panels[k]}>
            <Shares shares={panels[k].shares} {...props} />
            <Clusters of={aoi.clusters} />
          </Plot>
        </g>
      ))}
    </Drawing>
  )
}

type PanelProps = Omit<LooksPanelsProps, 'aois' | 'width' | 'colors'> & { aoi: LookedAt }

/** Returns the shares of looks at an AOI in percent, and the axes and counts of their plot. */
function panelOf({ looks: { binStartsMs, aoiNames, groups: own, eventType }, binMs, aoi }: PanelProps) {
  const k = aoiNames.indexOf(aoi.name)
  const shares = own.map((group) => inPercent(group.looks[k].proportion))
  const most = Math.max(1, ...shares.flatMap(({ mean, high }) => [...mean, ...high].map((value) => value ?? 0)))
  const untilMs = (binStartsMs.at(-1) ?? 0) + binMs
  const binAt = (seconds: number) => binStartsMs.findLastIndex((start) => start <= seconds * 1000)
  const ends: [number, number] = [(binStartsMs[0] ?? 0) / 1000, untilMs / 1000]
  return {
    shares,
    x: { of: ends, label: `Time from ${eventType ?? 'item onset'}, s` },
    y: { of: [0, Math.min(100, most)] as [number, number], n: 4, isNice: true },
    counts: shares.map(({ n }, g) => ({ label: `n ${g + 1}`, at: (tick: number) => n[binAt(tick)] ?? null })),
  }
}

type SharesProps = Pick<LooksPanelsProps, 'looks' | 'binMs' | 'groups'> & { shares: ReturnType<typeof inPercent>[] }

function Shares({ shares, looks, binMs, groups }: SharesProps) {
  const inks = groupColors(useInks())
  const atMs = looks.binStartsMs.map((start) => start + binMs / 2)
  return shares.map((share, g) => <MeanLine key={groups[g]?.name ?? g} atMs={atMs} of={share} ink={inks[g]} />)
}

/** Room for the p of a cluster, px. */
const P_PX = 60

/** Draws a bar for each cluster, and its p; where there is no room for all, the larger p stay in the numbers alone. */
function Clusters({ of }: { of: ClustersData | null }) {
  const { x, left, right } = useFrame()
  const { ink } = useInks()
  const all = of?.clusters ?? []
  const told = [...all]
    .sort((one, other) => (one.p ?? 1) - (other.p ?? 1))
    .slice(0, Math.max(1, Math.floor((right - left) / P_PX)))
  const places = apart(
    told.map(({ fromMs, toMs }) => x((fromMs + toMs) / 2000)),
    P_PX,
    [left + P_PX / 2, right - P_PX / 2],
  )
  return (
    <>
      {all.map(({ fromMs, toMs, p }) => (
        <rect
          key={fromMs}
          class="cluster"
          x={x(fromMs / 1000)}
          y={TOP - 12}
          width={Math.max(1, x(toMs / 1000) - x(fromMs / 1000))}
          height={BAR_PX}
          fill={p === null ? 'none' : ink}
          stroke={ink}
        />
      ))}
      {told.map(({ fromMs, p }, i) => (
        <Words key={fromMs} x={places[i]} y={TOP - 15} anchor="middle" fontPx={11}>
          {p === null ? 'no p' : pEquals(p)}
        </Words>
      ))}
    </>
  )
}

type Proportion = LooksData['groups'][number]['looks'][number]['proportion']

function inPercent({ n, mean, low, high }: Proportion): Pick<Proportion, 'n' | 'mean' | 'low' | 'high'> {
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
