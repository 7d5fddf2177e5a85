import { ServiceError } from './errors.ts'
import { aoiPrefix } from './exports/aoi-identity.ts'
import type { Plan } from './plan.ts'
import type { Counts } from './registry.ts'
import type { Aoi, Item, Snapshot, Study, Test } from './study.ts'
import { rowOf } from './table.ts'

/**
 * A shard as a thread takes it: whole tests, in the order of output, whose samples lie in one file one after the other.
 * `rowOffsets[i]` is where test i's samples begin among the file's rows from `fromRow` on.
 */
export type Shard = {
  /** Index into the manifest's sample files; -1 when no test of the shard has samples. */
  file: number
  fromRow: number
  /** Rows from the first test's first to the last test's last one. */
  rowCount: number
  tests: Test[]
  rowOffsets: number[]
  /** Samples of its tests. */
  sampleCount: number
}

/** A shard of tests without samples, or of very short ones, still ends somewhere. */
const TESTS_MAX = 16_384
/** Half a sample file: it reads as fast as a whole one, and its rows take half the memory. */
const SAMPLES_MAX = 131_072

/** The tests that a plan chooses, in the order of output. */
export function selectTests(plan: Plan, snapshot: Snapshot): Test[] {
  const { itemId, participantQualityGradeItemMin } = plan.parameters
  const itemIndex = itemId ? snapshot.study.items.findIndex(({ id }) => id === itemId) : -1
  return snapshot.tests.filter(
    (test) =>
      (!itemId || test.itemIndex === itemIndex) && test.qualityGradeItem >= (participantQualityGradeItemMin ?? 1),
  )
}

/**
 * Cuts tests into shards: a new one where the next test's samples lie in another file, or before those of the last.
 * Depends on the snapshot and the plan alone, never on threads.
 *
 * @throws ServiceError corrupt
 */
export function cutShards(tests: Test[], snapshot: Snapshot): Shard[] {
  const offsets = fileOffsets(snapshot)
  const shards: Shard[] = []
  let open: Test[] = []
  let last: Test | null = null
  let samples = 0
  for (const test of tests) {
    const hasSamples = test.sampleCount > 0
    const elsewhere = hasSamples && last !== null && (test.file !== last.file || test.ordinal < last.ordinal)
    const isFull = open.length === TESTS_MAX || (samples > 0 && samples + test.sampleCount > SAMPLES_MAX)
    if (isFull || elsewhere) {
      shards.push(shardOf(open, offsets))
      open = []
      last = null
      samples = 0
    }
    open.push(test)
    samples += test.sampleCount
    if (hasSamples) last = test
  }
  if (open.length > 0) shards.push(shardOf(open, offsets))
  return shards
}

function shardOf(tests: Test[], offsets: Float64Array): Shard {
  const withSamples = tests.filter(({ sampleCount }) => sampleCount > 0)
  const first = withSamples[0]
  const last = withSamples.at(-1)
  if (!first || !last) {
    return {
      file: -1,
      fromRow: 0,
      rowCount: 0,
      tests,
      rowOffsets: tests.map(() => 0),
      sampleCount: 0,
    }
  }
  const start = offsets[rowOf(first)]
  return {
    file: first.file,
    fromRow: start,
    rowCount: offsets[rowOf(last)] + last.sampleCount - start,
    tests,
    rowOffsets: tests.map((test) => (test.sampleCount > 0 ? offsets[rowOf(test)] - start : 0)),
    sampleCount: withSamples.reduce((sum, { sampleCount }) => sum + sampleCount, 0),
  }
}

const knownOffsets = new WeakMap<Snapshot, Float64Array>()

/**
 * The row, in its file, at which each test's samples begin. Worked out once per snapshot, which never changes.
 *
 * @throws ServiceError corrupt when the tests of a file have more or fewer samples than it
 */
function fileOffsets(snapshot: Snapshot): Float64Array {
  const known = knownOffsets.get(snapshot)
  if (known) return known
  const offsets = new Float64Array(snapshot.tables.tests.length)
  const next = snapshot.manifest.sampleFiles.map(() => 0)
  const stored = snapshot.tests
    .filter(({ sampleCount }) => sampleCount > 0)
    .sort((a, b) => a.file - b.file || a.ordinal - b.ordinal)
  for (const test of stored) {
    offsets[rowOf(test)] = next[test.file]
    next[test.file] += test.sampleCount
  }
  for (const [file, { name, rowCount }] of snapshot.manifest.sampleFiles.entries())
    if (next[file] !== rowCount)
      throw new ServiceError('corrupt', `the tests in ${name} have ${next[file]} samples, the file ${rowCount}`)
  knownOffsets.set(snapshot, offsets)
  return offsets
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
  const tests = selectTests(plan, snapshot)
  const aoisByItem = aoiBytesByItem(snapshot)
  const counts = { tests: tests.length, samples: 0, aoiTests: 0, aoiTestBytes: 0, aois: 0, aoiBytes: 0 }
  for (const test of tests) {
    counts.samples += test.sampleCount
    counts.aoiTests += aoisByItem[test.itemIndex].aois
    counts.aoiTestBytes += aoisByItem[test.itemIndex].bytes
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
