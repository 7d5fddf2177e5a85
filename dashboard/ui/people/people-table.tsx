import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Item } from '../../core/api.ts'
import { GRADES, isolate, participantLabel } from '../../core/number-texts.ts'
import { leaveOneStop } from '../../core/one-stop.ts'
import type { PeopleFacts } from '../../core/people/conditions.ts'
import { WALK_KEYS, walkBy } from '../../core/people/grid-walk.ts'
import { arrange, type Order, type Told, type ToldParticipant } from '../../core/people/people-order.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { IgnoreButton } from '../analysis/analysis-strip.tsx'
import { ItemCell, openTest } from './item-cell.tsx'
import { type Drawn, furtherText, HEAD_PX, Head, OWN, ownColumns, type Range } from './people-columns.tsx'

/** Fixed heights and widths, so that the layout of hidden rows and columns is known without drawing them. */
const ROW_PX = 36
const ITEM_PX = 44
const SPARE = 4

type View = { top: number; left: number; width: number; height: number }

type PeopleTableProps = {
  studyId: string
  items: Item[]
  people: ToldParticipant[]
  told: Told
  least: number
  facts: PeopleFacts
  order: Order
  onOrder: (order: Order) => void
}

/**
 * Draws participants × items with what is told of each test. The table is virtualized: it draws only the visible part,
 * whatever the size of the study. It is one tab stop; arrow keys move from there, and a press on a cell opens its test.
 */
export function PeopleTable({ studyId, items, people, told, least, facts, order, onOrder }: PeopleTableProps) {
  const hasDates = people.some(({ createdAt }) => createdAt !== '')
  const own = useMemo(() => ownColumns(facts, hasDates, told), [facts, hasDates, told])
  const ownPx = own.reduce((sum, { widthPx }) => sum + widthPx, 0)
  const [box, view] = useScrolled()
  const shown = useMemo(() => arrange([...people], '', order), [people, order])
  const namePx = view.width < 620 ? 132 : 220
  const { keepStop, onKeyDown } = useWalk(box, namePx)
  const linkTo = useStudyLink(studyId)
  const rows = within(view.top, view.height - HEAD_PX, ROW_PX, shown.length)
  const columns = within(view.left - ownPx, view.width - namePx, ITEM_PX, items.length)
  const drawnItems = items.slice(columns.start, columns.end)
  const before = columns.start * ITEM_PX
  const after = (items.length - columns.end) * ITEM_PX
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links and buttons within
    <div
      class="people-scroll"
      ref={box}
      onKeyDown={onKeyDown}
      onClick={openTest}
      onAuxClick={openTest}
      onFocusIn={keepStop}
    >
      <table
        class="people"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its cells are walked by arrow keys
        role="grid"
        aria-label="Participants and their tests; arrow keys move within it, Enter opens a test"
        aria-rowcount={shown.length + 1}
        aria-colcount={1 + own.length + items.length}
        style={{ width: `${namePx + ownPx + items.length * ITEM_PX}px` }}
      >
        <colgroup>
          {[namePx, ...own.map(({ widthPx }) => widthPx), before, ...drawnItems.map(() => ITEM_PX), after].map(
            (px, c) => px > 0 && <col key={c} style={{ width: `${px}px` }} />,
          )}
        </colgroup>
        <Head {...{ own, items, columns, order }} hasBefore={before > 0} hasAfter={after > 0} onOrder={onOrder} />
        <tbody>
          <Gap px={rows.start * ROW_PX} />
          {shown.slice(rows.start, rows.end).map((each, r) => (
            <Row
              key={each.id}
              {...{ linkTo, each, told, least, items, columns, own }}
              row={rows.start + r}
              hasBefore={before > 0}
              hasAfter={after > 0}
            />
          ))}
          <Gap px={(shown.length - rows.end) * ROW_PX} />
        </tbody>
      </table>
    </div>
  )
}

