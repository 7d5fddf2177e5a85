import { useState } from 'preact/hooks'
import { request, type Study } from '../core/api.ts'
import { countOf } from '../core/number-texts.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Trouble } from '../waiting/states.tsx'
import { useChange } from './use-change.ts'

/** Deletes a study, once its name is typed. */
export function DeleteDialog({
  study,
  onDeleted,
  onClose,
}: {
  study: Study
  onDeleted: () => void
  onClose: () => void
}) {
  const [typed, setTyped] = useState('')
  const { problem, isBusy, act } = useChange(onDeleted)
  const name = study.name || study.id
  return (
    <Dialog title="Delete the study" onClose={onClose}>
      <p>
        <bdi>{name}</bdi>, with {countOf(study.participantCount, 'participant')}, {countOf(study.testCount, 'test')},
        its AOIs, analyses, links and every exported file. This cannot be undone.
      </p>
      <label class="field">
        <span>
          Type its name, <bdi>{name}</bdi>
        </span>
        <input type="text" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      {problem !== null && <Trouble problem={problem} />}
      <p class="row">
        <button
          type="button"
          class="danger"
          disabled={isBusy || typed.trim() !== name.trim()}
          onClick={() => act(() => request(`/api2/studies/${study.id}`, { method: 'DELETE' }))}
        >
          Delete
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  )
}
