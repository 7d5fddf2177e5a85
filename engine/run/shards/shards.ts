import type { Selection } from '../../snapshot/selection.ts'

/**
 * A run of whole tests that a thread computes at once, in the order of output, with consecutive samples in one file.
 * Arrays have one value for each test.
 */
export type Shard = {
  /** Index of its first test in the selection. */
  first: number
  /** Index into the manifest's sample files; -1 if no test of the shard has samples. */
  file: number
  /** Range of the ordinals of its tests with samples, in the file. */
  firstOrdinal: number
  lastOrdinal: number
  /** Range of rows of the file, from the first test's first to the last test's last. */
  fromRow: number
  rowCount: number
  testRows: Int32Array
  itemIndexes: Int32Array
  participantRows: Int32Array
  sampleCounts: Int32Array
  /** First row of each test, from `fromRow` on. */
  rowOffsets: Int32Array
  /** Samples of its tests. */
  sampleCount: number
}

/** Largest number of tests in a shard, for tests without samples or with few. */
const TESTS_MAX = 16_384

/**
 * Splits tests into shards, lazily: a new shard starts if the next test's samples are in another file, or before those
 * of the last one. Depends only on the snapshot and the selection, never on threads.
 */
export function* cutShards(selection: Selection): Generator<Shard> {
  const { n, files, ordinals, sampleCounts } = selection
  let start = 0
  let last = -1
  for (let i = 0; i < n; i++) {
    const isElsewhere = sampleCounts[i] > 0 && last >= 0 && (files[i] !== files[last] || ordinals[i] < ordinals[last])
    if (i - start === TESTS_MAX || isElsewhere) {
      yield shardOf(selection, start, i)
      start = i
      last = -1
    }
    if (sampleCounts[i] > 0) last = i
  }
  if (start < n) yield shardOf(selection, start, n)
}

function shardOf(selection: Selection, start: number, end: number): Shard {
  const { files, ordinals, firstSamples } = selection
  const of = (name: 'testRows' | 'itemIndexes' | 'participantRows' | 'sampleCounts') =>
    selection[name].slice(start, end)
  const sampleCounts = of('sampleCounts')
  const first = sampleCounts.findIndex((count) => count > 0)
  const last = sampleCounts.findLastIndex((count) => count > 0)
  const tests = {
    first: start,
    testRows: of('testRows'),
    itemIndexes: of('itemIndexes'),
    participantRows: of('participantRows'),
    sampleCounts,
  }
  if (first < 0) return { ...tests, ...NO_ROWS, rowOffsets: new Int32Array(end - start), sampleCount: 0 }
  const fromRow = firstSamples[start + first]
  return {
    ...tests,
    file: files[start + first],
    firstOrdinal: ordinals[start + first],
    lastOrdinal: ordinals[start + last],
    fromRow,
    rowCount: firstSamples[start + last] + sampleCounts[last] - fromRow,
    rowOffsets: sampleCounts.map((count, i) => (count > 0 ? firstSamples[start + i] - fromRow : 0)),
    sampleCount: sampleCounts.reduce((sum, count) => sum + count, 0),
  }
}

const NO_ROWS = { file: -1, firstOrdinal: 0, lastOrdinal: -1, fromRow: 0, rowCount: 0 }
