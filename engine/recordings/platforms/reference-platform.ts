import { createHash } from 'node:crypto'
import { ServiceError } from '../../model/errors.ts'
import { BATCH_ROWS, type Batch, makeBatch } from '../draft/batch.ts'
import { type Draft, noteAssumed, noteDoubt, noteLeft } from '../draft/draft.ts'
import type { Reader } from '../reader/reader.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import type { SourceFile } from '../text/source-files.ts'
import { openTableBody } from '../text/table-body.ts'
import { cellText, type TableRows } from '../text/table-rows.ts'
import { readTuples, type Tuples } from './parse-tuples.ts'
import {
  addReferenceAois,
  isCompanion,
  type ReferenceCompanions,
  readReferenceCompanions,
} from './reference-companions.ts'
import { countEyeSamples, findEyeTable, readEyeSamples } from './reference-eyes.ts'
import { findTestColumns, type ReferenceColumns, testOf } from './reference-tests.ts'

/** Largest number of characters in a spreadsheet cell. */
const SPREADSHEET_CELL = 32_767

/**
 * Reads the raw gazes of the reference platform, and our own `gazes-raw`: a row per test, whose `test_raw_data` is a
 * JSON array of `[x, y, t, scrollY, mouseX, mouseY]`, with a seventh `true` on a click. Positions are in px from the
 * upper left of the window, t in ms since the item's onset, `null` for lost. Columns are called `tester_…` in the older
 * generation, `participant_…` in the newer.
 */
export const referencePlatform: Reader = {
  name: 'reference',
  title: "the reference platform's raw gazes",
  recognises: (file) => {
    const header = tableHead(file)?.header ?? []
    return columnIn(header, 'test_raw_data') >= 0 && columnIn(header, 'participant_id', 'tester_id') >= 0
  },
  async *read(files, all, draft) {
    const beside = all.filter((file) => !files.includes(file) && isCompanion(file))
    const companions = await readReferenceCompanions(beside, draft)
    const batch = makeBatch()
    const seen: SeenTests = new Map()
    const scrolled = new Set<number>()
    const table = findEyeTable(all)
    if (table === null) noteEyesLeft(draft, all)
    else draft.usedFiles.add(table.name)
    const apart = { counts: table === null ? new Map() : await countEyeSamples(table, draft), tests: new Map() }
    for (const file of files) yield* readFile(file, companions, { seen, scrolled, apart }, draft, batch)
    if (table !== null) yield* readEyeSamples(table, apart.tests, scrolled, draft, batch)
    addReferenceAois(draft, companions)
    placeItems(draft, scrolled)
    if (batch.n > 0) yield batch
  },
}

/** Reports a table of pupils of each eye without a table of samples, as in parts of our own packages. */
function noteEyesLeft(draft: Draft, all: SourceFile[]): void {
  const table = all.find((file) => {
    const header = tableHead(file)?.header ?? []
    return columnIn(header, 'test_id') >= 0 && header.some((name) => /^(left|right)_(gaze|pupil)/.test(name))
  })
  if (table === undefined) return
  draft.usedFiles.add(table.name)
  noteDoubt(
    draft,
    `each eye's gaze and pupils in ${table.name} are not read, only the recorded gaze: samples.csv of the package, or a BIDS dataset of the study, brings them back`,
  )
}

/** Recordings read so far, by test and exposure: the file of each, and a hash of its data. */
type SeenTests = Map<string, { fileName: string; hash: string }>

/**
 * Tests whose samples are read from a table of samples with each eye, if it has as many: their indexes in the draft by
 * their ids, and the samples in that table.
 */
type ApartTests = { counts: Map<string, number>; tests: Map<string, number> }

