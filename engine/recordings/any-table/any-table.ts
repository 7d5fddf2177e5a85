import { openLostCodes } from '../../../isomorphic/lost-codes.ts'
import { UNIT_MS } from '../../../isomorphic/time-unit.ts'
import { placeOn, type ToPx, toPx } from '../../../isomorphic/to-px.ts'
import type { EyeColumn } from '../../model/eye-columns.ts'
import { eyeColumn } from '../draft/batch.ts'
import {
  addTest,
  type Draft,
  type DraftParticipant,
  itemOf,
  nextDisplayOrder,
  noteDoubt,
  noteLeft,
  participantOf,
} from '../draft/draft.ts'
import { checkKept, type KeptColumns } from '../draft/kept-facts.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import { UNNAMED_ITEM } from '../draft/take-path-names.ts'
import { noteFirstSampleOnset } from '../reader/assumed-onset.ts'
import { type Mapping, missingColumns, namedColumns } from '../reader/mapping.ts'
import { ageIn, genderIn } from '../reader/person-facts.ts'
import type { Reader, ReadOptions, Screen } from '../reader/reader.ts'
import { readSampleTables, type SampleTable, WITHOUT_ITEM } from '../reader/sample-tables.ts'
import { needScreen } from '../reader/screen.ts'
import { openValues } from '../reader/value-columns.ts'
import { tableHead } from '../text/foreign-table.ts'
import { openInstants } from '../text/instants.ts'
import { cellText, isEmptyCell, type TableRows } from '../text/table-rows.ts'
import { goOn, isAnew, type LookTallies, noTallies, noteLooks, openLooks, type TestLook } from './looks.ts'
import { type CoreTable, openCoreBeside } from './pupil-core.ts'
import { respondentIn } from './respondent.ts'
import { openRowFilter } from './row-filter.ts'
import { type Messages, openMessages, type Whose } from './table-messages.ts'

/** Reads any table with one row per sample, described by a mapping file (mapping.ts). */
export const generic: Reader = {
  name: 'generic',
  title: 'table of samples, by a mapping',
  heeds: ['kept', 'events'],
  recognises: (file, { mapping }) => {
    const table = tableHead(file)
    return mapping !== null && table !== null && missingColumns(table.header, mapping).length === 0
  },
  async *read(files, all, draft, options) {
    const mapping = options.mapping!
    const both = (kind: 'tags' | 'externalData') => [...new Set([...mapping[kind], ...options.kept[kind]])]
    const facts = [mapping.age, mapping.gender].filter((name) => typeof name === 'string')
    const kept = { tags: both('tags'), externalData: both('externalData'), facts }
    checkKept(kept)
    if (mapping.gaze.length > 1) draft.eyes.add('both')
    if (mapping.pupils?.unit) noteRecording(draft, { pupilUnit: mapping.pupils.unit })
    if (mapping.viewing !== null) noteRecording(draft, mapping.viewing)
    if (mapping.time.origin === 'first')
      noteFirstSampleOnset(draft, 'a time that is 0 at the onset, if the table has one, is the better choice')
    draft.areHolesNoted = true
    const tallies = noTallies()
    const messages = openMessages(draft, mapping, options)
    const beside = openCoreBeside(all, draft, mapping, options)
    yield* readSampleTables(files, draft, { ...options, kept }, async (table) =>
      openTable({ table, mapping, options, tallies, messages, core: await beside.open(table) }),
    )
    messages.end()
    beside.end()
    takeFacts(draft, mapping)
    noteLooks(draft, tallies)
  },
}

/** Gives participants the ages and genders in the columns that a mapping names. */
function takeFacts(draft: Draft, { age, gender }: Mapping): void {
  const read = <T>(
    { facts }: DraftParticipant,
    column: string | null | undefined,
    parse: (text: string) => T | null,
    rule: string,
  ): T | null => {
    const text = facts.get(column ?? '') ?? null
    const value = text === null ? null : parse(text)
    if (text !== null && value === null)
      noteLeft(draft, `values of ${column} that are not ${rule}`, 1, { first: JSON.stringify(text.slice(0, 40)) })
    return value
  }
  for (const person of draft.participants) {
    person.age ??= read(person, age, ageIn, 'a whole number of years, 1 to 150')
    person.gender ??= read(person, gender, genderIn, 'female, male or other')
  }
}

/** Returns whether a cell is empty or a statistics program's missing value, and therefore names nobody. */
const isNobody = (text: string) => /^(na|n\/a|nan|null|undefined|[.-])?$/i.test(text)

/** A table that is read, with its mapping and what all tables share. */
type Reading = {
  table: SampleTable
  mapping: Mapping
  options: ReadOptions
  tallies: LookTallies
  messages: Messages
  core: CoreTable | null
}

