import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pick, type Random, wholeBetween } from '../../demo/random.ts'
import { readCsv } from '../../engine/import/bundle/read-csv.ts'
import { noProblems } from '../../engine/model/bundle-problems.ts'
import { makeDraft } from '../../engine/recordings/draft/draft.ts'
import { findSourceFiles } from '../../engine/recordings/text/source-files.ts'
import { cellText, openRows } from '../../engine/recordings/text/table-rows.ts'
import { claim, type Fuzzer, NASTY, refusalOf } from './fuzzer.ts'

/**
 * Lines of every kind: what both readers of tables take from them is what a reader of a dozen lines takes, or they
 * refuse it.
 */
export const LINES: Fuzzer = {
  name: 'lines',
  open: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gazette-fuzz-'))
    const path = join(directory, 'a.csv')
    const round = async (random: Random) => {
      const text = linesOf(random)
      await writeFile(path, text)
      const expected = recordsOf(text.replace(/^\ufeff/, ''))
      const problems = noProblems()
      const rows: string[][] = []
      for await (const batch of readCsv(path, 'a.csv', problems)) rows.push(...batch.map(({ cells }) => cells))
      // What breaks RFC 4180 has no one meaning; a recording's reader takes what it can of it.
      const isRight = problems.count === 0
      if (isRight) same('a bundle', rows, expected)
      await refusalOf(async () => {
        const [file] = await findSourceFiles([path])
        const found = await foreignRows(file)
        if (isRight) same('a recording', found, expected)
      })
    }
    return { round, close: () => rm(directory, { recursive: true, force: true }) }
  },
}

async function foreignRows(file: Awaited<ReturnType<typeof findSourceFiles>>[number]): Promise<string[][]> {
  const rows = openRows(file, ',', makeDraft('x'))
  const found: string[][] = []
  while (await rows.more())
    while (rows.next()) found.push(Array.from({ length: rows.cells }, (_, i) => cellText(rows, i, 2 ** 26)))
  return found
}

function same(whose: string, rows: string[][], expected: string[][]): void {
  const [got, wanted] = [rows, expected].map((all) =>
    JSON.stringify(all.map((cells) => cells.map((cell) => cell.trim()))),
  )
  claim(got === wanted, `${whose} read ${got.slice(0, 500)} in place of ${wanted.slice(0, 500)}`)
}

/** Cells without line breaks or control characters among them, quoted or not, well or badly. */
function linesOf(random: Random): string {
  const cells = NASTY.filter((text) => text.length < 100 && !/[\0\r\ud800]/.test(text))
  const cell = () => {
    const text = pick(random, cells)
    const kind = wholeBetween(random, 0, 20)
    if (kind === 0) return `"${text}`
    if (kind === 1) return text
    return kind < 12 || /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const line = () => Array.from({ length: wholeBetween(random, 2, 5) }, cell).join(',')
  const end = pick(random, ['\n', '\r\n'])
  return Array.from({ length: wholeBetween(random, 1, 12) }, () => line() + end).join('')
}

/** Reads CSV as RFC 4180 says, character by character. */
function recordsOf(text: string): string[][] {
  const records: string[][] = []
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]
    if (isQuoted && letter === '"' && text[i + 1] === '"') cell += text[++i]
    else if (letter === '"') isQuoted = !isQuoted
    else if (!isQuoted && letter === ',') {
      cells.push(cell)
      cell = ''
    } else if (!isQuoted && letter === '\n') {
      const record = [...cells, cell.replace(/\r$/, '')]
      // An empty line is no record.
      if (record.length > 1 || record[0] !== '') records.push(record)
      cells = []
      cell = ''
    } else cell += letter
  }
  return records
}
