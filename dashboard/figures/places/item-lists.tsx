import type { VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Item, Study } from '../../core/api.ts'
import { isolate, wholeText } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import type { People } from '../../core/people/people.ts'
import { usePlace } from '../../core/router.ts'
import { onItem, useKept } from '../../core/view/places.ts'
import { Button } from '../../ui/controls/button.tsx'
import type { ItemStepsProps } from '../../ui/item-steps.tsx'
import { ParticipantChoice } from '../../ui/people/participant-choice.tsx'
import { ItemPicture } from '../item-picture.tsx'
import { GroupList } from './group-list.tsx'

/** Items that are listed until one asks for all: the shown one, with those around it. */
const LISTED = 5

export type ItemListsProps = ItemStepsProps & {
  /** Participants, who can be split into groups; absent if the page compares groups itself, or has no tests. */
  people?: People
  /** Title of the list of participants; absent if the page shows no single ones. */
  who?: string
}

/** Lists the items of a study, groups and, if a page shows single ones, participants. */
export function ItemLists({ study, item, hasKeys = true, people, who, fold }: ItemListsProps & { fold: VNode }) {
  const itemIndex = study.items.indexOf(item)
  return (
    <>
      <ItemNav {...{ study, item, hasKeys, fold }} />
      {people !== undefined && <GroupList {...{ people, itemIndex }} />}
      {people !== undefined && who !== undefined && (
        <div class="place-people">
          <p class="place-title">
            {who} <span class="hint">lost, %</span>
          </p>
          <ParticipantChoice all={people.all} itemIndex={itemIndex} isList />
        </div>
      )}
    </>
  )
}

/** Lists the items, of many those around the shown one; they are one stop of Tab with the buttons below. */
function ItemNav({ study, item, hasKeys, fold }: { study: Study; item: Item; hasKeys: boolean; fold: VNode }) {
  const here = usePlace()
  const stop = useOneStop<HTMLElement>('a, button')
  const list = useRef<HTMLUListElement | null>(null)
  const at = study.items.indexOf(item)
  const [isAll, setAll] = useKept('all-items')
  const isCut = study.items.length > LISTED + 1 && !isAll
  const first = isCut ? Math.max(0, Math.min(at - Math.floor(LISTED / 2), study.items.length - LISTED)) : 0
  const listed = study.items.slice(first, isCut ? first + LISTED : undefined)
  // A list that scrolls begins where one is.
  useLayoutEffect(() => {
    const here = list.current?.children[at - first] as HTMLElement | undefined
    if (here) list.current!.scrollTop = here.offsetTop - list.current!.offsetTop - here.offsetHeight
  }, [at, first])
  const step = (place: number) => {
    const i = first + place
    if (Math.abs(i - at) !== 1) return {}
    const [title, key] = i < at ? ['Previous item', 'K'] : ['Next item', 'J']
    return { title, 'aria-keyshortcuts': hasKeys ? key : undefined }
  }
  return (
    <nav aria-label="Items" {...stop}>
      <p class="place-title" aria-hidden="true">
        Items <span class="hint">tests</span>
      </p>
      <ul ref={list}>
        {listed.map((each, i) => (
          <li key={each.id}>
            <a href={onItem(here, each.id)} aria-current={each === item ? 'true' : undefined} {...step(i)}>
              <span class="thumb" aria-hidden="true">
                <ItemPicture studyId={study.id} item={each} width={40} height={25} />
              </span>
              <bdi title={isolate(each.filename)}>{each.filename || 'Item'}</bdi>
              <span class="hint">
                {wholeText(each.testCount)}
                <span class="unseen">{each.testCount === 1 ? ' test' : ' tests'}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {isCut && (
        <Button class="link" onClick={() => setAll(true)}>
          All {wholeText(study.items.length)} items
        </Button>
      )}
      {fold}
    </nav>
  )
}
