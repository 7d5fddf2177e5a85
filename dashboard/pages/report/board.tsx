import type { Study } from '../../core/api.ts'
import { joinConditions } from '../../core/people/conditions.ts'
import type { People } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { type BoardEntry, boardText, readBoard } from '../../core/view/board.ts'
import type { Settings } from '../../core/view/chart-settings.ts'
import { PARTS } from '../../core/view/report-contents.ts'
import { type ScarfView, USUAL_SCARF } from '../../core/view/scarf-view.ts'
import { FigureMark } from '../../figures/figure.tsx'
import type { RowGroups } from '../../figures/scarf-order.ts'
import { Empty } from '../../ui/waiting/states.tsx'
import { type Group, readGroups } from '../groups/group-list.ts'
import { ALL, figureTitle, type Who } from './item-parts.tsx'
import { useItemParts } from './report-item.tsx'

type BoardProps = { study: Study; people: People; settings: Settings; defaults: Settings; splits: RowGroups[] | null }

/** Draws the figures and tables that were put on the board, each of an item and of all, a group or a participant. */
export function ReportBoard(props: BoardProps) {
  const { query } = usePlace()
  const { entries } = readBoard(query)
  const groups = readGroups(query)
  return (
    <section aria-labelledby="report-board">
      <h2 id="report-board">Board</h2>
      {entries.length === 0 ? (
        <Empty title="Nothing is on the board yet">
          <p>Add figures of items, groups and participants under “Contents, own text and logo”.</p>
        </Empty>
      ) : (
        <div class="board">
          {entries.map((entry, e) => (
            <Placed
              key={`${e} ${[entry.part, entry.itemId, entry.who]}`}
              {...{ ...props, entry, groups }}
              place={e + 1}
              onChange={(next) => setQuery({ board: boardText(entries.with(e, next)) })}
            />
          ))}
        </div>
      )}
    </section>
  )
}

/** Returns the name of whom an entry is of; null for a group or a participant that is not there. */
export function whoOfEntry({ who }: BoardEntry, groups: Group[], { names }: Pick<People, 'names'>): Who | null {
  if (who === '') return ALL
  const group = groupOf(who, groups)
  if (group !== undefined) return { name: group.name, participantId: null }
  return names.has(who) ? { name: names.get(who)!, participantId: who } : null
}

/** Returns the group `g1`, `g2` … of the address; undefined for others. */
function groupOf(who: string, groups: Group[]): Group | undefined {
  return /^g\d$/.test(who) ? groups[Number(who[1]) - 1] : undefined
}

/** @param place of the entry on the board, from 1 */
type PlacedProps = BoardProps & {
  entry: BoardEntry
  groups: Group[]
  place: number
  onChange: (entry: BoardEntry) => void
}

/** Draws an entry, or says what it lacks. */
function Placed({ entry, groups, ...props }: PlacedProps) {
  const item = props.study.items.find(({ id }) => id === entry.itemId)
  const who = whoOfEntry(entry, groups, props.people)
  if (item !== undefined && who !== null) return <Drawn {...{ ...props, entry, item, who, groups }} />
  if (!props.people.isComplete) return null
  return (
    <Empty title={`${PARTS[entry.part]}: cannot be drawn`}>
      <p>{item === undefined ? 'Its item' : 'Its group or participant'} is not in this study, or not in the address.</p>
    </Empty>
  )
}

type DrawnProps = PlacedProps & { item: Study['items'][number]; who: Who }

function Drawn({ study, people, settings, defaults, splits, entry, item, who, groups, place, onChange }: DrawnProps) {
  const group = groupOf(entry.who, groups)
  const own = { ...settings, filter: joinConditions([settings.filter, group?.filter ?? '']) }
  const parts = [entry.part]
  const mark = ` (board, ${place})`
  const shared = { study, item, defaults, who, names: people.names, mark }
  const { scarf = USUAL_SCARF } = entry
  const rows = { scarf, splits, onScarf: (scarf: ScarfView) => onChange({ ...entry, scarf }) }
  const { drawn, lackOf } = useItemParts({ ...shared, parts, rows, settings: own })
  const lack = lackOf(entry.part)
  return (
    <div class={`board-entry part-${entry.part}`}>
      {lack === null ? (
        <>
          {entry.part === 'table' && <h3>{figureTitle('Areas of interest', item, who)}</h3>}
          <FigureMark.Provider value={mark}>{drawn[entry.part]()}</FigureMark.Provider>
        </>
      ) : (
        <Empty title={figureTitle(PARTS[entry.part], item, who)}>
          <p>{lack}</p>
        </Empty>
      )}
    </div>
  )
}
