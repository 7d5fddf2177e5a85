import { useAoiColors } from '../../core/analysis/use-aoi-colors.ts'
import type { ClustersData, LooksData } from '../../core/api.ts'
import { GROUP_COLORS } from '../../core/colors/group-colors.ts'
import { useTheme } from '../../core/colors/theme.ts'
import { countOf, isolate, slug } from '../../core/number-texts.ts'
import { usePlace } from '../../core/router.ts'
import { type Loaded, useData } from '../../core/use-data.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import { ColorKey } from '../../figures/color-key.tsx'
import { Figure } from '../../figures/figure.tsx'
import { together } from '../../figures/item-answers.ts'
import { AoiPlaces, shownPlaces } from './aoi-places.tsx'
import { groupColors, withGroups } from './group-list.ts'
import { type GroupsProps, type GroupsWithAois, groupsCaption, groupsSubject } from './groups-caption.ts'
import { type LookedAt, LooksPanels, looksNumbers } from './looks-panels.tsx'
import { pText } from './measure-texts.ts'

const LOOKED_MAX = 4
const PLACES = { min: 1, max: LOOKED_MAX, usual: 2 }

/** Draws each group's looks at AOIs over time, and where two groups differ. */
export function LooksFigure(props: GroupsWithAois) {
  const { study, item, groups, aois, settings, defaults } = props
  const { query } = usePlace()
  const { colors: onPage } = useTheme()
  const places = shownPlaces(query.get('looked'), aois.length, PLACES)
  const paint = useAoiColors(study, aois, places)
  const names = [...new Set(places.map((a) => aois[a].name))]
  const asked = queryString(settings, defaults, { itemId: item.id, aoiNames: listOf(names) })
  const base = `/api2/studies/${study.id}/analysis`
  const loaded = useData<LooksData>(`${base}/looks${withGroups(asked, groups)}`, 0, item.id)
  const ofClusters = useClusters(props, base, names)
  const clusters = ofClusters.map(({ data }) => data)
  const isThere = ({ groups: own, aoiNames }: LooksData) =>
    own.length === groups.length && names.every((name) => aoiNames.includes(name))
  const looks = loaded.data !== null && isThere(loaded.data) ? loaded.data : null
  const looked = places.map(
    (place): LookedAt => ({
      place,
      name: aois[place].name,
      color: paint[place],
      clusters: clusters[names.indexOf(aois[place].name)] ?? null,
    }),
  )
  const binMs = looks === null ? settings.binMs : binOf(looks, settings.binMs)
  return (
    <Figure
      title="Looks over time"
      subject={groupsSubject(props)}
      fileName={`gazette-groups-looks-${slug(item.filename)}`}
      legend={groups.map(({ name }, g) => ({ color: GROUP_COLORS[g], mark: String(g + 1), label: isolate(name) }))}
      caption={groupsCaption(
        props,
        looks?.groups ?? groups.map(() => null),
        `Share of looks at ${names.map(isolate).join(', ')} in bins of ${binMs} ms: mean of participants with its 95 % interval`,
        readingOf(looks, clusters),
        clusterWords(clusters),
      )}
      loaded={together([loaded, ...ofClusters])}
      narrowest={320}
      numbers={() => looksNumbers({ looks: looks!, groups, aois: looked })}
      controls={<AoiPlaces name="looked" {...{ ...PLACES, aois, places }} colors={paint} />}
      draw={
        looks !== null
          ? (colors, width) => <LooksPanels {...{ looks, binMs, groups, width, colors }} aois={looked} />
          : null
      }
      below={
        <ColorKey label="Groups" of={groups.map(({ name }, g) => ({ label: name, color: groupColors(onPage)[g] }))} />
      }
    />
  )
}

/** Returns names as the parameter `aoiNames` has them. */
function listOf(names: string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join()
}

/** Returns the width of the bins of an answer, which may be of former settings; if it has one bin, that of these. */
function binOf({ binStartsMs: [first, second] }: LooksData, binMs: number): number {
  return second === undefined ? binMs : second - first
}

/** Loads the clusters of each AOI name, if there are two groups. */
function useClusters(
  { item, groups, settings, defaults }: GroupsProps,
  base: string,
  names: string[],
): Loaded<ClustersData>[] {
  const paths = Array.from({ length: LOOKED_MAX }, (_, k) => {
    if (groups.length !== 2 || k >= names.length) return null
    const own = { itemId: item.id, aoiNames: listOf([names[k]]), design: 'between' }
    return `${base}/clusters${withGroups(queryString(settings, defaults, own), groups)}`
  })
  const loaded = paths.map((path) => useData<ClustersData>(path, 0, path ?? ''))
  return groups.length === 2 ? loaded.slice(0, names.length) : []
}

function readingOf(looks: LooksData | null, clusters: (ClustersData | null)[]): string {
  const [compared] = clusters.flatMap((each) => each ?? [])
  const bars =
    compared === undefined
      ? ''
      : ' A bar above a plot marks a cluster of neighbouring bins in which the groups differ; its borders are not tested.'
  return `${looks?.methods ?? ''} Intervals are drawn from 0 to 100 %.${compared === undefined ? '' : ` ${compared.methods}`}${bars}`
}

/** Says how many clusters there are, the least p, or why there is none; nothing until all AOIs are compared. */
function clusterWords(clusters: (ClustersData | null)[]): string {
  const compared = clusters.flatMap((each) => each ?? [])
  if (compared.length === 0 || compared.length < clusters.length) return ''
  const [noP] = compared.flatMap(({ noP: why }) => why ?? [])
  if (noP !== undefined) return ` No p was computed: ${noP}.`
  const ps = compared.flatMap(({ clusters: own }) => own.flatMap(({ p }) => p ?? []))
  if (ps.length === 0) return ' The groups differ in no cluster.'
  const least = pText(Math.min(...ps))
  return ` ${countOf(ps.length, 'cluster')}; the least p is ${least}, corrected over the bins of its AOI.`
}
