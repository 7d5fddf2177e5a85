import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './controls/button.tsx'

type DialogProps = { title: string; onClose: () => void; children: ComponentChildren }

/** Draws a modal dialog over the page; Escape closes it, too. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement | null>(null)
  const id = useId()
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    // Closing before unmounting returns the focus to the element that opened the dialog.
    return () => current?.close()
  }, [])
  return (
    <dialog ref={dialog} class="card dialog" aria-labelledby={id} onClose={() => dialog.current && onClose()}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        <Button class="quiet small" onClick={onClose}>
          Close
        </Button>
      </div>
      {children}
    </dialog>
  )
}
