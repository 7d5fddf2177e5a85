import type { ComponentChildren, ComponentProps } from 'preact'

type FieldProps = {
  label: ComponentChildren
  /** Id of the control; without one, the label wraps the control. */
  id?: string
  /** Drawn beside the label of a control with an id. */
  help?: ComponentChildren
  class?: string
  children: ComponentChildren
}

/** Draws a control below its label. */
export function Field({ label, id, help, class: look = 'field', children }: FieldProps) {
  if (id === undefined)
    return (
      // biome-ignore lint/a11y/noLabelWithoutControl: its children are the control
      <label class={look}>
        <span>{label}</span>
        {children}
      </label>
    )
  return (
    <div class={look}>
      {help === undefined ? (
        <label for={id}>{label}</label>
      ) : (
        <span>
          <label for={id}>{label}</label> {help}
        </span>
      )}
      {children}
    </div>
  )
}

/** Draws a control after its label, and before its help, on one line. */
export function Inline({ label, help, children }: Pick<FieldProps, 'label' | 'help' | 'children'>) {
  const control = (
    // biome-ignore lint/a11y/noLabelWithoutControl: its children are the control
    <label class="inline">
      {label} {children}
    </label>
  )
  if (help === undefined) return control
  return (
    <span class="helped">
      {control} {help}
    </span>
  )
}

type TextInputProps = Pick<
  ComponentProps<'input'>,
  | 'id'
  | 'dir'
  | 'inputMode'
  | 'aria-label'
  | 'aria-invalid'
  | 'disabled'
  | 'maxLength'
  | 'pattern'
  | 'placeholder'
  | 'spellcheck'
> & {
  value: string
  /** Id of the suggestions. */
  list?: string
  onText: (text: string) => void
}

/** Draws a text input, and calls `onText` on each change. */
export function TextInput({ onText, ...rest }: TextInputProps) {
  return <input type="text" {...rest} onInput={(event) => onText(event.currentTarget.value)} />
}

/** Draws the suggestions of a text input, which names their id as its `list`. */
export function Suggestions({ id, of }: { id: string; of: string[] }) {
  return (
    <datalist id={id}>
      {of.map((text) => (
        <option key={text} value={text} />
      ))}
    </datalist>
  )
}

/** Draws a text input below its label. */
export function TextField({ label, ...rest }: TextInputProps & { label: ComponentChildren }) {
  return (
    <Field label={label}>
      <TextInput {...rest} />
    </Field>
  )
}

type FindProps = { label: string; value: string; onText: (text: string) => void; isFocused?: boolean }

/** Draws a search field. @param isFocused true to give it the focus when its dialog opens */
export function Find({ label, value, onText, isFocused }: FindProps) {
  return (
    <Field class="find" label={label}>
      <input type="search" autofocus={isFocused} value={value} onInput={(event) => onText(event.currentTarget.value)} />
    </Field>
  )
}
