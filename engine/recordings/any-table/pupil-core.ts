import { isMissing } from '../../../isomorphic/missing-text.ts'
import { eyeColumn } from '../draft/batch.ts'
import { type Draft, noteAssumed, noteLeft } from '../draft/draft.ts'
import { addEvent, eventIn, OUTSIDE_EVENT } from '../draft/draft-events.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import { addSeen } from '../draft/seen-messages.ts'
import type { Mapping } from '../reader/mapping.ts'
import type { ReadOptions } from '../reader/reader.ts'
import type { SampleTable } from '../reader/sample-tables.ts'
import { folderOf } from '../text/file-names.ts'
import { columnIn, hasColumns, tableHead } from '../text/foreign-table.ts'
import type { SourceFile } from '../text/source-files.ts'
import { forEachRow } from '../text/table-body.ts'
import { cellNumber, cellText, isEmptyCell, type TableRows } from '../text/table-rows.ts'
import type { TestLook } from './looks.ts'

/**
 * Reads the files that Pupil Player exports beside a table of gaze, on the same clock: pupil sizes in
 * `pupil_positions.csv`, and annotations in `annotations.csv`. Gaze on surfaces has a folder of its own.
 */
type CoreBeside = {
  /** Opens a table of gaze; null if it is not one of Pupil Core. */
  open: (table: SampleTable) => Promise<CoreTable | null>
  /** Adds the annotations to the tests that were read. */
  end: () => void
}

export type CoreTable = {
  /** Starts a test of the table, whose end is not known yet. */
  begin: (look: TestLook) => void
  /** Adds the pupil sizes at the time of a sample. */
  read: (tMs: number, i: number) => void
}

type Annotation = { tMs: number; label: string; duration: string }
/** Pupil sizes of an eye, in time order. */
type Sizes = { ms: Float64Array; size: Float64Array }
type Pupils = { unit: 'mm' | 'px'; left: Sizes; right: Sizes }
type Folder = { annotations: Annotation[]; looks: TestLook[] }

/** Least confidence of a pupil size, as in Pupil Player. */
const CONFIDENCE_MIN = 0.6
/** Largest time between a gaze and its pupil size, in ms; eye cameras take a picture every 5 to 8 ms. */
const NEAR_MS = 10

export function openCoreBeside(all: SourceFile[], draft: Draft, mapping: Mapping, options: ReadOptions): CoreBeside {
  const folders = new Map<string, Folder>()
  // Of one folder at a time, since they are large: tables come folder by folder.
  let sizes: { folder: string; pupils: Pupils | null } | null = null
  const isCore = /^gaze_timestamp$/i.test(mapping.time.column) && mapping.time.unit === 's'
  return {
    open: async (table) => {
      if (!isCore) return null
      const name = folderOf(table.file.name).replace(/(^|\/)surfaces$/, '')
      const own = all.filter((file) => folderOf(file.name) === name)
      const folder = folders.get(name) ?? { annotations: await readAnnotations(own, draft), looks: [] }
      folders.set(name, folder)
      if (sizes?.folder !== name) {
        sizes = null
        sizes = { folder: name, pupils: mapping.pupils ? null : await readPupils(own, draft) }
      }
      const read = sizes.pupils === null ? () => {} : sizesInto(table, sizes.pupils)
      return { begin: (look) => void folder.looks.push(look), read }
    },
    end: () => {
      for (const { annotations, looks } of folders.values())
        for (const annotation of annotations) takeAnnotation(annotation, looks, draft, options)
    },
  }
}

/** Adds an annotation as an event to each test whose time contains it, since several surfaces are viewed at once. */
function takeAnnotation(
  { tMs, label, duration }: Annotation,
  looks: TestLook[],
  draft: Draft,
  { events: pattern }: ReadOptions,
): void {
  const event = eventIn(label, pattern, Number(duration) > 0 ? duration : '')
  if (!pattern && !isMissing(label)) addSeen(draft.messages, label)
  if (!event) return
  const during = looks.filter(({ firstMs, lastMs }) => firstMs <= tMs && tMs <= lastMs)
  for (const { test } of during) addEvent(draft, { ...event, tMs, test })
  if (during.length === 0) noteLeft(draft, OUTSIDE_EVENT, 1, { first: label })
}

/** Returns a function that adds the sizes nearest in time to a sample. */
function sizesInto({ batch, draft }: SampleTable, { unit, left, right }: Pupils): CoreTable['read'] {
  noteRecording(draft, { pupilUnit: unit })
  const eyes = [
    { values: eyeColumn(batch, 'leftPupil'), sizes: left },
    { values: eyeColumn(batch, 'rightPupil'), sizes: right },
  ]
  return (tMs, i) => {
    for (const { values, sizes } of eyes) values[i] = nearest(sizes, tMs)
  }
}

