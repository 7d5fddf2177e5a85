import { isMissing } from '../../../isomorphic/missing-text.ts'
import { ServiceError } from '../../model/errors.ts'
import type { Mapping } from '../reader/mapping.ts'
import { derivedTable } from '../text/derived-tables.ts'
import { type TableHead, tableHead } from '../text/foreign-table.ts'
import { foreignText } from '../text/foreign-texts.ts'
import type { SourceFile } from '../text/source-files.ts'
import { type AxisPair, eyeSideOf, findPairs, plainName } from './column-names.ts'
import { takeSample } from './evidence/sample.ts'
import { type ChosenColumns, type GuessedColumns, guessColumns } from './guess-columns.ts'
import { guessEyes } from './guess-eyes.ts'
import { EVENTS_SAID, findMarkers } from './guess-messages.ts'
import { doubtsOfColumns, reasonsOf } from './guess-notes.ts'
import { type GuessedUnit, guessMouse, guessPlace, UNKNOWN } from './guess-places.ts'
import { type GuessedRows, guessRows } from './guess-rows.ts'
import { guessTime } from './guess-time.ts'
import { guessValidity } from './guess-validity.ts'
import { readTableValues, type TableValues } from './guess-values.ts'
import { openRowFilter } from './row-filter.ts'
import { factsOf, type TableFacts } from './table-facts.ts'

/** A guessed mapping: anything not found is UNKNOWN; its notes list what a person should check before trusting it. */
export type GuessedMapping = Omit<Mapping, 'gaze'> & {
  gaze: (Omit<Mapping['gaze'][number], 'unit'> & { unit: GuessedUnit })[]
}

/** Names of columns that a person chose, whose units, origin and validity are guessed all the same. */
export type ChosenNames = { time?: string; gaze?: { x: string; y: string }[] }

/**
 * Guesses the meanings of a table's columns: candidates by name are tested on a sample of the rows; a person confirms
 * or corrects the guess.
 *
 * @param others further files, whose rows are looked at if they have the same header
 * @throws ServiceError usage if it is not a table of samples
 */
export async function guessMapping(
  file: SourceFile,
  others: SourceFile[] = [],
  chosen: ChosenNames = {},
): Promise<GuessedMapping> {
  const table = sampleTableHead(file)
  const { header } = table
  const rows = await guessRows(file, table)
  const sample = await takeSample(file, others, openRowFilter(header, rows.rows))
  const facts = factsOf(table, sample)
  const columns = guessColumns(header, facts, columnsChosen(header, chosen))
  const values = await readTableValues(file, columns, rows.rows)
  const evidence = { table, rows, facts, columns, values, isAligned: isAsWide(table) }
  return mappingOf(evidence, meaningsOf(evidence))
}

/** Columns of a table, and what speaks for them. */
type Evidence = {
  table: TableHead
  rows: GuessedRows
  facts: TableFacts
  columns: GuessedColumns
  values: TableValues
  /** False if names are not above their columns. */
  isAligned: boolean
}

type Meanings = ReturnType<typeof meaningsOf>

/** Guesses what the values of columns mean: units, origin, validity. */
function meaningsOf({ table, rows: { messages }, facts, columns, values }: Evidence) {
  const { header } = table
  const { eyes, mouse } = columns
  const isPupils = header.some((name) => PUPIL_CORES.test(plainName(name)))
  const place = guessPlace(values, {
    ...{ name: header[eyes[0]?.x ?? -1] ?? '', stem: eyes[0]?.stem ?? '', below: unitBelow(table, eyes[0]?.x ?? -1) },
    movement: eyes.length === 0 ? null : facts.movement(eyes[0], columns.time),
    isPupils,
    stuck: eyes.flatMap((eye) => facts.stuckCodes(eye, columns.time)),
  })
  const pointer = mouse && guessMouse(values, header[mouse.x], mouse.stem, place.origin)
  const validity = guessValidity(values, columns, header, facts, isPupils)
  const time = guessTime(table, columns, values, facts, validity.valid[0] ?? null)
  const events = messages?.column ?? findMarkers(table, columns)
  return { place, pointer, validity, time, events, pupils: guessEyes(table) }
}

/** Returns the unit in the first row of a column of numbers, as some programs write it; '' for none. */
function unitBelow({ rows }: TableHead, at: number): string {
  const text = rows[0]?.[at]?.trim() ?? ''
  return /^[[(]?\s*(%|°|[a-zµ]{1,7})\s*[\])]?$/i.test(text) && !isMissing(text) ? text : ''
}

/** Returns why columns were taken, and what a person should check. */
function notesOf({ table, rows, facts, columns, isAligned }: Evidence, meanings: Meanings): string[] {
  const { place, pointer, validity, time, events, pupils } = meanings
  const hasMarkers = events !== null && rows.messages === null
  return [
    ...reasonsOf(table.header, columns, facts, place.unit),
    ...(table.hasHeader ? [] : ['the table has no header: its columns are called by their number, from 1']),
    ...(isAligned ? [] : [WIDTH_DOUBT]),
    ...doubtsOfDoubles(table.header, columns),
    ...rows.doubts,
    ...doubtsOfColumns(table, columns, facts, rows.itemMessage !== null),
    ...time.doubts,
    ...place.doubts,
    ...validity.doubts,
    ...pupils.doubts,
    ...(hasMarkers ? [`${events} holds markers between empty cells: ${EVENTS_SAID}`] : []),
    ...(pointer?.doubts ?? []),
    SCREEN_DOUBT,
  ]
}

