import {
  addFixation,
  addSaccade,
  type FixationSettings,
  type Fixations,
  POINTS_MIN,
  type Positions,
} from '../fixation-list.ts'
import type { DisplayRectanglePx, Gaze } from '../gaze.ts'
import { medianOf } from '../order-statistics.ts'
import { addVelocities } from '../velocities.ts'
import { positionsIn, type Seen } from './positions-in.ts'
import { addRun, createRuns, mergeRuns } from './runs.ts'

/** Fast points between slow ones within this time are noise: three samples at 500 Hz, as published. */
const SACCADE_MIN_US = 8000
/** Smallest noise, in percent per second; below it, the standard deviation replaces it. */
const NOISE_MIN = 1e-6

/**
 * Finds fixations with a velocity threshold that follows the noise of each test (Engbert & Kliegl, 2003):
 * docs/detectors.md, "Adaptive".
 *
 * @param gaze whose points before the median are used
 * @param fixations appended to; grown if too short
 */
export function detectByAdaptiveVelocity(
  gaze: Gaze,
  display: DisplayRectanglePx,
  settings: FixationSettings,
  fixations: Fixations,
  seen: Seen,
): void {
  const { tUs, rawPercent, segmentStart, segmentCount } = gaze
  const positions: Positions = { x: rawPercent, y: rawPercent.subarray(1), stride: 2 }
  const isInDegrees = settings.mergeGapMs > 0 && settings.mergeDistanceDeg > 0
  const merged = positionsIn(isInDegrees, positions, gaze, display, seen)
  reserve(gaze.n)
  let n = 0
  for (let k = 0; k < segmentCount; k++) {
    const [start, end] = [segmentStart[k], segmentStart[k + 1]]
    if (end - start >= POINTS_MIN) n = addVelocities(tUs, positions, start, end, velocityX, velocityY, n)
  }
  const scaleX = scaleOf(velocityX, n, settings.adaptiveLambda)
  const scaleY = scaleOf(velocityY, n, settings.adaptiveLambda)
  for (let k = 0, from = 0; k < segmentCount; k++) {
    const [start, end] = [segmentStart[k], segmentStart[k + 1]]
    if (end - start < POINTS_MIN) continue
    for (let i = start; i < end; i++) isFast[i] = isOutside(velocityX[from], velocityY[from++], scaleX, scaleY) ? 1 : 0
    fixations.steps.bridged += joinShort(tUs, start, end)
    groupSlow(tUs, positions, start, end, display, settings, fixations, merged)
  }
}

/** Scratch memory of a thread, which computes one test at a time: velocities of all segments one after the other. */
let velocityX = new Float64Array(1024)
let velocityY = new Float64Array(1024)
let deviations = new Float64Array(1024)
let isFast = new Uint8Array(1024)
const runs = createRuns()

function reserve(n: number): void {
  if (velocityX.length >= n) return
  velocityX = new Float64Array(2 * n)
  velocityY = new Float64Array(2 * n)
  deviations = new Float64Array(2 * n)
  isFast = new Uint8Array(2 * n)
}

/** Returns λσ of the velocities along an axis; 0 without noise, so that the axis is ignored. */
function scaleOf(velocities: Float64Array, n: number, lambda: number): number {
  if (n === 0) return 0
  const some = deviations.subarray(0, n)
  some.set(velocities.subarray(0, n))
  const middle = medianOf(some)
  for (let i = 0; i < n; i++) some[i] = (velocities[i] - middle) ** 2
  let sigma = Math.sqrt(medianOf(some))
  if (sigma < NOISE_MIN) {
    let sum = 0
    for (let i = 0; i < n; i++) sum += velocities[i]
    const mean = sum / n
    let squares = 0
    for (let i = 0; i < n; i++) squares += (velocities[i] - mean) ** 2
    sigma = Math.sqrt(squares / n)
  }
  return sigma < NOISE_MIN ? 0 : lambda * sigma
}

function isOutside(x: number, y: number, scaleX: number, scaleY: number): boolean {
  const [partX, partY] = [scaleX === 0 ? 0 : x / scaleX, scaleY === 0 ? 0 : y / scaleY]
  return partX * partX + partY * partY > 1
}

/**
 * Marks a run of fast points as slow if it is too short for a saccade and has slow points on both sides.
 *
 * @returns the number of such runs
 */
function joinShort(tUs: Float64Array, start: number, end: number): number {
  let joined = 0
  for (let i = start; i < end; i++) {
    if (isFast[i] === 0) continue
    let next = i
    while (next < end && isFast[next] === 1) next++
    if (i > start && next < end && tUs[next] - tUs[i - 1] < SACCADE_MIN_US) {
      isFast.fill(0, i, next)
      joined++
    }
    i = next
  }
  return joined
}

/** Adds a fixation for each run of slow points that is long enough. @param merged positions for merging */
function groupSlow(
  tUs: Float64Array,
  positions: Positions,
  start: number,
  end: number,
  display: DisplayRectanglePx,
  settings: FixationSettings,
  fixations: Fixations,
  merged: Positions,
): void {
  const firstOfSegment = fixations.n
  runs.n = 0
  for (let i = start; i < end; i++) {
    if (isFast[i] === 1) continue
    let runEnd = i + 1
    while (runEnd < end && isFast[runEnd] === 0) runEnd++
    addRun(runs, i, runEnd)
    i = runEnd
  }
  fixations.steps.merged += mergeRuns(runs, tUs, merged, display, settings)
  for (let r = 0; r < runs.n; r++) {
    const [from, to] = [runs.start[r], runs.end[r]]
    const durationUs = tUs[to - 1] - tUs[from]
    if (to - from < POINTS_MIN || durationUs < settings.minFixationDurationMs * 1000) continue
    addFixation(positions, from, to, tUs[from], tUs[to - 1], fixations)
    if (fixations.n - 1 > firstOfSegment) addSaccade(fixations.n - 1, display, settings, fixations)
  }
}