/** Names of the last sample, and its look; null before the first, and behind rows without an item. */
type Place = Whose & { look: TestLook | null }

function openTable(reading: Reading): (rows: TableRows) => void {
  const { table, mapping, options, tallies, messages, core } = reading
  const { batch, draft, column, leave, leaveTimeless } = table
  const time = column(mapping.time.column)
  const timeOf = openTimes(time, mapping.time.unit, table)
  const names = openNames(reading)
  const isSample = openRowFilter(table.header, mapping.rows)
  const pointer = openPointer(table, mapping)
  const gaze = openGaze(table, mapping)
  const readSizes = openSizes(table, mapping)
  const place: Place = { who: '', what: '', which: '', look: null }
  const lookOf = openPlace(reading, names, place, ({ screen }) => {
    gaze.useScreen(screen)
    pointer?.useScreen(screen)
  })
  const takeMessage = openMessageRows(reading, names, place, timeOf)
  const lookName = () => `${place.who} at ${place.what}`
  let isWider = false
  noteOtherColumns(draft, table.header, mapping, options.kept)
  messages.open(table)
  return (rows) => {
    if (!isWider && rows.cells > rows.width && hasMore(rows)) {
      isWider = true
      noteWider(draft, rows)
    }
    if (!isSample(rows)) {
      takeMessage(rows)
      return leave(NO_SAMPLE)
    }
    const tMs = timeOf(rows)
    if (Number.isNaN(tMs)) return leaveTimeless(rows, time)
    const isSaid = messages.changed(rows)
    if (isSaid) names.see?.(rows)
    const look = lookOf(rows, tMs)
    if (typeof look === 'string') return leave(look)
    const i = batch.n++
    batch.test[i] = look.test
    batch.tMs[i] = tMs
    goOn(look, tMs, tallies, lookName)
    if (isSaid) messages.take(rows, tMs, look.test)
    gaze.read(rows, i)
    readSizes(rows, i)
    core?.read(tMs, i)
    pointer?.read(rows, i)
  }
}

/**
 * Opens the place of samples: returns a sample's look, or why its row is left out.
 *
 * @param place of the last sample; follows
 * @param onOther called when a look begins or goes on after another
 */
function openPlace(
  reading: Reading,
  { participant, item, trial, facts }: Names,
  place: Place,
  onOther: (look: TestLook) => void,
): (rows: TableRows, tMs: number) => TestLook | string {
  const { mapping, tallies, messages } = reading
  const findLook = openLooks(mapping, tallies)
  return (rows, tMs) => {
    const [who, what, which] = [participant(rows), item(rows), trial(rows)]
    const { look: last } = place
    const isSame = last !== null && who === place.who && what === place.what && which === place.which
    if (isSame && !isAnew(last, tMs)) return last
    if (isNobody(who)) return 'rows without a participant'
    if (isNobody(what)) {
      findLook.end(who)
      place.look = null
      return WITHOUT_ITEM
    }
    Object.assign(place, { who, what, which })
    const look = findLook.at(who, what, which, tMs, (firstMs) => startLook(reading, place, facts, firstMs))
    place.look = look
    messages.begin(look.test, { who, what, which })
    onOther(look)
    return look
  }
}

/** Opens the reader of messages in rows that are not samples. */
function openMessageRows(
  { table, mapping, messages }: Reading,
  { participant, item, trial, see }: Names,
  place: Place,
  timeOf: (rows: TableRows) => number,
): (rows: TableRows) => void {
  const timeIn = (cell: number) => openTimes(cell, mapping.time.unit, table)
  return (rows) => {
    if (!messages.hasOne(rows)) return
    const tMs = timeOfMessage(rows, timeOf, timeIn, place.look?.lastMs ?? null)
    if (Number.isNaN(tMs)) return
    see?.(rows)
    const names = { who: participant(rows), what: item(rows), which: trial(rows) }
    messages.take(rows, tMs, testOfMessage(names, place, tMs))
  }
}

/** Opens the reader of times, in ms. */
function openTimes(time: number, unit: Mapping['time']['unit'], { number }: SampleTable): (rows: TableRows) => number {
  if (unit === 'iso') return openInstants(time)
  const unitMs = UNIT_MS[unit]
  return (rows) => number(rows, time) * unitMs
}

type Names = ReturnType<typeof openNames>

