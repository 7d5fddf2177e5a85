import type { Item, Study } from '../../core/api.ts'
import { useIsView, useLink } from '../../core/link-seen.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { hasBothEyes, hasPupils } from '../../core/view/eyes-seen.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { hasWords } from '../../core/view/words-of.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { Dropdown } from '../../ui/dropdown.tsx'
import { ItemSteps } from '../../ui/item-steps.tsx'

/** Draws the title of an item, with links to its other pages and to the neighbouring items. */
export function ItemHead({ study, item, mayDraw }: { study: Study; item: Item; mayDraw: boolean }) {
  const link = useLink()
  const isView = useIsView()
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
            <ItemSteps study={study} item={item} />
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
