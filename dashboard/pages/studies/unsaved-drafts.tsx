import type { Study } from '../../core/api.ts'
import { unsavedItems } from '../../core/unsaved-aois.ts'
import { useStudyLink } from '../../core/view/study-links.ts'

/** Lists the items of a study with unsaved AOIs in this tab. */
export function UnsavedDrafts({ study }: { study: Study }) {
  const linkTo = useStudyLink(study.id)
  const left = unsavedItems().filter(({ studyId }) => studyId === study.id)
  const items = study.items.filter(({ id }) => left.some(({ itemId }) => itemId === id))
  if (items.length === 0) return null
  return (
    <div class="notice" role="status">
      <p>Unsaved AOIs in this tab:</p>
      <ul class="bulleted">
        {items.map(({ id, filename }) => (
          <li key={id}>
            <a href={linkTo(`/items/${id}/aois`)}>
              <bdi>{filename || 'Item without a name'}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
