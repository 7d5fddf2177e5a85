import type { ExportContext, TestRun } from '../../exports/columns/test-context.ts'
import type { ExportName } from '../../model/export-names.ts'
import type { SampleColumn } from '../../snapshot/read-samples.ts'

/**
 * A kind of chart. Threads compute its data test by test, from the same columns and with the same functions as the
 * exports.
 */
export type Chart<Part> = {
  /** Export whose rows it draws; the plan of the export gives the settings and notes. */
  export: ExportName
  reads: SampleColumn[]
  needsValidations?: boolean
  needsEvents?: boolean
  /**
   * True if tests without valid gaze are left out, as in any chart of where people looked; `reads` then includes the
   * gaze.
   */
  ofViewers?: boolean
  /** Returns an empty part; plain data and typed arrays, since it crosses threads. */
  start: () => Part
  addTest: (part: Part, run: TestRun, context: ExportContext) => void
  /** Merges two consecutive parts. */
  merge: (total: Part, part: Part) => void
}

/** Counted units of a heatmap, and its weighting: equal weight for every count, or for every participant. */
export type HeatmapOf = 'gazes' | 'fixations'
export type HeatmapWeighting = 'counts' | 'participants'

/** Request for a chart, as threads receive it. */
export type ChartRequest =
  | { kind: 'fixations'; fixationsMax: number }
  | { kind: 'gaze'; binMs: number; binsMax: number; pointsEvery: number }
  | { kind: 'heatmap'; of: HeatmapOf; weighting: HeatmapWeighting; columns: number; rows: number }
  /** Names of `columns`; null for all. */
  | { kind: 'table'; export: ExportName; rowsMax: number; columns: string[] | null; ofViewers: boolean }
  | { kind: 'course'; aoiCount: number; smallestFirst: boolean }
  | { kind: 'quality' }
  | { kind: 'offsets' }
  | { kind: 'recording' }
  /** Averages of pupils, locked to item onset or to events with a name. */
  | { kind: 'pupils'; event: string | null }
  | { kind: 'pupil-traces' }
  | { kind: 'scanpaths' }
  /** Microsaccades over time, in at most so many bins. */
  | { kind: 'microsaccades'; binsMax: number }
  /** Looks at AOIs with these names, in at most so many bins. */
  | { kind: 'looks'; names: string[]; binsMax: number }

/**
 * Returns the index, among `n` cells, of a percent of the displayed item, rounded to millionths as in files; −1
 * outside.
 */
export function gridCellOf(millionths: number, n: number): number {
  const cell = Math.floor((millionths * n) / 100e6)
  return cell >= 0 && cell < n ? cell : -1
}
