import { useMemo, useState } from 'preact/hooks'
import type { Item, Study } from '../../core/api.ts'
import { readUnsaved } from '../../core/unsaved-aois.ts'
import type { Opened } from './dialogs/dialogs.tsx'
import { sameAois } from './draft/compare-aois.ts'
import { selectedPart, useDraft } from './draft/draft.ts'
import type { Edit } from './draft/edits.ts'
import { useSaving } from './draft/use-saving.ts'
import { useKeys, useLeaving, useMoved, useSaid } from './editor-hooks.ts'

/** State of the editor, and its actions. */
export type Editor = ReturnType<typeof useEditor>

/** Keeps the draft of an item's AOIs; checks, saves and announces its changes. */
export function useEditor(first: Study, item: Item, onSaved: () => void) {
  const [left] = useState(() => readUnsaved(first.id, item.id))
  const saving = useSaving(first, item, left && { snapshot: left.snapshot, aois: left.base })
  const { base } = saving
  const [draft, dispatch] = useDraft(left?.aois ?? base.aois)
  const { aois } = draft
  const isChanged = useMemo(() => !sameAois(base.aois, aois), [base.aois, aois])
  const [opened, setOpened] = useState<Opened | null>(null)
  const [said, say] = useSaid()
  const [refused, setRefused] = useState('')
  const apply = (edit: Edit) => {
    setRefused('refused' in edit ? edit.refused : '')
    if ('refused' in edit) return
    dispatch(edit.change)
    if (edit.said !== '') say(edit.said)
  }
  /** Asks the server for the effect of the changes, and shows it before they are saved. */
  const ask = async () => {
    const effect = await saving.send(aois, true)
    if (effect !== null) setOpened({ dialog: 'save', effect })
  }
  const publish = async () => {
    const change = await saving.send(aois, false)
    setOpened(null)
    if (change === null) return
    onSaved()
    say('Saved')
  }
  useLeaving(isChanged, first.id, item.id, base, aois)
  useMoved(draft.selected === null ? null : selectedPart(draft), item, say)
  useKeys({ ask: isChanged ? ask : () => {}, step: (way) => dispatch({ do: way }) })
  return { left, saving, draft, dispatch, isChanged, opened, setOpened, said, say, refused, apply, ask, publish }
}
