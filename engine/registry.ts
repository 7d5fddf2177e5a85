import type { ParameterName } from './params.ts'

export type ExportName =
  | 'gazes-raw'
  | 'gazes-normalized'
  | 'gazes-split'
  | 'mouse'
  | 'fixations'
  | 'aoi-overall-stats'
  | 'aoi-fixations-stats'
  | 'aoi-fixations-order'
  | 'aoi-clicks-stats'
  | 'keyboard-mouse-overall'

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

/** What the server, the command line, OpenAPI and the docs need of an export; the engine adds how it is computed. */
export type ExportEntry = {
  name: ExportName
  /** Below /api2/studies/{studyId}/collected-data/ */
  path: string
  /** The value of `variant` on a shared path, the first being the default; null elsewhere. */
  variant: 'raw' | 'normalized' | 'mouse' | null
  title: string
  /** What one row is. */
  rowPer: string
  /** Those that INTERFACE 4.3 and 4.4 list for the path, in the order of 4.1; the notes echo them. */
  listed: ParameterName[]
  columns: Column[]
}

/** Every export, in the order of SPEC section 7. (Filled in next.) */
export const EXPORTS: ExportEntry[] = []
