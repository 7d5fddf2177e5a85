import { useState } from 'preact/hooks'
import { type Study, sendJson } from '../../core/api.ts'
import { useChange } from '../../core/use-change.ts'
import { Actions } from '../../ui/actions.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/field.tsx'
import { Dialog } from '../../ui/dialog.tsx'

type RenameDialogProps = { study: Study; onChanged: () => void; onClose: () => void }

/** Renames a study. */
export function RenameDialog({ study, onChanged, onClose }: RenameDialogProps) {
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
        <TextField label="New name" maxLength={500} value={name} onText={setName} />
        <Actions problem={problem} onCancel={onClose}>
          <Button isSubmit class="primary" disabled={isBusy || name.trim() === '' || name.trim() === study.name}>
            Rename
          </Button>
        </Actions>
      </form>
    </Dialog>
  )
}
