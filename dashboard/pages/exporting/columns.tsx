import type { Schema } from '../../core/api.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { DataTable } from '../../ui/data-table.tsx'

export function ColumnList({ schema, syntax }: { schema: Schema; syntax: string }) {
  return (
    <Panel title="Columns" id="columns">
      <details class="advanced">
        <summary>All {schema.fields.length} columns and what they mean</summary>
        <p class="hint">
          For SPSS, save the CSV and <a href={syntax}>this syntax</a>, which reads it with types and labels.
        </p>
        <DataTable class="table-scroll tall" label="Columns, table">
          <table>
            <ColumnNames of={['Column', 'Meaning', 'Type', 'Unit', 'When unknown']} />
            <tbody>
              {schema.fields.map(({ name, description, type, unit, missingValues }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                  </th>
                  <td>{description}</td>
                  <td>{type}</td>
                  <td>{unit}</td>
                  <td>{missingValues.length === 0 ? 'never' : missingValues[0] || 'empty'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </DataTable>
      </details>
    </Panel>
  )
}
