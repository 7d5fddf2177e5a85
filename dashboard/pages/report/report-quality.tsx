import { useMemo } from 'preact/hooks'
import type { QualityData } from '../../core/api.ts'
import { count, decimal, exactValue } from '../../core/number-texts.ts'
import { Figure } from '../../figures/figure.tsx'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Explain } from '../../ui/help/explain.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { qualityCaption, Strips } from '../quality/strips.tsx'
import { nameOfMeasure, QUALITY_MEASURES, qualityNumbers, testsOf } from '../quality/thresholds.ts'

/** Draws the measures of the tests, as numbers and histograms. */
export function ReportQuality({ data, subject }: { data: QualityData; subject: string }) {
  const tests = useMemo(() => testsOf(data), [data])
  const { measures } = data
  if (tests.length === 0) return <Empty title="No tests remain" />
  return (
    <>
      <MeasuresTable measures={measures} />
      <Figure
        title="Measures of the tests"
        subject={subject}
        fileName="gazette-quality"
        narrowest={320}
        caption={qualityCaption(subject, data)}
        numbers={() => qualityNumbers(data)}
        madeOf={[tests]}
        draw={(colors, width) => <Strips {...{ tests, measures, width, colors }} thresholds={NO_THRESHOLDS} />}
      />
    </>
  )
}

const NO_THRESHOLDS = QUALITY_MEASURES.map(() => null)

/** Draws medians and quartiles. */
function MeasuresTable({ measures }: Pick<QualityData, 'measures'>) {
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
