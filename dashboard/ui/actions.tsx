import type { ComponentChildren } from 'preact'
import type { Problem } from '../core/api.ts'
import { Button } from './controls/button.tsx'
import { Trouble } from './waiting/states.tsx'

type ActionsProps = {
  /** Problem of the last failed action. */
  problem?: Problem | null
  cancel?: string
  onCancel?: () => void
  children: ComponentChildren
}

/** Draws the row of buttons that ends a form or a dialog, below its problem. */
export function Actions({ problem = null, cancel = 'Cancel', onCancel, children }: ActionsProps) {
  return (
    <>
      {problem !== null && <Trouble problem={problem} />}
      <p class="row">
        {children}
        {onCancel !== undefined && <Button onClick={onCancel}>{cancel}</Button>}
      </p>
    </>
  )
}
