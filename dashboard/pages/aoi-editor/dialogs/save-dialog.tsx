import { useState } from 'preact/hooks'
import type { ChangedDescription } from '../../../core/api.ts'
import { countOf, wholeText } from '../../../core/number-texts.ts'
import { Actions } from '../../../ui/actions.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import type { AoiChange } from '../draft/compare-aois.ts'

export function Differences({ differences }: { differences: AoiChange[] }) {
  return (
    <ul class="bulleted">
      {differences.map(({ id, name, did }) => (
        <li key={id}>
          {id !== '' && <bdi>{name === '' ? 'without a name' : name}</bdi>} {did}
        </li>
      ))}
    </ul>
  )
}

type SaveDialogProps = {
  differences: AoiChange[]
  effect: ChangedDescription
  publish: () => Promise<void>
  onClose: () => void
}

/** Shows the effect of saving, for confirmation. */
export function SaveDialog({ differences, effect, publish, onClose }: SaveDialogProps) {
  const [isBusy, setIsBusy] = useState(false)
  const act = () => {
    setIsBusy(true)
    void publish().finally(() => setIsBusy(false))
  }
  const { affectedTestCount: tests, affectedParticipantCount: people } = effect
  return (
    <Dialog title="Save these AOIs" onClose={onClose}>
      <Differences differences={differences} />
      <p>
        {tests === 0
          ? 'No participant has seen this item yet, so no numbers change.'
          : `${countOf(people, 'participant')} saw this item, in ${countOf(tests, 'test')}: from now on, exports of AOIs have the new numbers for ${tests === 1 ? 'it' : `all ${wholeText(tests)} of them`}. Fixations do not change.`}
      </p>
      <p class="hint">The previous AOIs stay in the history; you can restore them.</p>
      <Actions cancel="Keep drawing" onCancel={onClose}>
        <Button class="primary" busy={isBusy && 'Saving …'} onClick={act}>
          Save
        </Button>
      </Actions>
    </Dialog>
  )
}
