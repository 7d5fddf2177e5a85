import { useState } from 'preact/hooks'
import { commandLine, type Item, type Study } from '../../core/api.ts'
import { countOf, seconds } from '../../core/number-texts.ts'
import { navigate } from '../../core/router.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { ItemPicture } from '../../figures/item-picture.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { DropTarget, holdDropped } from '../../ui/drop-target.tsx'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import { Empty } from '../../ui/waiting/states.tsx'

const PicturesDialog = lazyPage(() => import('../pictures/pictures-dialog.tsx').then((loaded) => loaded.PicturesDialog))

/** More cards than this scroll by themselves, so that what stands below stays near. */
const MANY_ITEMS = 24

type ItemsSectionProps = { study: Study; mayChange: boolean; onChanged: () => void }

export function ItemsSection({ study, mayChange, onChanged }: ItemsSectionProps) {
  const [files, setFiles] = useState<File[] | null>(null)
  const drop = async (entries: FileSystemEntry[]) => {
    const { readEntries } = await import('../bring-in/files/read-drop.ts')
    const { files: found } = await readEntries(entries).catch(() => ({ files: [] }))
    const dropped = found.map(({ file }) => file)
    if (dropped.length > 0 && dropped.every(({ type }) => type.startsWith('image/'))) return setFiles(dropped)
    // The page that brings data in says what is wrong with them, too.
    holdDropped(entries)
    navigate(`/bring-in?study=${study.id}`)
  }
  return (
    <section aria-labelledby="items">
      <div class="section-head">
        <h2 id="items">Items</h2>
        {mayChange && study.items.length > 0 && <Button onClick={() => setFiles([])}>Add pictures</Button>}
      </div>
      {mayChange && <DropTarget onDrop={drop} />}
      {files !== null && (
        <PicturesDialog
          study={study}
          files={files}
          onClose={(isChanged) => {
            setFiles(null)
            if (isChanged) onChanged()
          }}
        />
      )}
      {study.items.length === 0 ? (
        <Empty title="This study has no items">
          <p>
            Its study.json has none. Items come with recordings: drop recordings here, or import the bundle again with{' '}
            <code>{commandLine.program} import DIR</code>.
          </p>
        </Empty>
      ) : (
        <ul class={`item-list${study.items.length > MANY_ITEMS ? ' many' : ''}`}>
          {study.items.map((item) => (
            <ItemCard key={item.id} study={study} item={item} />
          ))}
        </ul>
      )}
    </section>
  )
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
