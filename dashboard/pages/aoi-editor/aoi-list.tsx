import { useMemo } from 'preact/hooks'
import type { Aoi, Item } from '../../core/api.ts'
import { countOf } from '../../core/number-texts.ts'
import { AoiSwatch } from '../../figures/aoi-legend.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import type { EditorParts } from './draft/edits.ts'
import { sameNames } from './draft/names-and-tags.ts'
import { overlapsOf } from './shapes/overlaps.ts'

type AoiListProps = Omit<EditorParts, 'apply'> & {
  colors: string[]
  /** Faults from the server, by index of the AOI. */
  faults: Map<number, string[]>
}

/** Lists the AOIs in order, with those that each overlaps; pressing one selects it. */
export function AoiList({ draft, dispatch, item, colors, faults }: AoiListProps) {
  const { aois, selected } = draft
  const others = useMemo(() => overlapped(aois, item), [aois, item])
  return (
    <Panel title={countOf(aois.length, 'AOI')} id="aoi-list">
      {aois.length === 0 && <p class="hint">No AOIs yet. Choose a tool and draw one, or create many at once.</p>}
      <ol class="aoi-list">
        {aois.map((aoi, a) => (
          <li key={aoi.id}>
            <Button
              class="legend-entry"
              aria-pressed={selected?.id === aoi.id}
              onClick={() => dispatch({ do: 'select', selected: { id: aoi.id, part: 0, corner: null } })}
            >
              <AoiSwatch color={colors[a]} mark={a + 1} />
              <span>
                <bdi>{aoi.name === '' ? 'without a name' : aoi.name}</bdi>
                <small>{factsOf(aoi, others.get(a), sameNames(aois, a))}</small>
              </span>
            </Button>
            {faults.get(a)?.map((fault) => (
              <p key={fault} class="refused" role="alert">
                {fault}
              </p>
            ))}
          </li>
        ))}
      </ol>
      <p class="hint">
        The order matters: in scarf plots and transitions, a fixation in several AOIs belongs to the first of them. A
        colour belongs to a name: choose it below a chart.
      </p>
    </Panel>
  )
}

function factsOf({ parts, tags = [] }: Aoi, others: Set<number> | undefined, same: number[]): string {
  const timed = parts.filter(({ timeRange }) => timeRange).length
  return [
    parts.length > 1 ? ` ${parts.length} parts` : '',
    timed > 0 ? ` ${timed === parts.length ? 'timed' : `${timed} timed`}` : '',
    others === undefined ? '' : ` over ${[...others].map((a) => a + 1).join(', ')}`,
    same.length === 0 ? '' : ` same name as ${same.join(', ')}`,
    tags.length === 0 ? '' : ` tags: ${tags.join(', ')}`,
  ]
    .filter((text) => text !== '')
    .join(',')
}

/** Returns the indexes of the AOIs that each AOI overlaps. */
function overlapped(aois: Aoi[], item: Item): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>()
  const add = (a: number, b: number) => found.set(a, (found.get(a) ?? new Set()).add(b))
  for (const { one, other } of overlapsOf(aois, item)) {
    add(one[0], other[0])
    add(other[0], one[0])
  }
  return found
}
