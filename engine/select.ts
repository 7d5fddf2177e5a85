import type { Numbers } from './columns.ts'
import { ServiceError } from './errors.ts'
import { aoiPrefix } from './exports/aoi-identity.ts'
import type { Plan } from './plan.ts'
import type { Counts } from './registry.ts'
import type { Aoi, Item, Snapshot, Study } from './study.ts'
import { numbersOf, type Rows, rowsWhere } from './table.ts'

/**
 * A shard as a thread takes it: whole tests, in the order of output, whose samples lie in one file one after the other.
 * `rowOffsets[i]` is where test i's samples begin among the file's rows from `fromRow` on.
 */
export type Shard = {
  /** Index into the manifest's sample files; -1 when no test of the shard has samples. */
  file: number
  fromRow: number
  /** Rows of the file from the first test's first to the last test's last one. */
  rowCount: number
  testRows: Rows
  rowOffsets: Int32Array
  /** Samples of its tests. */
  sampleCount: number
}

/** A shard of tests without samples, or of very short ones, still ends somewhere. */
const TESTS_MAX = 16_384
/** Half a sample file: it reads as fast as a whole one, and its rows take half the memory. */
const SAMPLES_MAX = 131_072

/** The tests that a plan chooses, in the order of output. */
export function selectTests(plan: Plan, snapshot: Snapshot): Rows {
  const { itemId, participantQualityGradeItemMin } = plan.parameters
  const grades = numbersOf(snapshot.tables.tests, 'qualityGradeItem')
  const least = participantQualityGradeItemMin ?? 1
  const isOfItem = ofItem(snapshot, itemId ?? null)
  return rowsWhere(snapshot.tables.tests, (row) => grades[row] >= least && isOfItem(row))
}

/** All tests of an item, or of all, whatever their grade, in the order of output. */
export function testsOfItem(snapshot: Snapshot, itemId: string | null): Rows {
  return rowsWhere(snapshot.tables.tests, ofItem(snapshot, itemId))
}

function ofItem({ study, tables: { tests } }: Snapshot, itemId: string | null): (row: number) => boolean {
  if (itemId === null) return () => true
  const items = numbersOf(tests, 'itemIndex')
  const itemIndex = study.items.findIndex(({ id }) => id === itemId)
  return (row) => items[row] === itemIndex
}

/** How many tests and participants a filter of grades keeps, and of how many. */
export type Kept = { tests: number; testsTotal: number; participants: number; participantsTotal: number }

export function keptOf(rows: Rows, all: Rows, { tables }: Snapshot): Kept {
  const participants = numbersOf(tables.tests, 'participantIndex')
  const people = (some: Rows) => new Set(Array.from(some, (row) => participants[row])).size
  return { tests: rows.length, testsTotal: all.length, participants: people(rows), participantsTotal: people(all) }
}

/**
 * Cuts tests into shards, one when it is asked for: a new one where the next test's samples lie in another file, or before those of
 * the last. Depends on the snapshot and the plan alone, never on threads.
 *
 * @throws ServiceError corrupt, before the first one
 */
export function* cutShards(tests: Rows, snapshot: Snapshot): Generator<Shard> {
  const places = placesOf(snapshot)
  const { counts, files, ordinals } = places
  let start = 0
  let last = -1
  let samples = 0
  for (let i = 0; i < tests.length; i++) {
    const row = tests[i]
    const count = counts[row]
    const elsewhere = count > 0 && last >= 0 && (files[row] !== files[last] || ordinals[row] < ordinals[last])
    const isFull = i - start === TESTS_MAX || (samples > 0 && samples + count > SAMPLES_MAX)
    if (isFull || elsewhere) {
      yield shardOf(tests.slice(start, i), places)
      start = i
      last = -1
      samples = 0
    }
    samples += count
    if (count > 0) last = row
  }
  if (start < tests.length) yield shardOf(tests.slice(start), places)
}

function shardOf(testRows: Rows, { counts, files, offsets }: Places): Shard {
  const hasSamples = (row: number) => counts[row] > 0
  const rowOffsets = new Int32Array(testRows.length)
  const first = testRows.find(hasSamples)
  if (first === undefined) return { file: -1, fromRow: 0, rowCount: 0, testRows, rowOffsets, sampleCount: 0 }
  const last = testRows[testRows.findLastIndex(hasSamples)]
  const fromRow = offsets[first]
  let sampleCount = 0
  for (let i = 0; i < testRows.length; i++) {
    const row = testRows[i]
    if (counts[row] > 0) rowOffsets[i] = offsets[row] - fromRow
    sampleCount += counts[row]
  }
  const rowCount = offsets[last] + counts[last] - fromRow
  return { file: files[first], fromRow, rowCount, testRows, rowOffsets, sampleCount }
}

