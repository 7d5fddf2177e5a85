import { useState } from 'preact/hooks'
import { compareNames } from '../../../isomorphic/natural-order.ts'
import { commandLine, type Item, type Study } from '../../core/api.ts'
import { countOf, isolate, seconds, wholeText } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { navigate } from '../../core/router.ts'
import { useKept } from '../../core/view/places.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { ItemPicture } from '../../figures/item-picture.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { Find } from '../../ui/controls/field.tsx'
import { DropTarget, holdDropped } from '../../ui/drop-target.tsx'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { isPicture, isVideo } from '../pictures/match-pictures.ts'

const PicturesDialog = lazyPage(() => import('../pictures/pictures-dialog.tsx').then((loaded) => loaded.PicturesDialog))

/** Number of items from which a search field is shown. */
const SEARCHED_ITEMS = 8
const ITEM_ORDERS = { study: 'As in the study', name: 'Name', tests: 'Tests' }
type ItemOrder = keyof typeof ITEM_ORDERS

/** Most cards that are shown until one asks for all, so that the rest of the page stays near. */
const SHOWN_ITEMS = 12

/** Number of cards above which they scroll separately. */
const MANY_ITEMS = 24

type ItemsSectionProps = { study: Study; mayChange: boolean; onChanged: () => void }

/** Takes files that are dropped on the page of a study: pictures and videos for its items, or recordings. */
export function StudyDrop({ study, onChanged }: Omit<ItemsSectionProps, 'mayChange'>) {
  const [files, setFiles] = useState<File[] | null>(null)
  const drop = async (entries: FileSystemEntry[]) => {
    const { readEntries } = await import('../bring-in/files/read-drop.ts')
    const { files: found } = await readEntries(entries).catch(() => ({ files: [] }))
    const dropped = found.map(({ file }) => file)
    if (dropped.length > 0 && dropped.every((file) => isPicture(file) || isVideo(file))) return setFiles(dropped)
    // The import page reports faults of the files, too.
    holdDropped(entries)
    navigate(`/bring-in?study=${study.id}`)
  }
  return (
    <>
      <DropTarget onDrop={drop} />
      {files !== null && <AddPictures {...{ study, files, onChanged }} onClose={() => setFiles(null)} />}
    </>
  )
}

type AddPicturesProps = { study: Study; files: File[]; onChanged: () => void; onClose: () => void }

function AddPictures({ study, files, onChanged, onClose }: AddPicturesProps) {
  const close = (isChanged: boolean) => {
    onClose()
    if (isChanged) onChanged()
  }
  return <PicturesDialog study={study} files={files} onClose={close} />
}

export function ItemsSection({ study, mayChange, onChanged }: ItemsSectionProps) {
  const [isAdding, setIsAdding] = useState(false)
  const [find, setFind] = useState('')
  const [order, setOrder] = useState<ItemOrder>('study')
  const shown = arrangeItems(study.items, find, order)
  return (
    <section aria-labelledby="items">
      <div class="section-head">
        <h2 id="items">Items</h2>
        {study.items.length > SEARCHED_ITEMS && (
          <>
            <Find label="Find an item" value={find} onText={setFind} />
            <Choice label="Order by" isInline of={ITEM_ORDERS} value={order} onChange={setOrder} />
            <p class="hint" role="status">
              {find.trim() === ''
                ? countOf(study.items.length, 'item')
                : `${wholeText(shown.length)} of ${countOf(study.items.length, 'item')}`}
            </p>
          </>
        )}
        {mayChange && study.items.length > 0 && <Button onClick={() => setIsAdding(true)}>Add pictures</Button>}
      </div>
      {isAdding && <AddPictures {...{ study, onChanged }} files={[]} onClose={() => setIsAdding(false)} />}
      <ItemList {...{ study, shown, find }} onShowAll={() => setFind('')} />
    </section>
  )
}

type ItemListProps = { study: Study; shown: Item[]; find: string; onShowAll: () => void }

function ItemList({ study, shown, find, onShowAll }: ItemListProps) {
  const stop = useOneStop<HTMLUListElement>()
  const [isAll, setAll] = useKept('all-items')
  if (study.items.length === 0)
    return (
      <Empty title="This study has no items">
        <p>
          Its study.json lists no items. Items come with recordings: drop recordings here, or import the bundle again
          with <code>{commandLine.program} import DIR</code>.
        </p>
      </Empty>
    )
  if (shown.length === 0)
    return (
      <Empty title={`No item found for “${isolate(find.trim())}”`}>
        <Button class="link" onClick={onShowAll}>
          Show all
        </Button>
      </Empty>
    )
  const listed = isAll ? shown : shown.slice(0, SHOWN_ITEMS)
  return (
    <>
      <ul class={`item-list${listed.length > MANY_ITEMS ? ' many' : ''}`} {...stop}>
        {listed.map((item) => (
          <ItemCard key={item.id} study={study} item={item} />
        ))}
      </ul>
      {shown.length > SHOWN_ITEMS && (
        <Button class="link" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? `Show the first ${SHOWN_ITEMS}` : `Show all ${wholeText(shown.length)}`}
        </Button>
      )}
    </>
  )
}

/** Returns the items whose name contains a text, sorted. */
function arrangeItems(items: Item[], find: string, order: ItemOrder): Item[] {
  const wanted = find.trim().toLowerCase()
  const found = items.filter(({ filename }) => filename.toLowerCase().includes(wanted))
  if (order === 'name') return found.sort((a, b) => compareNames(a.filename, b.filename))
  return order === 'tests' ? found.sort((a, b) => b.testCount - a.testCount) : found
}

function ItemCard({ study, item }: { study: Study; item: Item }) {
  const linkTo = useStudyLink(study.id)
  const aoiCount = study.aois.filter(({ itemId }) => itemId === item.id).length
  return (
    <li class="card item-card">
      <div class="thumb">
        <ItemPicture studyId={study.id} item={item} width={320} height={200} />
      </div>
      <h3>
        <a href={linkTo(`/items/${item.id}`)}>
          <bdi>{item.filename || 'Item without a name'}</bdi>
        </a>
      </h3>
      <p class="hint">
        {item.stimuliDurationMs === null ? '' : `${seconds(item.stimuliDurationMs)} · `}
        {countOf(item.testCount, 'test')} · {countOf(aoiCount, 'AOI')}
      </p>
    </li>
  )
}
