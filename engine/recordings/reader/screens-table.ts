import { ServiceError } from '../../model/errors.ts'
import { splitRows } from '../../text/split-rows.ts'
import { columnIn } from '../text/foreign-table.ts'
import { numberIn } from '../text/parse-number.ts'
import type { Screen } from './reader.ts'

/**
 * Parses a table of screens or windows, one row per participant: CSV with the columns participant, width and height, in
 * px.
 *
 * @throws ServiceError usage, with the number of the wrong line
 */
export function parseScreens(text: string, name: string): Map<string, Screen> {
  const [header = [], ...rows] = splitRows(text.replace(/^\uFEFF/, ''), /^[^\n]*;/.test(text) ? ';' : ',')
  const plain = header.map((one) => one.trim().replace(/[_ [(]*px[\])]?$/i, ''))
  const columns = ['participant', 'width', 'height'].map((one) => columnIn(plain, one))
  if (columns.some((column) => column < 0))
    throw new ServiceError('usage', `${name} must be CSV with the columns participant, width and height, got ${header}`)
  const screens = new Map<string, Screen>()
  for (const [i, cells] of rows.entries()) {
    const [participant, width, height] = columns.map((column) => (cells[column] ?? '').trim())
    const [widthPx, heightPx] = [numberIn(width), numberIn(height)]
    if (!(widthPx >= 1 && heightPx >= 1))
      throw new ServiceError('usage', `${name}, row ${i + 2}: width and height must be px, got ${width} and ${height}`)
    if (screens.has(participant)) throw new ServiceError('usage', `${name}, row ${i + 2}: ${participant} appears twice`)
    screens.set(participant, { widthPx, heightPx })
  }
  return screens
}
