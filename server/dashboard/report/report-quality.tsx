import { quantile } from '../../../engine/analysis/descriptive.ts'
import { count, decimal, exactValue } from '../core/number-texts.ts'
import { ColumnNames } from '../parts/column-names.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { nameOfMeasure, QUALITY_MEASURES, type QualityTest } from '../quality/thresholds.ts'

/** The measures of the tests in numbers: medians and quartiles. */
export function ReportQuality({ tests, isWhole }: { tests: QualityTest[]; isWhole: boolean }) {
  return (
    <>
      {!isWhole && <p class="notice">Only the first {count(tests.length)} tests were measured.</p>}
      <DataTable label="Quality of the tests that are kept">
        <table>
          <ColumnNames of={['Measure', 'Tests', 'Least', 'Lower quartile', 'Median', 'Upper quartile', 'Most']} />
          <tbody>
            {QUALITY_MEASURES.map((measure, m) => {
              const values = tests.map((test) => test.values[m]).filter((value) => !Number.isNaN(value))
              return (
                <tr key={measure.name}>
                  <th scope="row">{nameOfMeasure(measure)}</th>
                  <td class="number">{count(values.length)}</td>
                  {[0, 0.25, 0.5, 0.75, 1].map((share) => {
                    const value = quantile(values, share)
                    return (
                      <td key={share} class="number" data-value={exactValue(value)}>
                        {decimal(value)}
                      </td>
                    )
                  })}
                </tr>
              )
            })}
          </tbody>
        </table>
      </DataTable>
    </>
  )
}
