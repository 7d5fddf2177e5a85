import type { TableHead } from '../text/foreign-table.ts'
import { instantIn } from '../text/instants.ts'
import { type AxisPair, eyeSideOf, ITEMS, plainName } from './column-names.ts'
import { SAID } from './evidence/verdict.ts'
import type { GuessedColumns } from './guess-columns.ts'
import type { GuessedUnit } from './guess-places.ts'
import type { TableFacts } from './table-facts.ts'

const percent = (share: number) => `${Math.round(100 * share)} %`
const shown = (header: string[], { x, y }: AxisPair) => `${header[x]}, ${header[y]}`
const rounded = (value: number) => String(Number(value.toPrecision(2)))

/** Says why columns are taken to be gaze and others are not, in three lines at most. */
export function reasonsOf(header: string[], columns: GuessedColumns, facts: TableFacts, unit: GuessedUnit): string[] {
  const { eyes, time, dismissed, runnerUp } = columns
  if (eyes.length === 0) return []
  const reasons: string[] = []
  const movement = facts.movement(eyes[0], time)
  if (facts.verdict(eyes[0], time) === 'gaze') {
    const which = eyes.map((eye) => shown(header, eye)).join(' and ')
    const parts = [
      ...(unit === 'fraction' || unit === 'percent'
        ? [`${percent(onScreen(facts, eyes[0], time, unit))} on the screen`]
        : []),
      `${rounded(movement.fixationsPerSecond)} fixations a second`,
      ...agreement(eyes, facts, time),
    ]
    reasons.push(`${which} ${columns.isByValues.eyes ? 'move as gaze does' : 'are gaze'}: ${parts.join(', ')}`)
  }
  const others = dismissed
    .slice(0, 2)
    .map(({ pair, verdict }) => `${shown(header, pair)} ${SAID[verdict as keyof typeof SAID]}`)
  if (others.length > 0) reasons.push(`${others.join('; ')}: not taken for gaze`)
  if (runnerUp !== null && !isOtherEye(runnerUp, eyes)) reasons.push(`${shown(header, runnerUp)} would be gaze as well`)
  return reasons
}

function isOtherEye(pair: AxisPair, eyes: AxisPair[]): boolean {
  return eyeSideOf(pair) !== null && eyes.some((eye) => eyeSideOf(eye) === null)
}

function onScreen(facts: TableFacts, pair: AxisPair, time: number, unit: 'fraction' | 'percent'): number {
  const { x, y } = facts.positions(pair, time)
  const most = unit === 'fraction' ? 1 : 100
  let [seen, inside] = [0, 0]
  for (const [i, value] of x.entries()) {
    if (Number.isNaN(value)) continue
    seen++
    if (value >= 0 && value <= most && y[i] >= 0 && y[i] <= most) inside++
  }
  return inside / seen
}

/** Says how far the eyes lie apart, as a share of the spread of gaze. */
function agreement(eyes: AxisPair[], facts: TableFacts, time: number): string[] {
  if (eyes.length < 2) return []
  const [a, b] = eyes.slice(-2).map((eye) => facts.positions(eye, time))
  const { spread } = facts.movement(eyes[0], time)
  let [n, sum] = [0, 0]
  for (const [i, x] of a.x.entries()) {
    const apart = Math.hypot(x - b.x[i], a.y[i] - b.y[i])
    if (Number.isNaN(apart)) continue
    n++
    sum += apart
  }
  return n === 0 ? [] : [`the eyes agree to ${rounded((100 * sum) / n / Math.hypot(spread.x, spread.y))} %`]
}

