import { useState } from 'preact/hooks'
import { type Aoi, type ChangedDescription, type Item, type Study, sendJson } from '../../../core/api.ts'
import { countOf } from '../../../core/number-texts.ts'
import { useChange } from '../../../core/use-change.ts'
import { Actions } from '../../../ui/actions.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Check } from '../../../ui/controls/choice.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { copyOf, onOtherItem } from '../shapes/parts.ts'

type CopyDialogProps = {
  study: Study
  item: Item
  aoi: Aoi
  /** Tells which items have the AOI now. */
  onCopied: (items: Item[]) => void
  onClose: () => void
}

/** Copies an AOI to other items, at the same place in percent, and saves it there. */
export function CopyDialog({ study, item, aoi, onCopied, onClose }: CopyDialogProps) {
  const [chosen, setChosen] = useState<string[]>([])
  const [copied, setCopied] = useState<string[]>([])
  const { problem, isBusy, act } = useChange()
  const others = study.items.filter(({ id }) => id !== item.id)
  const has = (id: string) => study.aois.some(({ itemId, name }) => itemId === id && name === aoi.name)
  const rest = chosen.filter((id) => !copied.includes(id))

  const copy = async () => {
    let tag = study.snapshot
    const done: Item[] = []
    await act(async () => {
      for (const other of others.filter(({ id }) => rest.includes(id))) {
        const path = `/api2/studies/${study.id}/items/${other.id}/aois`
        const own = study.aois.filter(({ itemId }) => itemId === other.id)
        const parts = aoi.parts.map((part) => ({ ...part, areaPoints: onOtherItem(part.areaPoints, item, other) }))
        const aois = [...own, copyOf(aoi, { itemId: other.id, parts })]
        tag = (await sendJson<ChangedDescription>(path, 'PUT', aois, { 'If-Match': `"${tag}"` })).snapshot
        done.push(other)
      }
    })
    setCopied([...copied, ...done.map(({ id }) => id)])
    onCopied(done)
  }

  return (
    <Dialog title={`Copy “${aoi.name}” to other items`} onClose={onClose}>
      <p class="hint">
        The copy has the same position in percent of the item and is saved at once. Other AOIs do not change.
      </p>
      <fieldset class="copy-items">
        <legend class="unseen">Items</legend>
        {others.map((other) => (
          <Check
            key={other.id}
            isOn={chosen.includes(other.id)}
            disabled={copied.includes(other.id)}
            onChange={() =>
              setChosen(chosen.includes(other.id) ? chosen.filter((id) => id !== other.id) : [...chosen, other.id])
            }
          >
            <bdi>{other.filename}</bdi>
            {copied.includes(other.id) ? (
              <small> copied</small>
            ) : (
              has(other.id) && <small> already has an AOI of this name</small>
            )}
          </Check>
        ))}
      </fieldset>
      <Actions problem={problem} cancel={copied.length > 0 ? 'Done' : 'Cancel'} onCancel={onClose}>
        <Button class="primary" busy={isBusy && 'Copying …'} disabled={rest.length === 0} onClick={copy}>
          {rest.length === 0 ? 'Copy' : `Copy to ${countOf(rest.length, 'item')}`}
        </Button>
      </Actions>
    </Dialog>
  )
}
