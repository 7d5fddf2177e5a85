import type { Item, Study } from '../core/api.ts'
import { useIsView } from '../core/link-seen.ts'
import { isolate } from '../core/number-texts.ts'
import { usePlace } from '../core/router.ts'
import { onItem, useHasLists } from '../core/view/places.ts'

export type ItemStepsProps = {
  study: Study
  item: Item
  /** False if J and K mean something else on the page. */
  hasKeys?: boolean
}

/** Links to the same page of the previous and next items, unless a list beside the figure has them. */
export function ItemSteps({ study, item, hasKeys = true }: ItemStepsProps) {
  const at = study.items.indexOf(item)
  const here = usePlace()
  const hasLists = useHasLists()
  const isView = useIsView()
  const step = (to: Item | undefined, label: string) =>
    to === undefined ? null : (
      <a
        class="button"
        href={onItem(here, to.id)}
        aria-label={`${label} item: ${isolate(to.filename)}`}
        title={`${label} item`}
        aria-keyshortcuts={!hasKeys ? undefined : label === 'Previous' ? 'K' : 'J'}
      >
        {label === 'Previous' ? '‹' : '›'}
      </a>
    )
  if (hasLists || isView) return null
  return (
    <span class="row">
      {step(study.items[at - 1], 'Previous')}
      {step(study.items[at + 1], 'Next')}
    </span>
  )
}
