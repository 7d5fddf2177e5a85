import type { QualityData } from '../../core/api.ts'
import { count, decimal, exactValue } from '../../core/number-texts.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { type EyeMeasure, nameOfEyeMeasure } from './eye-measures.ts'

/** Draws the measures of each eye over all tests: median, quartiles, range; draws nothing if no eye was recorded. */
export function EyesTable({ measures, eyes }: { measures: QualityData['measures']; eyes: EyeMeasure[] }) {
  if (eyes.length === 0) return null
  return (
    <section aria-labelledby="quality-eyes">
      <h2 id="quality-eyes">Eyes and pupils</h2>
      <DataTable label="Quality of each eye, over tests">
        <table>
          <ColumnNames of={['Measure', 'Tests', 'Median', 'First quartile', 'Third quartile', 'Least', 'Greatest']} />
          <tbody>
            {eyes.map((eye) => {
              const { n, median, q1, q3, min, max } = measures[eye.place]
              return (
                <tr key={eye.column}>
                  <th scope="row">{nameOfEyeMeasure(eye)}</th>
                  <td class="number">{count(n)}</td>
                  {[median, q1, q3, min, max].map((value, i) => (
                    <td key={i} class="number" data-value={exactValue(value ?? Number.NaN)}>
                      {decimal(value ?? Number.NaN)}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </DataTable>
      <p class="hint">
        Of the tests above, by the columns of quality-stats. Each eye is measured by its own samples, whichever eye the
        settings choose.
      </p>
    </section>
  )
}
