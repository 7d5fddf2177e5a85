import type { Sink } from './csv/sink.ts'
import type { EXPORT_NAMES } from './export-names.ts'
import { aoiClicksStats } from './exports/aoi-clicks-stats.ts'
import { aoiFixationsOrder } from './exports/aoi-fixations-order.ts'
import { aoiFixationsStats } from './exports/aoi-fixations-stats.ts'
import { aoiOverallStats } from './exports/aoi-overall-stats.ts'
import type { ExportContext, TestRun } from './exports/context.ts'
import { fixations } from './exports/fixations.ts'
import { gazesNormalized } from './exports/gazes-normalized.ts'
import { gazesRaw } from './exports/gazes-raw.ts'
import { gazesSplit } from './exports/gazes-split.ts'
import { keyboardMouseOverall } from './exports/keyboard-mouse-overall.ts'
import { mouse } from './exports/mouse.ts'
import type { ParameterName, Parameters } from './params.ts'
import type { Plan } from './plan.ts'
import type { SampleColumn } from './store/read-samples.ts'
import type { Snapshot } from './study.ts'

export type ExportName = (typeof EXPORT_NAMES)[number]

export type ColumnType = 'uuid' | 'string' | 'url' | 'int' | 'number' | 'boolean' | 'datetime' | 'json'
export type Column = {
  name: string
  type: ColumnType
  /** '' where it counts nothing. */
  unit: string
  meaning: string
  /** What an unknown value looks like; '' for the empty field, null when it is never missing. */
  missing: string | null
}

/** What an export's rows are made of, for the estimate; bytes are those of AOIs' cells. */
export type Counts = {
  tests: number
  samples: number
  /** Rows of a test and an AOI of its item, and AOIs by themselves. */
  aoiTests: number
  aoiTestBytes: number
  aois: number
  aoiBytes: number
}

/** What the server, the command line, OpenAPI and the docs need of an export, and how it is computed. */
export type ExportEntry = {
  name: ExportName
  /** Below /api2/studies/{studyId}/collected-data/ */
  path: string
  /** The value of `variant` on the path that three share, 'raw' being the default; null elsewhere. */
  variant: 'raw' | 'normalized' | 'mouse' | null
  title: string
  /** What one row is. */
  rowPer: string
  /** Those that INTERFACE 4.3 and 4.4 list for the path, in the order of 4.1; the notes echo them. */
  listed: ParameterName[]
  columns: Column[]
  /** The columns of samples it needs, besides the time. */
  reads: SampleColumn[]
  /** An upper guess of the file's size. */
  estimateBytes: (counts: Counts) => number
} & (
  | {
      /** Rows come out test by test. */
      kind: 'rows'
      writeTest: (run: TestRun, context: ExportContext, sink: Sink) => void
    }
  | {
      /** Rows span tests: each shard adds up a part, `writeRows` adds the parts and writes. */
      kind: 'sums'
      addTest: (run: TestRun, context: ExportContext, sums: Sums) => void
      writeRows: (snapshot: Snapshot, plan: Plan, parts: Sums[], sink: Sink) => void
    }
)

/** A part of a result that spans tests: by AOI id or item id, plain data that crosses threads. */
export type Sums = Map<string, unknown>

/** Every export, in the order of SPEC section 7. */
export const EXPORTS: ExportEntry[] = [
  gazesRaw,
  gazesNormalized,
  gazesSplit,
  mouse,
  fixations,
  aoiOverallStats,
  aoiFixationsStats,
  aoiFixationsOrder,
  aoiClicksStats,
  keyboardMouseOverall,
]

/** The entry of that name, if there is one. */
export function findExport(name: string): ExportEntry | undefined {
  return EXPORTS.find((entry) => entry.name === name)
}

/** The parameters that a plan of this export keeps: what bears on its bytes, and what its notes echo. */
export function planParameters(entry: ExportEntry, parameters: Parameters): Partial<Parameters> {
  const kept: ParameterName[] = ['itemId', ...entry.listed, 'participantQualityGradeItemMin']
  return Object.fromEntries(kept.map((name) => [name, parameters[name]]))
}