/** Opens the names of rows; `see` takes messages that name items, and `facts` are those of a file's one respondent. */
function openNames({ table: { file, draft, fileName, column, text }, mapping, messages }: Reading) {
  const respondent = mapping.participant === null ? respondentIn(file, draft) : null
  const unnamed = respondent === null ? fileName : () => respondent.name
  const participant = mapping.participant === null ? unnamed : text(column(mapping.participant))
  const named = mapping.itemMessage === undefined ? null : openItemMessages(mapping.itemMessage, participant, messages)
  const item = named?.item ?? (mapping.item === null ? () => UNNAMED_ITEM : text(column(mapping.item)))
  const trial = text(mapping.trial === null ? -1 : column(mapping.trial))
  return { participant, item, trial, see: named?.see, facts: respondent?.facts }
}

/** Longest distance of a message from the sample before it, if its time is in another column. */
const MESSAGE_REACH_MS = 1e6

/** Reads the time of a message, which may stand in another column than that of samples: PyGaze writes `MSG` first. */
function timeOfMessage(
  rows: TableRows,
  timeOf: (rows: TableRows) => number,
  timeIn: (cell: number) => (rows: TableRows) => number,
  lastMs: number | null,
): number {
  const own = timeOf(rows)
  if (!Number.isNaN(own)) return own
  const times = Array.from({ length: rows.cells }, (_, cell) => timeIn(cell)(rows)).filter((one) => one > 0)
  const near = lastMs === null ? times : times.filter((one) => Math.abs(one - lastMs) <= MESSAGE_REACH_MS)
  const distance = (one: number) => (lastMs === null ? -one : Math.abs(one - lastMs))
  return near.sort((a, b) => distance(a) - distance(b))[0] ?? Number.NaN
}

function startLook(
  { table: { file, draft }, mapping, options, core }: Reading,
  { who, what, which }: Whose,
  facts: Partial<DraftParticipant> | undefined,
  tMs: number,
): TestLook {
  const person = participantOf(draft, file, who, facts)
  const screen = needScreen(options.screens?.get(who) ?? mapping.screen, who, options, file, draft)
  const test = addTest(draft, person, itemOf(draft, what), {
    displayOrder: nextDisplayOrder(draft, person),
    windowWidthPx: screen.widthPx,
    windowHeightPx: screen.heightPx,
    notes: which === '' ? '' : `trial ${which}`,
    onsetMs: mapping.time.origin === 'first' ? tMs : 0,
  })
  const started = { test, screen, firstMs: tMs, lastMs: tMs, stepMs: Number.NaN }
  core?.begin(started)
  return started
}

/**
 * Returns the test of a message in a row that is not a sample: the one in progress, or the next one with the names of
 * the row, of which any may be empty; null for a message that names no item before the first test.
 */
function testOfMessage(names: Whose, place: Place, tMs: number): number | Whose | null {
  const { look } = place
  const isOf = (now: string, known: string) => isNobody(now) || now === known
  const isHere = isOf(names.who, place.who) && isOf(names.what, place.what) && isOf(names.which, place.which)
  if (look !== null && isHere && !isAnew(look, tMs)) return look.test
  return look === null && isNobody(names.what) ? null : names
}

/**
 * Tracks the messages that name the item of the rows after them: those of a participant for their own rows, those of
 * nobody for all rows. Before the first, the item is ''.
 */
function openItemMessages(pattern: string, participant: (rows: TableRows) => string, messages: Messages) {
  const expression = new RegExp(pattern)
  const shownTo = new Map<string, string>()
  return {
    item: (rows: TableRows) => shownTo.get(participant(rows)) ?? shownTo.get('') ?? '',
    see: (rows: TableRows) => {
      const found = expression.exec(messages.textOf(rows))
      if (found === null) return
      const who = participant(rows)
      if (isNobody(who)) shownTo.clear()
      shownTo.set(isNobody(who) ? '' : who, (found[1] ?? found[0]).trim())
    },
  }
}

/** Returns whether cells beyond those of the header hold anything, as separators at the end of a line do not. */
function hasMore(rows: TableRows): boolean {
  for (let cell = rows.width; cell < rows.cells; cell++) if (!isEmptyCell(rows, cell)) return true
  return false
}

function noteWider(draft: Draft, { fileName, line }: TableRows): void {
  noteDoubt(
    draft,
    `rows of ${fileName} have more cells than the header has names, first line ${line}: a separator within a cell may have shifted their values; put such cells in quotes`,
  )
}

const NO_SAMPLE = "rows that the mapping's `rows` excludes"

/** Reads some columns of a row into the batch; `useScreen` sets the screen to which positions refer. */
type Part = { useScreen: (screen: Screen) => void; read: (rows: TableRows, i: number) => void }

type Valid = Mapping['gaze'][number]['valid']

const NOWHERE: ToPx = { xScale: 1, yScale: 1, xOffset: 0, yOffset: 0, xEyesPx: 0, yEyesPx: 0 }

