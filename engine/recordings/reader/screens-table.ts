import { parseCsv } from '../../import/bundle/read-csv.ts'
import { noProblems } from '../../model/bundle-problems.ts'
import { ServiceError } from '../../model/errors.ts'
import { columnIn } from '../text/foreign-table.ts'
import { numberIn } from '../text/parse-number.ts'
import type { Screen } from './reader.ts'

/**
 * Parses a table of screens or windows, one row per participant: CSV with the columns participant, width and height, in
 * px.
 *
 * @throws ServiceError usage, with the number of the wrong line
 */
export async function parseScreens(text: string, name: string): Promise<Map<string, Screen>> {
  const refuse = (line: number | null, rule: string) =>
    new ServiceError('usage', `${name}${line === null ? '' : `, line ${line}:`} ${rule}`)
  const problems = noProblems()
  const separator = /^[^\n]*;/.test(text) ? ';' : ','
  const [header, ...rows] = await parseCsv(Buffer.from(text), separator, name, problems)
  for (const { line, rule } of problems.listed) throw refuse(line, rule)
  const plain = (header?.cells ?? []).map((one) => one.trim().replace(/[_ [(]*px[\])]?$/i, ''))
  const columns = ['participant', 'width', 'height'].map((one) => columnIn(plain, one))
  if (columns.some((column) => column < 0))
    throw refuse(null, `must be CSV with the columns participant, width and height, got ${plain}`)
  const screens = new Map<string, Screen>()
  for (const { line, cells } of rows) {
    const [participant, width, height] = columns.map((column) => (cells[column] ?? '').trim())
    const [widthPx, heightPx] = [numberIn(width), numberIn(height)]
    if (!(widthPx >= 1 && heightPx >= 1)) throw refuse(line, `width and height must be px, got ${width} and ${height}`)
    if (screens.has(participant)) throw refuse(line, `${participant} appears twice`)
    screens.set(participant, { widthPx, heightPx })
  }
  return screens
}
