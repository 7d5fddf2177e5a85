import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

type DropdownProps = {
  words: string
  /** Name of the button where its words do not tell enough. */
  label?: string
  shortcut?: string
  isSmall?: boolean
  /** Draws what is below the button. @param close closes it, with the focus on its button */
  children: (close: () => void) => ComponentChildren
}

/** Draws a button that unfolds choices; Escape, and a focus elsewhere, fold them again. */
export function Dropdown({ words, label, shortcut, isSmall = false, children }: DropdownProps) {
  const dropdown = useRef<HTMLDetailsElement | null>(null)
  const fold = () => {
    if (dropdown.current !== null) dropdown.current.open = false
  }
  const close = () => {
    // A single key may have pressed a choice of a closed one.
    if (!dropdown.current?.open) return
    fold()
    dropdown.current?.querySelector('summary')?.focus()
  }
  return (
    <details
      ref={dropdown}
      class="dropdown"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && dropdown.current?.open) close()
      }}
      onFocusOut={(event) => {
        if (!dropdown.current?.contains(event.relatedTarget as Node | null)) fold()
      }}
    >
      <summary class={isSmall ? 'button small' : 'button'} aria-keyshortcuts={shortcut} aria-label={label}>
        <span aria-live="polite">{words}</span>
      </summary>
      <div class="card">{children(close)}</div>
    </details>
  )
}
