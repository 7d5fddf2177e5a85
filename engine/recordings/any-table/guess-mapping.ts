import { isMissing } from '../../../isomorphic/missing-text.ts'
import { ServiceError } from '../../model/errors.ts'
import { ioHubMessages } from '../hdf5/iohub-text.ts'
import type { Mapping } from '../reader/mapping.ts'
import { derivedTable } from '../text/derived-tables.ts'
import { type TableHead, tableHead } from '../text/foreign-table.ts'
import { foreignText } from '../text/foreign-texts.ts'
import { numberIn } from '../text/parse-number.ts'
import { isInHdf5 } from '../text/part-text.ts'
import type { SourceFile } from '../text/source-files.ts'
import { eyeSideOf, findPairs, type Pair, plainName } from './column-names.ts'
import { takeSample } from './evidence/sample.ts'
import { type ChosenColumns, type GuessedColumns, guessColumns } from './guess-columns.ts'
import { guessEyes } from './guess-eyes.ts'
import { doubtsOfColumns, reasonsOf } from './guess-notes.ts'
import { type GuessedUnit, guessMouse, guessPlace, UNKNOWN } from './guess-places.ts'
import { guessTime } from './guess-time.ts'
import { guessValidity } from './guess-validity.ts'
import { readTableValues, type TableValues } from './guess-values.ts'
import { openRowFilter } from './row-filter.ts'
import { factsOf } from './table-facts.ts'

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
  const isAligned = isAsWide(table)
  const byName = guessColumns(header)
  const known = guessRows(table)
  const messages = findMessages(table, byName, known)
  const itemMessage = messages?.itemMessage ?? (isInHdf5(file) ? repeatedPattern(await ioHubMessages(file)) : null)
  const kinds = known ?? messages?.rows ?? null
  const all = byName.eye < 0 || kinds !== null ? null : await readTableValues(file, byName, null)
  const ofEye = all === null ? null : rowsOfEye(header, byName, all)
  const rows = kinds ?? ofEye
  const sample = await takeSample(file, others, openRowFilter(header, rows))
  const facts = factsOf(table, sample)
  const columns = guessColumns(header, facts, columnsChosen(header, chosen))
  const values = await readTableValues(file, columns, rows)
  const nameAt = (at: number) => (at < 0 ? null : header[at])
  const { participant, item, trial, eyes, mouse } = columns
  const isPupils = header.some((name) => PUPIL_CORES.test(plainName(name)))
  const place = guessPlace(values, {
    ...{ name: nameAt(eyes[0]?.x ?? -1) ?? '', stem: eyes[0]?.stem ?? '' },
    movement: eyes.length === 0 ? null : facts.movement(eyes[0], columns.time),
    isPupils,
    stuck: eyes.flatMap((eye) => facts.stuckCodes(eye, columns.time)),
  })
  const pointer = mouse && guessMouse(values, header[mouse.x], mouse.stem, place.origin)
  const validity = guessValidity(values, columns, header, facts, isPupils)
  const time = guessTime(table, columns, values, facts, validity.valid[0] ?? null)
  const pairAt = ({ x, y }: Pair) => ({ x: header[x], y: header[y] })
  const eye = (pair: Pair, i: number) => ({
    ...{ ...pairAt(pair), unit: place.unit, valid: validity.valid[i] },
    ...sideIn(eyes, pair),
  })
  const { doubts: doubtsOfPupils, ...sizes } = guessEyes(table)
  const events = messages?.column ?? findMarkers(table, columns)
  const isUnclear = columns.unclear.length > 0 && columns.isByValues.time && columns.isByValues.eyes
  return {
    gazetteMapping: 1,
    notes: [
      ...reasonsOf(header, columns, facts, place.unit),
      ...(table.hasHeader ? [] : ['the table has no header: its columns are called by their number, from 1']),
      ...(isAligned ? [] : [WIDTH_DOUBT]),
      ...doubtsOfDoubles(header, columns),
      ...(messages?.doubts ?? []),
      ...(ofEye === null ? doubtsOfRows(rows) : doubtsOfEye(ofEye, all!)),
      ...doubtsOfColumns(table, columns, facts, itemMessage !== null),
      ...time.doubts,
      ...place.doubts,
      ...validity.doubts,
      ...doubtsOfPupils,
      ...(events !== null && messages === null ? [`${events} holds markers between empty cells: ${EVENTS_SAID}`] : []),
      ...(pointer?.doubts ?? []),
      SCREEN_DOUBT,
    ],
    rows,
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
    ...(item < 0 && trial < 0 && itemMessage !== null ? { itemMessage } : {}),
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
  const pair = ({ x, y }: { x: string; y: string }): Pair => {
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

/**
 * Columns by which programs distinguish samples from rows of messages, events and other sensors, and their values for
 * samples.
 */
const ROW_KINDS: { column: RegExp; values: string[] | null }[] = [
  // SMI's IDF Converter and BeGaze.
  { column: /^type$/, values: ['SMP'] },
  { column: /^category_group$/, values: ['Eye'] },
  { column: /^sensor$/, values: ['Eye Tracker'] },
  // iMotions, whose other sensors have rows of their own.
  { column: /^et_time_signal$/, values: null },
  // Zep.
  { column: /^type$/, values: ['GAZE_SAMPLE'] },
  // PsychoPy's ioHub.
  { column: /^type$/, values: ['BinocularEyeSampleEvent'] },
  { column: /^type$/, values: ['MonocularEyeSampleEvent'] },
  { column: /^type$/, values: ['EyeSampleEvent'] },
]

function guessRows({ header, rows }: TableHead): Mapping['rows'] {
  for (const { column, values } of ROW_KINDS) {
    const at = header.findIndex((name) => column.test(plainName(name)))
    if (at < 0) continue
    const texts = rows.map((cells) => (cells[at] ?? '').trim())
    if (values === null ? texts.includes('') && texts.some((text) => text !== '') : texts.includes(values[0]))
      return { column: header[at], values }
  }
  return null
}

const EVENTS_SAID = 'its messages that --event-message matches become events'

const MESSAGES = /^(event|message|msg|marker|trigger|annotation|comment|log|content)s?(_?(text|name|value|label))?$/

/** Events that a tracker derives from samples and writes beside them. */
const EYE_EVENT = /^(blink|sacc|fix|lost|unknown|unclassified|eyes? ?not)/i

/**
 * Finds the column of messages in rows of their own, as in OpenSesame's logs: such rows have no gaze, but it is not
 * lost. Samples are identified by a column that is filled in all their rows and in no row of a message.
 */
function findMessages(
  { header, rows, decimalMark }: TableHead,
  { time, eyes, validity }: GuessedColumns,
  known: Mapping['rows'],
): { rows: Mapping['rows']; column: string; itemMessage: string | null; doubts: string[] } | null {
  const cell = (cells: string[], at: number) => (cells[at] ?? '').trim()
  const isNumber = (text: string) => !Number.isNaN(numberIn(text, decimalMark))
  const isText = (text: string) => !isMissing(text) && !isNumber(text)
  const named = header.findIndex((name) => MESSAGES.test(plainName(name)))
  /** Returns a row's message. A row with nothing else but a time has it in whichever column comes next. */
  const messageIn = (cells: string[]) => {
    const isShort = cells.length < header.length
    const columns = isShort ? [named, ...cells.keys()] : [named]
    return columns.find(
      (i) =>
        i >= 0 &&
        i !== time &&
        header[i] !== known?.column &&
        isText(cell(cells, i)) &&
        !EYE_EVENT.test(cell(cells, i)),
    )
  }
  const kind = known === null || known.values === null ? -1 : header.indexOf(known.column)
  const isOther = (cells: string[]) => kind >= 0 && !known!.values!.includes(cell(cells, kind))
  const hasNoGaze = (cells: string[]) =>
    eyes.every(({ x, y }) => !isNumber(cell(cells, x)) && !isNumber(cell(cells, y)))
  const isOwnRow = (cells: string[]) => (isOther(cells) || hasNoGaze(cells)) && messageIn(cells) !== undefined
  const own = rows.filter(isOwnRow)
  const samples = rows.filter((cells) => !isOwnRow(cells))
  if (eyes.length === 0 || samples.length === 0) return null
  if (own.length === 0)
    return kind < 0 || named < 0
      ? null
      : {
          rows: null,
          column: header[named],
          itemMessage: null,
          doubts: [`${header[named]} may hold messages in rows of their own: ${EVENTS_SAID}`],
        }
  const at = tellingColumn(own, messageIn(own[0])!, header.length, isText)
  // A cell of gaze may be empty in a sample, too.
  const rank = (i: number) => (validity.includes(i) ? 0 : eyes.some(({ x, y }) => x === i || y === i) ? 2 : 1)
  const tells = [...header.keys()]
    .sort((a, b) => rank(a) - rank(b))
    .find(
      (i) =>
        ![at, time].includes(i) &&
        samples.every((cells) => cell(cells, i) !== '') &&
        own.every((cells) => cell(cells, i) === ''),
    )
  const texts = own.map((cells) => cell(cells, at))
  const pattern = itemPattern(texts)
  const example = `${header[at]} holds messages in rows of their own, such as ${JSON.stringify(cell(own[0], at).slice(0, 60))}`
  const rest =
    tells !== undefined || known !== null
      ? 'those rows are not samples'
      : 'no column tells them from samples, so that they would be read as lost gaze: take them out first'
  return {
    rows: tells === undefined ? null : { column: header[tells], values: null },
    column: header[at],
    itemMessage: (known ?? tells) === undefined ? null : repeatedPattern(texts),
    doubts: [`${example}: ${rest}; ${EVENTS_SAID}; ${itemsSaid(pattern)}`],
  }
}

/**
 * Returns the column whose texts differ most between rows of messages, the first one unless another differs more: a
 * word such as MSG, or a date, may stand in front.
 */
function tellingColumn(own: string[][], first: number, columns: number, isText: (text: string) => boolean): number {
  const distinct = (at: number) => {
    const texts = own.map((cells) => (cells[at] ?? '').trim())
    return texts.every((text) => isText(text) && /\p{L}/u.test(text) && !DATE.test(text)) ? new Set(texts).size : 0
  }
  const counts = Array.from({ length: columns }, (_, at) => distinct(at))
  const most = Math.max(...counts)
  return most > counts[first] ? counts.indexOf(most) : first
}

const DATE = /^\d{4}-\d\d-\d\d[T ]/

/** Returns the pattern by which messages name items, if several match it, with different names; else null. */
function repeatedPattern(texts: string[]): string | null {
  const pattern = itemPattern(texts)
  const expression = pattern === null ? null : new RegExp(pattern)
  return new Set(texts.flatMap((text) => expression?.exec(text)?.[1] ?? [])).size > 1 ? pattern : null
}

/** Returns the eye of a gaze column, if the table has columns of both eyes, or of one only. */
function sideIn(eyes: Pair[], pair: Pair): { eye?: 'left' | 'right' } {
  const side = eyeSideOf(pair)
  return side === null || eyes.some((other) => other !== pair && eyeSideOf(other) === side) ? {} : { eye: side }
}

/** Finds a column of markers in rows of samples: texts or numbers between empty cells. */
function findMarkers({ header, rows }: TableHead, { time, eyes, validity }: GuessedColumns): string | null {
  const used = [time, ...validity, ...eyes.flatMap(({ x, y }) => [x, y])]
  const at = header.findIndex((name, i) => {
    if (used.includes(i) || !MESSAGES.test(plainName(name))) return false
    const cells = rows.map((row) => (row[i] ?? '').trim())
    const filled = cells.filter((cell) => !isMissing(cell))
    return filled.length > 0 && 2 * filled.length < cells.length && !filled.every((cell) => EYE_EVENT.test(cell))
  })
  return at < 0 ? null : header[at]
}

/** Guesses the pattern by which messages name items: by pictures, as in SMI's Experiment Center; null for none. */
function itemPattern(messages: string[]): string | null {
  const found = messages.map((text) => PICTURE_MESSAGE.exec(text)).find((match) => match !== null)
  const before = found?.[1].replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\d+/g, '\\d+')
  return found ? `^${before}(.+)$` : null
}

function itemsSaid(pattern: string | null): string {
  const shown = pattern === null ? '' : `: ${JSON.stringify(pattern)}`
  return `messages that name items do so with "item": null and "itemMessage"${shown}`
}
const PICTURE_MESSAGE = /^(.*?)[^\s\\/:"]+\.(?:png|jpe?g|bmp|gif|webp|avif|svg|tiff?|mp4|avi|mov|wmv)$/i

function doubtsOfRows(rows: Mapping['rows']): string[] {
  if (rows === null) return []
  const which = rows.values === null ? 'is not empty' : `is ${rows.values.join(', ')}`
  return [`only rows whose ${rows.column} ${which} are taken to be samples`]
}

/** Proposes the rows of one eye for tables in which each eye has its own row: a mapping reads one row per sample. */
function rowsOfEye(header: string[], { eye }: GuessedColumns, { eyesOfRows }: TableValues): Mapping['rows'] {
  return eyesOfRows.length === 0 ? null : { column: header[eye], values: [eyesOfRows[0]] }
}

function doubtsOfEye({ column, values }: NonNullable<Mapping['rows']>, { eyesOfRows }: TableValues): string[] {
  return [
    `each eye has rows of its own, as ${column} says (${eyesOfRows.join(', ')}): only those whose ${column} is ${values?.join()} are taken; name the other in rows, or put both eyes into one row, to take their mean`,
  ]
}

export const SCREEN_DOUBT = 'the size of the screen is not in the table: fill in screen, or give --screen or --screens'
