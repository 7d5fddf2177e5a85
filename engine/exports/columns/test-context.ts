import { LRUCache } from 'lru-cache'
import { IN_DEGREES } from '../../../isomorphic/detector-settings.ts'
import { type AoiGrid, createAoiGrid } from '../../compute/aoi-grid.ts'
import { detectFixations } from '../../compute/detectors/detect-fixations.ts'
import { copyFixations, createFixations, type Fixations } from '../../compute/fixation-list.ts'
import { createGaze, denoise, type Gaze, type Samples } from '../../compute/gaze.ts'
import type { ScreenGeometry } from '../../compute/quality/degrees.ts'
import { ALL_TIME, keepWithin, type TimeWindow, windowOf } from '../../compute/time-window.ts'
import type { Cells } from '../../model/columns.ts'
import { ServiceError } from '../../model/errors.ts'
import { defaultParameters, type Parameters } from '../../model/parameters.ts'
import type { Plan } from '../../model/plan.ts'
import type { Aoi, Events, Item, Participant, Test, Validations } from '../../model/study.ts'
import { aoiCells, type DescribedAois, describeAois, type PreparedAois, prepareAois } from './aoi-identity.ts'
import type { TestIdentity } from './identity.ts'
import { NO_FACTS, type StudyFacts } from './study-facts.ts'
import { screenOf } from './test-geometry.ts'

/** A test for an export: its identity and its recorded samples. */
export type TestRun = { identity: TestIdentity; samples: Samples }

/** State shared by the tests of a shard: the plan, AOIs prepared once per item, and scratch columns. */
export type ExportContext = {
  plan: Plan
  facts: StudyFacts
  /** Validations in the order of the bundle's file; empty if there are none, or the entry lacks `needsValidations`. */
  validationsOf: (participant: Participant) => Validations
  /** Events; empty if there are none, or the entry lacks `needsEvents`. */
  eventsOf: (test: Test) => Events
  /** AOIs of an item of the shard; throws if the entry lacks `needsAois`, as do the others of AOIs. */
  aoisOf: (item: Item) => PreparedAois
  /** Cells of `aoiColumns` for the same AOIs, one row for each. */
  aoiCellsOf: (item: Item) => Cells[]
  /** Sizes of the same AOIs, in percent of the item. */
  aoiSizesOf: (item: Item) => Float64Array
  /** Grid over the same AOIs, for hit tests. */
  aoiGridOf: (item: Item) => AoiGrid
  /** Grid over the tags of the same AOIs, each as the union of its AOIs. */
  tagGridOf: (item: Item) => { names: string[]; grid: AoiGrid }
  /** Denoised gaze of a test, overwritten for the next test. */
  gazeOf: (run: TestRun) => Gaze
  /** Time window of the request, or of an epoch. */
  window: TimeWindow
  /** The same with another time window. */
  within: (window: TimeWindow) => ExportContext
  /**
   * Fixations of a test that begin in the window; `gaze` is the result of `gazeOf` for it. Overwritten by the next
   * call.
   */
  fixationsOf: (run: TestRun, gaze: Gaze) => Fixations
  /** Returns the number of fixations before the window, for the test whose fixations were detected last. */
  fixationsBefore: () => number
}

/** Scratch memory of a thread, which computes one test at a time. */
const gaze = createGaze()
const fixations = createFixations()
/** Fixations of the whole test, of which each epoch has some. */
const wholeFixations = createFixations()
/** Test and plan of which this memory has the gaze, and the fixations that all epochs of the test share. */
const held: Record<'gaze' | 'fixations', { run: TestRun; plan: Plan } | null> = { gaze: null, fixations: null }

type PreparedItem = {
  aois: PreparedAois
  grid: AoiGrid | null
  tagGrid: AoiGrid | null
  described: DescribedAois | null
}

/** Size of the cache in characters of text; the structures made from it take two or three times as many bytes. */
const PREPARED_MAX_CHARACTERS = 32 * 2 ** 20

/** LRU cache of prepared AOIs with their grids, shared by shards, by their text. Grids fill as they are used. */
const prepared = new LRUCache<string, PreparedItem>({
  max: 32,
  maxSize: PREPARED_MAX_CHARACTERS,
  sizeCalculation: (_, key) => key.length,
})

function prepare(text: string, item: Item): PreparedItem {
  const key = JSON.stringify(item) + text
  const known = prepared.get(key)
  if (known) return known
  const made = { aois: prepareAois(JSON.parse(text), item), grid: null, tagGrid: null, described: null }
  prepared.set(key, made)
  return made
}

const texts = new WeakMap<Aoi[], Map<string, string>>()

/**
 * Serializes the AOIs of items for threads: JSON by item id. Text crosses threads at no cost, while the thousand points
 * of a few polygons take as long as computing with them. It is also a cache key: a thread recognises AOIs that it
 * already has.
 *
 * @param aois of a study, in the order of study.json, immutable
 */
