import { isolate } from '../core/number-texts.ts'
import { useTitle } from '../core/use-title.ts'
import { useStudyLink } from '../core/view/study-links.ts'
import { Crumbs } from './crumbs.tsx'
import { ItemSteps, type ItemStepsProps } from './item-steps.tsx'

type ItemTitleProps = ItemStepsProps & {
  /** Text before the item's name. */
  what: string
}

/** Draws the title of a further page of an item, with links to the item's charts and to the neighbouring items. */
export function ItemTitle({ study, item, what, hasKeys }: ItemTitleProps) {
  const linkTo = useStudyLink(study.id)
  useTitle(`${what} ${isolate(item.filename) || 'an item'}`, isolate(study.name))
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>
          {what} <bdi>{item.filename || 'an item'}</bdi>
        </h1>
        <div class="row">
          <ItemSteps {...{ study, item, hasKeys }} />
          <a class="button" href={linkTo(`/items/${item.id}`)}>
            Charts of this item
          </a>
        </div>
      </div>
    </>
  )
}
