import type { PositionUnit, PxOrigin } from '../../../isomorphic/to-px.ts'
import { plainName } from './column-names.ts'
import type { Code } from './evidence/loss.ts'
import type { Movement } from './evidence/movement.ts'
import { HALF_SCREEN_PX, verdictOf } from './evidence/verdict.ts'
import type { TableValues } from './guess-values.ts'

/** Placeholder for what was not found: a mapping that still contains it is refused. */
export const UNKNOWN = '?'

export type GuessedUnit = PositionUnit | typeof UNKNOWN

/** Unit and origin of positions, and the values that mark lost gaze. */
type Place = { unit: GuessedUnit; origin: PxOrigin; missing: string[]; doubts: string[] }

type OfGaze = Named & { movement: Movement | null; isPupils: boolean; stuck: Code[] }

/** Name of a column of x, its stem, and the unit in the row below the header; '' for none. */
type Named = { name: string; stem: string; below: string }

/** Least share of positions left of the origin, and above it, for which it may be the centre of the screen. */
const CENTRED_SHARE = 0.1

type Axes = Pick<TableValues, 'x' | 'y'>

/**
 * Returns whether positions count from the middle of the screen: they lie on both sides of it, or left of the origin or
 * above it where no screen is that begins there.
 */
function isAroundMiddle({ x, y }: Axes): boolean {
  const isBeyond = [x, y].some(({ n, negative }) => n > 0 && negative > n * (1 - CENTRED_SHARE))
  const isNear = Math.max(x.max, -x.min) <= HALF_SCREEN_PX.x && Math.max(y.max, -y.min) <= HALF_SCREEN_PX.y
  const areOnBothSides = [x, y].every(
    ({ n, negative }) => negative > n * CENTRED_SHARE && negative < n * (1 - CENTRED_SHARE),
  )
  return areOnBothSides || (isBeyond && isNear)
}

/** Returns whether positions are right of 0 and have a negative y, as on a screen with its origin in the upper left. */
function isInOneQuarter({ x, y }: Axes): boolean {
  return x.negative <= x.n * QUARTER_SHARE && y.negative >= y.n * (1 - QUARTER_SHARE)
}
const QUARTER_SHARE = 0.02

/**
 * Guesses the unit and origin of a table's gaze from its values.
 *
 * @param movement of the first eye; null if there is no gaze
 * @param isPupils true for a table of Pupil Core @param stuck codes for lost gaze by how they come again
 */
export function guessPlace(
  { x, y, codes, axisCodes, mouseCodes, rows }: TableValues,
  { movement, isPupils, stuck, ...named }: OfGaze,
): Place {
  const doubts: string[] = []
  const isCentred = isAroundMiddle({ x, y })
  const isGaze = movement !== null && verdictOf(movement) === 'gaze'
  const unit = guessUnit({ x, y }, named, isCentred, doubts, isGaze ? movement : null)
  const isBottomUp = isBottomLeft(named.stem, isPupils)
  if (isCentred && isInOneQuarter({ x, y }))
    doubts.push(
      'positions lie right of 0 and have a y below 0: they count from the middle of the screen, or from its upper left with y upwards, which a mapping does not know; say which by unit and origin, or turn the sign of y first',
    )
  if (isCentred)
    doubts.push(
      'positions lie around 0, as from the middle of the screen: y is taken to grow upwards, as in PsychoPy; if it grows downwards, origin is center-y-down',
    )
  if (isBottomUp) doubts.push("norm_pos and x_norm count from the lower left in Pupil Core's files")
  const lost = codes.filter(({ x, y, n }) => n > 1 && !(x === 0 && y === 0 && isCentred))
  if (lost.length > 0) {
    const shown = lost.map(({ x, y, n }) => `${x === y ? x : `(${x}, ${y})`} (${n} of ${rows} rows)`)
    doubts.push(`${shown.join(', ')} in both x and y is taken to be lost gaze`)
  }
  const inOne = axisCodes.filter(({ value }) => !lost.some(({ x, y }) => x === value && y === value))
  for (const { axis, value, n } of inOne)
    doubts.push(`${value} (${n} of ${rows} rows) in ${axis} alone is taken to be lost gaze`)
  const again = stuck.filter((code) => !lost.some(({ x, y }) => x === code.x && y === code.y)).map(pairText)
  if (again.length > 0)
    doubts.push(`${again.join(', ')} comes for several rows, as no other position does: it is taken to be lost gaze`)
  const nowhere = mouseCodes.filter(({ x, n }) => n > 1 && x !== 0)
  if (nowhere.length > 0)
    doubts.push(`${nowhere.map(({ x }) => x).join(', ')} in both x and y is taken to be a mouse that is nowhere`)
  const missing = [
    ...new Set([...[...lost, ...nowhere].flatMap(({ x, y }) => [x, y]), ...inOne.map(({ value }) => value)]),
  ]
  const origin = isCentred ? 'center-y-up' : isBottomUp ? 'bottom-left' : 'top-left'
  return {
    unit: isCentred && isInOneQuarter({ x, y }) ? UNKNOWN : unit,
    origin,
    missing: [...missing.map(String), ...again],
    doubts,
  }
}

