import type { SampleTable } from '../reader/sample-tables.ts'
import { cellText, isEmptyCell, type TableRows } from '../text/table-rows.ts'
import type { TobiiColumns } from './tobii-columns.ts'

/** Transfers mouse events between two samples of gaze to these samples, since rows of the mouse are not samples. */
type Mouse = {
  /** Takes a row of the mouse. @param test current test at `stimulus`, -1 for none yet */
  onEvent: (rows: TableRows, stimulus: string, test: number) => void
  /** Fills in the position of the mouse at a sample that was just added to the batch. */
  onSample: (i: number, stimulus: string) => void
  /** Begins another recording. */
  forget: () => void
}

type Place = { x: number; y: number }

const OUTSIDE = 'mouse clicks outside of any stimulus'
const UNPLACED = 'mouse clicks of a stimulus that has no sample left for them'

/**
 * Tracks the mouse: a click is assigned to the sample before it, or to the first sample of a stimulus if it comes
 * earlier. Between movements the mouse keeps its position; Studio gives positions only at clicks.
 */
export function openMouse({ batch, text, number, leave }: SampleTable, columns: TobiiColumns): Mouse {
  const { mouse, click, event, eventValue, mouseEvent } = columns
  const eventText = text(event)
  let position: Place = { x: Number.NaN, y: Number.NaN }
  let waiting: (Place & { stimulus: string }) | null = null

  const placeIn = (rows: TableRows, { x, y }: Place): Place => ({ x: number(rows, x), y: number(rows, y) })
  const isClick = (rows: TableRows) =>
    eventText(rows) === 'MouseEvent'
      ? /down/i.test(cellText(rows, eventValue))
      : !isEmptyCell(rows, mouseEvent) && !/up|wheel|scroll|move/i.test(cellText(rows, mouseEvent))
  const put = (i: number, { x, y }: Place) => {
    batch.isClick[i] = 1
    batch.mouseXPx[i] = x
    batch.mouseYPx[i] = y
  }
  return {
    onEvent: (rows, stimulus, test) => {
      if (mouse && !isEmptyCell(rows, mouse.x) && !isEmptyCell(rows, mouse.y)) position = placeIn(rows, mouse)
      if (!isClick(rows)) return
      if (stimulus === '') return leave(OUTSIDE)
      const at = click ? placeIn(rows, click) : position
      const last = batch.n - 1
      if (test >= 0 && last >= 0 && batch.test[last] === test && batch.isClick[last] === 0) return put(last, at)
      leave(UNPLACED)
      waiting = { ...at, stimulus }
    },
    onSample: (i, stimulus) => {
      batch.isClick[i] = 0
      batch.mouseXPx[i] = position.x
      batch.mouseYPx[i] = position.y
      if (waiting?.stimulus !== stimulus) return
      leave(UNPLACED, -1)
      put(i, waiting)
      waiting = null
    },
    forget: () => {
      position = { x: Number.NaN, y: Number.NaN }
      waiting = null
    },
  }
}
