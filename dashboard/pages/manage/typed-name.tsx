import { useState } from 'preact/hooks'
import type { Problem } from '../../core/api.ts'
import { Trouble } from '../../ui/waiting/states.tsx'

/** Asks for a name to be typed before something is deleted for ever. */
export function TypedName({
  name,
  whose,
  verb,
  problem,
  isBusy,
  onSure,
  onClose,
}: {
  /** The name to type; undefined as long as nothing is chosen. */
  name: string | undefined
  /** Such as `its name`. */
  whose: string
  verb: string
  problem: Problem | null
  isBusy: boolean
  onSure: () => void
  onClose: () => void
}) {
  const [typed, setTyped] = useState('')
  return (
    <>
      {name !== undefined && (
        <label class="field">
          <span>
            Type {whose}, <bdi>{name}</bdi>
          </span>
          <input type="text" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
      )}
      {problem !== null && <Trouble problem={problem} />}
      <p class="row">
        <button
          type="button"
          class="danger"
          disabled={isBusy || name === undefined || typed.trim() !== name.trim()}
          onClick={onSure}
        >
          {verb}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </>
  )
}
