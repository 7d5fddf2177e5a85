import { useState } from 'preact/hooks'
import { request } from '../../core/api.ts'
import { countOf, wholeText } from '../../core/number-texts.ts'
import { useChange } from '../../core/use-change.ts'
import { Actions } from '../../ui/actions.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'

type QueueControlsProps = { isPaused: boolean; waiting: number; onChanged: () => void }

/** Draws the controls of the queue: pause, resume, and drain after confirmation. */
export function QueueControls({ isPaused, waiting, onChanged }: QueueControlsProps) {
  const [isAsked, setIsAsked] = useState(false)
  const [said, setSaid] = useState('')
  const { problem, isBusy, act } = useChange()
  const order = async (what: 'pause' | 'resume' | 'drain') => {
    setSaid('')
    await act(async () => {
      const answer = await request(`/api2/operations/queue/${what}`, { method: 'POST' })
      const { canceled } = (await answer.json()) as { canceled?: number }
      setSaid(canceled === undefined ? SAID[what] : `${countOf(canceled, 'job')} canceled.`)
    })
    setIsAsked(false)
    onChanged()
  }
  return (
    <>
      <p class="row">
        <Button disabled={isBusy} onClick={() => order(isPaused ? 'resume' : 'pause')}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button disabled={isBusy || waiting === 0} onClick={() => setIsAsked(true)}>
          Drain …
        </Button>
      </p>
      <p class="hint" role="status">
        {said}
      </p>
      {problem !== null && <Trouble problem={problem} />}
      {isAsked && (
        <Dialog title="Drain the queue" onClose={() => setIsAsked(false)}>
          <p>
            {countOf(waiting, 'entry', 'entries')} of the queue {waiting === 1 ? 'waits' : 'wait'}. Draining cancels
            every waiting job, for everybody who requested it.
          </p>
          <ul class="bulleted">
            <li>Running jobs continue, and finished files stay.</li>
            <li>Waiting imports stay and are queued again.</li>
            <li>Anyone can request a canceled job again. Draining cannot be undone.</li>
          </ul>
          <Actions cancel="Keep the queue" onCancel={() => setIsAsked(false)}>
            <Button class="primary" busy={isBusy && 'Canceling …'} onClick={() => order('drain')}>
              Cancel all waiting jobs ({wholeText(waiting)})
            </Button>
          </Actions>
        </Dialog>
      )}
    </>
  )
}

const SAID = { pause: 'Paused: no new jobs start.', resume: 'Resumed.', drain: '' }
