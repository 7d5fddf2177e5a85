import { useLayoutEffect } from 'preact/hooks'
import type { Item, Study } from '../../core/api.ts'
import { count, isolate } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import type { People } from '../../core/people/people.ts'
import { usePlace } from '../../core/router.ts'
import { onItem } from '../../core/view/places.ts'
import { ParticipantChoice } from '../../ui/people/participant-choice.tsx'
import { ItemPicture } from '../item-picture.tsx'
import { GroupNav } from './group-nav.tsx'

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
export function ItemLists({ study, item, hasKeys = true, people, who }: ItemListsProps) {
  const itemIndex = study.items.indexOf(item)
  return (
    <>
      <ItemNav {...{ study, item, hasKeys }} />
      {people !== undefined && <GroupNav {...{ people, itemIndex }} />}
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

function ItemNav({ study, item, hasKeys }: { study: Study; item: Item; hasKeys: boolean }) {
  const here = usePlace()
  const stop = useOneStop<HTMLUListElement>('a')
  const at = study.items.indexOf(item)
  // A list that scrolls begins where one is.
  useLayoutEffect(() => {
    const here = stop.ref.current?.children[at] as HTMLElement | undefined
    if (here) stop.ref.current!.scrollTop = here.offsetTop - stop.ref.current!.offsetTop - here.offsetHeight
  }, [at])
  const step = (i: number) => {
    if (Math.abs(i - at) !== 1) return {}
    const [title, key] = i < at ? ['Previous item', 'K'] : ['Next item', 'J']
    return { title, 'aria-keyshortcuts': hasKeys ? key : undefined }
  }
  return (
    <nav aria-label="Items">
      <p class="place-title" aria-hidden="true">
        Items <span class="hint">tests</span>
      </p>
      <ul {...stop}>
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
    </nav>
  )
}