export function aoiTexts(aois: Aoi[], items: Item[]): Record<string, string> {
  const known = texts.get(aois) ?? new Map<string, string>()
  texts.set(aois, known)
  for (const { id } of items) {
    if (!known.has(id)) known.set(id, JSON.stringify(aois.filter(({ itemId }) => itemId === id)))
  }
  return Object.fromEntries(items.map(({ id }) => [id, known.get(id)!]))
}

/** Stores the text of an item's AOIs from another thread. */
export function keepAoiText(aois: Aoi[], { id }: Item, text: string): void {
  texts.set(aois, (texts.get(aois) ?? new Map<string, string>()).set(id, text))
}

/**
 * Returns the geometry that thresholds in degrees need; null without any.
 *
 * @throws ServiceError invalid_param if they are requested and the test has no distance, nor has the study
 */
function screenInDegrees(run: TestRun, facts: StudyFacts, settings: Parameters): ScreenGeometry | null {
  const screen = screenOf(run.samples, facts)
  const parameter = Object.values(IN_DEGREES).find((name) => settings[name] > 0)
  if (screen !== null || parameter === undefined) return screen
  const rule = `needs viewingDistanceCm in the recording of the study: test ${run.identity.test.id} has no distance of the eyes`
  const value = `${settings[parameter]}`
  throw new ServiceError('invalid_param', `${parameter} ${rule}, got ${value}`, {
    faults: [{ parameter, rule, value }],
  })
}

const NONE = new Float64Array(0)
const NO_EVENTS: Events = { tUs: NONE, name: [], value: [] }
const NO_VALIDATIONS: Validations = { targetX: NONE, targetY: NONE, gazeX: NONE, gazeY: NONE }

/**
 * Creates the context in which a shard of an export is computed.
 *
 * @param aois of the items of the shard: see `aoiTexts`
 * @param validations by participant id
 * @param events by test id
 */
export function createContext(
  plan: Plan,
  aois: Record<string, string>,
  facts: StudyFacts = NO_FACTS,
  validations: Map<string, Validations> = new Map(),
  events: Map<string, Events> = new Map(),
): ExportContext {
  const { preparedOf, describedOf } = openPrepared(aois, plan.export)
  const settings = { ...defaultParameters(), ...plan.parameters }
  let before = 0
  const isOfEpochs = plan.parameters.eventType !== undefined
  const isHeld = (what: keyof typeof held, run: TestRun) => held[what]?.run === run && held[what].plan === plan
  const contextWithin = (window: TimeWindow): ExportContext => ({
    plan,
    facts,
    validationsOf: ({ id }) => validations.get(id) ?? NO_VALIDATIONS,
    eventsOf: ({ id }) => events.get(id) ?? NO_EVENTS,
    aoisOf: (item) => preparedOf(item).aois,
    aoiGridOf: (item) => {
      const own = preparedOf(item)
      own.grid ??= createAoiGrid(own.aois.shapes)
      return own.grid
    },
    tagGridOf: (item) => {
      const own = preparedOf(item)
      const { tags } = own.aois
      own.tagGrid ??= createAoiGrid(tags.map(({ shape }) => shape))
      return { names: tags.map(({ name }) => name), grid: own.tagGrid }
    },
    aoiCellsOf: (item) => aoiCells(describedOf(item)),
    aoiSizesOf: (item) => describedOf(item).sizePercent,
    gazeOf: (run) => {
      if (isHeld('gaze', run)) return gaze
      held.gaze = { run, plan }
      denoise(run.samples, run.identity.test.display, settings.movingMedianRangeMs, gaze)
      return gaze
    },
    fixationsOf: (run, ofRun) => {
      const into = isOfEpochs ? wholeFixations : fixations
      // Exports that read both eyes for other measures have the fixations of the chosen one.
      const isOfOne = settings.eye === 'left' || settings.eye === 'right'
      const samples = isOfOne ? { ...run.samples, eyes: undefined } : run.samples
      const seen = { samples, screen: screenInDegrees(run, facts, settings) }
      if (!isHeld('fixations', run)) detectFixations(ofRun, run.identity.test.display, settings, into, seen)
      if (isOfEpochs) {
        held.fixations = { run, plan }
        copyFixations(wholeFixations, fixations)
      }
      before = keepWithin(fixations, window)
      return fixations
    },
    window,
    within: contextWithin,
    fixationsBefore: () => before,
  })
  return contextWithin(isOfEpochs ? ALL_TIME : windowOf(settings.fromMs, settings.toMs))
}

/** Prepares the AOIs of each item once. @param aois their JSON, by item id */
function openPrepared(aois: Record<string, string>, exportName: string) {
  const ofItem = new Map<string, PreparedItem>()
  const textOf = ({ id }: Item): string => {
    if (aois[id] === undefined) throw new Error(`${exportName} uses AOIs, and its entry lacks needsAois`)
    return aois[id]
  }
  const preparedOf = (item: Item): PreparedItem => {
    const known = ofItem.get(item.id)
    if (known) return known
    const made = prepare(textOf(item), item)
    ofItem.set(item.id, made)
    return made
  }
  const describedOf = (item: Item): DescribedAois => {
    const own = preparedOf(item)
    own.described ??= describeAois(JSON.parse(textOf(item)), item)
    return own.described
  }
  return { preparedOf, describedOf }
}
