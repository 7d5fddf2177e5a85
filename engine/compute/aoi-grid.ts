import { type ColumnsOf, sized } from '../model/struct.ts'
import {
  type AoiPartShape,
  type AoiShape,
  clickPoint,
  isInAoi,
  isInPart,
  isWithin,
  LONGEST_GAZE_US,
  toMillionths,
} from './aoi.ts'
import type { Fixations } from './fixation-list.ts'
import type { DisplayRectanglePx, Gaze, Samples } from './gaze.ts'
import { ALL_TIME, isWithinTime } from './time-window.ts'

/**
 * Spatial index: a grid of cells over the AOIs of an item. Once a point has fallen into a cell, the cell knows which
 * AOIs contain all of it and which must be tested, since a border runs through the cell or a time range limits them. So
 * the cost of a point hardly depends on the number of AOIs and corners. The result is the same as testing AOI by AOI
 * (docs/metrics.md, "Metrics of one test").
 */
export type AoiGrid = {
  aois: AoiShape[]
  minX: number
  minY: number
  maxX: number
  maxY: number
  cellsPerX: number
  cellsPerY: number
  /**
   * Index of the set of AOIs that contain a whole cell, for each cell and for one more for the rest of the plane; -1
   * before the first point.
   */
  setOfCell: Int32Array
  /** Offset of each cell's tests in `questions`; 0 for none. */
  questionsOfCell: Int32Array
  /** Sets of AOIs, each ascending. The first set is empty. */
  sets: AoiSet[]
  /** Combined sets of cells and of the tests of their points, by key (`gazeSets`). */
  joined: Map<number | string, AoiSet>
  /**
   * Tests of all cells: the number of tests of a cell; then for each the AOI, how many numbers follow, and those: its
   * edges if they suffice, otherwise the index of a shape. It is one array, since it is accessed at random.
   */
  questions: Float64Array
  questionsLength: number
  shapes: AoiShape[]
  /** Tested AOIs of the last cell that contain the point. */
  held: Int32Array
  gazes: GazesByAoi
  fixations: FixationsByAoi
  /** Last fixation in each AOI. */
  lastIn: Int32Array
  clicks: ClicksByAoi
}

/** Indexes of AOIs. */
export type AoiSet = readonly number[]

/** Number of cells per side: finer cells need fewer tests, but take longer to prepare. */
const SIDE = 64
const OUTSIDE = SIDE * SIDE

export function createAoiGrid(aois: AoiShape[]): AoiGrid {
  const n = aois.length
  const parts = aois.flatMap((aoi) => aoi.parts)
  const [minX, maxX] = spanOf(
    parts.map((part) => part.minX),
    parts.map((part) => part.maxX),
  )
  const [minY, maxY] = spanOf(
    parts.map((part) => part.minY),
    parts.map((part) => part.maxY),
  )
  const setOfCell = new Int32Array(SIDE * SIDE + 1).fill(-1)
  setOfCell[OUTSIDE] = 0
  return {
    aois,
    minX,
    minY,
    maxX,
    maxY,
    cellsPerX: SIDE / (maxX - minX),
    cellsPerY: SIDE / (maxY - minY),
    setOfCell,
    questionsOfCell: new Int32Array(SIDE * SIDE + 1),
    sets: [[]],
    joined: new Map(),
    questions: new Float64Array(1024),
    questionsLength: 1,
    shapes: [],
    held: new Int32Array(n),
    gazes: sized(GAZES, n),
    fixations: sized(FIXATIONS, n),
    lastIn: new Int32Array(n),
    clicks: sized(CLICKS, n),
  }
}

/**
 * Returns the bounding box of all AOIs, slightly enlarged, so that a point that rounding moves into an AOI is on the
 * grid before rounding, too.
 */
function spanOf(mins: number[], maxs: number[]): [min: number, max: number] {
  const min = Math.min(...mins)
  const max = Math.max(...maxs)
  const margin = 1 + (max - min) / 1e6
  return [min - margin, max + margin]
}

