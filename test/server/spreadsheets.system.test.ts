import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { LOOKERS, twoSides } from '../dashboard/two-sides.ts'
import { writeBundle } from '../engine/import/bundles.ts'
import { mp4 } from '../engine/model/video/video-bytes.ts'
import { canRun, PYTHON } from '../programs.ts'
import { openTestServer, type TestServer } from './test-server.ts'

/**
 * Workbooks of a study whose item is a video, whose AOIs have tags, and whose gaze an analysis moves, as LibreOffice, R
 * and pandas open them: each cell is that of the CSV, of its type.
 */
const run = promisify(execFile)
const hasOffice = canRun('soffice', '--version')
const hasR = canRun('Rscript', '-e', 'library(readxl)')
const hasPandas = canRun(PYTHON, '-c', 'import pandas, openpyxl')

let service: TestServer
let dir: string
let study: string

beforeAll(async () => {
  service = await openTestServer()
  dir = await mkdtemp(join(tmpdir(), 'gazette-spreadsheets-'))
  const bundle = twoSides(LOOKERS)
  bundle.study.items[0] = { ...bundle.study.items[0], filename: 'clip.mp4' }
  bundle.study.aois = bundle.study.aois.map((aoi: object, i: number) => ({
    ...aoi,
    tags: i === 0 ? ['=logo', 'left'] : ['right'],
  }))
  // Other programs see an unknown name as missing, where the CSV has a word for it.
  bundle.participants = bundle.participants.map((row, i) => ({
    ...row,
    display_name: `Ann, "${i}"`,
    display_gender: 'female',
  }))
  const directory = await writeBundle(join(dir, 'bundle'), bundle)
  await mkdir(join(directory, 'images'))
  const clip = mp4({ width: 1000, height: 500, duration: 1000, frames: 25 })
  await writeFile(join(directory, 'images', 'clip.mp4'), clip)
  const options = { append: false, dryRun: false, now: new Date(), threads: 1, memoryMib: 128 }
  const { studyId } = await importBundle({ dataDir: service.dataDir, directory, ...options })
  study = `/api2/studies/${studyId}`
  const { participants } = (await (await service.get(`${study}/participants`)).json()) as {
    participants: { id: string }[]
  }
  // From the right half to the left, and out of the item.
  const offsets = [
    { participantId: participants[0].id, dxPx: -500.25, dyPx: 0, source: 'hand' },
    { participantId: participants[1].id, dxPx: 0, dyPx: 400, source: 'hand' },
  ]
  const headers = { 'x-auth-token': service.write, 'content-type': 'application/json', 'if-none-match': '*' }
  const put = await fetch(`${service.url}${study}/analyses/moved`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ offsets }),
  })
  expect([put.status, await put.text()]).toEqual([201, expect.anything()])
}, 60_000)
afterAll(async () => {
  await service?.close()
  await rm(dir, { recursive: true, force: true })
})

const PATHS = {
  'aoi-tags-stats': 'eye-tracking/aois-all/tags-stats',
  'participants-wide': 'eye-tracking/participants-wide',
  'fixations-aois': 'eye-tracking/fixations-aois',
  'aoi-fixations-stats': 'eye-tracking/aois-all/fixations-stats',
}
type Name = keyof typeof PATHS
const NAMES = Object.keys(PATHS) as Name[]

async function taken(name: Name, format: string): Promise<Buffer> {
  const answer = await service.get(`${study}/collected-data/${PATHS[name]}?analysis=moved&format=${format}`)
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect([answer.status, answer.status === 200 ? '' : bytes.toString()]).toEqual([200, ''])
  return bytes
}

