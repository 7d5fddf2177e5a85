import type { ExportContext, TestRun } from '../exports/columns/test-context.ts'
import type { ExportName } from '../model/export-names.ts'
import type { SampleColumn } from '../snapshot/read-samples.ts'

/**
 * A kind of chart: its data are computed test by test on the threads, from the same columns and by the same functions
 * as the exports.
 */
export type Chart<Part> = {
  /** The export whose rows it draws: its plan gives the settings and the notes. */
  export: ExportName
  reads: SampleColumn[]
  needsValidations?: boolean
  needsEvents?: boolean
  /** True if tests without valid gaze are left out, as in a chart of where people looked; `reads` then has the gaze. */
  ofViewers?: boolean
  /** An empty part; plain data and typed arrays, since it crosses threads. */
  start: () => Part
  addTest: (part: Part, run: TestRun, context: ExportContext) => void
  /** Adds what came after to what came before. */
  merge: (total: Part, part: Part) => void
}

/** Units that a heatmap counts, and its weighting: every count weighs the same, or every participant. */
export type HeatmapOf = 'gazes' | 'fixations'
export type HeatmapWeighting = 'counts' | 'participants'

/** A request for a chart, as threads get it. */
export type ChartRequest =
  | { kind: 'fixations'; fixationsMax: number }
  | { kind: 'gaze'; binMs: number; binsMax: number; pointsEvery: number }
  | { kind: 'heatmap'; of: HeatmapOf; weighting: HeatmapWeighting; columns: number; rows: number }
  /** `columns` by name; null for all. */
  | { kind: 'table'; export: ExportName; rowsMax: number; columns: string[] | null; ofViewers: boolean }
  | { kind: 'course'; aoiCount: number; smallestFirst: boolean }
  | { kind: 'quality' }
  | { kind: 'offsets' }
  | { kind: 'recording' }
  /** Averages of pupils, locked to events of a name, or to item onset. */
  | { kind: 'pupils'; event: string | null }
  | { kind: 'pupil-traces' }

/** Returns the cell, of `n`, of a percent of the displayed item, by the millionths that files print; −1 outside. */
export function cellOf(millionths: number, n: number): number {
  const cell = Math.floor((millionths * n) / 100e6)
  return cell >= 0 && cell < n ? cell : -1
}
