import { useState } from 'preact/hooks'
import { countOf } from '../../../core/number-texts.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Scrolling } from '../../../ui/scrolling.tsx'
import { COLUMN_ROLES, type Role } from './column-meanings.ts'
import { ColumnTrace } from './column-trace.tsx'
import type { MappingDraft } from './mapping-draft.ts'
import type { NoNumber, PreviewTable } from './sample-points.ts'

const ROWS_SHOWN = 8

const GROUPS: [string, Role[]][] = [
  ['Participants and items', ['participant', 'item', 'trial']],
  ['Time', ['time']],
  ['Gaze', ['x', 'y', 'x2', 'y2', 'valid', 'valid2', 'rows']],
  ['Eyes and events', ['leftPupil', 'rightPupil', 'leftDistance', 'rightDistance', 'events']],
  ['Mouse', ['mouseX', 'mouseY', 'scroll', 'click']],
  ['Attributes of participants', ['tag', 'external']],
]

type ColumnsProps = {
  table: PreviewTable
  draft: MappingDraft
  noNumbers: NoNumber[]
  onRole: (column: string, role: Role | null) => void
}

export function ColumnRoles({ table, draft, noNumbers, onRole }: ColumnsProps) {
  const [isLong, setIsLong] = useState(false)
  const rows = isLong ? table.rows : table.rows.slice(0, ROWS_SHOWN)
  const wrong = new Set(noNumbers.map(({ column, row }) => `${row} ${column}`))
  return (
    <>
      <Scrolling class="table-scroll tall preview" label="Columns and first rows">
        <table>
          <thead>
            <tr>
              {table.header.map((name, at) => (
                <th key={at} scope="col">
                  <bdi>{name}</bdi>
                  <ColumnTrace table={table} column={at} />
                </th>
              ))}
            </tr>
            <tr>
              {table.header.map((name, at) => (
                <td key={at} class={draft.roles[name] === undefined ? undefined : 'used'}>
                  <RoleSelect {...{ name, onRole }} role={draft.roles[name]} />
                </td>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                {table.header.map((name, at) => (
                  <td key={at} class={wrong.has(`${i + 1} ${name}`) ? 'no-number' : undefined}>
                    <bdi>{row[at]}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      {table.rows.length > ROWS_SHOWN && (
        <p>
          <Button class="small" aria-expanded={isLong} onClick={() => setIsLong(!isLong)}>
            {isLong ? 'Show fewer rows' : `Show the first ${table.rows.length} rows`}
          </Button>
        </p>
      )}
    </>
  )
}

function RoleSelect({ name, role, onRole }: Pick<ColumnsProps, 'onRole'> & { name: string; role: Role | undefined }) {
  return (
    <select
      aria-label={`${name} is`}
      value={role ?? ''}
      onChange={(event) => onRole(name, (event.currentTarget.value || null) as Role | null)}
    >
      <option value="">– left out</option>
      {GROUPS.map(([label, roles]) => (
        <optgroup key={label} label={label}>
          {roles.map((each) => (
            <option key={each} value={each}>
              {COLUMN_ROLES[each]}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  )
}

export function NoNumbers({ found, rows }: { found: NoNumber[]; rows: number }) {
  const columns = [...new Set(found.map(({ column }) => column))]
  if (columns.length === 0) return null
  return (
    <ul class="bulleted no-numbers">
      {columns.map((column) => {
        const cells = found.filter((one) => one.column === column)
        return (
          <li key={column}>
            <bdi>{column}</bdi>: {countOf(cells.length, 'cell')} of the first {rows} rows{' '}
            {cells.length === 1 ? 'is not a number' : 'are not numbers'}, such as “<bdi>{cells[0].text}</bdi>” in row{' '}
            {cells[0].row}. {cells.length === 1 ? 'It counts' : 'They count'} as lost.
          </li>
        )
      })}
    </ul>
  )
}
