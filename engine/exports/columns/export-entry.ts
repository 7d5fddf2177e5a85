import type { Column, Rows } from '../../model/columns.ts'
import type { ExportName } from '../../model/export-names.ts'
import type { Extra, ParameterName } from '../../model/parameters.ts'
import type { Plan } from '../../model/plan.ts'
import type { Study } from '../../model/study.ts'
import type { SampleColumn } from '../../snapshot/read-samples.ts'
import type { StudyFacts } from './study-facts.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** Counts on which the estimate of an export's size is based; bytes are those of the cells of AOIs. */
export type Counts = {
  tests: number
  samples: number
  /** Events of all tests of the study, including tests that are not selected. */
  events: number
  /** Rows for each test and AOI of its item, and for each AOI. */
  aoiTests: number
  aoiTestBytes: number
  aois: number
  aoiBytes: number
  /** Rows for each test and tag of the AOIs of its item; bytes are those of the tags. */
  tagTests: number
  tagTestBytes: number
}

/**
 * An export: everything that server, command line, OpenAPI and docs need, and the function that computes its columns.
 */
export type ExportEntry = {
  name: ExportName
  /** Below /api2/studies/{studyId}/collected-data/ */
  path: string
  /** Value of `variant` on the path that three exports share, with the default 'raw'; null elsewhere. */
  variant: 'raw' | 'normalized' | 'mouse' | null
  title: string
  /** Subject of a row. */
  rowPer: string
  /** Settings that the notes contain. */
  listed: ParameterName[]
  /** Settings that affect it in studies with pupils; the notes contain those that are not the default. */
  listedIfChanged?: ParameterName[]
  /** True if `fromMs` and `toMs` affect the export. */
  takesWindow?: boolean
  /** True if `aoiNames` affects the export, and `eventType` gives the start of its bins. */
  takesLooks?: boolean
  /**
   * Column with the time of a row, or of each of its tuples: with `eventType`, the export has the rows of each epoch.
   * An export whose rows are measures has those of each epoch if it takes the window.
   */
  timeColumn?: string
  /** True if `readingFrom` and `lines` apply. */
  isOfReading?: boolean
  /** Columns that every study has. */
  columns: Column[]
  /** Further columns that depend on the study: before `notes`, and before those of participants in bundles. */
  ownColumns?: (facts: StudyFacts) => Column[]
  /** Further columns on request, before those of participants; `compute` appends their cells to its own. */
  extras?: Partial<Record<Extra, Column[]>>
  /** True if the export uses the recorded gaze, whatever eye is chosen. */
  isAsRecorded?: boolean
  /** True if `eye` selects the pupil. */
  takesPupil?: boolean
  /** True if the export uses `context.validationsOf`. */
  needsValidations?: boolean
  /** True if the export uses the AOIs of the context, such as `aoisOf` and `tagGridOf`. */
  needsAois?: boolean
  /** True if the export uses `context.eventsOf`. */
  needsEvents?: boolean
  /** Sample columns that it needs, besides the time. */
  reads: SampleColumn[]
  /** Returns an upper bound of the size of its CSV, in bytes. */
  estimateBytes: (counts: Counts, parameters: Plan['parameters']) => number
  /** Returns a lower bound of the number of its rows, where one is known before samples are read. */
  leastRows?: (counts: Pick<Counts, 'samples'>) => number
} & (
  | {
      /** Rows are computed test by test. */
      kind: 'rows'
      /**
       * Computes the rows of a test; null or no rows if it has none. They are encoded before the next test is computed.
       */
      compute: (run: TestRun, context: ExportContext) => Rows | null
    }
  | {
      /** Rows span tests: each shard computes partial sums, and `combine` merges them. */
      kind: 'sums'
      addTest: (run: TestRun, context: ExportContext, sums: Sums) => void
      /** `parts` are those of the shards, in order; they are unpacked whenever they are iterated. */
      combine: (study: Study, plan: Plan, parts: Iterable<Sums>, facts: StudyFacts) => Iterable<Rows>
    }
)

/** Partial result that spans tests: by AOI id or item id, plain data that crosses threads. */
export type Sums = Map<string, unknown>
