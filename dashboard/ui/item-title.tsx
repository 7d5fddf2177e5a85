import type { Item, Study } from '../core/api.ts'
import { isolate } from '../core/number-texts.ts'
import { useTitle } from '../core/use-title.ts'
import { useStudyLink } from '../core/view/study-links.ts'
import { Crumbs } from './crumbs.tsx'

/**
 * Draws the title of a further page of an item, with a link back to the item's charts.
 *
 * @param what text before the item's name
 */
export function ItemTitle({ study, item, what }: { study: Study; item: Item; what: string }) {
  const linkTo = useStudyLink(study.id)
  useTitle(`${what} ${isolate(item.filename) || 'an item'}`, isolate(study.name))
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>
          {what} <bdi>{item.filename || 'an item'}</bdi>
        </h1>
        <a class="button" href={linkTo(`/items/${item.id}`)}>
          Charts of this item
        </a>
      </div>
    </>
  )
}
