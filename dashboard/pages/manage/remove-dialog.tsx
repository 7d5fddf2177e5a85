import { useState } from 'preact/hooks'
import { request, type Study } from '../../core/api.ts'
import { participantLabel } from '../../core/number-texts.ts'
import { usePeople } from '../../core/people/people.ts'
import { useChange } from '../../core/use-change.ts'
import { Choice } from '../../ui/controls/choice.tsx'
import { peopleOptions } from '../../ui/controls/options.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Await } from '../../ui/waiting/states.tsx'
import { TypedName } from './typed-name.tsx'

type RemoveDialogProps = { study: Study; onChanged: () => void; onClose: () => void }

/** Removes a participant from a study after their name is typed. */
export function RemoveDialog({ study, onChanged, onClose }: RemoveDialogProps) {
  const people = usePeople(study.id)
  const [id, setId] = useState('')
  const { problem, isBusy, act } = useChange(onChanged)
  const chosen = people.all.find((each) => each.id === id)
  const name = chosen && participantLabel(chosen)
  return (
    <Dialog title="Remove a participant" onClose={onClose}>
      <p>
        All data of the participant is deleted at once, with every file that holds it. This cannot be undone. To leave a
        participant out of results only, ignore them in the list of participants instead.
      </p>
      <Await loaded={people.first} what="participants">
        {() => <Choice label="Participant" value={id} of={peopleOptions(people.all, 'choose …')} onChange={setId} />}
      </Await>
      <TypedName
        key={id}
        {...{ name, problem, isBusy, onClose }}
        whose="the name"
        verb="Remove"
        onSure={() => act(() => request(`/api2/studies/${study.id}/participants/${id}`, { method: 'DELETE' }))}
      />
    </Dialog>
  )
}
