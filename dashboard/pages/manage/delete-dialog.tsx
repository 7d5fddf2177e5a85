import { request, type Study } from '../../core/api.ts'
import { countOf } from '../../core/number-texts.ts'
import { useChange } from '../../core/use-change.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TypedName } from './typed-name.tsx'

type DeleteDialogProps = { study: Study; onDeleted: () => void; onClose: () => void }

/** Deletes a study after its name is typed. */
export function DeleteDialog({ study, onDeleted, onClose }: DeleteDialogProps) {
  const { problem, isBusy, act } = useChange(onDeleted)
  const name = study.name || study.id
  return (
    <Dialog title="Delete the study" onClose={onClose}>
      <p>
        <bdi>{name}</bdi>, with {countOf(study.participantCount, 'participant')}, {countOf(study.testCount, 'test')},
        its AOIs, analyses, links and every exported file. This cannot be undone.
      </p>
      <TypedName
        {...{ name, problem, isBusy, onClose }}
        whose="its name"
        verb="Delete"
        onSure={() => act(() => request(`/api2/studies/${study.id}`, { method: 'DELETE' }))}
      />
    </Dialog>
  )
}
