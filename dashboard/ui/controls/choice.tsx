import type { ComponentChildren, ComponentProps, RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { useInSight } from '../../core/in-sight.ts'
import { Field, Inline } from './field.tsx'

/** Value, its label, whether it is disabled, and further facts of an option of a list. */
export type ChoiceOption<T extends string | number = string> = readonly [
  value: T,
  words: string,
  isDisabled?: boolean,
  more?: {
    /** Written at the end of its line. */
    beside?: string
    title?: string
    /** Single key that chooses it. */
    shortcut?: string
  },
]

type SelectProps<T extends string | number> = Pick<
  ComponentProps<'select'>,
  'aria-label' | 'title' | 'disabled' | 'size'
> & {
  id?: string
  value: T
  of: readonly ChoiceOption<T>[] | (T extends string ? Partial<Record<T, string>> : never)
  onChange: (value: T) => void
}

/** Draws a drop-down list, or with a size a list; it needs an `aria-label`, or a label around it: see `Choice`. */
export function Select<T extends string | number>({ of, onChange, ...rest }: SelectProps<T>) {
  const options = (Array.isArray(of) ? of : Object.entries(of)) as readonly ChoiceOption<T>[]
  return (
    <select {...rest} onChange={(event) => onChange(options[event.currentTarget.selectedIndex][0])}>
      {options.map(([value, words, isDisabled = false, { beside, title, shortcut } = {}]) => (
        <option
          key={value}
          value={value}
          selected={value === rest.value}
          disabled={isDisabled}
          dir="auto"
          title={title}
          aria-keyshortcuts={shortcut}
          data-beside={beside}
          aria-label={beside === undefined ? undefined : `${words}, ${beside}`}
        >
          {words}
        </option>
      ))}
    </select>
  )
}

type ChoiceProps<T extends string | number> = SelectProps<T> & {
  label: ComponentChildren
  /** Drawn beside the label of a choice with an id. */
  help?: ComponentChildren
  isInline?: boolean
}

/** Draws a drop-down list below its label, or after it; the label is small if the choice has an id. */
export function Choice<T extends string | number>({ label, help, isInline = false, id, ...rest }: ChoiceProps<T>) {
  const Labelled = isInline ? Inline : Field
  return (
    <Labelled label={label} id={id} help={help}>
      <Select id={id} {...rest} />
    </Labelled>
  )
}

type CheckProps = Omit<ComponentProps<'label'>, 'onChange'> & {
  isOn: boolean
  disabled?: boolean
  /** Name of the group of radio buttons; without one, the control is a checkbox. */
  group?: string
  /** Single key that presses it. */
  shortcut?: string
  onChange: (isOn: boolean) => void
}

/** Draws a checkbox or a radio button with its label; by default, as a chip. */
export function Check({
  class: look = 'chip',
  isOn,
  disabled,
  group,
  shortcut,
  onChange,
  children,
  ...rest
}: CheckProps) {
  return (
    <label class={look} {...rest}>
      <input
        type={group === undefined ? 'checkbox' : 'radio'}
        name={group}
        aria-keyshortcuts={shortcut}
        checked={isOn}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {look !== 'chip' && ' '}
      {children}
    </label>
  )
}

type ChipsProps = Omit<ComponentProps<'fieldset'>, 'class'> & {
  legend: ComponentChildren
  isLegendSeen?: boolean
  /** True for a choice of one, whose chips lie on a common ground. */
  isOne?: boolean
  row?: RefObject<HTMLFieldSetElement | null>
  children: ComponentChildren
}

/** Draws a row of checkboxes or radio buttons under one legend. */
export function Chips({ legend, isLegendSeen = false, isOne = false, row, children, ...rest }: ChipsProps) {
  return (
    <fieldset ref={row} class={`row chips${isOne ? ' segments' : ''}`} {...rest}>
      <legend class={isLegendSeen ? undefined : 'unseen'}>{legend}</legend>
      {children}
    </fieldset>
  )
}

type ChipChoiceProps<T extends string> = {
  legend: ComponentChildren
  /** Name of the group of radio buttons. */
  group: string
  value: T
  of: readonly (readonly [value: T, words: string])[]
  /** True if the keys 1, 2, 3 … press them. */
  hasKeys?: boolean
  onChange: (value: T) => void
}

/** Draws a choice of one of several as segments of a row. */
export function ChipChoice<T extends string>({ legend, group, value, of, hasKeys, onChange }: ChipChoiceProps<T>) {
  const row = useRef<HTMLFieldSetElement>(null)
  useInSight(() => row.current?.querySelector('.chip:has(:checked)') ?? null, value)
  return (
    <Chips legend={legend} isOne row={row}>
      {of.map(([name, words], i) => (
        <Check
          key={name}
          group={group}
          shortcut={hasKeys ? String(i + 1) : undefined}
          isOn={name === value}
          onChange={() => onChange(name)}
        >
          {words}
        </Check>
      ))}
    </Chips>
  )
}
