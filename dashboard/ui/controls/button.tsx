import type { ComponentProps } from 'preact'

type ButtonProps = Omit<ComponentProps<'button'>, 'type'> & {
  isSubmit?: boolean
  /** Label while the action runs; the button is disabled meanwhile. */
  busy?: string | false
}

/** Draws a button; its classes set its look: `primary`, `danger`, `quiet`, `small`, `link`. */
export function Button({ isSubmit = false, busy = false, disabled, children, ...rest }: ButtonProps) {
  return (
    <button type={isSubmit ? 'submit' : 'button'} {...rest} disabled={disabled || busy !== false}>
      {busy || children}
    </button>
  )
}
