import { isMissing } from '../../../../isomorphic/missing-text.ts'
import { UNIT_MS, unitOfStep } from '../../../../isomorphic/time-unit.ts'
import type { Role } from './column-meanings.ts'
import { columnOf, type MappingDraft } from './mapping-draft.ts'
import { type PreviewTable, readerOf } from './sample-points.ts'

const INSTANT = /^(\d{4}[-/]\d\d[-/]\d\d[ T])?\d\d:\d\d:\d\d/
/** Largest number that most fractions of a screen do not exceed. */
const FRACTION_MOST = 2
/** Least share of positions on each side of an origin in the middle of the screen. */
const CENTRED_SHARE = 0.1
/** Largest first time, in ms, that counts from the onset of an item. */
const ONSET_MOST_MS = 1000
/** Smallest and largest pupils, as the import has them. */
const [PUPIL_LEAST_MM, PUPIL_MOST_MM] = [1, 9.5]

/** Guesses unit, origin and validity of the columns that a person gave another role, from the first rows. */
export function lookAgain(table: PreviewTable, before: MappingDraft, after: MappingDraft): MappingDraft {
  const isOther = (role: Role) => columnOf(after, role) !== null && columnOf(after, role) !== columnOf(before, role)
  return {
    ...after,
    ...(isOther('time') ? timesOf(table, after) : {}),
    ...(isOther('x') || isOther('y') ? placeOf(table, after) : {}),
    ...(isOther('valid') ? ruleOf(table, after) : {}),
    ...(isOther('mouseX') || isOther('mouseY') ? mouseUnitOf(table, after) : {}),
    ...(isOther('leftPupil') || isOther('rightPupil') ? pupilUnitOf(table, after) : {}),
  }
}

const at = ({ header }: PreviewTable, draft: MappingDraft, role: Role) => header.indexOf(columnOf(draft, role) ?? '')

function timesOf(table: PreviewTable, draft: MappingDraft): Partial<MappingDraft> {
  const { cell, number } = readerOf(table)
  const column = at(table, draft, 'time')
  const texts = table.rows.map((row) => cell(row, column)).filter((text) => !isMissing(text))
  if (texts.length > 0 && texts.every((text) => INSTANT.test(text))) return { timeUnit: 'iso', timeOrigin: 'first' }
  const times = table.rows.map((row) => number(row, column)).filter(Number.isFinite)
  const steps = times.map((time, i) => time - times[i - 1]).filter((step) => step > 0)
  const unit = unitOfStep(steps.sort((a, b) => a - b)[steps.length >> 1])
  if (unit === null) return {}
  const firstMs = Math.abs(times[0]) * UNIT_MS[unit]
  return { timeUnit: unit, timeOrigin: firstMs < ONSET_MOST_MS ? 'item' : 'first' }
}

/** Returns the numbers of the columns with some roles. */
function numbersOf(table: PreviewTable, draft: MappingDraft, roles: Role[]): number[][] {
  const { number } = readerOf(table)
  return roles.map((role) => table.rows.map((row) => number(row, at(table, draft, role))).filter(Number.isFinite))
}

const share = (values: number[], is: (value: number) => boolean) => values.filter(is).length / values.length

function areFractions(axes: number[][]): boolean {
  return axes.every(
    (values) => share(values, (value) => Math.abs(value) <= FRACTION_MOST) > 0.9 && !values.every(Number.isInteger),
  )
}

function placeOf(table: PreviewTable, draft: MappingDraft): Partial<MappingDraft> {
  const axes = numbersOf(table, draft, ['x', 'y'])
  if (axes.some((values) => values.length === 0)) return {}
  const isFraction = areFractions(axes)
  const negative = axes.map((values) => share(values, (value) => value < 0))
  const isCentred = negative.every((one) => one > CENTRED_SHARE && one < 1 - CENTRED_SHARE)
  if (isFraction && negative.some((one) => one > CENTRED_SHARE)) return { unit: '?' }
  return { unit: isFraction ? 'fraction' : 'px', origin: isCentred ? 'center-y-up' : 'top-left' }
}

function mouseUnitOf(table: PreviewTable, draft: MappingDraft): Partial<MappingDraft> {
  const axes = numbersOf(table, draft, ['mouseX', 'mouseY'])
  return axes.some((values) => values.length === 0) ? {} : { mouseUnit: areFractions(axes) ? 'fraction' : 'px' }
}

/** Says mm where most sizes are possible for a pupil; px and arbitrary units are larger, and not told apart. */
function pupilUnitOf(table: PreviewTable, draft: MappingDraft): Partial<MappingDraft> {
  const sizes = numbersOf(table, draft, ['leftPupil', 'rightPupil'])
    .flat()
    .filter((size) => size > 0)
  const isMm = sizes.length > 0 && share(sizes, (size) => size >= PUPIL_LEAST_MM && size <= PUPIL_MOST_MM) > 0.9
  return { pupilUnit: isMm ? 'mm' : '' }
}

/** Proposes the texts that come with gaze as those that mean valid. */
function ruleOf(table: PreviewTable, draft: MappingDraft): Partial<MappingDraft> {
  const { cell, number } = readerOf(table)
  const [x, valid] = [at(table, draft, 'x'), at(table, draft, 'valid')]
  const counts = new Map<string, number>()
  for (const row of table.rows) {
    const text = cell(row, valid)
    counts.set(text, (counts.get(text) ?? 0) + (Number.isFinite(number(row, x)) && number(row, x) >= 0 ? 1 : -1))
  }
  const texts = [...counts].filter(([text, balance]) => text !== '' && balance > 0).map(([text]) => text)
  return counts.size > 8 || texts.length === 0 ? {} : { valid: { is: 'values', text: texts.join(', ') } }
}
