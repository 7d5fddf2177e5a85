import { useMemo } from 'preact/hooks'
import type { Preview } from '../../core/api.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/waiting/states.tsx'

/** Orders columns: those with differing cells, then constant ones, then ids and addresses. */
function differingFirst(columns: string[], rows: string[][]): number[] {
  const rank = (c: number) => {
    if (/_(id|ids|url)$/.test(columns[c]) && columns[c] !== 'participant_external_id') return 2
    return rows.length > 1 && rows.every((row) => row[c] === rows[0][c]) ? 1 : 0
  }
  return columns.map((_, c) => c).sort((a, b) => rank(a) - rank(b) || a - b)
}

export function FirstRows({ preview: { columns, rows }, isStale }: { preview: Preview; isStale: boolean }) {
  const order = useMemo(() => differingFirst(columns, rows ?? []), [columns, rows])
  if (rows === null)
    return (
      <Panel title="First rows">
        <p class="hint">
          Each row covers all tests, so a preview takes as long as the export itself. Start the job, or choose one item.
        </p>
      </Panel>
    )
  return (
    <Panel title="First rows" id="rows" class={isStale ? 'stale' : undefined}>
      <p class="hint">Here, columns with differing values come first; the file has the order listed below.</p>
      {rows.length === 0 ? (
        <Empty title="No rows">
          With these settings, the file has no rows. Try a lower grade, another filter or other settings.
        </Empty>
      ) : (
        <DataTable class="table-scroll" label="First rows, table" numbers={() => ({ columns, rows })}>
          <table class="cells">
            <ColumnNames of={order.map((c) => columns[c])} />
            <tbody>
              {rows.map((row, r) => (
                <tr key={r}>
                  {order.map((c) => (
                    <td key={columns[c]} title={row[c].length > 40 ? row[c] : undefined}>
                      <bdi>{row[c].length > 40 ? `${row[c].slice(0, 40)}…` : row[c]}</bdi>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </DataTable>
      )}
    </Panel>
  )
}