/** Of each test: how many samples it has, in which file, as which of that file's tests, and at which of its rows they begin. */
type Places = { counts: Numbers; files: Numbers; ordinals: Numbers; offsets: Int32Array }

const knownPlaces = new WeakMap<Snapshot, Places>()

/**
 * Worked out once per snapshot, which never changes.
 *
 * @throws ServiceError corrupt when the tests of a file have more or fewer samples than it, or a test's file is none
 */
function placesOf(snapshot: Snapshot): Places {
  const known = knownPlaces.get(snapshot)
  if (known) return known
  const { tests } = snapshot.tables
  const [counts, files] = [numbersOf(tests, 'sampleCount'), numbersOf(tests, 'file')]
  const ordinals = numbersOf(tests, 'ordinal')
  const offsets = new Int32Array(tests.length)
  const next = snapshot.manifest.sampleFiles.map(() => 0)
  const stored = rowsWhere(tests, (row) => counts[row] > 0)
  const isBefore = (a: number, b: number) => files[a] - files[b] || ordinals[a] - ordinals[b]
  // Mostly, the order of output is that of the files.
  if (stored.some((row, i) => i > 0 && isBefore(stored[i - 1], row) > 0)) stored.sort(isBefore)
  for (let i = 0; i < stored.length; i++) {
    const row = stored[i]
    const file = files[row]
    if (!(file in next))
      throw new ServiceError('corrupt', `the samples of a test are in file ${file}, and there is none`)
    offsets[row] = next[file]
    next[file] += counts[row]
  }
  for (const [file, { name, rowCount }] of snapshot.manifest.sampleFiles.entries())
    if (next[file] !== rowCount)
      throw new ServiceError('corrupt', `the tests in ${name} have ${next[file]} samples, the file ${rowCount}`)
  const places = { counts, files, ordinals, offsets }
  knownPlaces.set(snapshot, places)
  return places
}

/** The items in the order of output: by their first place in the flow, others after them as in study.json. */
export function itemsInOrder(study: Study, itemId: string | null): Item[] {
  const shown = study.steps
    .map((step) => (step as { stimuli?: { id?: unknown } }).stimuli?.id)
    .map((id) => String(id).toLowerCase())
  const place = (item: Item) => {
    const first = shown.indexOf(item.id)
    return first === -1 ? shown.length : first
  }
  return study.items
    .map((item, index) => ({ item, index, place: place(item) }))
    .sort((a, b) => a.place - b.place || a.index - b.index)
    .map(({ item }) => item)
    .filter(({ id }) => itemId === null || id === itemId)
}

/** What a plan chooses, counted without reading samples. */
export function countSelected(plan: Plan, snapshot: Snapshot): Counts {
  const rows = selectTests(plan, snapshot)
  const { tests } = snapshot.tables
  const [samples, items] = [numbersOf(tests, 'sampleCount'), numbersOf(tests, 'itemIndex')]
  const aoisByItem = aoiBytesByItem(snapshot)
  const counts = { tests: rows.length, samples: 0, aoiTests: 0, aoiTestBytes: 0, aois: 0, aoiBytes: 0 }
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]
    const { aois, bytes } = aoisByItem[items[row]]
    counts.samples += samples[row]
    counts.aoiTests += aois
    counts.aoiTestBytes += bytes
  }
  const { itemId } = plan.parameters
  for (const [index, item] of snapshot.study.items.entries()) {
    if (itemId && item.id !== itemId) continue
    counts.aois += aoisByItem[index].aois
    counts.aoiBytes += aoisByItem[index].bytes
  }
  return counts
}

const knownAoiBytes = new WeakMap<Snapshot, { aois: number; bytes: number }[]>()

function aoiBytesByItem(snapshot: Snapshot): { aois: number; bytes: number }[] {
  const known = knownAoiBytes.get(snapshot)
  if (known) return known
  const made = snapshot.study.items.map((item) => {
    const aois: Aoi[] = snapshot.study.aois.filter((aoi) => aoi.itemId === item.id)
    return { aois: aois.length, bytes: aois.reduce((sum, aoi) => sum + aoiPrefix(aoi, item, true).length, 0) }
  })
  knownAoiBytes.set(snapshot, made)
  return made
}