function mappingOf(evidence: Evidence, meanings: Meanings): GuessedMapping {
  const { rows, columns, isAligned } = evidence
  const { header } = evidence.table
  const { place, pointer, validity, time, events, pupils } = meanings
  const { participant, item, trial, eyes, mouse, unclear, isByValues } = columns
  const nameAt = (at: number) => (at < 0 ? null : header[at])
  const pairAt = ({ x, y }: AxisPair) => ({ x: header[x], y: header[y] })
  const eye = (pair: AxisPair, i: number) => ({
    ...{ ...pairAt(pair), unit: place.unit, valid: validity.valid[i] },
    ...sideIn(eyes, pair),
  })
  const { doubts: _, ...sizes } = pupils
  const isUnclear = unclear.length > 0 && isByValues.time && isByValues.eyes
  return {
    gazetteMapping: 1,
    notes: notesOf(evidence, meanings),
    rows: rows.rows,
    participant: nameAt(participant),
    item: isUnclear ? UNKNOWN : nameAt(item >= 0 ? item : trial),
    trial: item >= 0 ? nameAt(trial) : null,
    comesAgain: 'new-test',
    time: {
      column: time.why === '' ? (nameAt(columns.time) ?? UNKNOWN) : UNKNOWN,
      unit: time.unit,
      origin: time.origin,
    },
    gaze: eyes.length > 0 && isAligned ? eyes.map(eye) : [{ x: UNKNOWN, y: UNKNOWN, unit: 'px', valid: null }],
    ...sizes,
    ...(events === null ? {} : { events }),
    ...(item < 0 && trial < 0 && rows.itemMessage !== null ? { itemMessage: rows.itemMessage } : {}),
    origin: place.origin,
    missing: place.missing,
    mouse: mouse && pointer?.unit ? { ...pairAt(mouse), unit: pointer.unit } : null,
    scroll: nameAt(columns.scroll),
    click: nameAt(columns.click),
    tags: [],
    externalData: [],
    screen: null,
    viewing: null,
  }
}

/** Finds the columns that a person chose by their names. */
function columnsChosen(header: string[], { time, gaze }: ChosenNames): ChosenColumns {
  const at = (name: string) => header.indexOf(name)
  const pair = ({ x, y }: { x: string; y: string }): AxisPair => {
    const named = findPairs(header).find((one) => one.x === at(x) && one.y === at(y))
    return named ?? { x: at(x), y: at(y), stem: plainName(x) }
  }
  return { ...(time === undefined ? {} : { time: at(time) }), ...(gaze === undefined ? {} : { eyes: gaze.map(pair) }) }
}

/** @throws ServiceError usage */
function sampleTableHead(file: SourceFile): TableHead {
  const table = tableHead(file)
  const foreign = foreignText(file)
  if (foreign) throw new ServiceError('usage', foreign)
  if (!table)
    throw new ServiceError(
      'usage',
      `${file.name} is not a table of text with a header: cells must be separated by tabs, semicolons, commas, bars or blanks, and every row must have as many`,
    )
  const derived = derivedTable(file)
  if (derived) throw new ServiceError('usage', `${file.name} is one of the ${derived}: a mapping is for samples`)
  return table
}

/** Returns whether most rows have no more cells than the header has names. */
function isAsWide({ header, rows }: TableHead): boolean {
  const isLonger = (cells: string[]) => cells.slice(header.length).some((cell) => cell.trim() !== '')
  return 2 * rows.filter(isLonger).length <= rows.length
}

const WIDTH_DOUBT =
  'most rows have more cells than the header has names, so that no name is above its column: mend it first'

/** Names of columns by which a table of Pupil Core is known. */
const PUPIL_CORES = /^(gaze_timestamp|world_timestamp|world_index|on_surf|norm_pos_x)$/

function doubtsOfDoubles(header: string[], { time, eyes }: GuessedColumns): string[] {
  const used = [time, ...eyes.flatMap(({ x, y }) => [x, y])].filter((at) => at >= 0).map((at) => header[at])
  const doubles = [...new Set(used)].filter((name) => header.indexOf(name) !== header.lastIndexOf(name))
  return doubles.length === 0 ? [] : [`several columns are called ${doubles.join(', ')}: the first of each is read`]
}

/** Returns the eye of a gaze column, if the table has columns of both eyes, or of one only. */
function sideIn(eyes: AxisPair[], pair: AxisPair): { eye?: 'left' | 'right' } {
  const side = eyeSideOf(pair)
  return side === null || eyes.some((other) => other !== pair && eyeSideOf(other) === side) ? {} : { eye: side }
}

export const SCREEN_DOUBT = 'the size of the screen is not in the table: fill in screen, or give --screen or --screens'
