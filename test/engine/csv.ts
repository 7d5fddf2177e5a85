import { type ParserOptionsArgs, parseString } from 'fast-csv'

/** Returns the rows of CSV by their header, as another reader finds them. */
export async function csvRows(csv: Buffer | string): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = []
  for await (const row of parseString(csv.toString(), { headers: true })) rows.push(row)
  return rows
}

/** Returns the rows of CSV as lists of cells, with the header. */
export async function csvCells(csv: Buffer | string, options: ParserOptionsArgs = {}): Promise<string[][]> {
  const rows: string[][] = []
  for await (const row of parseString(csv.toString(), options)) rows.push(row)
  return rows
}
