import { isLostCode, splitCodes } from '../../../../isomorphic/lost-codes.ts'
import type { PositionUnit, ViewingCm } from '../../../../isomorphic/to-px.ts'
import {
  CENTRED_UNITS,
  type CoordinateOrigin,
  MANY,
  type PupilUnitChoice,
  type Role,
  type TIME_UNITS,
  type Unit,
} from './column-meanings.ts'

/** Rule for cells that mean yes: one of some texts, or at least a number. */
export type Rule = { is: 'values' | 'least'; text: string }

/** Mapping as filled in: every field as it stands in the form. */
export type MappingDraft = {
  /** Roles by column name. */
  roles: Record<string, Role>
  timeUnit: keyof typeof TIME_UNITS
  timeOrigin: 'item' | 'first'
  /** '?' until it is chosen. */
  unit: PositionUnit | '?'
  /** Size and distance of the screen, for gaze in degrees. */
  screenWidthCm: string
  viewingDistanceCm: string
  mouseUnit: Unit
  pupilUnit: PupilUnitChoice
  /** Proposed eye of each x column. */
  sides: Record<string, Side>
  /** Eyes whose gaze is stored beside that of both together, as proposed. */
  apart: Eye[]
  origin: CoordinateOrigin
  /** Numbers that mean lost, separated by commas. */
  missing: string
  valid: Rule
  valid2: Rule
  /** Texts of rows that are samples, separated by commas; empty for all rows. */
  rows: string
  comesAgain: ComesAgain
  /** Pattern of the messages that name items, used if no column does; '' for none. */
  itemMessage: string
}

/** Meaning of an item that a participant sees again. */
type ComesAgain = 'new-test' | 'same-test'

type Side = 'left' | 'right'
type Sides = { left: string | null; right: string | null }

type Eye = {
  x: string
  y: string
  unit: PositionUnit | '?'
  valid: { column: string; values: string[] } | { column: string; least: number } | null
  eye?: Side
}

/** Mapping as `gazette convert --guess` prints it (docs/formats.md), without the fields of the screen. */
export type MappingJson = {
  gazetteMapping: 1
  rows: { column: string; values: string[] | null } | null
  participant: string | null
  item: string | null
  trial: string | null
  time: { column: string; unit: MappingDraft['timeUnit']; origin: MappingDraft['timeOrigin'] }
  gaze: Eye[]
  pupils?: Sides & { unit: Exclude<PupilUnitChoice, ''> | null }
  eyeDistanceMm?: Sides
  events?: string | null
  itemMessage?: string
  origin: CoordinateOrigin
  missing: string[]
  mouse: { x: string; y: string; unit: Unit } | null
  scroll: string | null
  click: string | null
  tags: string[]
  externalData: string[]
  comesAgain: ComesAgain
  screen: null
  viewing: ViewingCm | null
}

const UNKNOWN = '?'
const NO_RULE: Rule = { is: 'values', text: '' }
const EMPTY: MappingDraft = {
  roles: {},
  timeUnit: 'ms',
  timeOrigin: 'item',
  unit: 'px',
  screenWidthCm: '',
  viewingDistanceCm: '',
  mouseUnit: 'px',
  pupilUnit: '',
  sides: {},
  apart: [],
  origin: 'top-left',
  missing: '',
  valid: NO_RULE,
  valid2: NO_RULE,
  rows: '',
  comesAgain: 'new-test',
  itemMessage: '',
}

