/**
 * Splits the beginning of a foreign table into rows of cells; empty lines are skipped. It may end inside a row, and
 * have quotes anywhere: fast-csv, which reads the tables of bundles and of users, would refuse both.
 */
export function splitRows(text: string, separator: string): string[][] {
  const rows: string[][] = []
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  let wasQuoted = false
  const endRow = () => {
    cells.push(wasQuoted ? cell : cell.replace(/\r$/, ''))
    if (cells.length > 1 || cells[0] !== '') rows.push(cells)
    cells = []
    cell = ''
    wasQuoted = false
  }
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (text[i + 1] === '"') cell += text[i++]
      else isQuoted = false
    } else if (letter === '"' && cell === '') {
      isQuoted = true
      wasQuoted = true
    } else if (letter === separator) {
      cells.push(cell)
      cell = ''
      wasQuoted = false
    } else if (letter === '\n') endRow()
    else if (!wasQuoted) cell += letter
  }
  if (cell !== '' || cells.length > 0) endRow()
  return rows
}