/** Cells of a CSV as other programs have them: numbers by value, flags in their words, '' for what is missing. */
function cellsOf(csv: string): string[][] {
  const rows: string[][] = [['']]
  let isQuoted = false
  const text = csv.replace(/^\uFEFF/, '').trimEnd()
  for (let i = 0; i < text.length; i++) {
    const row = rows.at(-1)!
    const letter = text[i]
    if (letter === '"' && isQuoted && text[i + 1] === '"') row[row.length - 1] += text[++i]
    else if (letter === '"') isQuoted = !isQuoted
    else if (letter === ',' && !isQuoted) row.push('')
    else if (letter === '\n' && !isQuoted) rows.push([''])
    else if (letter !== '\r' || isQuoted) row[row.length - 1] += letter
  }
  return rows.map((row) => row.map(plain))
}

/** Every program writes numbers and flags in another way. */
function plain(cell: string): string {
  if (/^(true|false)$/i.test(cell)) return cell.toLowerCase()
  return cell !== '' && /^-?\d+(\.\d+)?(e-?\d+)?$/i.test(cell) ? String(Number(Number(cell).toPrecision(12))) : cell
}

/** Returns the cells that differ, each with its row and column. */
function differing(expected: string[][], found: string[][]): unknown[] {
  expect(found.length).toBe(expected.length)
  return expected.flatMap((row, r) =>
    row.flatMap((cell, c) => (cell === found[r][c] ? [] : [[r, expected[0][c], cell, found[r][c]]])),
  )
}

async function workbook(name: Name): Promise<string> {
  const path = join(dir, `${name}.xlsx`)
  await writeFile(path, await taken(name, 'xlsx'))
  return path
}

/** A workbook needs no guard against formulas, which the CSV has before a text that looks like one. */
const expected = async (name: Name) =>
  cellsOf((await taken(name, 'csv')).toString()).map((row) => row.map((cell) => cell.replace(/^'(?==)/, '')))

describe('the tables', () => {
  test('have the offsets, the tags and the video', async () => {
    const moved = await expected('fixations-aois')
    expect(moved.some((row) => row.includes('clip.mp4'))).toBe(true)
    const recorded = (await (await service.get(`${study}/collected-data/${PATHS['fixations-aois']}`)).text()).trim()
    expect(cellsOf(recorded)).not.toEqual(moved)
    const tags = (await expected('aoi-tags-stats')).map((row) =>
      row.filter((cell) => /^(=logo|left|right)$/.test(cell)),
    )
    expect(new Set(tags.flat())).toEqual(new Set(['=logo', 'left', 'right']))
  })
})

describe.each(NAMES)('the workbook of %s', (name) => {
  test.skipIf(!hasOffice)(
    'is that of the CSV in LibreOffice',
    async () => {
      const path = await workbook(name)
      // The first sheet as UTF-8 with commas, cells as they are stored and not as they are shown.
      const to = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false'
      const home = `-env:UserInstallation=file://${join(dir, 'office')}`
      await run('soffice', [home, '--headless', '--convert-to', to, '--outdir', dir, path])
      expect(differing(await expected(name), cellsOf(await readFile(join(dir, `${name}.csv`), 'utf8')))).toEqual([])
    },
    120_000,
  )

  test.skipIf(!hasR)(
    'is that of the CSV in R',
    async () => {
      const out = join(dir, `${name}-r.csv`)
      const script = `
      x <- readxl::read_excel(commandArgs(TRUE)[1], sheet = 1, guess_max = 10000)
      write.csv(x, commandArgs(TRUE)[2], row.names = FALSE, na = '', quote = TRUE, fileEncoding = 'UTF-8')`
      await run('Rscript', ['-e', script, await workbook(name), out])
      expect(differing(await expected(name), cellsOf(await readFile(out, 'utf8')))).toEqual([])
    },
    120_000,
  )

  test.skipIf(!hasPandas)(
    'is that of the CSV in pandas',
    async () => {
      const out = join(dir, `${name}-pandas.csv`)
      const script = `
import sys, pandas
pandas.read_excel(sys.argv[1], keep_default_na=False, na_values=['']).to_csv(sys.argv[2], index=False)`
      await run(PYTHON, ['-c', script, await workbook(name), out])
      expect(differing(await expected(name), cellsOf(await readFile(out, 'utf8')))).toEqual([])
    },
    120_000,
  )
})
