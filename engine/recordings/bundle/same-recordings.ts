import { refusal } from '../../model/bundle-problems.ts'
import { type Draft, noteDoubt, participantName } from '../draft/draft.ts'
import { shortened } from '../draft/note-texts.ts'
import { isCopyName } from '../text/copy-name.ts'
import { type Fingerprints, sharedOf } from './fingerprints.ts'

/** Shares of two sketches from which tests are the same recording, the same with other samples, or overlap. */
const [SAME_SHARE, OTHER_SHARE, OVERLAP_SHARE] = [0.9, 0.5, 0.25]
/** Number of tests with the same hash that are compared. */
const RIVALS_MAX = 8
/** Fewest samples that make a test without a sketch the same as another of its participant and item. */
const SAMPLES_LEAST = 10
/** Bits of a test's index behind a hash, within the 53 of a number. */
const INDEX_SPAN = 2 ** 20

type Pair = { one: number; other: number; share: number }

/**
 * Finds the tests whose recording another file has too: under another name, as a copy, saved partly and finally, or
 * exported alone and with others. Each is kept once, in the file with more tests.
 *
 * @returns the tests to drop; the draft notes the files
 * @throws ServiceError invalid_bundle, naming both files, for one recording with two versions
 */
export function findRepeated(draft: Draft, prints: Fingerprints): Set<number> {
  const dropped = new Set<number>()
  const copies = new Map<string, Set<string>>()
  const alike = new Map<string, string[]>()
  const ranks = rankFiles(draft, prints)
  const drop = (test: number, kept: number) => {
    if (dropped.has(test)) return
    dropped.add(test)
    const [copy, of] = [draft.tests[test].file, draft.tests[kept].file]
    copies.set(copy, (copies.get(copy) ?? new Set()).add(of))
  }
  for (const pair of pairsOf(draft, prints)) {
    const [kept, test] = ordered(pair, draft, prints, ranks)
    if (draft.tests[kept].file === draft.tests[test].file) onSameFile(draft, prints, pair, dropped, alike)
    else if (isSame(pair, prints)) drop(test, kept)
    else if (pair.share >= OTHER_SHARE && isLike(pair, draft, prints)) refuseOther(draft, kept, test)
    else noteOverlap(draft, kept, test)
  }
  for (const [file, pairs] of alike) noteDoubt(draft, `the same samples are in ${file} ${shortened(pairs, '; ')}`)
  refuseOrigins(draft, dropped)
  noteCopies(draft, copies, dropped)
  return dropped
}

/** The positions of a test: `digestOf` and `sketchOf` of its fingerprints. */
export type Print = { digest: string; sketch: Uint32Array }

/**
 * Returns whether two tests of as many samples have the same positions, or two versions of them. Tests that move too
 * little to be told apart are alike in nothing.
 */
export function likenessOf(one: Print, other: Print): 'same' | 'other version' | 'none' {
  if (sharedOf(one.sketch, other.sketch) < OTHER_SHARE) return 'none'
  return one.digest === other.digest ? 'same' : 'other version'
}

/** Returns whether a pair has the same samples, or one a part of the other's. */
function isSame({ one, other, share }: Pair, prints: Fingerprints): boolean {
  if (prints.digestOf(one, false) === prints.digestOf(other, false)) return true
  const [a, b] = [prints.countsOf(one), prints.countsOf(other)]
  return a.samples !== b.samples && share >= SAME_SHARE
}

/** Returns whether a pair claims to be the same view of an item. */
function isLike({ one, other }: Pair, { tests }: Draft, prints: Fingerprints): boolean {
  const [a, b] = [prints.countsOf(one).samples, prints.countsOf(other).samples]
  return tests[one].item === tests[other].item && Math.abs(a - b) <= 0.1 * Math.max(a, b)
}

function refuseOther({ tests, participants, items }: Draft, kept: number, test: number): never {
  const { participant, item, file } = tests[kept]
  throw refusal(
    file,
    `holds the same recording of ${participantName(participants[participant])} at ${items[item].filename} as ${tests[test].file}, with different samples: give one of the two files`,
  )
}

/** Refuses two conversions of one original whose samples differ. */
function refuseOrigins({ origins, tests }: Draft, dropped: Set<number>): void {
  const files = new Map<string, string>()
  const kept = new Set(tests.flatMap(({ file }, test) => (dropped.has(test) ? [] : [file])))
  for (const [file, origin] of origins) {
    if (!kept.has(file)) continue
    const other = files.get(origin)
    files.set(origin, file)
    if (other !== undefined)
      throw refusal(
        other,
        `holds the same recording (${origin}) as ${file}, with different samples: give one of the two files`,
      )
  }
}

