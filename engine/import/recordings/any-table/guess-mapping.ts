import { isMissing } from '../../../../shared/missing-text.ts'
import { ServiceError } from '../../../model/errors.ts'
import type { Mapping } from '../reader/mapping.ts'
import { derivedTable } from '../text/derived-tables.ts'
import { type TableHead, tableHead } from '../text/foreign-table.ts'
import { foreignText } from '../text/foreign-texts.ts'
import { numberIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import {
  type ColumnFacts,
  eyeSideOf,
  type GuessedColumns,
  guessColumns,
  type Pair,
  plainName,
} from './guess-columns.ts'
import { guessEyes } from './guess-eyes.ts'
import { type GuessedUnit, guessMouse, guessPlace, guessValidity, UNKNOWN } from './guess-places.ts'
import { readTableValues, type TableValues } from './guess-values.ts'

/** A guessed mapping: anything not found is UNKNOWN; its notes list what a person should check before trusting it. */
export type GuessedMapping = Omit<Mapping, 'gaze'> & {
  gaze: (Omit<Mapping['gaze'][number], 'unit'> & { unit: GuessedUnit })[]
}

const UNIT_MS = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 }

/**
 * Guesses the meanings of a table's columns, from their names and from all rows; a person confirms or corrects them.
 *
 * @throws ServiceError usage if it is not a table of samples
 */
