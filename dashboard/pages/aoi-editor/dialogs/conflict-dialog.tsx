import { useState } from 'preact/hooks'
import type { Aoi, Item } from '../../../core/api.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Check, Chips } from '../../../ui/controls/choice.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { type AoiChoice, aoiChanges, type Clash, clashesOf, mergeAois } from '../draft/compare-aois.ts'
import { nameAois, PreviewPanel } from './preview.tsx'
import { Differences } from './save-dialog.tsx'

const CHOICES: [AoiChoice, string][] = [
  ['mine', 'mine'],
  ['theirs', 'theirs'],
  ['both', 'both, mine as a separate AOI'],
]

type ConflictDialogProps = {
  base: Aoi[]
  mine: Aoi[]
  theirs: Aoi[]
  item: Item
  aspect: number
  onMerge: (aois: Aoi[]) => void
  onClose: () => void
}

/**
 * Shows the AOIs that were saved in the meantime, and merges them with the draft. Neither is lost: undo restores
 * the draft.
 */
export function ConflictDialog({ base, mine, theirs, item, aspect, onMerge, onClose }: ConflictDialogProps) {
  const [chosen, setChosen] = useState<Record<string, AoiChoice>>({})
  const clashes = clashesOf(base, mine, theirs)
  // An AOI that one user removed is kept by default.
  const choiceOf = (id: string): AoiChoice =>
    chosen[id] ?? (clashes.find((clash) => clash.id === id)?.mine === null ? 'theirs' : 'mine')
  return (
    <Dialog title="Different AOIs have been saved in the meantime" onClose={onClose}>
      <p>Your changes are not lost, and theirs are not overwritten. Since you began, they have changed:</p>
      <Differences differences={aoiChanges(base, theirs)} />
      <div class="row previews">
        <figure>
          <PreviewPanel aois={mine} item={item} aspect={aspect} label={`Mine: ${nameAois(mine)}`} />
          <figcaption>Mine</figcaption>
        </figure>
        <figure>
          <PreviewPanel aois={theirs} item={item} aspect={aspect} label={`Theirs: ${nameAois(theirs)}`} />
          <figcaption>Theirs</figcaption>
        </figure>
      </div>
      {clashes.length === 0 ? (
        <p>You changed different AOIs, so a merge keeps all changes.</p>
      ) : (
        <>
          <p>You both changed these AOIs. Which version do you want?</p>
          {clashes.map((clash) => (
            <ClashChoice
              key={clash.id}
              clash={clash}
              value={choiceOf(clash.id)}
              onChange={(choice) => setChosen({ ...chosen, [clash.id]: choice })}
            />
          ))}
        </>
      )}
      <p class="row">
        <Button class="primary" onClick={() => onMerge(mergeAois(base, mine, theirs, choiceOf))}>
          Merge
        </Button>
        <Button onClick={() => onMerge(theirs)}>Use theirs</Button>
        <Button onClick={() => onMerge(mine)}>Keep mine</Button>
      </p>
      <p class="hint">
        The result opens in the editor, where you check and save it. Undo restores your drawing; their version stays in
        the history.
      </p>
    </Dialog>
  )
}

type ClashChoiceProps = { clash: Clash; value: AoiChoice; onChange: (choice: AoiChoice) => void }

/** Draws the choice between two versions of an AOI; one that a user removed cannot be kept twice. */
function ClashChoice({ clash: { id, mine, theirs }, value, onChange }: ClashChoiceProps) {
  const legend = (
    <>
      <bdi>{(mine ?? theirs)?.name ?? 'removed'}</bdi>
      {mine === null && ' (removed by you)'}
      {theirs === null && ' (removed by them)'}
    </>
  )
  return (
    <Chips isLegendSeen legend={legend}>
      {CHOICES.filter(([choice]) => choice !== 'both' || (mine !== null && theirs !== null)).map(([choice, label]) => (
        <Check key={choice} group={`choice-${id}`} isOn={value === choice} onChange={() => onChange(choice)}>
          {label}
        </Check>
      ))}
    </Chips>
  )
}
