import type { VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Item, Study } from '../../core/api.ts'
import { count, isolate } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import type { People } from '../../core/people/people.ts'
import { usePlace } from '../../core/router.ts'
import { onItem } from '../../core/view/places.ts'
import { ParticipantChoice } from '../../ui/people/participant-choice.tsx'
import { ItemPicture } from '../item-picture.tsx'
import { GroupList } from './group-list.tsx'

export type ItemListsProps = {
  study: Study
  item: Item
  /** False if J and K mean something else on the page. */
  hasKeys?: boolean
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

type ItemNavProps = { study: Study; item: Item; hasKeys: boolean; fold: VNode }

/** Lists the items, one stop of Tab with the button that folds the lists. */
function ItemNav({ study, item, hasKeys, fold }: ItemNavProps) {
  const here = usePlace()
  const stop = useOneStop<HTMLElement>('a, .fold')
  const list = useRef<HTMLUListElement | null>(null)
  const at = study.items.indexOf(item)
  // A list that scrolls begins where one is.
  useLayoutEffect(() => {
    const here = list.current?.children[at] as HTMLElement | undefined
    if (here) list.current!.scrollTop = here.offsetTop - list.current!.offsetTop - here.offsetHeight
  }, [at])
  const step = (i: number) => {
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
        {study.items.map((each, i) => (
          <li key={each.id}>
            <a href={onItem(here, each.id)} aria-current={each === item ? 'true' : undefined} {...step(i)}>
              <span class="thumb" aria-hidden="true">
                <ItemPicture studyId={study.id} item={each} width={40} height={25} />
              </span>
              <bdi title={isolate(each.filename)}>{each.filename || 'Item'}</bdi>
              <span class="hint">
                {count(each.testCount)}
                <span class="unseen">{each.testCount === 1 ? ' test' : ' tests'}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {fold}
    </nav>
  )
}
