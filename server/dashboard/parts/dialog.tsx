import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

/** Draws a dialog over the page, which the Escape key closes, too. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement | null>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="card dialog" aria-labelledby={id} onClose={onClose}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet small" onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </dialog>
  )
}
