import type { ComponentChildren } from 'preact'

/** Draws the header row of a table with the names of its columns. */
export function ColumnNames({ of }: { of: ComponentChildren[] }) {
  return (
    <thead>
      <tr>
        {of.map((name, place) => (
          <th key={place} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}