/** Lists what is not found, and what a person should look at. @param areItemsNamed true if messages name the items */
export function doubtsOfColumns(
  { header, rows }: TableHead,
  columns: GuessedColumns,
  facts: TableFacts,
  areItemsNamed: boolean,
): string[] {
  const { time, participant, item, trial, eyes, unclear, isByValues } = columns
  const doubts: string[] = []
  if (time < 0) doubts.push('no column looks like a time')
  else if (isByValues.time) doubts.push(`${header[time]} advances as a clock does: it is taken to be the time`)
  if (facts.startsAnew(time) && header.some((_, at) => at !== time && runsOn(at, facts)))
    doubts.push(
      `${header[time]} begins near 0 in each test: it counts from the onset, and is taken rather than a clock`,
    )
  if (unclear.length > 0)
    doubts.push(
      `${unclear.map((at) => header[at]).join(', ')} may name participants, items or trials, which their values do not tell: say which`,
    )
  else if (isByValues.names && (participant >= 0 || item >= 0 || trial >= 0)) doubts.push(namesSaid(header, columns))
  if (participant < 0) doubts.push('no column names the participant: each file is one')
  if (item < 0 && trial < 0 && !areItemsNamed) doubts.push('no column names the item: all samples are of one')
  if (item >= 0 && !isByValues.names && !ITEMS.test(plainName(header[item])))
    doubts.push(`${header[item]} holds names of pictures: it is taken to name the item`)
  if (item < 0 && trial >= 0)
    doubts.push(
      'the trial is the item: in a random order, the same number means a different picture for each participant',
    )
  if (eyes.length === 0) return [...doubts, ...doubtsOfNoGaze({ header, rows }, columns, facts)]
  if (isByValues.eyes)
    doubts.push(`${header[eyes[0].x]} is taken to be x rather than y, since screens are wider than high`)
  const verdict = facts.verdict(eyes[0], time)
  // Without a time that can be read, nothing tells how they move.
  const isTimed = time >= 0 && (facts.isNumber(time) || facts.isInstant(time))
  const isUnknown = !isTimed && verdict === 'nothing' && facts.isNumber(eyes[0].x)
  if (verdict !== 'gaze' && verdict !== 'few' && !isUnknown)
    doubts.push(`${shown(header, eyes[0])} ${SAID[verdict]}: check that they are gaze`)
  return doubts
}

const runsOn = (at: number, facts: TableFacts) => facts.isClock(at) && !facts.isCount(at) && !facts.startsAnew(at)

function namesSaid(header: string[], { participant, item, trial }: GuessedColumns): string {
  const parts = [
    ...(participant < 0 ? [] : [`${header[participant]} has a block of rows for each value: a participant`]),
    ...(item < 0 ? [] : [`${header[item]} changes where the clock breaks: the item`]),
    ...(trial < 0 ? [] : [`${header[trial]} counts up: the trial`]),
  ]
  return parts.join('; ')
}

/** Says why there is no gaze. */
function doubtsOfNoGaze(
  { header, rows }: Pick<TableHead, 'header' | 'rows'>,
  { time, inSpace, noGaze, why }: GuessedColumns,
  facts: TableFacts,
): string[] {
  const doubts = ['no columns look like x and y of gaze']
  if (why !== '') doubts.push(why)
  if (noGaze.length > 0)
    doubts.push(
      `${noGaze.map(({ x }) => header[x]).join(', ')} and their y are taken to be something else, by their names`,
    )
  const alike = noGaze.filter((pair) => facts.verdict(pair, time) === 'gaze')
  if (alike.length > 0) doubts.push(`${shown(header, alike[0])} move as gaze does: name them if they are gaze`)
  if (inSpace.length > 0)
    doubts.push(
      `${inSpace.join(', ')} and their y have a z beside them: they are places or directions in space, no gaze on a screen; compute where on the screen or picture the gaze lies first`,
    )
  const pairs = header.filter((_, at) => holdsPairs(rows, at))
  if (pairs.length > 0)
    doubts.push(
      `${pairs.join(', ')} ${pairs.length > 1 ? 'hold' : 'holds'} two numbers in one cell: write x and y into columns of their own`,
    )
  return doubts
}

const PAIR = /^[([{]?\s*(?:[+-]?[\d.]+(?:e[+-]?\d+)?|nan)\s*[,;\s]\s*(?:[+-]?[\d.]+(?:e[+-]?\d+)?|nan)\s*[)\]}]?$/i
const NUMBER = /[+-]?\d+(\.\d+)?/g

/** Returns whether cells hold two numbers, such as (0.5, 0.4), or differ and hold several, such as x=0.5 y=0.4. */
function holdsPairs(rows: string[][], at: number): boolean {
  const texts = rows.map((cells) => (cells[at] ?? '').trim()).filter((text) => text !== '')
  if (texts.length > 0 && texts.every((text) => PAIR.test(text) && /[,;\s]/.test(text))) return true
  const told = texts.filter((text) => /\d/.test(text))
  const hasTwo = (text: string) => (text.match(NUMBER)?.length ?? 0) > 1 && Number.isNaN(instantIn(text))
  return 2 * new Set(told).size > told.length && told.every((text) => hasTwo(text) && Number.isNaN(Number(text)))
}
