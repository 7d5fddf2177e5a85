import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { openDuckDb } from '../../duckdb/duckdb.ts'
import type { Rows } from '../../model/columns.ts'
import { ServiceError } from '../../model/errors.ts'
import type { FormatName } from '../../model/format-names.ts'
import { keepLimits } from '../../run/pool/limited-process.ts'
import { createViews, type StudyTables } from './create-views.ts'
import { encodeResult } from './encode-result.ts'
import { checkSqlQuery, type Query } from './read-query.ts'
import { type QueryResult, RESULT, RESULT_SCHEMA, type ResultShape, type RowLimits, readResult } from './read-result.ts'
import { refusalOfQuery } from './refusal.ts'

/**
 * Runs a user's query in a process of its own, step by step as its parent asks (`query-process.ts`). DuckDB heeds
 * neither its memory limit nor an interrupt within one call of a function, so the parent has the system limit the
 * memory of this process, and kills it at its time.
 */

export type Opening = {
  text: string
  /** Names of all tables that a query may name. */
  known: string[]
  /** Folder for temporary files. */
  scratch: string
  /** Folders of the studies' tables. */
  folders: string[]
  /** The studies' tables. */
  files: string[]
  threads: number
  memoryMib: number
  spillMaxBytes: number
}

/** Steps in their order: what each is given and returns. */
export type Steps = {
  /** Opens DuckDB and parses the query. */
  check: (opening: Opening) => Promise<Query>
  /** Creates the tables that a query may name, and binds their names and columns. */
  bind: (given: { studies: StudyTables[] }) => Promise<void>
  /** Computes the result. */
  run: (given: null) => Promise<ResultShape>
  /** Returns the first rows. */
  firstRows: (limits: RowLimits) => Promise<Rows[]>
  /** Writes the result to standard output, and returns the number of bytes. */
  write: (given: { format: FormatName; formulaGuard: boolean }) => Promise<number>
}

export type QueryStep = keyof Steps
type AskedStep<S extends QueryStep = QueryStep> = { step: S; given: Parameters<Steps[S]>[0] }
/** Answer to a step. A `bug` is the stack of an error that is not a ServiceError. */
export type StepAnswer =
  | { answer: unknown }
  | { failed: { code: ServiceError['code']; message: string; detail: string } }
  | { bug: string }

let about = { memoryMib: 0, folders: [] as string[] }
let opened: { connection: DuckDBConnection; query: Query } | null = null
let result: QueryResult | null = null

const steps: Steps = {
  check: async ({ text, known, scratch, folders, files, threads, memoryMib, spillMaxBytes }) => {
    about = { memoryMib, folders: [scratch, ...folders] }
    const { connection } = await openDuckDb({
      directories: [scratch],
      files,
      threads,
      memoryMib,
      tablesFile: join(scratch, 'result.duckdb'),
      temporaryDirectory: scratch,
      temporaryMaxBytes: spillMaxBytes,
    })
    opened = { connection, query: await checkSqlQuery(connection, text, known) }
    return opened.query
  },
  bind: async ({ studies }) => {
    const { connection, query } = opened!
    await createViews(connection, studies)
    ;(await connection.prepare(query.text)).destroySync()
  },
  run: async () => {
    const { connection, query } = opened!
    await connection.run(`CREATE SCHEMA ${RESULT_SCHEMA}`)
    const source = query.isDescription ? `FROM (${query.text.replace(/[\s;]+$/, '')}\n)` : query.text
    await connection.run(`CREATE TABLE ${RESULT} AS ${source}`)
    result = await readResult(connection)
    return { columns: result.columns, rowCount: result.rowCount }
  },
  firstRows: async (limits) => {
    const all: Rows[] = []
    for await (const rows of result!.rows(limits)) all.push(rows)
    return all
  },
  write: async ({ format, formulaGuard }) => {
    let written = 0
    for await (const bytes of encodeResult(result!, format, formulaGuard)) {
      written += bytes.length
      await new Promise<void>((resolve, reject) =>
        process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())),
      )
    }
    return written
  },
}

const STACK_MAX = 4000

/** Returns the stack of an error, whose message may quote values of any length. */
function stackOf(error: unknown): string {
  return String((error as Error)?.stack ?? error).slice(0, STACK_MAX)
}

async function answerTo({ step, given }: AskedStep): Promise<StepAnswer> {
  try {
    return { answer: await steps[step](given as never) }
  } catch (error) {
    const refused = refusalOfQuery(error, about)
    if (!(refused instanceof ServiceError)) return { bug: stackOf(error) }
    const { code, message } = refused
    return { failed: { code, message, detail: stackOf(error) } }
  }
}

keepLimits()
process.on('message', (asked: AskedStep) => void answerTo(asked).then((answered) => answer(asked, answered)))

/** Answers, and after the last step ends the process, and so its output. */
function answer({ step }: AskedStep, answered: StepAnswer): void {
  process.send!(answered, () => {
    if (step === 'write') process.exit()
  })
}
