import type { QualityData } from '../../core/api.ts'
import { decimal, exactValue, wholeText } from '../../core/number-texts.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Explain } from '../../ui/help/explain.tsx'

/** A row: the name of a measure, its place among those of an answer, and its own explanation, if there is one. */
type MeasureRow = { name: string; place: number; explained?: { column: string; label: string } }

/** Shows measures over tests: median, quartiles and range. */
export function MeasuresTable(props: { label: string; measures: QualityData['measures']; rows: MeasureRow[] }) {
  const { label, measures, rows } = props
  return (
    <DataTable label={label}>
      <table>
        <ColumnNames of={['Measure', 'Tests', 'Minimum', 'Lower quartile', 'Median', 'Upper quartile', 'Maximum']} />
        <tbody>
          {rows.map(({ name, place, explained }) => {
            const { n, min, q1, median, q3, max } = measures[place]
            return (
              <tr key={name}>
                <th scope="row">
                  {name} {explained && <Explain of={explained.column} name={explained.label} />}
                </th>
                <td class="number">{wholeText(n)}</td>
                {[min, q1, median, q3, max].map((value, i) => (
                  <td key={i} class="number" data-value={exactValue(value)}>
                    {decimal(value)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </DataTable>
  )
}
