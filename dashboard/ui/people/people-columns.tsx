import type { Item } from '../../core/api.ts'
import { dateOf, isolate } from '../../core/number-texts.ts'
import type { PeopleFacts } from '../../core/people/conditions.ts'
import { type Order, type SortBy, TOLD_WORDS, type Told, type ToldParticipant } from '../../core/people/people-order.ts'
import { Button } from '../controls/button.tsx'

/** A column of participants, by what it sorts by. */
type OwnColumn = { by: Exclude<SortBy, number | 'given'>; label: string; widthPx: number }
export const OWN: OwnColumn[] = [
  { by: 'age', label: 'Age', widthPx: 72 },
  { by: 'gender', label: 'Gender', widthPx: 100 },
  { by: 'completed', label: 'Completed', widthPx: 110 },
]

/** Column of what is told of all tests of a participant. */
const TOLD: Record<Told, OwnColumn> = {
  loss: { by: 'told', label: 'Median, %', widthPx: 96 },
  grade: { by: 'told', label: TOLD_WORDS.grade, widthPx: 84 },
}

const DATE: OwnColumn = { by: 'date', label: 'Date', widthPx: 112 }

/** Returns the columns of participants before those of items: what is told comes last. */
export function ownColumns({ hasTags, externalDataNames }: PeopleFacts, hasDates: boolean, told: Told): OwnColumn[] {
  const external = externalDataNames.map((name): OwnColumn => ({ by: `external ${name}`, label: name, widthPx: 120 }))
  return [
    ...OWN,
    ...(hasDates ? [DATE] : []),
    ...(hasTags ? [{ by: 'tags' as const, label: 'Tags', widthPx: 140 }] : []),
    ...external,
    TOLD[told],
  ]
}

/** Formats a cell of an optional column. */
export function furtherText({ createdAt, tags, externalData }: ToldParticipant, by: OwnColumn['by']): string {
  if (by === 'date') return createdAt === '' ? '' : dateOf(createdAt)
  return by === 'tags' ? tags.join(', ') : (externalData[by.slice('external '.length)] ?? '')
}

/** A half-open range of rows or items. */
export type Range = { start: number; end: number }

/** Layout of all rows: their columns, the visible items, and whether there are items before and after these. */
export type Drawn = { own: OwnColumn[]; items: Item[]; columns: Range; hasBefore: boolean; hasAfter: boolean }

/** Fixed height, so that the layout of hidden rows is known without drawing them. */
export const HEAD_PX = 132

/** Draws the column names, which sort the table. */
export function Head(props: Drawn & { order: Order; onOrder: (next: Order) => void }) {
  const { own, items, columns, hasBefore, hasAfter, order, onOrder } = props
  const head = (by: SortBy, colIndex: number, label: string, filename?: string) => {
    const isThis = order.by === by
    const sort = !isThis ? 'none' : order.isDescending ? 'descending' : 'ascending'
    const isDescending = isThis ? !order.isDescending : typeof by === 'number'
    const kind = by === 'name' ? 'name' : filename === undefined ? undefined : 'item'
    const title = filename === undefined ? undefined : isolate(filename)
    return (
      <th key={by} scope="col" class={kind} aria-colindex={colIndex} aria-sort={sort} title={title}>
        <SortButton label={label} onSort={() => onOrder({ by, isDescending })} sort={sort} />
      </th>
    )
  }
  return (
    <thead>
      <tr aria-rowindex={1} style={{ height: `${HEAD_PX}px` }}>
        {head('name', 1, 'Participant')}
        {own.map(({ by, label }, c) => head(by, c + 2, label))}
        {hasBefore && <td class="spare" aria-hidden="true" />}
        {items.slice(columns.start, columns.end).map(({ filename }, i) => {
          const place = columns.start + i
          return head(place, place + 2 + own.length, filename || `Item ${place + 1}`, filename)
        })}
        {hasAfter && <td class="spare" aria-hidden="true" />}
      </tr>
    </thead>
  )
}

function SortButton({ label, sort, onSort }: { label: string; sort: string; onSort: () => void }) {
  return (
    <Button class="sort" data-walk tabIndex={-1} onClick={onSort}>
      <bdi>{label}</bdi>
      <span class="way" aria-hidden="true">
        {sort === 'none' ? '' : sort === 'ascending' ? ' ▲' : ' ▼'}
      </span>
    </Button>
  )
}