/** Writes both numbers of a code that counts only where x and y have them, for `missing` of a mapping. */
const pairText = ({ x, y }: Code) => (x === 0 && y === 0 ? '0' : `(${x}, ${y})`)

/** Returns whether positions are those that Pupil Core counts from the lower left. */
export function isBottomLeft(stem: string, isPupils: boolean): boolean {
  return /^norm_pos/.test(stem) || (isPupils && /^@_norm$/.test(stem))
}

/**
 * Guesses the unit of the mouse, and whether its positions have the origin of those of gaze.
 *
 * @returns null, and the reason, if a mapping cannot describe them
 */
export function guessMouse(
  { mouse }: TableValues,
  name: string,
  stem: string,
  origin: PxOrigin,
): { unit: 'px' | 'fraction' | 'percent' | null; doubts: string[] } {
  const isCentred = isAroundMiddle(mouse)
  const said: string[] = []
  const unit = guessUnit(mouse, { name, stem, below: '' }, isCentred, said)
  const isSameOrigin = mouse.x.n === 0 || isCentred === origin.startsWith('center')
  if (unit === UNKNOWN || !isSameOrigin) {
    const why = unit === UNKNOWN ? 'their unit is not known' : 'they count from another place than those of gaze'
    return { unit: null, doubts: [`mouse positions, such as ${name}, are not taken, since ${why}`] }
  }
  return { unit, doubts: mouse.x.n === 0 ? [] : [`mouse positions are taken to be ${SHOWN_UNITS[unit]}`] }
}

const SHOWN_UNITS = { px: 'px', fraction: 'fractions of the screen', percent: 'percent of the screen' }

/** Says how a mapping describes degrees of visual angle. */
const DEGREES_SAID =
  'for degrees of visual angle, say "deg" in unit, and the width of the screen and the distance of the eyes in viewing'

/** Names of lengths and angles. */
const LENGTHS = /(^|_)((deg|dva|mm|cm|rad|inch)|(m|in)(_|$))/

function guessUnit(
  { x, y }: Axes,
  { name, stem, below }: Named,
  isCentred: boolean,
  doubts: string[],
  gaze: Movement | null = null,
): 'px' | 'fraction' | 'percent' | typeof UNKNOWN {
  const n = x.n + y.n
  if (n === 0) return 'px'
  const isWhole = x.whole + y.whole === n
  const isSmall = x.small + y.small > n * 0.9 && !isWhole
  const isNear = x.near + y.near > n * 0.98 && !isWhole && !isSmall
  const isNegative = [x, y].some((axis) => axis.negative > axis.n * CENTRED_SHARE)
  if (LENGTHS.test(stem) || LENGTHS.test(plainName(below)) || (isNear && isNegative)) {
    doubts.push(
      `positions look like degrees, millimetres or centimetres: ${DEGREES_SAID}; make px or fractions of lengths first`,
    )
    return UNKNOWN
  }
  if (isSmall && (isCentred || isNegative)) {
    doubts.push(
      `positions around 0 look like PsychoPy's units norm or height, or like degrees: say which in unit; ${DEGREES_SAID}`,
    )
    return UNKNOWN
  }
  if (/%|percent|pct|(^|[^a-z])perc([^a-z]|$)/i.test(`${name} ${below}`)) {
    if (!isSmall) return 'percent'
    doubts.push(`${name} is called percent and looks like fractions of the screen: say which in unit`)
    return UNKNOWN
  }
  if (isSmall) {
    doubts.push('positions look like fractions of the screen')
    return 'fraction'
  }
  if (/norm(?!al_)|frac/.test(stem)) {
    doubts.push(`${name} is called a share of the screen, and reaches ${x.max}: say its unit`)
    return UNKNOWN
  }
  if (gaze !== null && fillsPercents(gaze)) {
    doubts.push(
      'positions fill a square of 100 by 100 and move as gaze does: they are taken to be percent of the screen',
    )
    return 'percent'
  }
  const isTiny = !isWhole && Math.max(x.max, y.max) <= PERCENT_MAX
  if (isTiny && gaze !== null) {
    doubts.push(
      'positions up to 100 that move as gaze does are percent of the screen, centimetres or degrees, and no px, since no screen is as small: say which in unit',
    )
    return UNKNOWN
  }
  if (isTiny) doubts.push('positions up to 100 may be percent of the screen, or px of a corner of it: unit says px')
  return 'px'
}

/** Returns whether gaze reaches over most of 0 to 100 in both axes: no window is as small. */
function fillsPercents({ low, high }: Movement): boolean {
  const fills = (axis: 'x' | 'y') => high[axis] >= 50 && high[axis] <= PERCENT_MAX && low[axis] >= 100 - PERCENT_MAX
  return fills('x') && fills('y')
}

/** Upper bound of percentages of the screen, with some margin. */
const PERCENT_MAX = 110
