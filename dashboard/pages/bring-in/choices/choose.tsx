type ChooseProps<T extends string> = {
  label: string
  value: T
  of: Partial<Record<T, string>>
  onChange: (value: T) => void
}

/** Draws a choice among a few, each with its words. */
export function Choose<T extends string>({ label, value, of, onChange }: ChooseProps<T>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {(Object.entries(of) as [T, string][]).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}