async function* readFile(
  file: SourceFile,
  companions: ReferenceCompanions,
  { seen, scrolled, apart }: { seen: SeenTests; scrolled: Set<number>; apart: ApartTests },
  draft: Draft,
  batch: Batch,
): AsyncGenerator<Batch> {
  const columns = findTestColumns(tableHead(file)!.header)
  const rows = await openTableBody(file, draft)
  do {
    while (rows.next()) {
      if (isDoubled(rows, columns, file, seen)) {
        noteLeft(draft, 'tests that were there already', 1, { file: file.name })
        continue
      }
      const test = testOf(rows, columns, file, companions, draft)
      const [start, end] = [rows.starts[columns.data], rows.ends[columns.data]]
      if (start === end) continue
      const id = cellText(rows, columns.test)
      const count = apart.counts.get(id)
      if (count !== undefined && !apart.tests.has(id) && count === countTuples(rows.bytes, start, end)) {
        apart.tests.set(id, test)
        continue
      }
      if (count !== undefined)
        noteLeft(draft, "tests whose eyes are not read, since their samples are not those of each eye's table", 1)
      const tuples = readTuples(rows.bytes, start, end, TUPLE_VALUES)
      while (tuples.next()) {
        if (tuples.count < 3) throw broken(file.name, rows.line, 'has a tuple of fewer than three values')
        if (Number.isNaN(tuples.values[2])) continue
        addSample(batch, test, tuples)
        if (tuples.count > 3 && tuples.values[3] !== 0) scrolled.add(test)
        if (batch.n < BATCH_ROWS) continue
        yield batch
        batch.n = 0
      }
      if (tuples.end === 'broken') throw broken(file.name, rows.line, 'is no JSON array of tuples')
      if (tuples.end === 'cut') noteCut(draft, file.name, end - start)
    }
  } while (await rows.more())
}

const TUPLE_VALUES = 7

/** Counts the samples of a test's raw data. */
function countTuples(bytes: Uint8Array, start: number, end: number): number {
  const tuples = readTuples(bytes, start, end, TUPLE_VALUES)
  let n = 0
  while (tuples.next()) if (!Number.isNaN(tuples.values[2])) n++
  return n
}

function addSample(batch: Batch, test: number, { values, count }: Tuples): void {
  const i = batch.n++
  batch.test[i] = test
  batch.gazeXPx[i] = values[0]
  batch.gazeYPx[i] = values[1]
  batch.tMs[i] = values[2]
  batch.scrollYPx[i] = count > 3 ? values[3] : Number.NaN
  batch.mouseXPx[i] = count > 4 ? values[4] : Number.NaN
  batch.mouseYPx[i] = count > 5 ? values[5] : Number.NaN
  batch.isClick[i] = count > 6 && values[6] === 1 ? 1 : 0
}

function noteCut(draft: Draft, fileName: string, length: number): void {
  const by = length >= SPREADSHEET_CELL - 1 ? 'that a spreadsheet has cut at 32,767 characters' : 'that are cut'
  noteLeft(draft, `ends of test_raw_data ${by}; the whole tuples before are kept`, 1, { file: fileName })
}

/**
 * Returns whether the same recording was read already.
 *
 * @throws ServiceError invalid_bundle if one test has two different recordings
 */
function isDoubled(
  rows: TableRows,
  { test, exposure, data }: ReferenceColumns,
  { name }: SourceFile,
  seen: SeenTests,
): boolean {
  const id = cellText(rows, test)
  if (id === '') return false
  const key = `${id} ${cellText(rows, exposure)}`
  const hash = createHash('sha1').update(rows.bytes.subarray(rows.starts[data], rows.ends[data])).digest('base64')
  const known = seen.get(key)
  if (known === undefined) {
    seen.set(key, { fileName: name, hash })
    return false
  }
  if (known.hash === hash) return true
  throw new ServiceError(
    'invalid_bundle',
    `test ${id} has one recording in ${known.fileName} and another in ${name}: give the file that holds the raw gazes alone`,
  )
}

function broken(file: string, line: number, what: string): ServiceError {
  return new ServiceError('invalid_bundle', `${file}, line ${line}: test_raw_data ${what}`)
}

/**
 * Places scrolled items, for which tests do not state the layout. All others are laid out by the import, which learns
 * about scrolling from the flow; these files have no flow.
 */
function placeItems(draft: Draft, scrolled: Set<number>): void {
  const scrolledItems = new Set([...scrolled].map((test) => draft.tests[test].item))
  for (const test of draft.tests) {
    if (test.display !== null || test.windowWidthPx === null) continue
    const { widthPx, heightPx } = draft.items[test.item]
    if (widthPx === null || heightPx === null || !scrolledItems.has(test.item)) continue
    noteAssumed(draft, 'an item that somebody scrolled was as wide as the window')
    const scale = test.windowWidthPx / widthPx
    test.display = { leftPx: 0, topPx: 0, widthPx: test.windowWidthPx, heightPx: heightPx * scale }
  }
}
