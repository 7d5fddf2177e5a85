import { BATCH_ROWS, type Batch, makeBatch } from '../draft/batch.ts'
import {
  addTest,
  type Draft,
  type DraftParticipant,
  itemOf,
  nextDisplayOrder,
  noteLeft,
  participantOf,
} from '../draft/draft.ts'
import { openKept } from '../reader/kept-columns.ts'
import { ageIn, genderIn } from '../reader/person-facts.ts'
import type { ReadOptions, Screen } from '../reader/reader.ts'
import { columnIn, hasColumns, tableHead } from '../text/foreign-table.ts'
import { numberIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { openTableBody } from '../text/table-body.ts'
import { cellText, type TableRows } from '../text/table-rows.ts'
import { isGazeSeries, MEDIA_FILE_NAME, SHOWN } from './labvanced-values.ts'

/** A variable's series in one quoted cell: `times=1;2---values=;10,20`, of which the first value is empty. */
const SERIES = /^"?times=/
const SERIES_MAX_BYTES = 1 << 26
type Series = { times: string[]; values: string[] }

/**
 * Recognises Labvanced's wide export, with one row per trial, by its columns and by a series in any of its first rows.
 */
export function isWide(file: SourceFile): boolean {
  const header = tableHead(file)?.header ?? []
  if (!hasColumns(header, 'exp_subject_id', 'Task_Name', 'Trial_Nr') || hasColumns(header, 'times')) return false
  return /(^|[,;\t"])times=\d/m.test(file.head)
}

/**
 * Reads wide exports: a test is a gaze variable in the row of a trial; its onset is the first sample's time.
 *
 * @param frameOf returns a participant's frame
 */
export async function* readWide(
  files: SourceFile[],
  draft: Draft,
  options: ReadOptions,
  frameOf: (participant: string) => Screen,
): AsyncGenerator<Batch> {
  const batch = makeBatch()
  for (const file of files) {
    const { header } = tableHead(file)!
    const keep = openKept(file.name, header, draft, options.kept)
    const rows = await openTableBody(file, draft)
    do {
      while (rows.next()) {
        const who = cellText(rows, columnIn(header, 'exp_subject_id'))
        if (who === '') {
          noteLeft(draft, 'rows without a participant', 1, { file: file.name })
          continue
        }
        for (const series of gazeSeriesIn(rows, header, file, draft)) {
          const participant = participantOf(draft, file, who, personFacts(rows, header))
          keep?.(rows, participant)
          const frame = frameOf(who)
          const test = addTest(draft, participant, itemOf(draft, itemIn(rows, header)), {
            windowWidthPx: frame.widthPx,
            windowHeightPx: frame.heightPx,
            displayOrder: nextDisplayOrder(draft, participant),
          })
          yield* addSeries(series, test, draft, batch)
        }
      }
    } while (await rows.more())
  }
  if (batch.n > 0) yield batch
}

function gazeSeriesIn(rows: TableRows, header: string[], file: SourceFile, draft: Draft): Series[] {
  return header.flatMap((name, cell) => {
    if (rows.ends[cell] - rows.starts[cell] < 8) return []
    const text = cellText(rows, cell, SERIES_MAX_BYTES)
    if (!SERIES.test(text)) return []
    const series = seriesOf(text)
    const [first = ''] = series.values.filter((value) => value !== '')
    const numbers = first.split(',').map((part) => numberIn(part))
    const [written] = series.times.map((time) => numberIn(time))
    if (isGazeSeries(name, { count: numbers.length, t: numbers[2] ?? Number.NaN }, written)) return [series]
    noteLeft(draft, 'series of variables that are not gaze', 1, { file: file.name })
    return []
  })
}

function seriesOf(text: string): Series {
  const [times, values = ''] = text.replace(/^"|"$/g, '').replace(/""/g, '"').split('---values=')
  return { times: times.slice('times='.length).split(';'), values: values.split(';') }
}

/** Adds the samples of a series; empty values, such as the first, are not samples. */
function* addSeries({ times, values }: Series, test: number, draft: Draft, batch: Batch): Generator<Batch> {
  let isFirst = true
  for (const [i, value] of values.entries()) {
    const [x, y, t] = value.split(',').map((part) => numberIn(part))
    const tMs = Number.isNaN(t ?? Number.NaN) ? numberIn(times[i] ?? '') : t
    if (value === '' || Number.isNaN(tMs)) continue
    if (isFirst) draft.tests[test].onsetMs = tMs
    isFirst = false
    const at = batch.n++
    batch.test[at] = test
    batch.tMs[at] = tMs
    batch.gazeXPx[at] = x
    batch.gazeYPx[at] = y ?? Number.NaN
    if (batch.n < BATCH_ROWS) continue
    yield batch
    batch.n = 0
  }
}

function itemIn(rows: TableRows, header: string[]): string {
  const shown = header.findIndex((name, cell) => {
    const text = rows.ends[cell] - rows.starts[cell] < 1000 ? cellText(rows, cell) : ''
    return text !== '' && (SHOWN.test(name) || MEDIA_FILE_NAME.test(text))
  })
  if (shown >= 0) return cellText(rows, shown)
  const text = (name: string) => cellText(rows, columnIn(header, name))
  return `${text('Task_Name')} ${text('Trial_Id') || text('Trial_Nr')}`
}

function personFacts(rows: TableRows, header: string[]): Partial<DraftParticipant> {
  const text = (name: string) => cellText(rows, columnIn(header, name))
  return { age: ageIn(text('selected_age')), gender: genderIn(text('selected_gender')) }
}
