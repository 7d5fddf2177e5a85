import type { Batch } from '../draft/batch.ts'

/** Largest number of hashes that represent a test, and the fewest that tell its gaze from that of others. */
const [SKETCH_SIZE, SKETCH_LEAST] = [16, 10]
/** Times are compared in tenths of a ms; positions in whole px, since programs write different numbers of digits. */
const STEPS_PER_MS = 10

/** Recognises the samples of tests, in bounded memory for each. Tests are indexed as in the draft. */
export type Fingerprints = {
  /** Adds samples. */
  take: (samples: Pick<Batch, 'n' | 'test' | 'tMs' | 'gazeXPx' | 'gazeYPx'>) => void
  /** Number of a test's samples, and of those without gaze. */
  countsOf: (test: number) => { samples: number; lost: number }
  /** Returns a text that tests with the same positions share; `isTimed`: with the same times, on the same clock. */
  digestOf: (test: number, isTimed: boolean) => string
  /**
   * Returns the smallest hashes of four successive gazes, ascending; empty for a test that moves too little to be told
   * from others. Equal recordings share them, whatever their clocks; a part of a recording shares some of them.
   */
  sketchOf: (test: number) => Uint32Array
}

type Prints = {
  samples: Float64Array
  lost: Float64Array
  /** Hashes of all positions, and of all times and positions. */
  places: Int32Array
  timed: Int32Array
  /** Hashes of the last three gazes. */
  before: [Int32Array, Int32Array, Int32Array]
  /** Smallest hashes, `SKETCH_SIZE` for each test, of which `kept` are in use. */
  sketches: Uint32Array
  kept: Uint8Array
}

export function openFingerprints(): Fingerprints {
  let prints = emptyPrints(64)
  return {
    take: ({ n, test, tMs, gazeXPx, gazeYPx }) => {
      for (let i = 0; i < n; i++) {
        const index = test[i]
        if (index >= prints.kept.length) prints = grown(prints, index + 1)
        addSample(prints, index, tMs[i], gazeXPx[i], gazeYPx[i])
      }
    },
    countsOf: (test) => ({ samples: prints.samples[test] ?? 0, lost: prints.lost[test] ?? 0 }),
    digestOf: (test, isTimed) => {
      const { samples, lost, places, timed } = prints
      return [samples, lost, places, ...(isTimed ? [timed] : [])].map((values) => values[test] ?? 0).join(' ')
    },
    sketchOf: (test) => {
      const kept = prints.kept[test] ?? 0
      return prints.sketches.subarray(test * SKETCH_SIZE, test * SKETCH_SIZE + (kept < SKETCH_LEAST ? 0 : kept))
    },
  }
}

/** Fewest hashes that two tests must share before anything follows from them. */
const SHARED_LEAST = 3

/** Returns the share of one test's gazes that the other has, the larger of both: 1 if one is a part of the other. */
export function sharedOf(a: Uint32Array, b: Uint32Array): number {
  const limit = Math.min(reachOf(a), reachOf(b))
  const others = new Set(b)
  const below = (sketch: Uint32Array) => sketch.filter((hash) => hash <= limit)
  const shared = below(a).filter((hash) => others.has(hash)).length
  return shared < SHARED_LEAST ? 0 : shared / Math.min(below(a).length, below(b).length)
}

/** Returns the largest hash up to which a sketch is complete. */
function reachOf(sketch: Uint32Array): number {
  return sketch.length < SKETCH_SIZE ? Number.POSITIVE_INFINITY : sketch[SKETCH_SIZE - 1]
}

function emptyPrints(n: number): Prints {
  return {
    samples: new Float64Array(n),
    lost: new Float64Array(n),
    places: new Int32Array(n),
    timed: new Int32Array(n),
    before: [new Int32Array(n), new Int32Array(n), new Int32Array(n)],
    sketches: new Uint32Array(n * SKETCH_SIZE),
    kept: new Uint8Array(n),
  }
}

function grown(prints: Prints, n: number): Prints {
  const larger = emptyPrints(Math.max(n, 2 * prints.kept.length))
  for (const name of ['samples', 'lost', 'places', 'timed', 'sketches', 'kept'] as const) larger[name].set(prints[name])
  for (const [i, values] of prints.before.entries()) larger.before[i].set(values)
  return larger
}

function addSample(prints: Prints, test: number, tMs: number, xPx: number, yPx: number): void {
  const { places, timed, before } = prints
  prints.samples[test]++
  const isLost = xPx - xPx !== 0
  const gaze = isLost ? 0 : mixed(Math.imul(Math.round(xPx), 0x9e3779b1) ^ Math.round(yPx))
  places[test] = Math.imul(places[test], 31) + gaze
  timed[test] = Math.imul(timed[test], 31) + mixed(Math.round(tMs * STEPS_PER_MS) ^ gaze)
  if (isLost) {
    prints.lost[test]++
    return
  }
  const one = before[0][test]
  const two = before[1][test]
  const three = before[2][test]
  before[2][test] = two
  before[1][test] = one
  before[0][test] = gaze
  const isStill = gaze === one && gaze === two && gaze === three
  if (three === 0 || isStill) return
  keep(prints, test, mixed(gaze ^ Math.imul(one, 3) ^ Math.imul(two, 5) ^ Math.imul(three, 7)) >>> 0)
}

/** Keeps a hash if it is among the smallest of its test, each once. */
function keep({ sketches, kept }: Prints, test: number, hash: number): void {
  const start = test * SKETCH_SIZE
  const n = kept[test]
  if (n === SKETCH_SIZE && hash >= sketches[start + n - 1]) return
  let at = start + n
  while (at > start && sketches[at - 1] > hash) at--
  if (at > start && sketches[at - 1] === hash) return
  const end = start + Math.min(n, SKETCH_SIZE - 1)
  sketches.copyWithin(at + 1, at, end)
  sketches[at] = hash
  if (n < SKETCH_SIZE) kept[test]++
}

/** Spreads the bits of a number (the finalizer of MurmurHash3). */
function mixed(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
