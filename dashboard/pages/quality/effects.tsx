import type { AoisData, Item, Study } from '../../core/api.ts'
import { decimal } from '../../core/number-texts.ts'
import { joinConditions } from '../../core/people/conditions.ts'
import { useData } from '../../core/use-data.ts'
import { queryString, type Settings } from '../../core/view/chart-settings.ts'
import { together } from '../../figures/item-answers.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loading, Trouble } from '../../ui/waiting/states.tsx'

/** Columns of `aoi-overall-stats`. */
const RESULTS = [
  { column: 'aoi_fixation_average_ttff_ms', label: 'First fixation, ms, mean of lookers' },
  { column: 'aoi_fixation_average_total_time_spent_ms', label: 'Dwell time, ms, mean of lookers' },
  { column: 'aoi_fixation_participant_ratio_percents', label: 'Hit ratio, % of viewers' },
]

type EffectsProps = { study: Study; item: Item | null; settings: Settings; defaults: Settings; exclusion: string }

/** Shows the effect of an exclusion on the results of an item's AOIs: with and without the excluded tests. */
export function Effects({ study, item, settings, defaults, exclusion }: EffectsProps) {
  const hasAois = item !== null && study.aois.some(({ itemId }) => itemId === item.id)
  const pathOf = (filter: string) =>
    hasAois
      ? `/api2/studies/${study.id}/charts/aois${queryString({ ...settings, filter }, defaults, { itemId: item.id })}`
      : null
  const before = useData<AoisData>(pathOf(settings.filter))
  const after = useData<AoisData>(exclusion === '' ? null : pathOf(joinConditions([settings.filter, exclusion])))
  const { problem, retry } = together([before, after])
  return (
    <section aria-labelledby="effects">
      <h2 id="effects">Effect on the results</h2>
      {!hasAois ? (
        <p class="hint">
          Choose an item with areas of interest to see its results with and without the excluded tests.
        </p>
      ) : exclusion === '' ? (
        <p class="hint">No test is excluded, so no result changes.</p>
      ) : problem !== null ? (
        <Trouble problem={problem} retry={retry} />
      ) : before.data === null || after.data === null ? (
        <Loading what="results" />
      ) : (
        <ResultsTable before={before.data} after={after.data} />
      )}
    </section>
  )
}

function ResultsTable({ before, after }: { before: AoisData; after: AoisData }) {
  const cell = ({ columns, rows }: AoisData, r: number, column: string) => {
    const text = rows[r]?.[columns.indexOf(column)] ?? ''
    return text === '' ? Number.NaN : Number(text)
  }
  const name = before.columns.indexOf('aoi_name')
  return (
    <DataTable label="Results with all tests, and without the excluded ones">
      <table>
        <ColumnNames of={['AOI', ...RESULTS.map(({ label }) => `${label}: all → kept (change)`)]} />
        <tbody>
          {before.rows.map((row, r) => (
            <tr key={r}>
              <th scope="row">
                {r + 1} <bdi>{row[name]}</bdi>
              </th>
              {RESULTS.map(({ column }) => {
                const [all, kept] = [cell(before, r, column), cell(after, r, column)]
                return (
                  <td key={column} class="number">
                    {decimal(all)} → {decimal(kept)} ({kept > all ? '+' : ''}
                    {decimal(kept - all)})
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </DataTable>
  )
}
