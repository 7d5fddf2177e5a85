import { setQuery } from '../../core/router.ts'
import { ChipChoice } from './choice.tsx'

type ShownChoiceProps<Name extends string> = {
  legend: string
  /** Parameter of the address that keeps the choice; absent for the first. */
  parameter: string
  names: Name[]
  words: Readonly<Record<Name, string>>
  shown: Name
  /** True if the keys 1, 2, 3 … choose. */
  hasKeys?: boolean
}

/** Draws the choice of what a page shows, which the address keeps. */
export function ShownChoice<Name extends string>(props: ShownChoiceProps<Name>) {
  const { legend, parameter, names, words, shown, hasKeys } = props
  return (
    <ChipChoice
      {...{ legend, hasKeys }}
      group={parameter}
      value={shown}
      of={names.map((name) => [name, words[name]] as const)}
      onChange={(name) => setQuery({ [parameter]: name === names[0] ? null : name })}
    />
  )
}