/** Drops a test that stands twice in its file, and lists, by file, two people with the same samples. */
function onSameFile(
  { tests, participants, items, notes }: Draft,
  prints: Fingerprints,
  pair: Pair,
  dropped: Set<number>,
  alike: Map<string, string[]>,
) {
  const { one, other } = pair
  if (prints.digestOf(one, true) !== prints.digestOf(other, true)) return
  const [a, b] = [tests[one], tests[other]]
  const who = participantName(participants[a.participant])
  if (a.participant === b.participant && a.item === b.item) {
    dropped.add(Math.max(one, other))
    notes.doubts.add(
      `rows of ${a.file} stand in it twice, first those of ${who} at ${items[a.item].filename}: they count once`,
    )
    return
  }
  const list = alike.get(a.file) ?? []
  alike.set(a.file, list)
  list.push(
    `for ${who} at ${items[a.item].filename} and for ${participantName(participants[b.participant])} at ${items[b.item].filename}`,
  )
}

function noteOverlap(draft: Draft, kept: number, test: number): void {
  noteDoubt(
    draft,
    `some samples of ${draft.tests[kept].file} are also in ${draft.tests[test].file}: check that they are not copies of the same recording`,
  )
}

/** Reports the files whose recordings others hold too. */
function noteCopies(draft: Draft, copies: Map<string, Set<string>>, dropped: Set<number>): void {
  const left = new Map<string, number>()
  for (const [test, { file }] of draft.tests.entries())
    if (!dropped.has(test)) left.set(file, (left.get(file) ?? 0) + 1)
  const texts = [...draft.copies].map(([copy, of]) => `${copy} is a copy of ${of}`)
  for (const [copy, of] of copies) {
    const [first, ...more] = of
    const where = more.length === 0 ? first : `${first} and ${more.length} more`
    texts.push(left.has(copy) ? `some tests of ${copy} are in ${where}` : `all tests of ${copy} are in ${where}`)
  }
  if (texts.length === 0) return
  noteDoubt(draft, `the same recordings are in several files, and count once: ${shortened(texts, '; ')}`)
}

/** Orders files by their numbers of tests and of samples, then the shortest name first; copies come last. */
function rankFiles({ tests }: Draft, prints: Fingerprints): Map<string, number> {
  const counts = new Map<string, { tests: number; samples: number }>()
  for (const [test, { file }] of tests.entries()) {
    const count = counts.get(file) ?? { tests: 0, samples: 0 }
    counts.set(file, { tests: count.tests + 1, samples: count.samples + prints.countsOf(test).samples })
  }
  const files = [...counts].map(([name, count]) => ({ name, isCopy: Number(isCopyName(name)), ...count }))
  files.sort(
    (a, b) => a.isCopy - b.isCopy || b.tests - a.tests || b.samples - a.samples || a.name.length - b.name.length,
  )
  return new Map(files.map(({ name }, i) => [name, i]))
}

/** Returns the test of a pair to keep, and the other: the longer one, or that of the fuller file. */
function ordered({ one, other }: Pair, { tests }: Draft, prints: Fingerprints, ranks: Map<string, number>) {
  const longer = prints.countsOf(one).samples - prints.countsOf(other).samples
  const rank = ranks.get(tests[other].file)! - ranks.get(tests[one].file)!
  const isFirst = longer !== 0 ? longer > 0 : rank !== 0 ? rank > 0 : one < other
  return isFirst ? [one, other] : [other, one]
}

/** Finds tests that share samples: by their sketches, and by their digests if they move too little for a sketch. */
function pairsOf(draft: Draft, prints: Fingerprints): Pair[] {
  const pairs = new Map<string, Pair>()
  const add = (one: number, other: number, share: number) => {
    if (one !== other && share >= OVERLAP_SHARE) pairs.set(`${one} ${other}`, { one, other, share })
  }
  for (const group of groupsByHash([...draft.tests.keys()].map((test) => prints.sketchOf(test))))
    for (const [i, other] of group.entries())
      for (const one of group.slice(0, Math.min(i, RIVALS_MAX)))
        add(one, other, sharedOf(prints.sketchOf(one), prints.sketchOf(other)))
  const byDigest = new Map<string, number>()
  for (const [test, { participant, item, file }] of draft.tests.entries()) {
    if (prints.countsOf(test).samples < SAMPLES_LEAST || prints.sketchOf(test).length > 0) continue
    const key = `${prints.digestOf(test, true)} ${item} ${draft.origins.get(file) ?? participant}`
    const known = byDigest.get(key)
    if (known === undefined) byDigest.set(key, test)
    else if (draft.tests[known].file !== file) add(known, test, 1)
  }
  return [...pairs.values()]
}

/**
 * Groups tests by each hash that several of them have: a short part of a test may share only one of them.
 *
 * @param sketches hashes of each test
 */
export function* groupsByHash(sketches: Uint32Array[]): Generator<number[]> {
  const keys = new Float64Array(sketches.reduce((sum, { length }) => sum + length, 0))
  let n = 0
  for (const [test, sketch] of sketches.entries()) for (const hash of sketch) keys[n++] = hash * INDEX_SPAN + test
  const sorted = keys.subarray(0, n).sort()
  for (let from = 0; from < n; ) {
    const hash = Math.floor(sorted[from] / INDEX_SPAN)
    let to = from + 1
    while (to < n && Math.floor(sorted[to] / INDEX_SPAN) === hash) to++
    if (to - from > 1) yield Array.from(sorted.subarray(from, to), (key) => key % INDEX_SPAN)
    from = to
  }
}
