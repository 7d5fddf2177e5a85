import { useEffect, useState } from 'preact/hooks'
import type { Import } from '../../../clients/js/src/types.ts'
import { type Problem, problemFrom, sendJson } from '../../core/api.ts'
import { navigate } from '../../core/router.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'
import { useImport } from '../bring-in/use-import.ts'

/** Creates the demo study, as `gazette demo` does, and opens it. */
export function MakeDemo() {
  const [id, setId] = useState<string | null>(null)
  const [refused, setRefused] = useState<Problem | null>(null)
  const { view, problem } = useImport(id)
  const trouble = refused ?? view?.error ?? problem
  useEffect(() => {
    if (view?.report) navigate(`/studies/${view.report.study.id}`)
  }, [view])
  const start = () => {
    setRefused(null)
    sendJson<Import>('/api2/imports/demo', 'POST', {}).then(
      (made) => setId(made.id),
      (error: unknown) => setRefused(problemFrom(error)),
    )
  }
  const isBusy = id !== null && trouble === null
  return (
    <>
      <p class="row">
        <Button onClick={start} busy={isBusy && 'Creating the demo study …'}>
          Create a demo study
        </Button>
        <span class="hint" role="status">
          {isBusy ? `${Math.round(view?.progress.percent ?? 0)} %` : '24 synthetic participants, 6 items'}
        </span>
      </p>
      {trouble !== null && <Trouble problem={trouble as Problem} retry={start} />}
    </>
  )
}