/** Returns the AOIs that contain a point, in millionths of a percent, at a time, in ascending order. */
export function aoisAt(grid: AoiGrid, x: number, y: number, tUs: number): AoiSet {
  const cell = cellAt(grid, x, y)
  const set = grid.sets[setOf(grid, cell)]
  const count = ask(grid, cell, x, y, tUs)
  return count === 0 ? set : [...set, ...grid.held.subarray(0, count)].sort((a, b) => a - b)
}

/** Returns the cell of a point in millionths of a percent, rounded or not. */
function cellAt(grid: AoiGrid, x: number, y: number): number {
  const column = (x - grid.minX) * grid.cellsPerX
  const row = (y - grid.minY) * grid.cellsPerY
  return column >= 0 && column < SIDE && row >= 0 && row < SIDE ? (row | 0) * SIDE + (column | 0) : OUTSIDE
}

function setOf(grid: AoiGrid, cell: number): number {
  const set = grid.setOfCell[cell]
  return set === -1 ? addCell(grid, cell) : set
}

/** Finds which of a cell's tested AOIs contain a point; writes them to `grid.held` and returns their number. */
function ask(grid: AoiGrid, cell: number, x: number, y: number, tUs: number): number {
  const { questions, shapes, held } = grid
  const at = grid.questionsOfCell[cell]
  let n = 0
  for (let q = 0, next = at + 1; q < questions[at]; q++) {
    const aoi = questions[next]
    const start = next + 2
    next = start + questions[next + 1]
    const isHeld =
      next - start === 1 ? isInAoi(shapes[questions[start]], x, y, tUs) : isWithin(questions, start, next, x, y)
    if (isHeld) held[n++] = aoi
  }
  return n
}

/** Prepares a cell for its first point, and returns its set. */
function addCell(grid: AoiGrid, cell: number): number {
  const { aois, setOfCell, sets } = grid
  const box = boxOf(grid, cell % SIDE, Math.floor(cell / SIDE))
  const whole: number[] = []
  const questions: number[] = []
  let asked = 0
  for (let a = 0; a < aois.length; a++) {
    const cover = coverOfAoi(aois[a], box)
    if (cover === 'all') whole.push(a)
    if (cover !== 'some') continue
    const shape = shapeWithin(aois[a], box)
    const [{ isPolygon, edges }] = shape.parts
    const isPlain = shape.parts.length === 1 && isPolygon && isAlways(shape.parts[0])
    if (isPlain) questions.push(a, edges.length, ...edges)
    else questions.push(a, 1, grid.shapes.push(shape) - 1)
    asked++
  }
  if (asked > 0) addQuestions(grid, cell, [asked, ...questions])
  const known = sets.findIndex((set) => set.length === whole.length && set.every((aoi, i) => aoi === whole[i]))
  setOfCell[cell] = known === -1 ? sets.push(whole) - 1 : known
  return setOfCell[cell]
}

function addQuestions(grid: AoiGrid, cell: number, added: number[]): void {
  const { questions, questionsOfCell, questionsLength } = grid
  if (questionsLength + added.length > questions.length) {
    grid.questions = new Float64Array(2 * (questions.length + added.length))
    grid.questions.set(questions)
  }
  grid.questions.set(added, questionsLength)
  grid.questionsLength += added.length
  questionsOfCell[cell] = questionsLength
}

/** Returns how much of the box an AOI contains; 'all' only if it contains the whole box at all times. */
function coverOfAoi({ parts }: AoiShape, box: Box): 'all' | 'some' | 'none' {
  let cover: 'some' | 'none' = 'none'
  for (const part of parts) {
    const own = coverOf(part, box)
    if (own === 'all' && isAlways(part)) return 'all'
    if (own !== 'none') cover = 'some'
  }
  return cover
}

/**
 * Reduces an AOI to what matters for points of the box: the parts that reach it, with the edges that distinguish its
 * points.
 */
function shapeWithin({ parts }: AoiShape, box: Box): AoiShape {
  const near = parts.length === 1 ? parts : parts.filter((part) => coverOf(part, box) !== 'none')
  return { parts: near.map((part) => ({ ...part, edges: edgesWithin(part.edges, box) })) }
}

