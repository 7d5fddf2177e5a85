import { READING_MEASURES, withUnit } from '../../../isomorphic/measures.ts'
import type { ReadingData } from '../../core/api.ts'
import { decimal, exactValue, wholeText } from '../../core/number-texts.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { averagesOf, placeOf, wordNumbers } from './words.ts'

const HEADS = ['Word', ...READING_MEASURES.map(withUnit)]

/** Draws the means of each word as a table, folded. */
export function WordsTable({ data }: { data: ReadingData }) {
  const columns = READING_MEASURES.map(({ column }) => averagesOf(data, column))
  return (
    <details class="card panel words">
      <summary>{`Words: ${wholeText(data.words.length)}`}</summary>
      <DataTable label="Words" numbers={() => wordNumbers(data)}>
        <table>
          <ColumnNames of={HEADS} />
          <tbody>
            {data.words.map((word, w) => (
              <tr key={word.aoiId}>
                <th scope="row">
                  {placeOf(word)} <bdi>{word.text}</bdi>
                </th>
                {columns.map(({ column, means, n }) => (
                  <td key={column} class="number" data-value={exactValue(means[w])} title={`n = ${wholeText(n[w])}`}>
                    {decimal(means[w])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </DataTable>
    </details>
  )
}
