import type { Aoi, ChangedDescription, Item } from '../../../core/api.ts'
import { countOf } from '../../../core/number-texts.ts'
import { aoiChanges } from '../draft/compare-aois.ts'
import { selectedAoi } from '../draft/draft.ts'
import type { EditorParts } from '../draft/edits.ts'
import type { useSaving } from '../draft/use-saving.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { CopyDialog } from './copy-dialog.tsx'
import { FileDialog } from './file-dialog.tsx'
import { GridDialog } from './grid-dialog.tsx'
import { PastDialog } from './past-dialog.tsx'
import { SaveDialog } from './save-dialog.tsx'

/** The dialog that is open. */
export type Opened =
  | { dialog: 'save'; effect: ChangedDescription }
  | { dialog: 'file'; dropped?: File }
  | { dialog: 'grid' | 'past' | 'copy' | 'copy-all' }

type Props = EditorParts & {
  opened: Opened | null
  setOpened: (opened: Opened | null) => void
  aspect: number
  saving: ReturnType<typeof useSaving>
  publish: () => Promise<void>
  say: (text: string) => void
  path: string
}

/** Draws the open dialog; a conflict with another user comes before all others. */
export function Dialogs(props: Props) {
  const { opened, setOpened, draft, apply, item, aspect, saving, publish, say, path } = props
  const { study, base, theirs } = saving
  const onClose = () => setOpened(null)
  const put = (aois: Aoi[], said: string) => {
    apply({ change: { do: 'change', aois, selected: null }, said })
    onClose()
  }
  if (theirs !== null) {
    const onMerge = (aois: Aoi[]) => {
      saving.rebase(theirs)
      saving.settle()
      put(aois, 'Merged. Check the result and save it')
    }
    return (
      <ConflictDialog
        {...{ item, aspect, onMerge }}
        base={base.aois}
        mine={draft.aois}
        theirs={theirs.aois}
        onClose={saving.settle}
      />
    )
  }
  const aoi = selectedAoi(draft)
  if (opened?.dialog === 'save')
    return (
      <SaveDialog differences={aoiChanges(base.aois, draft.aois)} effect={opened.effect} {...{ publish, onClose }} />
    )
  if (opened?.dialog === 'grid') return <GridDialog {...{ draft, item, apply, onClose }} />
  if (opened?.dialog === 'file') {
    const { dropped } = opened
    // Another file is another dialog.
    const key = `${dropped?.name} ${dropped?.lastModified} ${dropped?.size}`
    return <FileDialog key={key} {...{ draft, item, aspect, apply, onClose, dropped }} studyId={study.id} />
  }
  if (opened?.dialog === 'past')
    return (
      <PastDialog
        {...{ path, item, aspect, onClose }}
        onBring={(aois) => put(aois, 'Loaded from the history. Save to make it current')}
      />
    )
  const copied = opened?.dialog === 'copy-all' ? draft.aois : opened?.dialog === 'copy' && aoi !== null ? [aoi] : []
  if (copied.length > 0) {
    const onCopied = (items: Item[]) => {
      void saving.refresh()
      if (items.length > 0) say(`Copied to ${countOf(items.length, 'item')}`)
    }
    return <CopyDialog {...{ study, item, onCopied, onClose }} aois={copied} />
  }
  return null
}
