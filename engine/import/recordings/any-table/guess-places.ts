import type { PxOrigin } from '../../../../isomorphic/to-px.ts'
import type { Mapping } from '../reader/mapping.ts'
import { eyeSideOf, openGazeValidity, type Pair, plainName } from './column-names.ts'
import type { Movement } from './evidence/movement.ts'
import { HALF_SCREEN_PX, verdictOf } from './evidence/verdict.ts'
import type { GuessedColumns } from './guess-columns.ts'
import type { TableValues } from './guess-values.ts'
import type { TableFacts } from './table-facts.ts'

/** Placeholder for what was not found: a mapping that still contains it is refused. */
export const UNKNOWN = '?'

export type GuessedUnit = 'px' | 'fraction' | 'percent' | typeof UNKNOWN

/** Unit and origin of positions, and the values that mark lost gaze. */
type Place = { unit: GuessedUnit; origin: PxOrigin; missing: string[]; doubts: string[] }

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

/**
 * Guesses the unit and origin of a table's gaze from its values.
 *
 * @param name name of its x column @param movement of the first eye; null if there is no gaze
 */
export function guessPlace(
  { x, y, codes, mouseCodes, rows }: TableValues,
  { name, stem, movement }: { name: string; stem: string; movement: Movement | null },
): Place {
  const doubts: string[] = []
  const isCentred = isAroundMiddle({ x, y })
  const isPercent = movement !== null && verdictOf(movement) === 'gaze' && fillsPercents(movement)
  const unit = guessUnit({ x, y }, name, stem, isCentred, doubts, isPercent)
  const isBottomUp = /^norm_pos|^@_norm$/.test(stem)
  if (isCentred)
    doubts.push(
      'positions lie around 0, as from the middle of the screen: y is taken to grow upwards, as in PsychoPy; if it grows downwards, origin is center-y-down',
    )
  if (isBottomUp) doubts.push("norm_pos and x_norm count from the lower left in Pupil Core's files")
  const lost = codes.filter(({ x, y, n }) => n > 1 && !(x === 0 && y === 0 && isCentred))
  if (lost.length > 0) {
    const shown = lost.map(({ x, y, n }) => `${x === y ? x : `(${x}, ${y})`} (${n} of ${rows} rows)`)
    doubts.push(`${shown.join(', ')} in both x and y is taken for a lost gaze`)
  }
  const nowhere = mouseCodes.filter(({ x, n }) => n > 1 && x !== 0)
  if (nowhere.length > 0)
    doubts.push(`${nowhere.map(({ x }) => x).join(', ')} in both x and y is taken for a mouse that is nowhere`)
  const missing = [...new Set([...lost, ...nowhere].flatMap(({ x, y }) => [x, y]))]
  const origin = isCentred ? 'center-y-up' : isBottomUp ? 'bottom-left' : 'top-left'
  return { unit, origin, missing: missing.map(String), doubts }
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
  const unit = guessUnit(mouse, name, stem, isCentred, said)
  const isSameOrigin = mouse.x.n === 0 || isCentred === origin.startsWith('center')
  if (unit === UNKNOWN || !isSameOrigin) {
    const why = unit === UNKNOWN ? 'their unit is not known' : 'they count from another place than those of gaze'
    return { unit: null, doubts: [`positions of the mouse, such as ${name}, are not taken, since ${why}`] }
  }
  return { unit, doubts: mouse.x.n === 0 ? [] : [`positions of the mouse are taken to be ${SHOWN_UNITS[unit]}`] }
}

const SHOWN_UNITS = { px: 'px', fraction: 'fractions of the screen', percent: 'percent of the screen' }

function guessUnit(
  { x, y }: Axes,
  name: string,
  stem: string,
  isCentred: boolean,
  doubts: string[],
  isPercent = false,
): GuessedUnit {
  const n = x.n + y.n
  if (n === 0) return 'px'
  const isWhole = x.whole + y.whole === n
  const isSmall = x.small + y.small > n * 0.9 && !isWhole
  const isNear = x.near + y.near > n * 0.98 && !isWhole && !isSmall
  const isNegative = [x, y].some((axis) => axis.negative > axis.n * CENTRED_SHARE)
  if (/(^|_)(deg|dva|mm|rad)/.test(stem) || (isNear && isNegative)) {
    doubts.push(
      'positions look like degrees or millimetres, of which px can only be made with the size and the distance of the screen: make px or fractions of them first, and say which in unit',
    )
    return UNKNOWN
  }
  if (isSmall && isCentred) {
    doubts.push(
      "positions look like PsychoPy's units norm or height, which a mapping does not know: make px or fractions of them first, and say which in unit",
    )
    return UNKNOWN
  }
  if (/%|percent|pct|(^|[^a-z])perc([^a-z]|$)/i.test(name)) {
    if (!isSmall) return 'percent'
    doubts.push(`${name} is called percent and looks like fractions of the screen: say which in unit`)
    return UNKNOWN
  }
  if (isSmall) {
    doubts.push('positions look like fractions of the screen')
    return 'fraction'
  }
  if (isPercent) {
    doubts.push('positions fill a square of 100 by 100 and move as gaze does: they are taken for percent of the screen')
    return 'percent'
  }
  if (!isWhole && Math.max(x.max, y.max) <= PERCENT_MAX)
    doubts.push('positions up to 100 may be percent of the screen, or px of a corner of it: unit says px')
  return 'px'
}