export async function guessMapping(file: SourceFile): Promise<GuessedMapping> {
  const table = sampleTableHead(file)
  const { header } = table
  const columns = guessColumns(header, factsOf(table))
  const known = guessRows(table)
  const messages = findMessages(table, columns, known)
  const kinds = known ?? messages?.rows ?? null
  const all = await readTableValues(file, columns, kinds)
  const ofEye = kinds === null ? rowsOfEye(header, columns, all) : null
  const rows = kinds ?? ofEye
  const values = ofEye === null ? all : await readTableValues(file, columns, rows)
  const nameAt = (at: number) => (at < 0 ? null : header[at])
  const { participant, item, trial, eyes, mouse } = columns
  const place = guessPlace(values, nameAt(eyes[0]?.x ?? -1) ?? '', eyes[0]?.stem ?? '')
  const pointer = mouse && guessMouse(values, header[mouse.x], mouse.stem, place.origin)
  const validity = guessValidity(values, columns, header)
  const time = guessTime(table, columns, values)
  const pairAt = ({ x, y }: Pair) => ({ x: header[x], y: header[y] })
  const eye = (pair: Pair, i: number) => ({
    ...{ ...pairAt(pair), unit: place.unit, valid: validity.valid[i] },
    ...sideIn(eyes, pair),
  })
  const { doubts: doubtsOfPupils, ...sizes } = guessEyes(table)
  const events = messages?.column ?? findMarkers(table, columns)
  return {
    gazetteMapping: 1,
    notes: [
      ...(table.hasHeader ? [] : ['the table has no header: its columns are called by their number, from 1']),
      ...doubtsOfWidth(table),
      ...(messages?.doubts ?? []),
      ...(ofEye === null ? doubtsOfRows(rows) : doubtsOfEye(ofEye, all)),
      ...doubtsOfColumns(columns),
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
    item: nameAt(item >= 0 ? item : trial),
    trial: item >= 0 ? nameAt(trial) : null,
    comesAgain: 'new-test',
    time: { column: nameAt(columns.time) ?? UNKNOWN, unit: time.unit, origin: time.origin },
    gaze: eyes.length > 0 ? eyes.map(eye) : [{ x: UNKNOWN, y: UNKNOWN, unit: 'px', valid: null }],
    ...sizes,
    ...(events === null ? {} : { events }),
    ...(item < 0 && trial < 0 && messages?.itemMessage ? { itemMessage: messages.itemMessage } : {}),
    origin: place.origin,
    missing: place.missing,
    mouse: mouse && pointer?.unit ? { ...pairAt(mouse), unit: pointer.unit } : null,
    scroll: nameAt(columns.scroll),
    click: nameAt(columns.click),
    tags: [],
    externalData: [],
    screen: null,
  }
}

/** @throws ServiceError usage */
function sampleTableHead(file: SourceFile): TableHead {
  const table = tableHead(file)
  const foreign = foreignText(file)
  if (foreign) throw new ServiceError('usage', foreign)
  if (!table)
    throw new ServiceError(
      'usage',
      `${file.name} is no table of text with a header: cells must be separated by tabs, semicolons, commas, bars or blanks, and every row must have as many`,
    )
  const derived = derivedTable(file)
  if (derived) throw new ServiceError('usage', `${file.name} is one of the ${derived}: a mapping is for samples`)
  return table
}

function doubtsOfWidth({ header, rows }: TableHead): string[] {
  const isLonger = (cells: string[]) => cells.slice(header.length).some((cell) => cell.trim() !== '')
  if (2 * rows.filter(isLonger).length <= rows.length) return []
  return ['most rows have more cells than the header has names: are the names above the right columns?']
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
  if (eyes.length === 0 || own.length === 0 || samples.length === 0) return null
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
      ? 'those rows are no samples'
      : 'no column tells them from samples, so that they would be read as lost gaze: take them out first'
  return {
    rows: tells === undefined ? null : { column: header[tells], values: null },
    column: header[at],
    itemMessage: (known ?? tells) === undefined || !isRepeated(texts, pattern) ? null : pattern,
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

/** Returns whether several messages match a pattern, with different names. */
function isRepeated(texts: string[], pattern: string | null): boolean {
  const expression = pattern === null ? null : new RegExp(pattern)
  return new Set(texts.flatMap((text) => expression?.exec(text)?.[1] ?? [])).size > 1
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
  return [`only rows whose ${rows.column} ${which} are taken for samples`]
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

/**
 * Least mean length of runs of filled cells for which a column may name somebody although most rows are empty; markers
 * stand alone.
 */
const RUN_LEAST = 3

function isFilled(cells: boolean[]): boolean {
  const filled = cells.filter(Boolean).length
  const runs = cells.filter((cell, i) => cell && !cells[i - 1]).length
  return 2 * filled >= cells.length || filled === 0 || filled >= RUN_LEAST * runs
}

function factsOf(table: TableHead): ColumnFacts {
  const { rows, decimalMark } = table
  return {
    isNumber: (at) => holdsNumbers(table, at),
    isFilled: (at) => isFilled(rows.map((cells) => !isMissing((cells[at] ?? '').trim()))),
    most: (at) => rows.reduce((most, cells) => Math.max(most, numberIn(cells[at] ?? '', decimalMark) || 0), 0),
    advance: (at) => {
      const times = rows.map((cells) => numberIn(cells[at] ?? '', decimalMark)).filter((time) => !Number.isNaN(time))
      return times.length < 2 ? 1 : times.filter((time, i) => i > 0 && time > times[i - 1]).length / (times.length - 1)
    },
  }
}

/** Returns whether a column has a number in any row, or is empty throughout. */
function holdsNumbers({ rows, decimalMark }: TableHead, at: number): boolean {
  const texts = rows.map((cells) => (cells[at] ?? '').trim()).filter((text) => text !== '')
  return texts.length === 0 || texts.some((text) => !Number.isNaN(numberIn(text, decimalMark)))
}

const SCREEN_DOUBT = 'the size of the screen is not in the table: fill in screen, or give --screen or --screens'

function doubtsOfColumns({ time, participant, item, trial, eyes, inSpace, noGaze }: GuessedColumns): string[] {
  const doubts: string[] = []
  if (time < 0) doubts.push('no column looks like a time')
  if (participant < 0) doubts.push('no column names the participant: each file is one')
  if (item < 0 && trial < 0) doubts.push('no column names the item: all samples are of one')
  if (item < 0 && trial >= 0)
    doubts.push('the trial is the item: under a random order, one number is another picture for each participant')
  if (eyes.length === 0) doubts.push('no columns look like x and y of gaze')
  if (eyes.length === 0 && noGaze.length > 0)
    doubts.push(`${noGaze.join(', ')} and their y are taken for something else, by their names`)
  if (eyes.length === 0 && inSpace.length > 0)
    doubts.push(
      `${inSpace.join(', ')} and their y have a z beside them: they are places or directions in space, no gaze on a screen; compute where on the screen or picture the gaze lies first`,
    )
  return doubts
}

/** Guesses the unit of times, and whether they restart at each item's onset or run on across tests. */
function guessTime(
  { header, rows, decimalMark }: TableHead,
  { time }: GuessedColumns,
  { tests, furthestFirst, restarts }: TableValues,
) {
  const times = time < 0 ? [] : rows.map((cells) => numberIn(cells[time] ?? '', decimalMark))
  const unit = unitOfTime(time < 0 ? '' : plainName(header[time]), times)
  const isOfRecording = time >= 0 && /recording|device|system|world|gaze_time/.test(plainName(header[time]))
  const origin: 'first' | 'item' = furthestFirst * UNIT_MS[unit] < 1000 && !isOfRecording ? 'item' : 'first'
  const doubts: string[] = []
  const repeated = times.slice(1).filter((t, i) => t === times[i]).length
  if (2 * repeated > times.length)
    doubts.push(
      `${header[time]} is the same in most rows as in the row before, so that no fixation can be found: name a finer clock, or put the parts of one together`,
    )
  if (origin === 'first')
    doubts.push(
      tests > 1
        ? "times run on from one test to the next: an item's onset is taken to be its first sample"
        : "times do not begin at 0: an item's onset is taken to be its first sample",
    )
  if (restarts > 0)
    doubts.push(
      `times go back ${restarts} times within a test: name the column that tells participants, items or trials apart`,
    )
  return { unit, origin, doubts }
}

/**
 * Returns the unit in the column's name, otherwise guesses it from the sampling interval: trackers record 2 to 2000 Hz.
 */
function unitOfTime(name: string, times: number[]): keyof typeof UNIT_MS {
  const named = /(?:^|_)(s|sec|secs|seconds?|ms|msec|milliseconds?|us|ns)$/.exec(name)?.[1]
  if (named) return named.startsWith('m') ? 'ms' : named.startsWith('u') ? 'us' : named.startsWith('n') ? 'ns' : 's'
  const steps = times.slice(1).map((time, i) => time - times[i])
  const usual = steps.filter((step) => step > 0).sort((a, b) => a - b)
  const step = usual[usual.length >> 1] ?? 16
  return step < 0.45 ? 's' : step < 450 ? 'ms' : step < 450_000 ? 'us' : 'ns'
}
