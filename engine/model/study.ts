import type { EyeColumn, PupilUnit } from './eye-columns.ts'

/**
 * Types of a study: the content of a snapshot, after the import has validated it and filled in what the bundle omits
 * (docs/bundle.md). Ids are in lower case.
 */

export type Rectangle = { topLeft: { xPx: number; yPx: number }; bottomRight: { xPx: number; yPx: number } }
export type Polygon = { points: { x: number; y: number }[] }
export type TimeRange = { fromMs: number; toMs: number }
export type AoiPart = { areaPoints: Rectangle | Polygon; timeRange?: TimeRange | null }
/** Tags group AOIs across items; absent if the AOI has none. */
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

/** Equipment and procedure of the recording, as far as the bundle has them. */
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

/** A person (given and family name) or a group (name); `familyName` or `name` is present. */
export type Author = {
  givenName?: string
  familyName?: string
  name?: string
  /** ORCID iD: sixteen digits in groups of four; the last may be X. */
  orcid?: string
  affiliation?: string
}

/** Description, authors, and terms of use and citation of a study, as far as the bundle has them. */
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
  /** Absent if study.json has none. */
  recording?: Recording
  /** Absent if study.json has none, or it is empty. */
  about?: About
  /** Lists hide an archived study by default; absent if not archived. */
  isArchived?: true
  /** Name of the project to which it belongs, on which rights may depend; absent if none. */
  project?: string
}

/** A participant. Stored in the order of output: by `createdAt` (missing last), then id. Unknown text is ''. */
export type Participant = {
  id: string
  externalId: string
  /** RFC 3339 as given; '' if missing. */
  createdAt: string
  displayName: string
  age: number | null
  gender: 0 | 1 | 2 | null
  /** '' if unknown; derived from `gender` if the bundle has none. */
  displayGender: string
  qualityGrade: number
  isCompleted: boolean
  notes: string
  /** Tags in the order of the bundle, without duplicates. */
  tags: string[]
  /** External data by name, without unknown values. */
  externalData: Record<string, string>
}

/** Optional columns that any bundle of the study had, filled or not. */
export type ParticipantColumns = {
  hasTags: boolean
  /** Names without `external_data_`, in ascending order of bytes. */
  externalData: string[]
}

/** Validation targets and the gaze at them, in px of the browser window: columns of equal length, NaN for lost gaze. */
export type Validations = { targetX: Float64Array; targetY: Float64Array; gazeX: Float64Array; gazeY: Float64Array }

/** Events of a test by time: columns of equal length, times in whole µs from item onset. */
export type Events = { tUs: Float64Array; name: string[]; value: string[] }

export type DisplayRectangle = { leftPx: number; topPx: number; widthPx: number; heightPx: number }

/** A test. Stored in the order of output: by item, participant, display order (missing last), test id. */
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
  /** Null only for a test without samples. */
  display: DisplayRectangle | null
  notes: string
  sampleCount: number
}

/**
 * A Parquet file of samples: whole tests in ascending `test_ordinal`, each in recorded order. docs/storage.md lists its
 * columns.
 */
export type SampleFile = {
  name: string
  rowCount: number
  sizeBytes: number
  sha256: string
  /** True if any sample has scrolling (a mouse, a click); otherwise the column need not be read. */
  hasScroll: boolean
  hasMouse: boolean
  clickCount: number
  /** Columns of eyes with values, in the order of output; absent if there are none. */
  eyes?: EyeColumn[]
}

/** A change of a study, as an entry of its history. */
export type StudyWrite = {
  /** Time, RFC 3339. */
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
  /** Differences of the study's description, in words. */
  details?: string[]
  participantId?: string
  /** Number of tests (of samples) of an added participant. */
  testCount?: number
  sampleCount?: number
  /** SHA-256 (hex) of the Idempotency-Key with the token's id, and of the body. */
  key?: string
  content?: string
}

/**
 * A layer: rows of the tables that were added to a study together, as SHA-256 of shared files. They have no row
 * numbers, which change when other layers come before them.
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
  /** Absent if there are none. */
  participantColumns?: ParticipantColumns
  /** SHA-256 of every other file of the snapshot, by its path inside it. */
  files: Record<string, string>
  /** Layers of a snapshot that has just grown, merged when first read; otherwise absent. */
  layers?: TableLayer[]
  /** SHA-256 of each uncompressed bundle file from which it was made, by name. */
  bundle: Record<string, string>
  /** Changes over HTTP that made it, if any. */
  writes?: StudyWrite[]
}

/** An opened snapshot. Participants, tests and samples are read by SQL when they are needed (engine/snapshot). */
export type Snapshot = {
  id: string
  directory: string
  manifest: Manifest
  study: Study
  /**
   * For a snapshot in an object store: fetches a sample file, all pictures or one of them into the directory, and pins
   * them until the returned function is called. Absent if everything is local.
   */
  pin?: (what: SampleFile | 'images' | { image: string }) => Promise<() => void>
}
