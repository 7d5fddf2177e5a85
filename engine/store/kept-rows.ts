import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import type { PlainRows } from './parse-samples.ts'
import type { PlainReading } from './read-plain.ts'
import { SAMPLE_COLUMNS } from './sample-columns.ts'

/** Rows of a test: `runs` are neighbours in the file, each three numbers: its piece, its first row there, how many. */
export type KeptTest = { rowCount: number; runs: number[]; rows: KeptRows }

/** Plain rows on their way into a snapshot, piece by piece. */
export type KeptRows = {
  add: (rows: PlainRows) => void
  /** Copies values of one of KEPT_COLUMNS; `from` counts rows of the piece, `at` and `n` values of the target. */
  copy: (piece: number, column: number, from: number, n: number, target: Column, at: number) => void
  close: () => void
}

type Column = Float64Array | Uint8Array

/** Those of samples.csv, in its order, but that the test is known, and times are µs. */
export const KEPT_COLUMNS = ['t_us', ...SAMPLE_COLUMNS.filter((name) => name !== 'test_id' && name !== 't_ms')]

/** Tests whose rows alternate are for DuckDB to sort. */
const RUNS_MIN = 1024
const ROWS_PER_RUN = 8

/**
 * Keeps all rows of a reading.
 *
 * @param ids of the tests that the snapshot will have, in its order; only those of `news` may have rows
 * @returns each test's rows by ordinal, tests without rows left out; null when anything is not plain, of no known test, or too scattered
 */
export async function keepRows(
  reading: PlainReading,
  kept: KeptRows,
  ids: string[],
  news: Set<string>,
  signal: AbortSignal,
): Promise<Map<number, KeptTest> | null> {
  const ordinals = new Map(ids.flatMap((id, ordinal) => (news.has(id) ? [[id, ordinal] as const] : [])))
  const tests = ids.map((): KeptTest => ({ rowCount: 0, runs: [], rows: kept }))
  let rowCount = 0
  let runCount = 0
  let piece = 0
  for await (const rows of reading.pieces()) {
    signal.throwIfAborted()
    const known = rows?.ids.map((id) => ordinals.get(id.toLowerCase()) ?? -1) ?? [-1]
    if (rows === null || known.includes(-1)) return null
    const { n, test } = rows
    for (let from = 0, to = 0; from < n; from = to) {
      to = from + 1
      while (to < n && test[to] === test[from]) to++
      const one = tests[known[test[from]]]
      one.runs.push(piece, from, to - from)
      one.rowCount += to - from
      runCount++
    }
    rowCount += n
    if (runCount > RUNS_MIN + rowCount / ROWS_PER_RUN) return null
    kept.add(rows)
    piece++
  }
  return new Map([...tests.entries()].filter(([, test]) => test.rowCount > 0))
}

function columnsOf({ tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick }: PlainRows): Column[] {
  return [tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick]
}

/**
 * Keeps rows in memory while there is room, and in a file after that.
 *
 * @param path of the file, which nobody will miss
 */
export function openKeptRows(path: string, memoryMib: number): KeptRows {
  /** In memory, or where each column begins in the file. */
  const pieces: (Column[] | number[])[] = []
  let kept = 0
  let descriptor: number | null = null
  let end = 0
  return {
    add: (rows) => {
      const columns = columnsOf(rows)
      const { memory } = rows
      kept += memory.byteLength
      if (kept <= memoryMib * 1024 * 1024) return void pieces.push(columns)
      descriptor ??= openSync(path, 'w+')
      const bytes = new Uint8Array(memory)
      for (let done = 0; done < bytes.length; )
        done += writeSync(descriptor, bytes, done, bytes.length - done, end + done)
      pieces.push(columns.map(({ byteOffset }) => end + byteOffset))
      end += bytes.length
    },
    copy: (piece, column, from, n, target, at) => {
      const source = pieces[piece][column]
      if (typeof source !== 'number') return target.set(source.subarray(from, from + n), at)
      const { BYTES_PER_ELEMENT: size } = target
      if (readSync(descriptor!, target, at * size, n * size, source + from * size) !== n * size)
        throw new Error('a scratch file is cut short')
    },
    close: () => {
      if (descriptor !== null) closeSync(descriptor)
      descriptor = null
      pieces.length = 0
    },
  }
}
