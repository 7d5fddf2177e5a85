import { useState } from 'preact/hooks'
import type { Aoi } from '../../core/api.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/field.tsx'
import { type AoiDraft, withAoi } from './draft/draft.ts'
import type { Edit } from './draft/edits.ts'
import { tagsIn } from './draft/names-and-tags.ts'

type TagsFieldProps = {
  aoi: Aoi
  /** Suggested tags: those of the study's AOIs. */
  known: string[]
  draft: AoiDraft
  apply: (edit: Edit) => void
}

/** Edits the tags of an AOI, which group AOIs across items; they apply on blur. */
export function TagsField({ aoi, known, draft, apply }: TagsFieldProps) {
  const { tags = [] } = aoi
  const [typed, setTyped] = useState<string | null>(null)
  const put = (next: string[]) => {
    setTyped(null)
    if (next.join('\n') === tags.join('\n')) return
    const tagged = ({ tags: _, ...rest }: Aoi): Aoi => (next.length > 0 ? { ...rest, tags: next } : rest)
    apply({ change: { do: 'change', aois: withAoi(draft.aois, aoi.id, tagged) }, said: 'Tags changed' })
  }
  const others = known.filter((tag) => !tags.includes(tag))
  return (
    <div onFocusOut={() => typed !== null && put(tagsIn(typed))}>
      <TextField label="Tags, separated by commas" value={typed ?? tags.join(', ')} onText={setTyped} />
      {others.length > 0 && (
        <p class="row">
          {others.map((tag) => (
            <Button key={tag} class="small" onClick={() => put([...tags, tag])}>
              + <bdi>{tag}</bdi>
            </Button>
          ))}
        </p>
      )}
    </div>
  )
}
