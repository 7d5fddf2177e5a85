import { useState } from 'preact/hooks'
import { asProblem, type Problem, request } from '../../core/api.ts'
import { count, countOf } from '../../core/number-texts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'

type QueueControlsProps = { isPaused: boolean; waiting: number; onChanged: () => void }

/** Draws what an operator can do with the queue: pause it, resume it, and drain it once that is confirmed. */
export function QueueControls({ isPaused, waiting, onChanged }: QueueControlsProps) {
  const [isBusy, setIsBusy] = useState(false)
  const [isAsked, setIsAsked] = useState(false)
  const [said, setSaid] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const act = async (what: 'pause' | 'resume' | 'drain') => {
    setIsBusy(true)
    setProblem(null)
    setSaid('')
    try {
      const told = (await (await request(`/api2/operations/queue/${what}`, { method: 'POST' })).json()) as {
        canceled?: number
      }
      setSaid(told.canceled === undefined ? SAID[what] : `${countOf(told.canceled, 'job')} canceled.`)
    } catch (error) {
      setProblem(asProblem(error))
    }
    setIsBusy(false)
    setIsAsked(false)
    onChanged()
  }
  return (
    <>
      <p class="row">
        <Button disabled={isBusy} onClick={() => act(isPaused ? 'resume' : 'pause')}>
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
          <p class="row">
            <Button class="primary" disabled={isBusy} onClick={() => act('drain')}>
              {isBusy ? 'Canceling …' : `Cancel all waiting jobs (${count(waiting)})`}
            </Button>
            <Button onClick={() => setIsAsked(false)}>Keep the queue</Button>
          </p>
        </Dialog>
      )}
    </>
  )
}

const SAID = { pause: 'Paused: no new jobs start.', resume: 'Resumed.', drain: '' }
