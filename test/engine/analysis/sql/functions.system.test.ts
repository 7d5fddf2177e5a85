import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startQueryProcess } from '../../../../engine/analysis/sql/query-process.ts'
import { openDuckDb } from '../../../../engine/duckdb/duckdb.ts'
import { ServiceError } from '../../../../engine/model/errors.ts'

const MEMORY_MIB = 64
const LATE_MS = 2000
const AT_ONCE = 2

/** An argument of each type that makes a function work hardest. */
const WORST = new Map([
  ['VARCHAR', "repeat('ab,', 3000000)"],
  ['BLOB', "repeat('ab,', 3000000)::BLOB"],
  ['BIT', "repeat('1', 3000000)::BIT"],
  ['ANY', "repeat('ab,', 3000000)"],
  ['BIGINT', '2000000000'],
  ['INTEGER', '2000000000'],
  ['UBIGINT', '2000000000'],
  ['HUGEINT', '2000000000'],
  ['DOUBLE', '2e9'],
  ['BOOLEAN', 'true'],
  ['BIGINT[]', 'range(3000000)'],
  ['JSON', "concat('[', repeat('1,', 3000000), '1]')::JSON"],
  ['INTERVAL', 'INTERVAL 1 MICROSECOND'],
  ['TIMESTAMP', "TIMESTAMP '2024-01-01'"],
  ['DATE', "DATE '2024-01-01'"],
])

const worst = (type: string) =>
  WORST.get(type) ?? (type.endsWith('[]') ? "string_split(repeat('ab,', 300000), ',')" : 'NULL')

/** Calls of every function that a query may name, each with its most demanding arguments. */
async function allCalls(): Promise<string[]> {
  const duckDb = await openDuckDb({ directories: [], threads: 1, memoryMib: MEMORY_MIB })
  const found = await duckDb.connection.runAndReadAll(
    `SELECT function_name, arg_max(array_to_string(parameter_types, '|'), len(parameter_types)), any_value(varargs)
    FROM duckdb_functions()
    WHERE function_type IN ('scalar', 'macro') AND regexp_full_match(function_name, '[a-z][a-z_0-9]*')
    GROUP BY ALL ORDER BY ALL`,
  )
  duckDb.close()
  return found.getRows().map(([name, types, varargs]) => {
    const given = types ? String(types).split('|').map(worst) : []
    const more = varargs === null ? [] : [worst(String(varargs)), worst(String(varargs))]
    return `${name}(${[...given, ...more].join(', ')})`
  })
}

/** Tells how a call ends: answered, too late, or a sentence. */
async function endOf(call: string): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'gazette-call-'))
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new ServiceError('canceled', 'late')), LATE_MS)
  const limits = { memoryMib: MEMORY_MIB, threads: 1 }
  const running = startQueryProcess({ ...limits, signal: stop.signal })
  const tables = { known: [], scratch, folders: [scratch], files: [], spillMaxBytes: 2 ** 26 }
  try {
    await running.ask('check', { text: `SELECT ${call} AS v`, ...tables, ...limits })
    await running.ask('bind', { studies: [{ id: '', name: '', items: [], aois: [], tables: new Map() }] })
    await running.ask('run', null)
    return 'answered'
  } catch (error) {
    if (!(error instanceof ServiceError)) return `bug: ${error}`
    return error.code === 'usage' || error.message === 'late' ? error.message : `${error.code}: ${error.message}`
  } finally {
    clearTimeout(timer)
    await running.end()
    await rm(scratch, { recursive: true, force: true })
  }
}

test('every function with its worst arguments is answered, refused in a sentence, or ended at its time', async () => {
  const calls = await allCalls()
  expect(calls.length).toBeGreaterThan(400)
  const ends = new Map<string, string>()
  const next = calls[Symbol.iterator]()
  const work = async () => {
    for (const call of next) ends.set(call, await endOf(call))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const isOdd = (end: string) =>
    /^(bug|corrupt|disk_full|overloaded): /.test(end) || end.length > 600 || end.includes('\n')
  expect([...ends].filter(([, end]) => isOdd(end))).toEqual([])
  if (process.env.SHOW_FUNCTIONS)
    for (const [call, end] of ends) console.log(`${call.slice(0, 100)}\t${end.slice(0, 120)}`)
}, 1_800_000)
