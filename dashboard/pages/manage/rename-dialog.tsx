import { useState } from 'preact/hooks'
import { type Study, sendJson } from '../../core/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'
import { useChange } from './use-change.ts'

/** Gives a study another name. */
export function RenameDialog({
  study,
  onChanged,
  onClose,
}: {
  study: Study
  onChanged: () => void
  onClose: () => void
}) {
  const [name, setName] = useState(study.name)
  const { problem, isBusy, act } = useChange(onChanged)
  const save = (event: Event) => {
    event.preventDefault()
    const headers = { 'If-Match': `"${study.snapshot}"` }
    void act(() => sendJson(`/api2/studies/${study.id}`, 'PATCH', { name: name.trim() }, headers))
  }
  return (
    <Dialog title="Rename the study" onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <label class="field">
          <span>New name</span>
          <input type="text" maxLength={500} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        {problem !== null && <Trouble problem={problem} />}
        <p class="row">
          <button type="submit" class="primary" disabled={isBusy || name.trim() === '' || name.trim() === study.name}>
            Rename
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  )
}
