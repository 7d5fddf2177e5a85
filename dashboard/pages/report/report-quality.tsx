import type { QualityData } from '../../core/api.ts'
import { count, decimal, exactValue } from '../../core/number-texts.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Explain } from '../../ui/help/explain.tsx'
import { nameOfMeasure, QUALITY_MEASURES } from '../quality/thresholds.ts'

/** The measures of the tests in numbers: medians and quartiles. */
export function ReportQuality({ measures }: Pick<QualityData, 'measures'>) {
  return (
    <DataTable label="Quality of the remaining tests">
      <table>
        <ColumnNames of={['Measure', 'Tests', 'Minimum', 'Lower quartile', 'Median', 'Upper quartile', 'Maximum']} />
        <tbody>
          {QUALITY_MEASURES.map((measure, m) => {
            const { n, min, q1, median, q3, max } = measures[m]
            return (
              <tr key={measure.name}>
                <th scope="row">
                  {nameOfMeasure(measure)} <Explain of={measure.column} name={measure.label} />
                </th>
                <td class="number">{count(n)}</td>
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
