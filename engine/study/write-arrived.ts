import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { readParquet } from '../duckdb/duckdb.ts'
import { CHUNK_ROWS, type GivenType, runOnGivenRows } from '../duckdb/table-function.ts'
import { ServiceError } from '../model/errors.ts'
import { EYE_COLUMN_NAMES, EYE_COLUMNS, type EyeColumn } from '../model/eye-columns.ts'
import type { SampleFile } from '../model/study.ts'
import type { ArrivedTest } from './arrival.ts'
import { SAMPLE_FORMAT, SHORT_US_MAX } from './samples/write-samples.ts'

const lost = (name: string) => `nullif(${name}, 'NaN'::DOUBLE) AS ${name}`
const PX = ['gaze_x_px', 'gaze_y_px', 'scroll_y_px', 'mouse_x_px', 'mouse_y_px'] as const

/** A test and its number in the sample files. */
export type PlacedTest = { test: ArrivedTest; ordinal: number }

let written = 0

/**
 * Writes the samples of tests that arrived together as a sample file, which is to be synced and hashed.
 *
 * @param tests in the order of output, each with its ordinal; those without samples are left out
 * @returns the file, named within `directory`
 * @throws ServiceError corrupt when the file does not hold what it was given
 */
export async function writeArrived(
  connection: DuckDBConnection,
  directory: string,
  name: string,
  tests: PlacedTest[],
): Promise<Omit<SampleFile, 'sha256'>> {
  const path = join(directory, name)
  const all = tests.map(({ test }) => test)
  const eyes = EYE_COLUMN_NAMES.filter((column) => all.some(({ samples }) => hasValue(samples.eyes?.[column])))
  const columns = makeColumns(eyes)
  // A name that is taken stays with what took it.
  const source = `arrived_samples_${++written}`
  const given = {
    name: source,
    columns: [...Object.values(columns.fixed), ...columns.eyes.values()],
    fill: fillFrom(tests, columns),
  }
  const longestUs = Math.max(...tests.map(({ test }) => farthest(test.samples.tUs)))
  const time = longestUs <= SHORT_US_MAX ? 'INTEGER' : 'BIGINT'
  const ofEyes = eyes.map((column) => `, ${lost(EYE_COLUMNS[column])}`).join('')
  const selected = `test_ordinal, t_us::${time} AS t_us, ${PX.map(lost).join(', ')}, is_click${ofEyes}`
  await runOnGivenRows(connection, given, `COPY (SELECT ${selected} FROM ${source}()) TO $path ${SAMPLE_FORMAT}`, {
    path,
  })
  const rowCount = all.reduce((sum, { samples }) => sum + samples.n, 0)
  const [[found]] = (await connection.runAndReadAll(`SELECT count(*) FROM ${readParquet()}`, { path })).getRows()
  if (Number(found) !== rowCount)
    throw new ServiceError('corrupt', `${found} samples were written where there must be ${rowCount}`)
  return {
    name,
    rowCount,
    sizeBytes: (await stat(path)).size,
    hasScroll: all.some(({ samples }) => samples.scrollYPx.some((px) => px !== 0)),
    hasMouse: all.some(({ samples }) => samples.mouseXPx.some((px) => !Number.isNaN(px))),
    clickCount: all.reduce((sum, { measured }) => sum + measured.clickCount, 0),
    ...(eyes.length > 0 ? { eyes } : {}),
  }
}

function hasValue(column: Float64Array | undefined): boolean {
  return column?.some((value) => !Number.isNaN(value)) === true
}

function farthest(tUs: Float64Array): number {
  let most = 0
  for (let i = 0; i < tUs.length; i++) most = Math.max(most, Math.abs(tUs[i]))
  return most
}

function makeColumns(eyes: EyeColumn[]) {
  const column = <T>(name: string, type: GivenType, values: T) => ({ name, type, values })
  const doubles = (name: string) => column(name, 'DOUBLE', new Float64Array(CHUNK_ROWS))
  const fixed = {
    ordinal: column('test_ordinal', 'INTEGER', new Int32Array(CHUNK_ROWS)),
    tUs: doubles('t_us'),
    gazeXPx: doubles('gaze_x_px'),
    gazeYPx: doubles('gaze_y_px'),
    scrollYPx: doubles('scroll_y_px'),
    mouseXPx: doubles('mouse_x_px'),
    mouseYPx: doubles('mouse_y_px'),
    isClick: column('is_click', 'BOOLEAN', new Uint8Array(CHUNK_ROWS)),
  }
  return { fixed, eyes: new Map(eyes.map((name) => [name, doubles(EYE_COLUMNS[name])])) }
}

/** Returns what fills the columns with the rows that come next, and says how many. */
function fillFrom(
  tests: { test: ArrivedTest; ordinal: number }[],
  { fixed: columns, eyes }: ReturnType<typeof makeColumns>,
): () => number {
  let next = 0
  let row = 0
  return () => {
    let n = 0
    while (n < CHUNK_ROWS && next < tests.length) {
      const { test, ordinal } = tests[next]
      const { samples } = test
      const count = Math.min(CHUNK_ROWS - n, samples.n - row)
      columns.ordinal.values.fill(ordinal, n, n + count)
      for (const name of ['tUs', 'gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx'] as const)
        columns[name].values.set(samples[name].subarray(row, row + count), n)
      columns.isClick.values.set(samples.isClick.subarray(row, row + count), n)
      for (const [name, { values }] of eyes) {
        const own = samples.eyes?.[name]
        if (own) values.set(own.subarray(row, row + count), n)
        else values.fill(Number.NaN, n, n + count)
      }
      n += count
      row += count
      if (row === samples.n) {
        next++
        row = 0
      }
    }
    return n
  }
}
