import { useState } from 'preact/hooks'
import type { Problem } from '../../core/api.ts'
import { Actions } from '../../ui/actions.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/field.tsx'

type TypedNameProps = {
  /** Name to type; undefined until something is chosen. */
  name: string | undefined
  /** Such as `its name`. */
  whose: string
  verb: string
  problem: Problem | null
  isBusy: boolean
  onSure: () => void
  onClose: () => void
}

/** Asks the user to type a name before a permanent deletion. */
export function TypedName({ name, whose, verb, problem, isBusy, onSure, onClose }: TypedNameProps) {
  const [typed, setTyped] = useState('')
  return (
    <>
      {name !== undefined && (
        <TextField
          label={
            <>
              Type {whose}, <bdi>{name}</bdi>
            </>
          }
          value={typed}
          onText={setTyped}
        />
      )}
      <Actions problem={problem} onCancel={onClose}>
        <Button class="danger" disabled={isBusy || name === undefined || typed.trim() !== name.trim()} onClick={onSure}>
          {verb}
        </Button>
      </Actions>
    </>
  )
}