/** Walks the cells by arrow keys, from the one that Tab stops at; Enter opens a test. */
function useWalk(box: { current: HTMLDivElement | null }, namePx: number) {
  const keys = useRef<string[]>([])
  const keepStop = () => leaveOneStop([...box.current!.querySelectorAll<HTMLElement>('[data-walk]')])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') openTest(event)
    const from = (event.target as HTMLElement).closest<HTMLElement>('[data-walk]')
    if (from === null || !WALK_KEYS.includes(event.key)) return
    event.preventDefault()
    keys.current.push(event.key)
    // Otherwise, the arrow keys already move the focus.
    if (keys.current.length === 1)
      walkBy(keys.current, from, box.current!, { headPx: HEAD_PX, namePx, cellPx: ITEM_PX })
  }
  useEffect(keepStop)
  return { keepStop, onKeyDown }
}

/** Returns the visible range of a scrolling element. */
function useScrolled(): [{ current: HTMLDivElement | null }, View] {
  const box = useRef<HTMLDivElement | null>(null)
  const [view, setView] = useState<View>({ top: 0, left: 0, width: 900, height: 560 })
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const look = () => {
      const { scrollTop: top, scrollLeft: left, clientWidth: width, clientHeight: height } = element
      setView({ top, left, width, height })
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [])
  return [box, view]
}

/** Returns the range of the visible ones of n equal parts, with a few more on either side. */
function within(from: number, size: number, each: number, n: number): Range {
  const start = Math.max(0, Math.min(n, Math.floor(from / each) - SPARE))
  return { start, end: Math.max(start, Math.min(n, Math.ceil((from + Math.max(size, 0)) / each) + SPARE)) }
}

function Gap({ px }: { px: number }) {
  return px === 0 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr class="gap" aria-hidden="true" style={{ height: `${px}px` }}>
      <td />
    </tr>
  )
}

type RowProps = Drawn & {
  linkTo: ReturnType<typeof useStudyLink>
  each: ToldParticipant
  row: number
  told: Told
  least: number
}

function Row({ linkTo, each, row, told, least, items, own, columns, hasBefore, hasAfter }: RowProps) {
  return (
    <tr aria-rowindex={row + 2} data-row={row} style={{ height: `${ROW_PX}px` }}>
      <NameCell each={each} />
      <td aria-colindex={2}>{each.age ?? '–'}</td>
      <td aria-colindex={3}>{each.displayGender || 'unknown'}</td>
      <td aria-colindex={4}>{each.isCompleted ? 'yes' : 'no'}</td>
      {own.slice(OWN.length, -1).map(({ by }, i) => {
        const text = furtherText(each, by)
        return (
          <td key={by} aria-colindex={i + 2 + OWN.length} title={isolate(text)}>
            <bdi>{text || '–'}</bdi>
          </td>
        )
      })}
      <td class="told" aria-colindex={own.length + 1}>
        {told === 'grade' ? <Grade grade={each.qualityGrade} /> : each.told === null ? '–' : each.told.toFixed(1)}
      </td>
      {hasBefore && <td class="spare" aria-hidden="true" />}
      {items.slice(columns.start, columns.end).map((item, i) => {
        const place = columns.start + i
        return (
          <ItemCell
            key={item.id}
            place={place + 2 + own.length}
            {...{ told, least }}
            value={each.toldOfItems[place]}
            grade={each.grades[place]}
            href={linkTo(`/items/${item.id}`, { participant: each.id })}
          />
        )
      })}
      {hasAfter && <td class="spare" aria-hidden="true" />}
    </tr>
  )
}

function NameCell({ each }: { each: ToldParticipant }) {
  const name = participantLabel(each)
  return (
    <th scope="row" class="name" aria-colindex={1} tabIndex={-1} data-walk title={isolate(name)}>
      <bdi>{name}</bdi>
      <IgnoreButton participantId={each.id} name={name} isShort isWalked />
      {each.externalId !== '' && each.displayName !== '' && (
        <small>
          {' '}
          <bdi>{each.displayName}</bdi>
        </small>
      )}
    </th>
  )
}

export function Grade({ grade }: { grade: number }) {
  return (
    <span class={`grade g${grade}`} title={GRADES[grade]}>
      {grade}
    </span>
  )
}