/** Returns the form of a proposed mapping; an empty form without one. */
export function draftOf(proposed: MappingJson | null): MappingDraft {
  if (proposed === null) return EMPTY
  const { mouse, time, origin, missing, rows, pupils, eyeDistanceMm, viewing } = proposed
  const together = proposed.gaze.filter(({ eye }) => eye === undefined)
  const gaze = together.length > 0 ? together : proposed.gaze
  const apart = together.length > 0 ? proposed.gaze.filter(({ eye }) => eye !== undefined) : []
  const [first, second] = gaze
  const isOwn = second?.valid != null && second.valid.column !== first.valid?.column
  const named: [Role, string | null | undefined][] = [
    ['participant', proposed.participant],
    ['item', proposed.item],
    ['trial', proposed.trial],
    ['scroll', proposed.scroll],
    ['click', proposed.click],
    ['leftPupil', pupils?.left],
    ['rightPupil', pupils?.right],
    ['leftDistance', eyeDistanceMm?.left],
    ['rightDistance', eyeDistanceMm?.right],
    ['events', proposed.events],
    ['mouseX', mouse?.x],
    ['mouseY', mouse?.y],
    ['rows', rows?.column],
    ['valid', first.valid?.column],
    ['valid2', isOwn ? second.valid?.column : null],
    ['x2', second?.x],
    ['y2', second?.y],
    ['x', first.x],
    ['y', first.y],
    ['time', time.column],
    ...proposed.tags.map((column): [Role, string] => ['tag', column]),
    ...proposed.externalData.map((column): [Role, string] => ['external', column]),
  ]
  return {
    roles: Object.fromEntries(
      named.flatMap(([role, column]) => (column == null || column === UNKNOWN ? [] : [[column, role]])),
    ),
    timeUnit: time.unit,
    timeOrigin: time.origin,
    unit: first.unit,
    screenWidthCm: String(viewing?.screenWidthCm ?? ''),
    viewingDistanceCm: String(viewing?.viewingDistanceCm ?? ''),
    mouseUnit: mouse?.unit ?? 'px',
    pupilUnit: pupils?.unit ?? '',
    sides: Object.fromEntries(gaze.flatMap(({ x, eye }) => (eye === undefined ? [] : [[x, eye]]))),
    apart,
    origin,
    missing: missing.join(', '),
    valid: ruleOf(first.valid),
    valid2: isOwn ? ruleOf(second.valid) : NO_RULE,
    rows: rows?.values?.join(', ') ?? '',
    comesAgain: proposed.comesAgain,
    itemMessage: proposed.itemMessage ?? '',
  }
}

function ruleOf(valid: Eye['valid']): Rule {
  if (valid === null) return NO_RULE
  return 'least' in valid ? { is: 'least', text: String(valid.least) } : { is: 'values', text: valid.values.join(', ') }
}

/** Returns the draft with another role for a column; most roles belong to one column only. */
export function withRole(draft: MappingDraft, column: string, role: Role | null): MappingDraft {
  const others = Object.entries(draft.roles).filter(
    ([name, is]) => name !== column && (is !== role || MANY.includes(is)),
  )
  return { ...draft, roles: Object.fromEntries(role === null ? others : [...others, [column, role]]) }
}

/** Returns the column with a role; null for none. */
export function columnOf({ roles }: MappingDraft, role: Role): string | null {
  return Object.entries(roles).find(([, is]) => is === role)?.[0] ?? null
}

/** Returns the size and distance of the screen; null unless gaze is in degrees. */
export function viewingOf({ unit, screenWidthCm, viewingDistanceCm }: MappingDraft): ViewingCm | null {
  if (unit !== 'deg') return null
  return { screenWidthCm: numberOf(screenWidthCm), viewingDistanceCm: numberOf(viewingDistanceCm) }
}

/** Splits a list at commas. */
export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/**
 * Returns the mapping of a form, and what is missing and wrong in it, as sentences; with any, the mapping cannot be
 * used.
 */
