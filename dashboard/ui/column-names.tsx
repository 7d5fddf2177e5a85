import type { ComponentChildren } from 'preact'

type ColumnNamesProps = {
  of: ComponentChildren[]
  /** Number of leading columns of text; the names of all others stand over numbers. */
  texts?: number
}

/** Draws the header row of a table with the names of its columns. */
export function ColumnNames({ of, texts = of.length }: ColumnNamesProps) {
  return (
    <thead>
      <tr>
        {of.map((name, place) => (
          <th key={place} scope="col" class={place < texts ? undefined : 'number'}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}
