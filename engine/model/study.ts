import type { EyeColumn, PupilUnit } from './eye-columns.ts'

/**
 * A study as types: what a snapshot holds, in memory, after import has checked it and filled in what the bundle left
 * out (docs/bundle.md). Ids are lower case.
 */

export type Rectangle = { topLeft: { xPx: number; yPx: number }; bottomRight: { xPx: number; yPx: number } }
export type Polygon = { points: { x: number; y: number }[] }
export type TimeRange = { fromMs: number; toMs: number }
export type AoiPart = { areaPoints: Rectangle | Polygon; timeRange?: TimeRange | null }
/** Tags join AOIs across items; absent where an AOI has none. */
export type Aoi = { id: string; itemId: string; name: string; tags?: string[]; parts: AoiPart[] }

export type Item = {
  id: string
  filename: string
  cdnUrl: string
  type: string
  stimuliDurationMs: number | null
  widthPx: number | null
  heightPx: number | null
}

/** Recording methods and equipment of a study, as far as its bundle gives them. */
export type Recording = {
  manufacturer?: string
  model?: string
  calibrationType?: string
  environment?: string
  nominalSamplingRateHz?: number
  screenWidthPx?: number
  screenHeightPx?: number
  screenWidthCm?: number
  screenHeightCm?: number
  viewingDistanceCm?: number
  calibrationPoints?: number
  pupilUnit?: PupilUnit
}

/** A person, by given and family name, or a group, by name; at least one of `familyName` and `name` is there. */
export type Author = {
  givenName?: string
  familyName?: string
  name?: string
  /** Sixteen digits in fours, the last may be X. */
  orcid?: string
  affiliation?: string
}

/** Description and authors of a study, and its terms of use and citation, as far as its bundle gives them. */
export type About = {
  description?: string
  keywords?: string[]
  authors?: Author[]
  /** SPDX identifier. */
  license?: string
  /** DOI without https://doi.org/. */
  doi?: string
  funding?: string[]
  ethics?: string[]
  references?: string[]
}

export type Study = {
  id: string
  name: string
  isServiceBasicSurveyEnabled: boolean
  /** Steps as imported, including unknown step types and fields. */
  steps: unknown[]
  items: Item[]
  aois: Aoi[]
  /** Absent where study.json has none. */
  recording?: Recording
  /** Absent where study.json has none, or nothing in it. */
  about?: About
  /** Lists hide the study unless they are asked for all; absent where it is not archived. */
  isArchived?: true
}

/** Stored in the order of output: by the instant of `createdAt` (empty last), then id. Unknown text is ''. */
export type Participant = {
  id: string
  externalId: string
  /** RFC 3339 as given, or ''. */
  createdAt: string
  displayName: string
  age: number | null
  gender: 0 | 1 | 2 | null
  /** '' when unknown; already derived from `gender` where the bundle left it empty. */
  displayGender: string
  qualityGrade: number
  isCompleted: boolean
  notes: string
  /** Tags in the order of the bundle, without duplicates. */
  tags: string[]
  /** External data by name, without unknown values. */
  externalData: Record<string, string>
}

/** The columns that the tables of a study's bundles had besides the fixed ones, filled or not. */
export type ParticipantColumns = {
  hasTags: boolean
  /** Names without `external_data_`, in ascending order of bytes. */
  externalData: string[]
}

/**
 * Validation targets and the gaze at them, in px of the browser window: columns of one length, NaN
 * where gaze was lost.
 */
export type Validations = { targetX: Float64Array; targetY: Float64Array; gazeX: Float64Array; gazeY: Float64Array }

/** Events of a test in the order of time: columns of one length. Times are whole microseconds from item onset. */
export type Events = { tUs: Float64Array; name: string[]; value: string[] }

export type DisplayRectangle = { leftPx: number; topPx: number; widthPx: number; heightPx: number }

/** Stored in the order of output: item, participant, display order (empty last), test id. */
export type Test = {
  id: string
  /** Index into the study's items, as in study.json. */
  itemIndex: number
  /** Index into the snapshot's participants. */
  participantIndex: number
  createdAt: string
  displayOrder: number | null
  durationUs: number | null
  finishedOnKey: string
  hasFinishedOnClick: boolean
  clickCount: number
  qualityGradeItem: number
  browserWidthPx: number | null
  browserHeightPx: number | null
  /** null only for a test without samples. */
  display: DisplayRectangle | null
  notes: string
  sampleCount: number
}

/**
 * A Parquet file of samples: whole tests in ascending `test_ordinal`, within a test in recorded order. docs/storage.md
 * lists its columns.
 */
export type SampleFile = {
  name: string
  rowCount: number
  sizeBytes: number
  sha256: string
  /** True if any sample has a scroll other than 0 (a mouse, a click); if none has, the column need not be read. */
  hasScroll: boolean
  hasMouse: boolean
  clickCount: number
  /** Columns of eyes that have a value, in the order of output; absent where none has. */
  eyes?: EyeColumn[]
}

/** A change of a study, as its history tells it. */
export type StudyWrite = {
  /** RFC 3339. */
  at: string
  /** Id of the token that made the change. */
  tokenId: string
  did:
    | 'study created'
    | 'study changed'
    | 'picture changed'
    | 'participant added'
    | 'participant changed'
    | 'participant removed'
    | 'bundle imported'
    | 'change undone'
  participantId?: string
  /** Number of tests (and of samples) that came with a participant. */
  testCount?: number
  sampleCount?: number
  /** SHA-256, hex, of the Idempotency-Key with the token's id, and that of the body. */
  key?: string
  content?: string
}

/**
 * Rows of the tables that came into a study together: SHA-256 of their files among those that its snapshots share. They
 * have no numbers of rows, which change when others come before them.
 */
export type TableLayer = { participants: string; tests: string; validations?: string; events?: string }

export type Manifest = {
  formatVersion: number
  snapshotId: string
  studyId: string
  parentId: string | null
  createdAt: string
  counts: { participants: number; completed: number; items: number; tests: number; samples: number; events?: number }
  sampleFiles: SampleFile[]
  /** Absent where there are none. */
  participantColumns?: ParticipantColumns
  /** SHA-256 of every other file of the snapshot, by its path inside it. */
  files: Record<string, string>
  /** Layers of tables of a snapshot that has just grown, merged when first read; else absent. */
  layers?: TableLayer[]
  /** SHA-256 of each bundle file it was made from (uncompressed), by name. */
  bundle: Record<string, string>
  /** The changes that made it, if they came by HTTP. */
  writes?: StudyWrite[]
}

/**
 * A snapshot that was opened. Its participants, tests and samples are read by SQL when they are needed
 * (engine/snapshot).
 */
export type Snapshot = {
  id: string
  directory: string
  manifest: Manifest
  study: Study
  /**
   * For a snapshot in an object store: keeps a sample file, all pictures or one of them in the directory until the
   * returned function is called. Absent where everything is there.
   */
  pin?: (what: SampleFile | 'images' | { image: string }) => Promise<() => void>
}
