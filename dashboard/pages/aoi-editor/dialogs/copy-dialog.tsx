import { useState } from 'preact/hooks'
import { type Aoi, type ChangedDescription, type Item, type Study, sendJson } from '../../../core/api.ts'
import { countOf } from '../../../core/number-texts.ts'
import { useChange } from '../../../core/use-change.ts'
import { Actions } from '../../../ui/actions.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Check, Choice } from '../../../ui/controls/choice.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { type CopyBy, copyTo } from '../shapes/parts.ts'

type CopyDialogProps = {
  study: Study
  item: Item
  aois: Aoi[]
  /** Called with the items that now have the AOIs. */
  onCopied: (items: Item[]) => void
  onClose: () => void
}

/** Copies AOIs to other items, at the same share or the same pixels, and saves them there. */
export function CopyDialog({ study, item, aois, onCopied, onClose }: CopyDialogProps) {
  const [chosen, setChosen] = useState<string[]>([])
  const [copied, setCopied] = useState<string[]>([])
  const [by, setBy] = useState<CopyBy>('share')
  const [leavesOut, setLeavesOut] = useState(true)
  const { problem, isBusy, act } = useChange()
  const others = study.items.filter(({ id }) => id !== item.id)
  const namesOn = (id: string) => study.aois.flatMap(({ itemId, name }) => (itemId === id ? name : []))
  const twiceOn = (id: string) => aois.filter(({ name }) => namesOn(id).includes(name)).length
  const rest = chosen.filter((id) => !copied.includes(id))

  const copy = async () => {
    let tag = study.snapshot
    const done: Item[] = []
    await act(async () => {
      for (const other of others.filter(({ id }) => rest.includes(id))) {
        const path = `/api2/studies/${study.id}/items/${other.id}/aois`
        const own = study.aois.filter(({ itemId }) => itemId === other.id)
        const names = leavesOut ? namesOn(other.id) : []
        const made = aois.filter(({ name }) => !names.includes(name)).map((aoi) => copyTo(aoi, item, other, by))
        const headers = { 'If-Match': `"${tag}"` }
        if (made.length > 0)
          tag = (await sendJson<ChangedDescription>(path, 'PUT', [...own, ...made], headers)).snapshot
        done.push(other)
      }
    })
    setCopied([...copied, ...done.map(({ id }) => id)])
    onCopied(done)
  }

  return (
    <Dialog
      title={
        aois.length === 1
          ? `Copy “${aois[0].name}” to other items`
          : `Copy ${countOf(aois.length, 'AOI')} to other items`
      }
      onClose={onClose}
    >
      <p class="hint">Copies are saved immediately, with their tags and times. Other AOIs do not change.</p>
      <div class="row">
        <Choice
          label="Position"
          of={{ share: 'same share of the item, in percent', place: 'same place on the item, in pixels' }}
          value={by}
          onChange={setBy}
        />
        <Check isOn={leavesOut} onChange={setLeavesOut}>
          Skip AOIs whose name the item already has
        </Check>
        <Button class="small" onClick={() => setChosen(others.map(({ id }) => id))}>
          All items
        </Button>
      </div>
      {by === 'place' && (
        <p class="hint">Items without a known size get the same share. AOIs may lie partly beside a smaller item.</p>
      )}
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
              twiceOn(other.id) > 0 && <small> already has {countOf(twiceOn(other.id), 'AOI')} of these names</small>
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
