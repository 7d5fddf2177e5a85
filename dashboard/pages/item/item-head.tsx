import type { Item, Study } from '../../core/api.ts'
import { useIsView, useLink } from '../../core/link-seen.ts'
import { isolate } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { usePlace } from '../../core/router.ts'
import { hasBothEyes, hasPupils } from '../../core/view/eyes-seen.ts'
import { onItem, useHasLists } from '../../core/view/places.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { hasWords } from '../../core/view/words-of.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { Dropdown } from '../../ui/dropdown.tsx'

type ItemHeadProps = { study: Study; item: Item; mayDraw: boolean }

/** Draws the title of an item, with links to its other pages and to the neighbouring items. */
export function ItemHead({ study, item, mayDraw }: ItemHeadProps) {
  const link = useLink()
  const isView = useIsView()
  const hasLists = useHasLists()
  const linkTo = useStudyLink(study.id)
  const stop = useOneStop<HTMLDivElement>('a:not(.card a), button, summary')
  const button = (words: string, page: string, more = {}, shortcut?: string) => (
    <a class="button" href={linkTo(page, more)} aria-keyshortcuts={shortcut}>
      {words}
    </a>
  )
  const path = `/items/${item.id}`
  return (
    <div {...stop}>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>
          <bdi>{item.filename || 'Item'}</bdi>
        </h1>
        {!isView && (
          <div class="row" role="toolbar" aria-label="Pages of this item">
            {!hasLists && <ItemSteps study={study} item={item} />}
            {mayDraw && button('Draw AOIs', `${path}/aois`, {}, 'E')}
            {button('Replay', `${path}/replay`, {}, 'R')}
            <Dropdown words="More pages">
              {() => (
                <>
                  {button('Transitions', `${path}/transitions`)}
                  {button('Scanpaths', `${path}/scanpaths`)}
                  {hasWords(study.aois.filter(({ itemId }) => itemId === item.id)) &&
                    button('Reading', `${path}/reading`)}
                  {hasPupils(study) && button('Pupils', `${path}/pupils`)}
                  {hasBothEyes(study) && button('Microsaccades', `${path}/microsaccades`)}
                </>
              )}
            </Dropdown>
            {link?.hasDownloads !== false &&
              button('Export with these settings', '/export', { itemId: item.id, export: 'fixations' })}
          </div>
        )}
      </div>
    </div>
  )
}

/** Links to the previous and next items, with the same settings. */
function ItemSteps({ study, item }: { study: Study; item: Item }) {
  const at = study.items.indexOf(item)
  const here = usePlace()
  const step = (to: Item | undefined, label: string) =>
    to === undefined ? null : (
      <a
        class="button"
        href={onItem(here, to.id)}
        aria-label={`${label} item: ${isolate(to.filename)}`}
        title={`${label} item`}
        aria-keyshortcuts={label === 'Previous' ? 'K' : 'J'}
      >
        {label === 'Previous' ? '‹' : '›'}
      </a>
    )
  return (
    <span class="row">
      {step(study.items[at - 1], 'Previous')}
      {step(study.items[at + 1], 'Next')}
    </span>
  )
}
