import type { ExportContext, TestRun } from '../exports/test-context.ts'
import type { ExportName } from '../model/export-names.ts'
import type { SampleColumn } from '../snapshot/read-samples.ts'
import type { HeatmapOf, HeatmapWeighting } from './heatmap.ts'

/** One kind of chart's data: computed test by test on the threads, from the same columns and by the same functions as the exports. */
export type Chart<Part> = {
  /** The export whose rows it draws: its plan gives the settings and the notes. */
  export: ExportName
  reads: SampleColumn[]
  /** An empty part; plain data and typed arrays, since it crosses threads. */
  start: () => Part
  addTest: (part: Part, run: TestRun, context: ExportContext) => void
  /** Adds what came after to what came before. */
  merge: (total: Part, part: Part) => void
}

/** What a thread is asked to draw. */
export type ChartRequest =
  | { kind: 'fixations'; fixationsMax: number }
  | { kind: 'gaze'; binMs: number; binsMax: number; pointsEvery: number }
  | { kind: 'heatmap'; of: HeatmapOf; weighting: HeatmapWeighting; columns: number; rows: number }
  | { kind: 'table'; export: ExportName; rowsMax: number }

/** A percent of the displayed item to its cell of `n`, by the millionths that section 7 prints; −1 outside. */
export function cellOf(millionths: number, n: number): number {
  const cell = Math.floor((millionths * n) / 100e6)
  return cell >= 0 && cell < n ? cell : -1
}
