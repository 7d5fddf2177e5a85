import type { AoiShape } from '../compute/aoi.ts'
import { type AoiGrid, createAoiGrid } from '../compute/aoi-grid.ts'
import { createFixations, detectFixations, type Fixations } from '../compute/fixations.ts'
import { createGaze, denoise, type Gaze, type Samples } from '../compute/gaze.ts'
import type { Plan } from '../plan.ts'
import type { Aoi, Item } from '../study.ts'
import { aoiPrefix } from './aoi-identity.ts'
import { aoiShape } from './aoi-shape.ts'
import type { TestIdentity } from './identity.ts'

/** One test as an export gets it: who looked at what, and the samples, as recorded. */
export type TestRun = { identity: TestIdentity; samples: Samples; isFirstOfFile: boolean }

/** An AOI of an item: its shape, and its cells as bytes. */
export type PreparedAoi = { aoi: Aoi; shape: AoiShape; prefix: Uint8Array }

/** What outlives a test within a shard: the plan, AOIs prepared once per item, and scratch columns. */
export type ExportContext = {
  plan: Plan
  aoisOf: (item: Item) => PreparedAoi[]
  /** The same AOIs under a grid, which finds those of a point. */
  aoiGridOf: (item: Item) => AoiGrid
  /** Steps 1 to 6 of the filter on a test. The result is overwritten by the next call. */
  gazeOf: (run: TestRun) => Gaze
  /** The whole filter on a test; `gaze` is what `gazeOf` gave for it. The result is overwritten by the next call. */
  fixationsOf: (run: TestRun, gaze: Gaze) => Fixations
}

/** Scratch of a thread, which computes one test at a time. */
const gaze = createGaze()
const fixations = createFixations()

type PreparedItem = { aois: PreparedAoi[]; grid: AoiGrid | null }

/** AOIs are kept from shard to shard, by what they are made of, and their grids, which fill as they are used. */
const kept = new Map<string, PreparedItem>()
const KEPT_MAX = 32

function prepare(text: string, item: Item, formulaGuard: boolean): PreparedItem {
  const key = JSON.stringify([item, formulaGuard]) + text
  const known = kept.get(key)
  if (known) return known
  const made = { aois: prepareAois(JSON.parse(text), item, formulaGuard), grid: null }
  if (kept.size >= KEPT_MAX) kept.clear()
  kept.set(key, made)
  return made
}

const texts = new WeakMap<Aoi[], Map<string, string>>()

/**
 * The AOIs of items as a thread gets them: by the item's id, in JSON. Text crosses threads at no cost, where the thousand points
 * of a few polygons take as long as to compute with them, and tells a thread that it knows these AOIs.
 *
 * @param aois of a study, in the order of study.json; not to be changed afterwards
 */
export function aoiTexts(aois: Aoi[], items: Item[]): Record<string, string> {
  const known = texts.get(aois) ?? new Map<string, string>()
  texts.set(aois, known)
  for (const { id } of items) {
    if (!known.has(id)) known.set(id, JSON.stringify(aois.filter(({ itemId }) => itemId === id)))
  }
  return Object.fromEntries(items.map(({ id }) => [id, known.get(id)!]))
}

/** @param aois of the items of the shard: see `aoiTexts` */
export function createContext(plan: Plan, aois: Record<string, string>): ExportContext {
  const prepared = new Map<string, PreparedItem>()
  const preparedOf = (item: Item): PreparedItem => {
    const known = prepared.get(item.id)
    if (known) return known
    const made = prepare(aois[item.id] ?? '[]', item, plan.formulaGuard)
    prepared.set(item.id, made)
    return made
  }
  const {
    movingMedianRangeMs,
    gazeVelocityThreshold,
    minFixationDurationMs,
    maxFixationDurationMs,
    saccadeMaxDurationMs,
  } = plan.parameters
  return {
    plan,
    aoisOf: (item) => preparedOf(item).aois,
    aoiGridOf: (item) => {
      const prepared = preparedOf(item)
      prepared.grid ??= createAoiGrid(prepared.aois.map(({ shape }) => shape))
      return prepared.grid
    },
    gazeOf: ({ samples, identity }) => {
      denoise(samples, identity.test.display, movingMedianRangeMs!, gaze)
      return gaze
    },
    fixationsOf: ({ identity }, denoised) => {
      const settings = {
        gazeVelocityThreshold: gazeVelocityThreshold!,
        minFixationDurationMs: minFixationDurationMs!,
        maxFixationDurationMs: maxFixationDurationMs!,
        saccadeMaxDurationMs: saccadeMaxDurationMs!,
      }
      detectFixations(denoised, identity.test.display, settings, fixations)
      return fixations
    },
  }
}

/** The item's AOIs in the order of study.json. */
export function prepareAois(aois: Aoi[], item: Item, formulaGuard: boolean): PreparedAoi[] {
  return aois
    .filter(({ itemId }) => itemId === item.id)
    .map((aoi) => ({ aoi, shape: aoiShape(aoi, item), prefix: aoiPrefix(aoi, item, formulaGuard) }))
}
