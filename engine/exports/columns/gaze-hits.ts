import { type AoiGrid, type AoiSet, gazeSets } from '../../compute/aoi-grid.ts'
import { type DistinctTimes, distinctTimes } from '../../compute/distinct-times.ts'
import type { Gaze } from '../../compute/gaze.ts'
import type { PreparedAois } from './aoi-identity.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** AOIs that contain a test's gaze at each distinct time of its samples. */
type GazeHits = DistinctTimes & {
  gaze: Gaze
  /**
   * Flags for each AOI name of the study: 1 if gaze is in any AOI with that name, 0 if in none, 2 if gaze is lost or
   * the item has no such AOI. Equal flags are the same array in every test of an item.
   */
  patterns: Uint8Array[]
  /** Index of the pattern at each time. */
  indexes: Int32Array
}

/** Computes at which times the gaze of a test is in AOIs with each name of the study. */
export function gazeHits(run: TestRun, context: ExportContext): GazeHits {
  const gaze = context.gazeOf(run)
  const times = distinctTimes(run.samples, gaze)
  const { item } = run.identity
  const grid = context.aoiGridOf(item)
  const { lost, patternOf } = patternsOf(grid, context.aoisOf(item), context.facts.aoiNames)
  const indexes = new Int32Array(times.n)
  const sets = gazeSets(grid, gaze, times.point, indexes)
  for (let i = 0; i < times.n; i++) if (indexes[i] === -1) indexes[i] = sets.length
  return { ...times, gaze, patterns: [...sets.map(patternOf), lost], indexes }
}

type Patterns = { aoiNames: string[]; lost: Uint8Array; patternOf: (set: AoiSet) => Uint8Array }

const made = new WeakMap<AoiGrid, Patterns>()

/** Cache of grids, which a thread reuses from shard to shard, even if other items of the study have changed. */
function patternsOf(grid: AoiGrid, aois: PreparedAois, aoiNames: string[]): Patterns {
  const known = made.get(grid)
  const patterns = known?.aoiNames === aoiNames ? known : createPatterns(aois, aoiNames)
  made.set(grid, patterns)
  return patterns
}

function createPatterns(aois: PreparedAois, aoiNames: string[]): Patterns {
  const lost = new Uint8Array(aoiNames.length).fill(2)
  const placeOfAoi = aois.names.map((name) => aoiNames.indexOf(name))
  const nowhere = lost.slice()
  for (const place of placeOfAoi) nowhere[place] = 0
  const known = new Map<AoiSet, Uint8Array>()
  const patternOf = (set: AoiSet) => {
    const pattern = known.get(set) ?? nowhere.slice()
    if (!known.has(set)) for (const aoi of set) pattern[placeOfAoi[aoi]] = 1
    known.set(set, pattern)
    return pattern
  }
  return { aoiNames, lost, patternOf }
}
