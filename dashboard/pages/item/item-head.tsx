import type { Item, Study } from '../../core/api.ts'
import { useIsView, useLink } from '../../core/link-seen.ts'
import { isolate } from '../../core/number-texts.ts'
import { Crumbs } from '../../ui/crumbs.tsx'

type ItemHeadProps = {
  study: Study
  item: Item
  itemIndex: number
  mayDraw: boolean
  participantId: string | null
  search: string
  exportSearch: string
}

export function ItemHead({ study, item, itemIndex, mayDraw, participantId, search, exportSearch }: ItemHeadProps) {
  const link = useLink()
  const isView = useIsView()
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>
          <bdi>{item.filename || 'Item'}</bdi>
        </h1>
        {!isView && (
          <div class="row">
            <ItemSteps study={study} itemIndex={itemIndex} />
            <ItemViews
              mayDraw={mayDraw}
              path={`/studies/${study.id}/items/${item.id}`}
              search={search}
              participantId={participantId}
            />
            {link?.hasDownloads !== false && (
              <a class="button" href={`/studies/${study.id}/export${exportSearch}`}>
                Export with these settings
              </a>
            )}
          </div>
        )}
      </div>
    </>
  )
}

type ItemViewsProps = { path: string; search: string; participantId: string | null; mayDraw: boolean }

/** Links to the other pages of an item, which show the same tests; transitions are of all of them. */
function ItemViews({ path, search, participantId, mayDraw }: ItemViewsProps) {
  const ofOne = participantId === null ? '' : `${search === '' ? '?' : '&'}participant=${participantId}`
  return (
    <>
      {mayDraw && (
        <a class="button" href={`${path}/aois${search}${ofOne}`}>
          Draw AOIs
        </a>
      )}
      <a class="button" href={`${path}/replay${search}${ofOne}`}>
        Replay
      </a>
      <a class="button" href={`${path}/transitions${search}`}>
        Transitions
      </a>
    </>
  )
}

function ItemSteps({ study, itemIndex }: { study: Study; itemIndex: number }) {
  // The choice of AOIs is of this item.
  const query = new URLSearchParams(location.search)
  query.delete('aois')
  const search = query.size === 0 ? '' : `?${query}`
  const link = (item: Item | undefined, label: string) =>
    item === undefined ? null : (
      <a
        class="button"
        href={`/studies/${study.id}/items/${item.id}${search}`}
        aria-label={`${label} item: ${isolate(item.filename)}`}
        title={`${label} item`}
      >
        {label === 'Previous' ? '‹' : '›'}
      </a>
    )
  return (
    <span class="row">
      {link(study.items[itemIndex - 1], 'Previous')}
      {link(study.items[itemIndex + 1], 'Next')}
    </span>
  )
}
