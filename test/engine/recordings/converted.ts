import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { readParquet } from '../../../engine/duckdb/duckdb.ts'
import { importBundle } from '../../../engine/import/import-bundle.ts'
import { EYE_NAMES } from '../../../engine/model/eye-columns.ts'
import { type Conversion, convertFiles } from '../../../engine/recordings/convert/convert-recordings.ts'
import { parseMapping } from '../../../engine/recordings/reader/mapping.ts'
import type { ReadOptions } from '../../../engine/recordings/reader/reader.ts'
import { splitRows } from '../../../engine/recordings/text/split-rows.ts'
import type { Look, Shape } from './shapes.ts'
import { tableText } from './shapes.ts'

export type Row = Record<string, string>
type SampleRow = {
  tMs: number
  x: number | null
  y: number | null
  scroll: number | null
  mouse: (number | null)[]
  click: boolean
}
type Converted = {
  conversion: Conversion
  directory: string
  study: {
    id: string
    name: string
    items: { id: string; filename: string; widthPx: number | null; heightPx: number | null }[]
    aois: { name: string; parts: unknown[] }[]
  }
  participants: Row[]
  tests: Row[]
  /** By test id. */
  samples: Map<string, SampleRow[]>
  /** Whom, what and the gaze, in the order of tests.csv. */
  looks: Look[]
}

/** Folders of this test file; `cleanUp` deletes them. */
const made: string[] = []
export function scratch(): string {
  made.push(mkdtempSync(join(tmpdir(), 'gazette-readers-')))
  return made.at(-1)!
}
export function cleanUp(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true })
}

export function writeFiles(files: Record<string, string | Buffer>): string {
  const directory = scratch()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  return directory
}

/** A shape's files as texts; `change` may rewrite its tables first, and `encode` what is written. */
export function shapeFiles(
  { files, separator }: Shape,
  {
    change = (rows) => rows,
    to = separator ?? ',',
    lineEnd = '\n',
    encode = (text) => Buffer.from(text),
  }: {
    change?: (rows: string[][]) => string[][]
    to?: string
    lineEnd?: string
    encode?: (text: string) => Buffer
  } = {},
): Record<string, Buffer> {
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => {
      if (Buffer.isBuffer(content)) return [name, content]
      if (typeof content === 'string') return [name, encode(content.replaceAll('\n', lineEnd))]
      return [name, encode(tableText(change(content), to, lineEnd))]
    }),
  )
}

/** Converts, checks that the bundle can be imported, and reads it again. */
export async function convertAndRead(
  paths: string[],
  {
    format,
    studyId,
    mapping: given,
    isImported = true,
    ...more
  }: Partial<Omit<ReadOptions, 'mapping'>> & {
    mapping?: unknown
    format?: string
    studyId?: string
    /** True to check the bundle by importing it, too. */
    isImported?: boolean
  } = {},
): Promise<Converted> {
  const directory = join(scratch(), 'bundle')
  const mapping = given === undefined ? null : parseMapping(JSON.stringify(given), 'mapping.json')
  const options = { ...more, mapping }
  const conversion = await convertFiles({ paths, directory, memoryMib: 128, format, studyId, options })
  const limits = { threads: 1, memoryMib: 128 }
  if (isImported)
    await importBundle({ dataDir: scratch(), directory, append: false, dryRun: true, now: new Date(0), ...limits })
  const study = JSON.parse(readFileSync(join(directory, 'study.json'), 'utf8'))
  const participants = readTable(join(directory, 'participants.csv'))
  const tests = readTable(join(directory, 'tests.csv'))
  const samples = await readSamples(directory)
  const nameOf = new Map(participants.map((row) => [row.participant_id, row.external_id]))
  const filename = new Map(study.items.map((item: { id: string; filename: string }) => [item.id, item.filename]))
  const looks = tests.map(
    ({ test_id, participant_id, item_id }): Look => ({
      participant: nameOf.get(participant_id)!,
      item: filename.get(item_id) as string,
      samples: (samples.get(test_id) ?? []).map(({ tMs, x, y }) => [tMs, rounded(x), rounded(y)]),
    }),
  )
  return { conversion, directory, study, participants, tests, samples, looks }
}

/** Eyes and events of a conversion. */
type ReadEyes = {
  /** x and y of the recorded gaze. */
  gaze: (number | null)[][]
  /** Columns of eyes in samples.parquet, and their values in the order of the file. */
  eyes: Record<string, (number | null)[]>
  events: string[]
  pupilUnit: string | undefined
  /** Report: what was left out and assumed, and what to check. */
  said: string
}

export async function readEyes(
  from: string,
  options: Partial<Omit<ReadOptions, 'mapping'>> & { mapping?: unknown } = {},
): Promise<ReadEyes> {
  const { directory, study } = await convertAndRead([from], options)
  const path = join(directory, 'samples.parquet')
  const found = await (await connected()).runAndReadAll(`SELECT * FROM ${readParquet()}`, { path })
  const columns = found.getColumnsObject()
  const given = EYE_NAMES.filter((name) => name in columns)
  const eyes = Object.fromEntries(given.map((name) => [name, columns[name] as (number | null)[]]))
  const file = join(directory, 'events.csv')
  const events = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(1) : []
  const { pupilUnit } = (study as { recording?: { pupilUnit?: string } }).recording ?? {}
  const said = readFileSync(join(directory, 'conversion.json'), 'utf8')
  const gaze = (columns.gaze_x_px as (number | null)[]).map((x, i) => [x, columns.gaze_y_px[i] as number | null])
  return { gaze, eyes, events: events.map((line) => line.replace(/^[^,]*,/, '')), pupilUnit, said }
}

const rounded = (value: number | null) => (value === null ? null : Math.round(value * 1e6) / 1e6)

function readTable(path: string): Row[] {
  const [header, ...rows] = splitRows(readFileSync(path, 'utf8'), ',')
  return rows.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i]])))
}

async function readSamples(directory: string): Promise<Map<string, SampleRow[]>> {
  const reader = await (await connected()).runAndReadAll(
    'SELECT test_id, t_ms, gaze_x_px, gaze_y_px, scroll_y_px, mouse_x_px, mouse_y_px, is_click FROM read_parquet($1)',
    [join(directory, 'samples.parquet')],
  )
  const samples = new Map<string, SampleRow[]>()
  for (const [id, tMs, x, y, scroll, mouseX, mouseY, click] of reader.getRows()) {
    const row = { tMs, x, y, scroll, mouse: [mouseX, mouseY], click: click === true } as SampleRow
    const rows = samples.get(String(id))
    if (rows) rows.push(row)
    else samples.set(String(id), [row])
  }
  return samples
}

let connection: Promise<DuckDBConnection> | null = null

/** One DuckDB reads for all tests of the process: opening one takes longer than reading. */
function connected(): Promise<DuckDBConnection> {
  connection ??= DuckDBInstance.create(':memory:', { threads: '1' }).then((instance) => instance.connect())
  return connection
}
