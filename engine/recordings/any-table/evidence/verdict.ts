import type { Movement } from './movement.ts'

/**
 * Kind of thing whose positions these seem to be, by how they move: `few` are too few to tell, `odd` ones have
 * saccades, but not as many fixations as eyes make.
 */
export type Verdict = 'gaze' | 'few' | 'odd' | 'still' | 'nothing' | 'target' | 'mouse' | 'drift' | 'noise' | 'off'

/** Reason for which positions are no gaze. */
export const SAID: Record<Exclude<Verdict, 'gaze'>, string> = {
  few: 'are too few to tell',
  odd: 'have too few or too many fixations for gaze',
  still: 'stay at one place',
  nothing: 'hold no numbers',
  target: 'keep still and jump, as a target does',
  mouse: 'keep still for long and move between, as a mouse does',
  drift: 'move without saccades, as a head does',
  noise: 'jump from sample to sample',
  off: 'lie on no screen',
}

/** Least number of positions, and of ms, by which movements are judged. */
const [SEEN_LEAST, LOOKED_LEAST_MS] = [30, 1000]
/** No eye rests as long on a point, to the last digit, as a target or a mouse. */
const [STILL_MOST_MS, STILL_SHARE] = [300, 0.8]
const MOVES_OF_TARGET = 1.6
/** A target is judged sooner than an eye. */
const TARGET_LEAST_MS = 200
const LEAP_LEAST = 4
const ROUGH_MOST = 0.6
const [FIXATIONS_LEAST, FIXATIONS_MOST] = [0.4, 8]
/** Positions, in px, that are too large for fractions or degrees. */
const PX_LEAST = 100
/** Half of the largest screen, in px. */
export const HALF_SCREEN_PX = { x: 1920, y: 1080 }

/** Judges positions by their movement. */
export function verdictOf(movement: Movement): Verdict {
  const { seen, lookedMs, still, longestStillMs, movesInARow, leap, rough, fixationsPerSecond: rate } = movement
  if (seen === 0) return 'nothing'
  if (isOff(movement)) return 'off'
  if (seen < SEEN_LEAST) return 'few'
  if (movesInARow === 0 && still > 0) return 'still'
  const isStill = still >= STILL_SHARE && longestStillMs >= Math.min(STILL_MOST_MS, lookedMs / 4)
  if (isStill && movesInARow > 0 && movesInARow <= MOVES_OF_TARGET && lookedMs >= TARGET_LEAST_MS) return 'target'
  if (lookedMs < LOOKED_LEAST_MS || movesInARow === 0) return 'few'
  if (longestStillMs >= 2 * STILL_MOST_MS && still >= 0.3) return 'mouse'
  if (rough >= ROUGH_MOST) return 'noise'
  if (!(leap >= LEAP_LEAST)) return 'drift'
  return rate >= FIXATIONS_LEAST && rate <= FIXATIONS_MOST ? 'gaze' : 'odd'
}

/**
 * Returns whether positions in px lie on no screen: left of the origin or above it altogether, and too far away for an
 * origin in the middle of the screen.
 */
function isOff({ low, high }: Movement): boolean {
  const far = (axis: 'x' | 'y') => Math.max(high[axis], -low[axis])
  const isCentred = far('x') <= HALF_SCREEN_PX.x && far('y') <= HALF_SCREEN_PX.y
  return Math.max(far('x'), far('y')) > PX_LEAST && Math.min(high.x, high.y) < 0 && !isCentred
}
