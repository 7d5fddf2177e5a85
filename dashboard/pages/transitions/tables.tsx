import type { Aoi, TransitionsData } from '../../core/api.ts'
import { decimal, exactValue, wholeText } from '../../core/number-texts.ts'
import { AoiSwatch } from '../../figures/aoi-legend.tsx'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'

type AoiTableProps = {
  label: string
  heads: string[]
  aois: Aoi[]
  colors: string[]
  cellsOf: (a: number) => { value: number | null; text: string }[]
}

/** Draws a table with one row per AOI. */
function AoiTable({ label, heads, aois, colors, cellsOf }: AoiTableProps) {
  return (
    <DataTable label={label}>
      <table>
        <ColumnNames of={['AOI', ...heads]} />
        <tbody>
          {aois.map((aoi, a) => (
            <tr key={aoi.id}>
              <th scope="row">
                <AoiSwatch color={colors[a]} mark={a + 1} /> <bdi>{aoi.name}</bdi>
              </th>
              {cellsOf(a).map(({ value, text }, c) => (
                <td key={heads[c]} class="number" data-value={exactValue(value)}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </DataTable>
  )
}

function counted(value: number) {
  return { value, text: wholeText(value) }
}

/** @param on names the item if there are tables of several items */
type TableProps = { aois: Aoi[]; colors: string[]; on?: string }

function onItem(on: string): string {
  return on === '' ? '' : ` on ${on}`
}

export function VisitTable({ summaries, on = '', ...rest }: TableProps & { summaries: TransitionsData['visits'] }) {
  return (
    <AoiTable
      {...rest}
      label={`Visits of each area of interest${onItem(on)}`}
      heads={[
        'Tests with a visit',
        'Visits',
        'Visits per test, mean',
        'Dwell time of a visit, ms, mean',
        'Duration of a visit, ms, mean',
      ]}
      cellsOf={(a) => {
        const { tests, visits, perTest, dwellMs, durationMs } = summaries[a]
        const means = [perTest, dwellMs, durationMs].map((value) => ({ value, text: decimal(value) }))
        return [counted(tests), counted(visits), ...means]
      }}
    />
  )
}

export function FirstLookTable({ looks, on = '', ...rest }: TableProps & { looks: TransitionsData['firstLooks'] }) {
  return (
    <AoiTable
      {...rest}
      label={`Time to first fixation of each area of interest${onItem(on)}`}
      heads={['Participants', 'Looked', 'Never looked (censored)', 'Median time, ms']}
      cellsOf={(a) => {
        const { n, looked, medianMs } = looks[a]
        const half = { value: medianMs, text: medianMs === null ? 'not reached' : decimal(medianMs) }
        return [counted(n), counted(looked), counted(n - looked), half]
      }}
    />
  )
}
