import type { Column, Rows } from '../../model/columns.ts'
import type { ExportName } from '../../model/export-names.ts'
import type { ParameterName } from '../../model/parameters.ts'
import type { Plan } from '../../model/plan.ts'
import type { Study } from '../../model/study.ts'
import type { SampleColumn } from '../../snapshot/read-samples.ts'
import type { StudyFacts } from './study-facts.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** Counts of what an export's rows are made of, for the estimate; bytes are those of the cells of AOIs. */
export type Counts = {
  tests: number
  samples: number
  /** Events of all tests of the study, including tests that are not chosen. */
  events: number
  /** Rows of a test and an AOI of its item, and AOIs by themselves. */
  aoiTests: number
  aoiTestBytes: number
  aois: number
  aoiBytes: number
  /** Rows of a test and a tag of the AOIs of its item; bytes are those of the tags. */
  tagTests: number
  tagTestBytes: number
}

/**
 * An export: everything that server, command line, OpenAPI and docs need to know of it, and how its columns are
 * computed.
 */
export type ExportEntry = {
  name: ExportName
  /** Below /api2/studies/{studyId}/collected-data/ */
  path: string
  /** The value of `variant` on the path that three share, 'raw' being the default; null elsewhere. */
  variant: 'raw' | 'normalized' | 'mouse' | null
  title: string
  /** Unit that a row stands for. */
  rowPer: string
  /** The settings that the notes echo. */
  listed: ParameterName[]
  /** True if the export takes `fromMs` and `toMs`. */
  takesWindow?: boolean
  /** Columns that every study has. */
  columns: Column[]
  /** Further columns that depend on the study: before `notes`, and before those of participants in bundles. */
  ownColumns?: (facts: StudyFacts) => Column[]
  /** True if its gaze is as recorded, whichever eye is chosen. */
  isAsRecorded?: boolean
  /** True if `eye` chooses its pupil. */
  takesPupil?: boolean
  /** True if the export uses `context.validationsOf`. */
  needsValidations?: boolean
  /** True if the export uses `context.aoisOf` without a column that names AOIs. */
  needsAois?: boolean
  /** True if the export uses `context.eventsOf`. */
  needsEvents?: boolean
  /** The columns of samples it needs, besides the time. */
  reads: SampleColumn[]
  /** Returns an upper guess of the size of its CSV. */
  estimateBytes: (counts: Counts) => number
} & (
  | {
      /** Rows come out test by test. */
      kind: 'rows'
      /**
       * Computes the rows of a test; null or none where it has none. They are encoded before the next test is computed.
       */
      compute: (run: TestRun, context: ExportContext) => Rows | null
    }
  | {
      /** Rows span tests: each shard adds up a part, `combine` adds the parts. */
      kind: 'sums'
      addTest: (run: TestRun, context: ExportContext, sums: Sums) => void
      combine: (study: Study, plan: Plan, parts: Sums[], facts: StudyFacts) => Iterable<Rows>
    }
)

/** A part of a result that spans tests: by AOI id or item id, plain data that crosses threads. */
export type Sums = Map<string, unknown>