/** Opens the reader of gaze: the mean of the eyes that are valid and not lost. */
function openGaze(table: SampleTable, { gaze, origin, missing, viewing }: Mapping): Part {
  const { batch, column, measured } = table
  const eyes = gaze.map(({ x, y, unit, valid, eye }) => {
    const own = eye && { x: eyeColumn(batch, `${eye}GazeXPx`), y: eyeColumn(batch, `${eye}GazeYPx`) }
    return { x: column(x), y: column(y), unit, isValid: openValidity(table, valid), place: NOWHERE, own }
  })
  const isCode = openLostCodes(missing)
  const areTogether = eyes.some(({ own }) => own === undefined)
  return {
    useScreen: (screen) => {
      for (const eye of eyes) eye.place = toPx(eye.unit, origin, screen, viewing)
    },
    read: (rows, i) => {
      let [xPx, yPx, n] = [0, 0, 0]
      for (const { x, y, isValid, place, own } of eyes) {
        if (own) own.x[i] = own.y[i] = Number.NaN
        const [eyeX, eyeY] = [measured(rows, x), measured(rows, y)]
        if (eyeX - eyeX !== 0 || eyeY - eyeY !== 0 || isCode(eyeX, eyeY)) continue
        if (!isValid(rows)) continue
        const placedX = placeOn(eyeX, place.xScale, place.xOffset, place.xEyesPx)
        const placedY = placeOn(eyeY, place.yScale, place.yOffset, place.yEyesPx)
        if (own) {
          own.x[i] = placedX
          own.y[i] = placedY
          if (areTogether) continue
        }
        xPx += placedX
        yPx += placedY
        n++
      }
      batch.gazeXPx[i] = n === 0 ? Number.NaN : xPx / n
      batch.gazeYPx[i] = n === 0 ? Number.NaN : yPx / n
    },
  }
}

/** Opens the reader of pupil sizes and eye distances, as far as the table has columns for them. */
function openSizes(
  { batch, column, measured }: SampleTable,
  { pupils, eyeDistanceMm: distance, missing }: Mapping,
): (rows: TableRows, i: number) => void {
  const named: [string | null | undefined, EyeColumn][] = [
    [pupils?.left, 'leftPupil'],
    [pupils?.right, 'rightPupil'],
    [distance?.left, 'leftEyeDistanceMm'],
    [distance?.right, 'rightEyeDistanceMm'],
  ]
  const codes = missing.map(Number)
  const cells = named.flatMap(([name, into]) => (typeof name === 'string' ? [{ into, cell: column(name) }] : []))
  return openValues(cells, batch, (rows, cell) => {
    const size = measured(rows, cell)
    return codes.includes(size) ? Number.NaN : size
  })
}

function openValidity({ column, text, number }: SampleTable, valid: Valid): (rows: TableRows) => boolean {
  if (valid === null) return () => true
  const cell = column(valid.column)
  if ('least' in valid) return (rows) => number(rows, cell) >= valid.least
  const read = text(cell)
  return (rows) => valid.values.includes(read(rows))
}

/** Opens the reader of mouse, scroll and clicks; null if the mapping has none of them. */
function openPointer({ batch, column, number }: SampleTable, mapping: Mapping): Part | null {
  const { mouse, scroll, click, origin, missing } = mapping
  if (mouse === null && scroll === null && click === null) return null
  const cell = (name: string | null | undefined) => (name == null ? -1 : column(name))
  const [x, y, scrollY, clicked] = [mouse?.x, mouse?.y, scroll, click].map(cell)
  // 0 is the edge of a screen, where a mouse may rest.
  const codes = missing.map(Number).filter((code) => code !== 0)
  let place = NOWHERE
  return {
    useScreen: (screen) => {
      if (mouse) place = toPx(mouse.unit, origin, screen)
    },
    read: (rows, i) => {
      const [mouseX, mouseY] = [number(rows, x), number(rows, y)]
      const isNowhere = codes.includes(mouseX) && codes.includes(mouseY)
      batch.mouseXPx[i] = isNowhere ? Number.NaN : mouseX * place.xScale + place.xOffset
      batch.mouseYPx[i] = isNowhere ? Number.NaN : mouseY * place.yScale + place.yOffset
      batch.scrollYPx[i] = number(rows, scrollY)
      batch.isClick[i] = clicked >= 0 && /^(true|1|yes)$/i.test(cellText(rows, clicked)) ? 1 : 0
    },
  }
}

function noteOtherColumns(draft: Draft, header: string[], mapping: Mapping, { tags, externalData }: KeptColumns): void {
  const mapped = [...namedColumns(mapping), ...tags, ...externalData].map((name) => name.toLowerCase())
  const others = header.filter((name) => name !== '' && !mapped.includes(name.toLowerCase()))
  if (others.length > 0) noteLeft(draft, `columns that the mapping does not name: ${others.join(', ')}`)
}