/**
 * Returns the edges that may touch the box and, in place of all edges to its right, as few as have the same effect:
 * only the heights at which these begin and end matter, and two edges that meet cross as many rays as one that
 * continues.
 */
function edgesWithin(edges: Float64Array, box: Box): Float64Array {
  const within: number[] = []
  const ends: number[] = []
  for (let e = 0; e < edges.length; e += 4) {
    const ax = edges[e]
    const ay = edges[e + 1]
    const bx = edges[e + 2]
    const by = edges[e + 3]
    const place = placeOf(ax, ay, bx, by, box)
    if (place === 'near') within.push(ax, ay, bx, by)
    if (place === 'right') ends.push(heightIn(box, ay), heightIn(box, by))
  }
  const open: number[] = []
  for (const y of ends.sort((a, b) => a - b)) {
    if (open.at(-1) === y) open.pop()
    else open.push(y)
  }
  for (let i = 0; i < open.length; i += 2) within.push(box.maxX + 1, open[i], box.maxX + 1, open[i + 1])
  return Float64Array.from(within)
}

/** Clamps a height to just outside the box, beyond which all heights have the same effect. */
function heightIn({ minY, maxY }: Box, y: number): number {
  return Math.max(minY - 1, Math.min(maxY + 1, y))
}

type Box = { minX: number; minY: number; maxX: number; maxY: number }

/** Returns the box of a cell, slightly enlarged, so that it contains every point that rounding moves into the cell. */
function boxOf(grid: AoiGrid, column: number, row: number): Box {
  const { minX, minY, maxX, maxY } = grid
  const width = (maxX - minX) / SIDE
  const height = (maxY - minY) / SIDE
  const marginX = 1 + width / 1000
  const marginY = 1 + height / 1000
  return {
    minX: Math.floor(minX + column * width - marginX),
    minY: Math.floor(minY + row * height - marginY),
    maxX: Math.ceil(minX + (column + 1) * width + marginX),
    maxY: Math.ceil(minY + (row + 1) * height + marginY),
  }
}

function isAlways({ fromUs, toUs }: AoiPartShape): boolean {
  return fromUs === Number.NEGATIVE_INFINITY && toUs === Number.POSITIVE_INFINITY
}

/** Returns how much of the box a part contains, regardless of its time range; 'some' unless it is obvious. */
function coverOf(part: AoiPartShape, box: Box): 'all' | 'some' | 'none' {
  if (box.maxX < part.minX || box.minX > part.maxX || box.maxY < part.minY || box.minY > part.maxY) return 'none'
  const inside = box.minX >= part.minX && box.maxX < part.maxX && box.minY >= part.minY && box.maxY < part.maxY
  if (!part.isPolygon) return inside ? 'all' : 'some'
  const { edges } = part
  for (let e = 0; e < edges.length; e += 4) {
    if (placeOf(edges[e], edges[e + 1], edges[e + 2], edges[e + 3], box) === 'near') return 'some'
  }
  // No edge comes near, so the whole box is on the same side of all edges.
  return isInPart(part, box.minX, box.minY) ? 'all' : 'none'
}

/**
 * Classifies an edge: 'near' if it may touch the box, 'right' if it does not touch it but rays to the right from the
 * box may cross it, otherwise 'away'. It certainly does not touch the box if all corners of the box are on one side of
 * it.
 */
function placeOf(ax: number, ay: number, bx: number, by: number, box: Box): 'near' | 'right' | 'away' {
  const { minX, minY, maxX, maxY } = box
  if ((ay < minY && by < minY) || (ay > maxY && by > maxY) || (ax < minX && bx < minX)) return 'away'
  if (ax > maxX && bx > maxX) return 'right'
  const dx = bx - ax
  const dy = by - ay
  // The cross products of the corners are sums of these terms; the tolerance covers their rounding errors.
  const low = dx * (minY - ay)
  const high = dx * (maxY - ay)
  const left = dy * (minX - ax)
  const right = dy * (maxX - ax)
  const doubt = (Math.abs(low) + Math.abs(high) + Math.abs(left) + Math.abs(right)) * 1e-12
  const least = Math.min(low, high) - Math.max(left, right)
  const most = Math.max(low, high) - Math.min(left, right)
  if (least <= doubt && most >= -doubt) return 'near'
  return dy > 0 === least > 0 ? 'right' : 'away'
}

