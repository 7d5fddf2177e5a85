import type { DisplayRectangle } from '../../model/study.ts'
import { noteAssumed } from '../draft/draft.ts'
import type { Screen } from '../reader/reader.ts'
import type { SampleTable } from '../reader/sample-tables.ts'
import { numberIn } from '../text/parse-number.ts'
import { cellText, type TableRows } from '../text/table-rows.ts'
import type { TobiiColumns } from './tobii-columns.ts'

/** Reads the size of the display; null if the export does not state it. */
export function displaySize(rows: TableRows, columns: TobiiColumns): Screen | null {
  const both = /^(\d+)\s*x\s*(\d+)$/i.exec(columns.resolution < 0 ? '' : cellText(rows, columns.resolution))
  const widthPx = both ? Number(both[1]) : numberIn(cellText(rows, columns.screenWidth))
  const heightPx = both ? Number(both[2]) : numberIn(cellText(rows, columns.screenHeight))
  return widthPx >= 1 && heightPx >= 1 ? { widthPx, heightPx } : null
}

/**
 * Reads the stimulus' rectangle on the display; null if the export does not state it, so that the import lays it out.
 */
export function displayedRectangle(
  rows: TableRows,
  { shown, corner, position }: TobiiColumns,
  { draft, number }: SampleTable,
  display: Screen,
): DisplayRectangle | null {
  const [widthPx, heightPx] = [number(rows, shown.width), number(rows, shown.height)]
  if (!(widthPx >= 1 && heightPx >= 1)) return null
  if (corner) {
    const [leftPx, topPx] = [number(rows, corner.x), number(rows, corner.y)]
    if (!Number.isNaN(leftPx) && !Number.isNaN(topPx)) return { leftPx, topPx, widthPx, heightPx }
  }
  const middle = { x: display.widthPx / 2, y: display.heightPx / 2 }
  const centred = { leftPx: middle.x - widthPx / 2, topPx: middle.y - heightPx / 2, widthPx, heightPx }
  const [x, y] = [number(rows, position?.x ?? -1), number(rows, position?.y ?? -1)]
  if (Number.isNaN(x) || Number.isNaN(y)) {
    noteAssumed(draft, 'stimuli were shown in the middle of the display')
    return centred
  }
  if (Math.abs(x - middle.x) < 1 && Math.abs(y - middle.y) < 1) return centred
  noteAssumed(draft, "the position of a stimulus is that of its upper left corner, unless it is the display's centre")
  return { leftPx: x, topPx: y, widthPx, heightPx }
}
