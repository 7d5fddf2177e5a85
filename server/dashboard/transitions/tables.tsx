import type { ComponentChildren } from 'preact'
import type { Aoi } from '../api.ts'
import { AoiSwatch } from '../charts/aoi-legend.tsx'
import { count, decimal } from '../number-texts.ts'
import { ColumnNames } from '../parts/column-names.tsx'
import { DataTable } from '../parts/data-table.tsx'
import type { FirstLooks, VisitSummary } from './aggregate.ts'

/** A table with a row for each AOI. */
function AoiTable({
  label,
  heads,
  aois,
  colors,
  cellsOf,
}: {
  label: string
  heads: string[]
  aois: Aoi[]
  colors: string[]
  cellsOf: (a: number) => ComponentChildren[]
}) {
  return (
    <DataTable label={label}>
      <table>
        <ColumnNames of={['AOI', ...heads]} />
        <tbody>
          {aois.map((aoi, a) => (
            <tr key={aoi.id}>
              <th scope="row">
                <AoiSwatch color={colors[a]} place={a} /> <bdi>{aoi.name}</bdi>
              </th>
              {cellsOf(a).map((cell, c) => (
                <td key={heads[c]} class="number">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </DataTable>
  )
}

export function VisitTable({ summaries, ...rest }: { summaries: VisitSummary[]; aois: Aoi[]; colors: string[] }) {
  return (
    <AoiTable
      {...rest}
      label="Visits of each area of interest"
      heads={[
        'Tests with a visit',
        'Visits',
        'Visits per test, mean',
        'Dwell time of a visit, ms, mean',
        'Duration of a visit, ms, mean',
      ]}
      cellsOf={(a) => {
        const { tests, visits, perTest, dwellMs, durationMs } = summaries[a]
        return [count(tests), count(visits), decimal(perTest), decimal(dwellMs), decimal(durationMs)]
      }}
    />
  )
}

export function FirstLookTable({ looks, ...rest }: { looks: FirstLooks[]; aois: Aoi[]; colors: string[] }) {
  return (
    <AoiTable
      {...rest}
      label="Time to first fixation of each area of interest"
      heads={['Participants', 'Looked', 'Never looked (censored)', 'Half have looked after, ms']}
      cellsOf={(a) => {
        const { n, looked, medianMs } = looks[a]
        return [count(n), count(looked), count(n - looked), medianMs === null ? 'not reached' : count(medianMs)]
      }}
    />
  )
}