function nearest({ ms, size }: Sizes, tMs: number): number {
  let [from, to] = [0, ms.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (ms[middle] < tMs) from = middle + 1
    else to = middle
  }
  const at = from > 0 && (from === ms.length || tMs - ms[from - 1] <= ms[from] - tMs) ? from - 1 : from
  return at < ms.length && Math.abs(ms[at] - tMs) <= NEAR_MS ? size[at] : Number.NaN
}

/** Finds the table of a folder with these columns, and calls the function that `open` returns for each row. */
async function eachRow(
  files: SourceFile[],
  draft: Draft,
  columns: string[],
  open: (
    column: (...names: string[]) => number,
    number: (rows: TableRows, cell: number) => number,
  ) => (rows: TableRows) => void,
): Promise<void> {
  const file = files.find((one) => hasColumns(tableHead(one)?.header ?? [], ...columns))
  if (file === undefined) return
  const { header, decimalMark } = tableHead(file)!
  draft.usedFiles.add(file.name)
  const onRow = open(
    (...names) => columnIn(header, ...names),
    (rows, cell) => cellNumber(rows, cell, decimalMark),
  )
  await forEachRow(file, draft, onRow)
}

/** Reads pupil sizes: in mm from the 3D models if available, otherwise in px of the eye cameras. */
async function readPupils(files: SourceFile[], draft: Draft): Promise<Pupils | null> {
  // By unit and eye: times and sizes in columns, since a recording has a million of them.
  const found = { mm: [newColumns(), newColumns()], px: [newColumns(), newColumns()] }
  const doubtful = { mm: 0, px: 0 }
  await eachRow(files, draft, ['pupil_timestamp', 'eye_id', 'diameter'], (column, number) => {
    const [time, eye, method] = [column('pupil_timestamp'), column('eye_id'), column('method')]
    const [confidence, px, mm] = [column('confidence'), column('diameter'), column('diameter_3d')]
    return (rows) => {
      const [tMs, id] = [number(rows, time) * 1000, number(rows, eye)]
      if (Number.isNaN(tMs) || (id !== 0 && id !== 1)) return
      const isSure = confidence < 0 || number(rows, confidence) >= CONFIDENCE_MIN
      const is3d = method < 0 ? !isEmptyCell(rows, mm) : /3d/i.test(cellText(rows, method))
      const unit = is3d && mm >= 0 ? 'mm' : 'px'
      if (!isSure) doubtful[unit]++
      found[unit][id].ms.push(tMs)
      // Keep an unusable size as NaN, so that no size of another time takes its place.
      found[unit][id].size.push(isSure ? number(rows, unit === 'mm' ? mm : px) : Number.NaN)
    }
  })
  const unit = found.mm.some(({ size }) => size.some((each) => each > 0)) ? 'mm' : 'px'
  const [right, left] = found[unit].map(sizesOf)
  if (left.ms.length + right.ms.length === 0) return null
  const both = unit === 'mm' && found.px.some(({ ms }) => ms.length > 0)
  noteAssumed(draft, `pupil sizes are the nearest in time to each gaze, at most ${NEAR_MS} ms away; eye 0 is the right`)
  if (both) noteLeft(draft, 'pupil sizes in px, since there are some in mm')
  noteLeft(draft, `pupil sizes with a confidence below ${CONFIDENCE_MIN}`, doubtful[unit])
  return { unit, left, right }
}

type Columns = { ms: number[]; size: number[] }
const newColumns = (): Columns => ({ ms: [], size: [] })

function sizesOf({ ms, size }: Columns): Sizes {
  const isSorted = ms.every((each, i) => i === 0 || ms[i - 1] <= each)
  if (isSorted) return { ms: Float64Array.from(ms), size: Float64Array.from(size) }
  const order = Uint32Array.from(ms, (_, i) => i).sort((a, b) => ms[a] - ms[b] || a - b)
  return { ms: Float64Array.from(order, (i) => ms[i]), size: Float64Array.from(order, (i) => size[i]) }
}

async function readAnnotations(files: SourceFile[], draft: Draft): Promise<Annotation[]> {
  const found: Annotation[] = []
  await eachRow(files, draft, ['timestamp', 'label', 'duration'], (column, number) => {
    const [time, label, duration] = [column('timestamp'), column('label'), column('duration')]
    return (rows) => {
      const tMs = number(rows, time) * 1000
      if (!Number.isNaN(tMs)) found.push({ tMs, label: cellText(rows, label), duration: cellText(rows, duration) })
    }
  })
  return found.sort((a, b) => a.tMs - b.tMs)
}
