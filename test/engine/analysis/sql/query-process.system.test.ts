import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Opening } from '../../../../engine/analysis/sql/query-child.ts'
import { startQueryProcess } from '../../../../engine/analysis/sql/query-process.ts'
import { ServiceError } from '../../../../engine/model/errors.ts'
import { keptDirectory } from '../../kept.ts'

const scratch = await keptDirectory()

const MEMORY_MIB = 64

const openingOf = (text: string): Opening => ({
  text,
  known: [],
  scratch,
  folders: [scratch],
  files: [],
  threads: 1,
  memoryMib: MEMORY_MIB,
  spillMaxBytes: 2 ** 28,
})

const NO_TABLES = { studies: [{ id: '', name: '', items: [], aois: [], tables: new Map() }] }

/** Runs a query that reads no tables; `bound` is called once its names are bound. */
async function ran(text: string, { stop = new AbortController(), bound = () => {} } = {}) {
  const running = startQueryProcess({ memoryMib: MEMORY_MIB, threads: 1, signal: stop.signal })
  try {
    await running.ask('check', openingOf(text))
    bound()
    await running.ask('bind', NO_TABLES)
    return await running.ask('run', null)
  } finally {
    await running.end()
    await rm(join(scratch, 'result.duckdb'), { force: true })
  }
}

const TOO_MUCH = 'the query needs more memory than ENGINE_MEMORY_MIB allows, 64 MiB: ask for less, or raise the setting'

describe('one call of a function that makes much of little is refused', () => {
  test.for([
    'repeat(chr(120), 2000000000)',
    "repeat('x', 2000000000 + range::INTEGER)",
    'length(repeat(range::VARCHAR, 400000000))',
    'len(range(2000000000))',
    'len(generate_series(1, 2000000000))',
    'list_resize([1], 2000000000, 7)',
    "string_split(repeat('x,', 200000000), ',')",
    "printf('%2000000000d', 1)",
    "format('{:2000000000}', 1)",
  ])('%s', async (call) => {
    await expect(ran(`SELECT ${call} FROM range(1)`)).rejects.toThrow(TOO_MUCH)
  })
})

test('one call of a function that heeds no interrupt is ended at its time', async () => {
  const stop = new AbortController()
  const late = new ServiceError('canceled', 'it took too long')
  const call = "SELECT levenshtein(repeat('x', 1000000), repeat('y', 1000000))"
  await expect(ran(call, { stop, bound: () => stop.abort(late) })).rejects.toBe(late)
})

test('a query that sorts more than its memory spills', async () => {
  const { rowCount } = await ran('SELECT md5(a::VARCHAR) AS h FROM range(1_500_000) t(a) ORDER BY h')
  expect(rowCount).toBe(1_500_000)
})

test('one that spills more than it may is told by which setting, not that the disk is full', async () => {
  const sorting = ran('SELECT md5(a::VARCHAR) AS h FROM range(20_000_000) t(a) ORDER BY h')
  await expect(sorting).rejects.toThrow('the query spills more to disk than IMPORT_MAX_GIB allows')
})

test('a sentence that quotes a long value is cut', async () => {
  const refused = ran("SELECT list_sort([1], repeat('x', 1000000))").catch((error) => error.message)
  expect(await refused).toMatch(/^Enum value: unrecognized value "X{400,}…$/)
})

const CHILD = fileURLToPath(new URL('../../../../dist/engine/analysis/sql/query-child.js', import.meta.url))

/** Starts the process without a limit of the system. */
function startUnlimited(maxMib: number) {
  const child = spawn(process.execPath, [CHILD, String(maxMib)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)))
  const ask = (step: string, given: unknown) =>
    new Promise<unknown>((resolve) => {
      child.once('message', resolve)
      child.send({ step, given })
    })
  return { child, ended, ask }
}

test('where the system limits nothing, the process ends itself once it takes too much', async () => {
  const { ended, ask } = startUnlimited(400)
  await ask('check', openingOf("SELECT lpad('x', 1000000000, 'y') FROM range(1)"))
  void ask('bind', NO_TABLES)
  expect(await ended).toBe('SIGABRT')
})

test('the process ends when its parent is gone, in the middle of a call', async () => {
  const { child, ended, ask } = startUnlimited(2 ** 20)
  await ask('check', openingOf("SELECT levenshtein(repeat('x', 1000000), repeat('y', 1000000)) FROM range(1)"))
  void ask('bind', NO_TABLES)
  child.disconnect()
  expect(await ended).toBe('SIGKILL')
})

test.skipIf(process.platform !== 'linux')('the system limits the memory of the process', async () => {
  const running = startQueryProcess({ memoryMib: MEMORY_MIB, threads: 1, signal: new AbortController().signal })
  await running.ask('check', openingOf('SELECT 1'))
  const limits = await readFile(`/proc/${running.pid}/limits`, 'utf8')
  expect(limits).toMatch(new RegExp(`^Max data size +${(MEMORY_MIB + 384 + 16) * 2 ** 20} `, 'm'))
  await running.end()
})