export function mappingOf(draft: MappingDraft): { mapping: MappingJson; missing: string[]; faults: string[] } {
  const at = (role: Role) => columnOf(draft, role)
  const all = (role: Role) => Object.keys(draft.roles).filter((column) => draft.roles[column] === role)
  const eye = (x: string | null, y: string | null, valid: Eye['valid']): Eye => {
    const side = x === null ? undefined : draft.sides[x]
    return { x: x ?? UNKNOWN, y: y ?? UNKNOWN, unit: draft.unit, valid, ...(side === undefined ? {} : { eye: side }) }
  }
  const [x, y, x2, y2, mouseX, mouseY, rows] = (['x', 'y', 'x2', 'y2', 'mouseX', 'mouseY', 'rows'] as const).map(at)
  const valid = validOf(at('valid'), draft.valid)
  const valid2 = at('valid2') === null ? valid : validOf(at('valid2'), draft.valid2)
  const values = listOf(draft.rows)
  const sides = (left: Role, right: Role): Sides | null =>
    at(left) === null && at(right) === null ? null : { left: at(left), right: at(right) }
  const [pupils, distances] = [sides('leftPupil', 'rightPupil'), sides('leftDistance', 'rightDistance')]
  // Drop the entry of an eye without a second gaze column, or whose column has another role now.
  const isFree = (one: Eye) => x2 === null && draft.roles[one.x] === undefined && draft.roles[one.y] === undefined
  const apart = draft.apart.filter(isFree).map((one) => ({ ...one, unit: draft.unit }))
  return {
    mapping: {
      gazetteMapping: 1,
      rows: rows === null ? null : { column: rows, values: values.length === 0 ? null : values },
      participant: at('participant'),
      item: at('item'),
      trial: at('trial'),
      time: { column: at('time') ?? UNKNOWN, unit: draft.timeUnit, origin: draft.timeOrigin },
      gaze: [eye(x, y, valid), ...(x2 === null ? [] : [eye(x2, y2, valid2)]), ...apart],
      ...(pupils === null ? {} : { pupils: { ...pupils, unit: draft.pupilUnit === '' ? null : draft.pupilUnit } }),
      ...(distances === null ? {} : { eyeDistanceMm: distances }),
      ...(at('events') === null ? {} : { events: at('events') }),
      ...(namesItems(draft) && draft.itemMessage.trim() !== '' ? { itemMessage: draft.itemMessage.trim() } : {}),
      origin: draft.origin,
      missing: splitCodes(draft.missing),
      mouse: mouseX === null ? null : { x: mouseX, y: mouseY ?? UNKNOWN, unit: draft.mouseUnit },
      scroll: at('scroll'),
      click: at('click'),
      tags: all('tag'),
      externalData: all('external'),
      comesAgain: draft.comesAgain,
      screen: null,
      viewing: viewingOf(draft),
    },
    ...faultsOf(draft, at),
  }
}

/** Returns whether messages may name the items: where no column does. */
export function namesItems(draft: MappingDraft): boolean {
  return columnOf(draft, 'events') !== null && columnOf(draft, 'item') === null
}

function validOf(column: string | null, { is, text }: Rule): Eye['valid'] {
  if (column === null) return null
  return is === 'least' ? { column, least: numberOf(text) } : { column, values: listOf(text) }
}

function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}

function faultsOf(draft: MappingDraft, at: (role: Role) => string | null): { missing: string[]; faults: string[] } {
  const missing: string[] = []
  const need = (isThere: boolean, sentence: string) => {
    if (!isThere) missing.push(sentence)
  }
  const both = (one: Role, other: Role) => (at(one) === null) === (at(other) === null)
  need(at('time') !== null, 'Choose the column of the time.')
  need(at('x') !== null && at('y') !== null, 'Gaze needs a column for x and one for y: choose both.')
  need(both('x2', 'y2'), 'The other eye needs a column for x and one for y: choose both, or neither.')
  need(both('mouseX', 'mouseY'), 'The mouse needs a column for x and one for y: choose both, or neither.')
  need(draft.unit !== '?', 'Choose the unit of gaze.')
  if (draft.unit === 'deg') {
    need(numberOf(draft.screenWidthCm) > 0, 'Enter the width of the screen in cm: degrees need it.')
    need(
      numberOf(draft.viewingDistanceCm) > 0,
      'Enter the distance of the eyes from the screen in cm: degrees need it.',
    )
  }
  if (CENTRED_UNITS.includes(draft.unit))
    need(
      draft.origin.startsWith('center'),
      'This unit counts from the middle of the screen: choose that x and y are 0 there.',
    )
  for (const role of ['valid', 'valid2'] as const) {
    const column = at(role)
    if (column === null) continue
    const { is, text } = draft[role]
    if (is === 'least') need(!Number.isNaN(numberOf(text)), `Enter the lowest number of “${column}” that means valid.`)
    else need(listOf(text).length > 0, `Enter the texts of “${column}” that mean valid, separated by commas.`)
  }
  const codes = splitCodes(draft.missing).filter((code) => !isLostCode(code))
  const wrong = `Numbers that mean lost must be numbers, separated by commas, not “${codes.join(', ')}”.`
  return { missing, faults: codes.length === 0 ? [] : [wrong] }
}
