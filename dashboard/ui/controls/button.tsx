import type { ComponentProps } from 'preact'

type ButtonProps = Omit<ComponentProps<'button'>, 'type'> & {
  isSubmit?: boolean
  /** While it works: what it says then, and it cannot be pressed. */
  busy?: string | false
}

/** Draws a button; its classes say how it looks: `primary`, `danger`, `quiet`, `small`, `link`. */
export function Button({ isSubmit = false, busy = false, disabled, children, ...rest }: ButtonProps) {
  return (
    <button type={isSubmit ? 'submit' : 'button'} {...rest} disabled={disabled || busy !== false}>
      {busy || children}
    </button>
  )
}