/** Returns whether gaze reaches over most of 0 to 100 in both axes: no window is as small. */
function fillsPercents({ low, high }: Movement): boolean {
  const fills = (axis: 'x' | 'y') => high[axis] >= 50 && high[axis] <= PERCENT_MAX && low[axis] >= 100 - PERCENT_MAX
  return fills('x') && fills('y')
}

/** Upper bound of percentages of the screen, with some margin. */
const PERCENT_MAX = 110

/** Default confidence threshold of Pupil Player. */
const PUPIL_CONFIDENCE = 0.6

type Valid = Mapping['gaze'][number]['valid']

/** Proposes each eye's validity column, and the texts in it that mean valid. */
export function guessValidity(
  { validity }: TableValues,
  { eyes, validity: guessed, time, isByValues }: GuessedColumns,
  header: string[],
  facts: TableFacts,
): { valid: Valid[]; doubts: string[] } {
  const doubts: string[] = []
  const columns = [...validity.keys()]
  const isOfGaze = (at: number) => (/gaze|por|regard|pog/.test(plainName(header[at])) ? 0 : 1)
  const byGaze = [...columns].sort((a, b) => isOfGaze(a) - isOfGaze(b))
  const isPupilCore = eyes.some(({ stem }) => /^norm_pos|^@_norm$/.test(stem))
  const confidence = isPupilCore ? guessed.find((at) => plainName(header[at]) === 'confidence') : undefined
  if (confidence !== undefined) {
    const column = header[confidence]
    const least = PUPIL_CONFIDENCE
    return {
      valid: eyes.map(() => ({ column, least })),
      doubts: [`gaze is taken to be valid where ${column} is at least ${least}, as Pupil Player does by default`],
    }
  }
  const sideOfColumn = (at: number) => eyeSideOf({ stem: plainName(header[at]) })
  /** Returns the first column that calls those positions invalid that repeat the one before. */
  const byMovement = (tried: number[], eye: Pair): Valid => {
    for (const at of tried) {
      const values = facts.validTexts(at, eye, time)
      if (values === null) continue
      doubts.push(`${header[at]} is ${values.join(', ')} where ${header[eye.x]} moves: gaze is taken to be valid there`)
      return { column: header[at], values }
    }
    return null
  }
  const valid = eyes.map((eye): Valid => {
    const openGaze = openGazeValidity(eye, header)
    if (openGaze >= 0) return { column: header[openGaze], values: ['1'] }
    const own = byGaze.find((at) => eyeSideOf(eye) !== null && sideOfColumn(at) === eyeSideOf(eye))
    const at = own ?? byGaze.find((one) => sideOfColumn(one) === null)
    const values = at === undefined ? [] : validTexts(validity.get(at)!, plainName(header[at]))
    if (at !== undefined && values.length > 0) return { column: header[at], values }
    const tried = isByValues.eyes ? [...header.keys()] : [own ?? at].filter((one) => one !== undefined)
    return byMovement(tried, eye)
  })
  for (const at of columns) {
    const texts = [...validity.get(at)!.keys()].map((text) => JSON.stringify(text)).join(', ')
    const chosen = valid.find((one) => one?.column === header[at])
    if (OTHERS_OF_OPEN_GAZE.test(header[at]) && !chosen) continue
    if (chosen && 'values' in chosen)
      doubts.push(`${header[at]} holds ${texts}: gaze is taken to be valid where it is ${chosen.values.join(', ')}`)
    else doubts.push(`${header[at]} holds ${texts}, and may say whether a gaze is valid: name it in valid if so`)
  }
  for (const at of guessed.filter((one) => !validity.has(one)))
    doubts.push(
      `${header[at]} holds many values and is not used: {"column": …, "least": …} in valid gives the least that is valid`,
    )
  return { valid, doubts }
}

/** Validity columns of other gazes than the chosen one. */
const OTHERS_OF_OPEN_GAZE = /^[bflr]pog_?v$/i

/** Returns the texts that come mostly with gaze; none if there is no text that comes without gaze. */
function validTexts(texts: Map<string, { seen: number; lost: number }>, name: string): string[] {
  if (/validity/.test(name) && isTobiis(texts)) return ['0', '1']
  if (texts.size < 2 && !/^(valid|true)$/i.test([...texts.keys()][0] ?? '')) return []
  const words = [...texts.keys()].filter((text) => /^(valid|true|yes|ok)$/i.test(text))
  if (words.length > 0) return words
  const isTold = [...texts.values()].some(({ seen, lost }) => lost > seen)
  return isTold ? [...texts].filter(([, { seen, lost }]) => seen > lost).map(([text]) => text) : []
}

/**
 * Returns whether texts are Tobii's validity codes: 0 and 1 mean certainly and probably this eye, 4 means no eye. For 2
 * and 3 there is a gaze, but its eye is unknown.
 */
function isTobiis(texts: Map<string, { seen: number; lost: number }>): boolean {
  const { seen, lost } = texts.get('0') ?? { seen: 0, lost: 0 }
  return (
    seen > lost &&
    [...texts.keys()].every((text) => /^[0-4]$/.test(text)) &&
    ['2', '3', '4'].some((one) => texts.has(one))
  )
}
