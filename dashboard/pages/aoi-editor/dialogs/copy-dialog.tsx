import { useState } from 'preact/hooks'
import { type Aoi, type ChangedDescription, type Item, type Study, sendJson } from '../../../core/api.ts'
import { countOf } from '../../../core/number-texts.ts'
import { toggled } from '../../../core/toggled.ts'
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
export function CopyDialog(of: CopyDialogProps) {
  const { study, item, aois, onClose } = of
  const [chosen, setChosen] = useState<string[]>([])
  const [by, setBy] = useState<CopyBy>('share')
  const [leavesOut, setLeavesOut] = useState(true)
  const { copied, copy, problem, isBusy } = useCopying(of, { by, leavesOut })
  const others = study.items.filter(({ id }) => id !== item.id)
  const rest = others.filter(({ id }) => chosen.includes(id) && !copied.includes(id))
  const choose = (id: string) => setChosen(toggled(chosen, id))
  return (
    <Dialog
      title={`Copy ${aois.length === 1 ? `“${aois[0].name}”` : countOf(aois.length, 'AOI')} to other items`}
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
        {others.map(({ id, filename }) => (
          <Check key={id} isOn={chosen.includes(id)} disabled={copied.includes(id)} onChange={() => choose(id)}>
            <bdi>{filename}</bdi>
            <small>{copied.includes(id) ? ' copied' : twiceWords(study, id, aois)}</small>
          </Check>
        ))}
      </fieldset>
      <Actions problem={problem} cancel={copied.length > 0 ? 'Done' : 'Cancel'} onCancel={onClose}>
        <Button class="primary" busy={isBusy && 'Copying …'} disabled={rest.length === 0} onClick={() => copy(rest)}>
          {rest.length === 0 ? 'Copy' : `Copy to ${countOf(rest.length, 'item')}`}
        </Button>
      </Actions>
    </Dialog>
  )
}

/** Says how many of the AOIs an item already has by name; '' for none. */
function twiceWords(study: Study, itemId: string, aois: Aoi[]): string {
  const names = namesOn(study, itemId)
  const twice = aois.filter(({ name }) => names.includes(name)).length
  return twice === 0 ? '' : ` already has ${countOf(twice, 'AOI')} of these names`
}

function namesOn({ aois }: Study, id: string): string[] {
  return aois.flatMap(({ itemId, name }) => (itemId === id ? name : []))
}

type How = { by: CopyBy; leavesOut: boolean }

/** Saves copies item by item; after a problem, `copied` has the items that were done before. */
function useCopying({ study, item, aois, onCopied }: CopyDialogProps, { by, leavesOut }: How) {
  const [copied, setCopied] = useState<string[]>([])
  const { problem, isBusy, act } = useChange()
  const copy = async (others: Item[]) => {
    let tag = study.snapshot
    const done: Item[] = []
    await act(async () => {
      for (const other of others) {
        const path = `/api2/studies/${study.id}/items/${other.id}/aois`
        const own = study.aois.filter(({ itemId }) => itemId === other.id)
        const names = leavesOut ? namesOn(study, other.id) : []
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
  return { copied, copy, problem, isBusy }
}