/**
 * Measures of one test in each AOI: columns with one value for each AOI; times in whole µs. Without fixations, gazes or
 * clicks, `first…Us` is NaN and `revisits` −1. The arrays belong to the grid and are overwritten by the next test.
 */
const GAZES = { count: Int32Array, firstUs: Float64Array, totalUs: Float64Array }
const FIXATIONS = {
  count: Int32Array,
  firstStartUs: Float64Array,
  totalUs: Float64Array,
  firstDurationUs: Float64Array,
  revisits: Int32Array,
}
const CLICKS = { count: Int32Array, firstUs: Float64Array }
export type GazesByAoi = ColumnsOf<typeof GAZES>
export type FixationsByAoi = ColumnsOf<typeof FIXATIONS>
export type ClicksByAoi = ColumnsOf<typeof CLICKS>

/** Measures of one test in each set of AOIs: scratch memory of a thread, which computes one test at a time. */
const inSet = {
  count: new Int32Array(SIDE * SIDE + 1),
  firstUs: new Float64Array(SIDE * SIDE + 1),
  totalUs: new Float64Array(SIDE * SIDE + 1),
  /** Nonempty sets. */
  sets: new Int32Array(SIDE * SIDE + 1),
}

/**
 * Measures the denoised gaze of one test at its original times, in each AOI (docs/metrics.md, "Metrics of one test").
 *
 * @param window of time, outside which gazes do not count
 */
export function gazesByAoi(grid: AoiGrid, gaze: Gaze, window = ALL_TIME): GazesByAoi {
  const { count, firstUs, totalUs } = grid.gazes
  count.fill(0)
  firstUs.fill(Number.POSITIVE_INFINITY)
  totalUs.fill(0)
  const { questionsOfCell } = grid
  const { tUs, xPercent, yPercent, pointOfOrdered } = gaze
  let setCount = 0
  let previousUs = Number.NEGATIVE_INFINITY
  // The last point is a recorded one. Segments are further apart than the longest gaze, so their borders need no
  // special case.
  for (let j = 0, i = -1; i < gaze.n - 1; j++) {
    i = pointOfOrdered[j]
    const t = tUs[i]
    const lastedUs = Math.min(LONGEST_GAZE_US, t - previousUs)
    previousUs = t
    if (!isWithinTime(t, window)) continue
    const cell = cellAt(grid, xPercent[i] * 1e6, yPercent[i] * 1e6)
    // Counts are collected for each set of AOIs, and added to its AOIs at the end.
    const set = setOf(grid, cell)
    if (inSet.count[set]++ === 0) {
      inSet.firstUs[set] = t
      inSet.totalUs[set] = 0
      inSet.sets[setCount++] = set
    }
    inSet.totalUs[set] += lastedUs
    if (questionsOfCell[cell] === 0) continue
    const held = ask(grid, cell, toMillionths(xPercent[i]), toMillionths(yPercent[i]), t)
    for (let h = 0; h < held; h++) {
      const aoi = grid.held[h]
      if (count[aoi]++ === 0) firstUs[aoi] = t
      totalUs[aoi] += lastedUs
    }
  }
  for (let k = 0; k < setCount; k++) {
    const set = inSet.sets[k]
    for (const aoi of grid.sets[set]) {
      count[aoi] += inSet.count[set]
      firstUs[aoi] = Math.min(firstUs[aoi], inSet.firstUs[set])
      totalUs[aoi] += inSet.totalUs[set]
    }
    inSet.count[set] = 0
  }
  for (let a = 0; a < count.length; a++) if (count[a] === 0) firstUs[a] = Number.NaN
  return grid.gazes
}

/**
 * Finds the AOIs that contain the denoised gaze of one test.
 *
 * @param point index at each time; -1 if gaze is lost @param setOfTime overwritten with the index of the set at each
 *   time; -1 if gaze is lost
 * @returns sets of AOIs; equal sets are the same array in every test
 */
