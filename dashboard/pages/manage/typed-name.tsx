import { useState } from 'preact/hooks'
import type { Problem } from '../../core/api.ts'
import { Actions } from '../../ui/actions.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/field.tsx'

type TypedNameProps = {
  /** The name to type; undefined as long as nothing is chosen. */
  name: string | undefined
  /** Such as `its name`. */
  whose: string
  verb: string
  problem: Problem | null
  isBusy: boolean
  onSure: () => void
  onClose: () => void
}

/** Asks for a name to be typed before something is deleted for ever. */
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
