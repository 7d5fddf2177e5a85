import { isMissing } from '../../../isomorphic/missing-text.ts'
import { ServiceError } from '../../model/errors.ts'
import type { Draft } from '../draft/draft.ts'
import { type KeptColumns, keepFact } from '../draft/kept-facts.ts'
import { columnIn } from '../text/foreign-table.ts'
import { repeatedText, type TableRows } from '../text/table-rows.ts'

/**
 * Opens the columns of a table that are to be kept.
 *
 * @returns a function that takes a participant's row; null if no column was requested
 * @throws ServiceError usage if the table lacks a column
 */
export function openKept(
  fileName: string,
  header: string[],
  draft: Draft,
  { tags, externalData, facts = [] }: KeptColumns,
): ((rows: TableRows, participant: number) => void) | null {
  const open = (kind: keyof KeptColumns) => (name: string) => {
    const at = columnIn(header, name)
    if (at < 0) throw noColumn(fileName, name, header)
    return { kind, name, text: repeatedText(at), last: '', person: -1 }
  }
  const kept = [...tags.map(open('tags')), ...externalData.map(open('externalData')), ...facts.map(open('facts'))]
  if (kept.length === 0) return null
  return (rows, participant) => {
    for (const one of kept) {
      const value = one.text(rows)
      if (value === one.last && participant === one.person) continue
      one.last = value
      one.person = participant
      if (!isMissing(value)) keepFact(draft, participant, one.kind, one.name, value)
    }
  }
}

function noColumn(fileName: string, name: string, header: string[]): ServiceError {
  const shown = header.filter((one) => one !== '').slice(0, 20)
  return new ServiceError(
    'usage',
    `${fileName} has no column ${name} to keep; it has ${shown.join(', ')}${header.length > 20 ? ', …' : ''}`,
  )
}
