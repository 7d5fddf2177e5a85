import { SAMPLE_LIMITS } from '../../import/bundle/bundle-limits.ts'
import { ServiceError } from '../../model/errors.ts'
import { generic } from '../any-table/any-table.ts'
import { guessColumns } from '../any-table/guess-columns.ts'
import { type GuessedMapping, guessMapping } from '../any-table/guess-mapping.ts'
import { type ColumnLook, lookAtColumns } from '../any-table/look-at-columns.ts'
import type { Mapping } from '../reader/mapping.ts'
import { NO_OPTIONS, type ReadOptions } from '../reader/reader.ts'
import { derivedTable } from '../text/derived-tables.ts'
import { tableHead } from '../text/foreign-table.ts'
import { COMMA } from '../text/parse-number.ts'
import { findSourceFiles, type SourceFile } from '../text/source-files.ts'
import { READERS } from './readers.ts'

/** Some of a list of files, by name, and the total number. */
type SomeFiles = { files: string[]; fileCount: number }

/** Formats recognised before any file is read, for people who have to choose. */
export type FoundFiles = {
  /** Matching formats and their files; `firstCount` of these are read in this format unless another is chosen. */
  formats: (SomeFiles & { name: string; title: string; firstCount: number })[]
  /** Tables that were computed from recordings. */
  derived: (SomeFiles & { what: string })[]
  /** All other files. */
  others: SomeFiles
  /** Table for a mapping, if one is needed or given. */
  table: FoundTable | null
}

/** Beginning of a table. Long cells are truncated. */
type FoundTable = {
  file: string
  header: string[]
  rows: string[][]
  decimalComma: boolean
  /** null if not requested, or if none can be made; `fault` then has the reason. */
  mapping: GuessedMapping | null
  fault: string | null
} & ColumnLook

const FILES_SHOWN = 50
const COLUMNS_SHOWN = 1000
const ROWS_SHOWN = 300
const CELL_LETTERS = 120

/**
 * Detects the formats of files. If no format matches, or if the files are to be read by a mapping that does not exist
 * yet, a mapping is proposed for the first table of samples, which is then read completely.
 *
 * @param paths files, and folders to walk
 * @param format chosen format; null to detect it by content
 * @throws ServiceError not_found or usage, naming the path
 */
export async function lookAtFiles(
  paths: string[],
  options: Partial<ReadOptions>,
  format: string | null,
  limits = SAMPLE_LIMITS,
): Promise<FoundFiles> {
  const formats = new Map<string, { title: string; files: SourceFile[]; firstCount: number }>()
  const derived = new Map<string, SourceFile[]>()
  const others: SourceFile[] = []
  const asked = { ...NO_OPTIONS, ...options }
  for (const file of await findSourceFiles(paths, limits)) {
    const what = derivedTable(file)
    if (what !== null) {
      derived.set(what, [...(derived.get(what) ?? []), file])
      continue
    }
    const fitting = READERS.filter((reader) => reader.recognises(file, asked))
    for (const [i, { name, title }] of fitting.entries()) {
      const found = formats.get(name) ?? { title, files: [], firstCount: 0 }
      found.files.push(file)
      if (i === 0) found.firstCount++
      formats.set(name, found)
    }
    if (fitting.length === 0) others.push(file)
  }
  const isMapped = asked.mapping !== null
  const isWanted = isMapped || format === generic.name || formats.size === 0
  const known = [...formats.values()].flatMap(({ files }) => files)
  return {
    formats: [...formats].map(([name, { title, firstCount, files }]) => ({ name, title, firstCount, ...some(files) })),
    derived: [...derived].map(([what, files]) => ({ what, ...some(files) })),
    others: some(others),
    table: isWanted ? await findTable([...others, ...known], asked.mapping) : null,
  }
}

function some(files: SourceFile[]): SomeFiles {
  return { files: files.slice(0, FILES_SHOWN).map(({ name }) => name), fileCount: files.length }
}

/** Finds the table that looks most like samples, and guesses the meanings of its columns. */
async function findTable(files: SourceFile[], given: Mapping | null): Promise<FoundTable | null> {
  const tables = files.filter((file) => tableHead(file) !== null)
  const isLikely = (file: SourceFile) => {
    const { time, eyes } = guessColumns(tableHead(file)!.header)
    return time >= 0 && eyes.length > 0
  }
  const file = tables.find(isLikely) ?? tables[0]
  if (file === undefined) return null
  const { header, rows, decimalMark } = tableHead(file)!
  const names = header.slice(0, COLUMNS_SHOWN)
  const guess = given === null ? await guessOrFault(file, tables) : { mapping: null, fault: null }
  const known = given ?? guess.mapping
  return {
    file: file.name,
    header: names,
    rows: rows.slice(0, ROWS_SHOWN).map((row) => names.map((_, i) => (row[i] ?? '').slice(0, CELL_LETTERS))),
    decimalComma: decimalMark === COMMA,
    ...guess,
    ...(known === null ? NO_LOOK : await lookOrNothing(file, known)),
  }
}

const NO_LOOK: ColumnLook = { conditions: [], thresholds: [] }

/** Examines the columns of a table; errors in its rows are left to the check. */
async function lookOrNothing(file: SourceFile, known: Mapping | GuessedMapping): Promise<ColumnLook> {
  return lookAtColumns(file, known).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error
    return NO_LOOK
  })
}

async function guessOrFault(file: SourceFile, tables: SourceFile[]): Promise<Pick<FoundTable, 'mapping' | 'fault'>> {
  try {
    return { mapping: await guessMapping(file, tables), fault: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { mapping: null, fault: error.message }
  }
}
