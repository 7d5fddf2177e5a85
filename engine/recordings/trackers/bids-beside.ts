import type { EyeColumn } from '../../model/eye-columns.ts'
import type { Batch } from '../draft/batch.ts'
import { type Draft, noteLeft } from '../draft/draft.ts'
import { openValues, type ValueCell } from '../reader/value-columns.ts'
import { POINT } from '../text/parse-number.ts'
import { openRows, type TableRows } from '../text/table-rows.ts'
import { measured, noneUnreadable, noteUnreadable } from '../text/unreadable.ts'
import type { BidsSource } from './bids-recordings.ts'
import { openTime } from './bids-time.ts'

/** Opens the rows of a recording below its header; some labs write one, although BIDS has none. */
export function openBidsSamples({ sidecar, data, hasHeader }: BidsSource, draft: Draft): TableRows {
  const rows = openRows(data, '\t', draft)
  rows.width = sidecar.Columns.length
  let isHeader = hasHeader
  const { next } = rows
  rows.next = () => {
    if (isHeader && next()) isHeader = false
    return next()
  }
  return rows
}

/** Largest difference of equal times, in ms, which two files may write with different digits. */
const SAME_MS = 1e-3

/** Opens the recording of another eye, whose rows are read at the times of the first. */
export function openBeside(
  recording: BidsSource,
  cells: ValueCell<EyeColumn>[],
  batch: Batch,
  draft: Draft,
  startMs?: number,
) {
  const { sidecar, data } = recording
  const rows = openBidsSamples(recording, draft)
  const timeAt = openTime(sidecar, data, draft, startMs)
  const unreadable = noneUnreadable()
  const readCells = openValues(cells, batch, (row, cell) => measured(row, cell, POINT, unreadable))
  let [tMs, isDone, passed] = [Number.NEGATIVE_INFINITY, false, 0]
  let isTaken = true
  return {
    /** Reads the sample at a time, if there is one; false if more rows must be loaded first. */
    read: (atMs: number, i: number): boolean => {
      while (!isDone && !(tMs > atMs - SAME_MS)) {
        if (!isTaken) passed++
        isTaken = true
        if (!rows.next()) return false
        tMs = timeAt(rows)
        isTaken = false
      }
      if (isDone || tMs > atMs + SAME_MS) {
        for (const { into } of cells) batch.eyes[into]![i] = Number.NaN
        return true
      }
      readCells(rows, i)
      isTaken = true
      return true
    },
    load: async () => {
      isDone = !(await rows.more())
    },
    end: () => {
      noteLeft(draft, 'unpaired samples of one eye', passed, { file: data.name })
      noteUnreadable(draft, data.name, unreadable)
    },
  }
}
