/** Rows of cells of a CSV that we wrote ourselves (SPEC section 7): comma, LF, quotes where needed. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length; ) {
    let cell: string
    if (text[at] === '"') {
      let end = at + 1
      while (text[end] !== '"' || text[end + 1] === '"') end += text[end] === '"' ? 2 : 1
      cell = text.slice(at + 1, end).replaceAll('""', '"')
      at = end + 1
    } else {
      let end = at
      while (text[end] !== ',' && text[end] !== '\n') end++
      cell = text.slice(at, end)
      at = end
    }
    row.push(cell)
    if (text[at++] === '\n') {
      rows.push(row)
      row = []
    }
  }
  return rows
}