export function gazeSets(
  grid: AoiGrid,
  { tUs, xPercent, yPercent }: Gaze,
  point: Int32Array,
  setOfTime: Int32Array,
): AoiSet[] {
  const { aois, questionsOfCell, held } = grid
  const found: AoiSet[] = []
  const placeOfKey = new Map<number | string, number>()
  let lastKey: number | string = ''
  // A cell without tests has the same set for all of its points.
  let lastCell = -1
  let place = -1
  for (let i = 0; i < point.length; i++) {
    const p = point[i]
    if (p === -1) {
      setOfTime[i] = -1
      continue
    }
    const cell = cellAt(grid, xPercent[p] * 1e6, yPercent[p] * 1e6)
    if (cell === lastCell) {
      setOfTime[i] = place
      continue
    }
    const set = setOf(grid, cell)
    lastCell = questionsOfCell[cell] === 0 ? cell : -1
    const count =
      questionsOfCell[cell] === 0 ? 0 : ask(grid, cell, toMillionths(xPercent[p]), toMillionths(yPercent[p]), tUs[p])
    // A text key costs more than a number, and is needed only where AOIs overlap.
    const key = count === 0 ? set : count === 1 ? -1 - set * aois.length - held[0] : `${set}:${held.subarray(0, count)}`
    if (key !== lastKey) {
      lastKey = key
      place = placeOfKey.get(key) ?? found.push(joinedSet(grid, key, set, count)) - 1
      placeOfKey.set(key, place)
    }
    setOfTime[i] = place
  }
  return found
}

/** Returns the union of a cell's set and the tested AOIs that contain its point; cached by key. */
function joinedSet({ sets, joined, held }: AoiGrid, key: number | string, set: number, heldCount: number): AoiSet {
  const known = joined.get(key) ?? [...sets[set], ...held.subarray(0, heldCount)]
  joined.set(key, known)
  return known
}

/** Measures the fixations of one test in each AOI (docs/metrics.md, "Metrics of one test"). */
export function fixationsByAoi(grid: AoiGrid, fixations: Fixations): FixationsByAoi {
  const { count, firstStartUs, totalUs, firstDurationUs, revisits } = grid.fixations
  const { lastIn } = grid
  count.fill(0)
  firstStartUs.fill(Number.NaN)
  totalUs.fill(0)
  firstDurationUs.fill(Number.NaN)
  revisits.fill(-1)
  lastIn.fill(-2)
  const { startUs, endUs, xPercent, yPercent } = fixations
  for (let f = 0; f < fixations.n; f++) {
    const durationUs = endUs[f] - startUs[f]
    for (const aoi of aoisAt(grid, toMillionths(xPercent[f]), toMillionths(yPercent[f]), startUs[f])) {
      if (count[aoi] === 0) {
        firstStartUs[aoi] = startUs[f]
        firstDurationUs[aoi] = durationUs
      }
      count[aoi]++
      totalUs[aoi] += durationUs
      if (lastIn[aoi] !== f - 1) revisits[aoi]++
      lastIn[aoi] = f
    }
  }
  return grid.fixations
}

/**
 * Measures the clicks of one test in each AOI (docs/metrics.md, "Metrics of one test").
 *
 * @param window of time, outside which clicks do not count
 */
export function clicksByAoi(
  grid: AoiGrid,
  samples: Samples,
  display: DisplayRectanglePx | null,
  window = ALL_TIME,
): ClicksByAoi {
  const { count, firstUs } = grid.clicks
  count.fill(0)
  firstUs.fill(Number.NaN)
  if (display === null) return grid.clicks
  const { isClick, tUs } = samples
  for (let i = isClick.indexOf(1); i !== -1; i = isClick.indexOf(1, i + 1)) {
    const point = clickPoint(samples, i, display)
    if (point === null || !isWithinTime(tUs[i], window)) continue
    for (const aoi of aoisAt(grid, point.x, point.y, tUs[i])) {
      count[aoi]++
      if (!(firstUs[aoi] <= tUs[i])) firstUs[aoi] = tUs[i]
    }
  }
  return grid.clicks
}
