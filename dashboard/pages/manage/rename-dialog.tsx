import { useState } from 'preact/hooks'
import { useStudies } from '../../core/all-studies.ts'
import { type Study, sendJson } from '../../core/api.ts'
import { projectsOf } from '../../core/study-order.ts'
import { useChange } from '../../core/use-change.ts'
import { Actions } from '../../ui/actions.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Suggestions, TextField } from '../../ui/controls/field.tsx'
import { Dialog } from '../../ui/dialog.tsx'

type RenameDialogProps = { study: Study; onChanged: () => void; onClose: () => void }

/** Renames a study, and puts it into a project or takes it out of it. */
export function RenameDialog({ study, onChanged, onClose }: RenameDialogProps) {
  const [name, setName] = useState(study.name)
  const [project, setProject] = useState(study.project ?? '')
  const projects = projectsOf(useStudies().data ?? [])
  const { problem, isBusy, act } = useChange(onChanged)
  const body = {
    ...(name.trim() === study.name ? {} : { name: name.trim() }),
    ...(project.trim() === (study.project ?? '') ? {} : { project: project.trim() || null }),
  }
  const save = (event: Event) => {
    event.preventDefault()
    const headers = { 'If-Match': `"${study.snapshot}"` }
    void act(() => sendJson(`/api2/studies/${study.id}`, 'PATCH', body, headers))
  }
  return (
    <Dialog title="Name and project of the study" onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <TextField label="New name" maxLength={500} value={name} onText={setName} />
        <TextField
          label="Project, which joins studies; empty for none"
          maxLength={200}
          list="projects"
          value={project}
          onText={setProject}
        />
        <Suggestions id="projects" of={projects} />
        <Actions problem={problem} onCancel={onClose}>
          <Button isSubmit class="primary" disabled={isBusy || name.trim() === '' || Object.keys(body).length === 0}>
            Save
          </Button>
        </Actions>
      </form>
    </Dialog>
  )
}
