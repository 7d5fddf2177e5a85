// Made of the schemas of the server by: npx vitest run test/dashboard/answers.test.ts -u

export type Session = {
  version: string
  program: string
  signedIn: boolean
  changeToken: string | null
  token: {
    name: string
    role: 'collect' | 'read' | 'write' | 'ops' | 'link'
    studies: 'all' | string[]
    projects: string[]
    expiresAt: string | null
  } | null
  provider: { name: string; isOwn: boolean } | null
  link: {
    path: string
    page: 'study' | 'item' | 'replay' | 'pupils' | 'microsaccades' | 'reading' | 'scanpaths' | 'transitions' | 'groups' | 'quality' | 'report' | 'export'
    itemId: string | null
    filter: string | null
    gradeMin: number
    analysis?: string
    hasDownloads: boolean
    madeBy: string
  } | null
}

export type Participant = {
  id: string
  externalId: string
  createdAt: string
  displayName: string
  age: number | null
  displayGender: string
  qualityGrade: number
  isCompleted: boolean
  tags: string[]
  externalData: { [key: string]: string }
  /** The best of the participant's tests on each item; null without one */
  grades: (number | null)[]
  /** With `losses`: samples without gaze on each item, and their median; null without samples */
  loss?: { medianPercents: number | null; ofItems: (number | null)[] }
}

export type Kept = { tests: number; testsTotal: number; participants: number; participantsTotal: number }

export type Participants = {
  total: number
  /** Tests and participants that the conditions keep, of those of the study or item */
  kept: Kept
  itemIds: string[]
  /** True if participants of the study have tags */
  hasTags: boolean
  /** Without `external_data_` */
  externalDataNames: string[]
  testsByGrade: number[][]
  /** Number kept by a filter with this lowest grade */
  keptTests: number[]
  keptParticipants: number[]
  participantsByGrade: number[]
  participants: Participant[]
  nextCursor: string | null
}

export type DrawnTests = { tests: number; participants: number }

export type Preview = {
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades'
  notes: string
  kept: Kept
  estimate: { samples: number; bytes: number }
  cellMax: number
  columns: string[]
  rows: string[][] | null
  /** True if it would be answered at once */
  isSmall: boolean
}

export type FixationRow = [number, number, number, number, number | null, number | null, number | null, ...number[]]

export type FixationsData = {
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades'
  notes: string
  kept: Kept
  counted: DrawnTests
  /** Place of each AOI of the item, the smallest first */
  aoiRanks: number[]
  fixationCount: number
  testCount: number
  listedTests: number
  /** End of the last fixation of all tests; 0 without one */
  lastEndMs: number
  sums: { durationMs: number; saccadeCount: number; amplitudePercent: number }
  /** Over fixations, over saccades */
  means: { durationMs: number | null; amplitudePercent: number | null }
  tests: ({
    testId: string
    participantId: string
    fixations: FixationRow[]
    /** Time and name of the first 100 events of the test */
    events?: ([number, string])[]
  })[]
}

export type GazeBin = {
  fromMs: number
  n: number
  participants: number
  meanX: number | null
  meanY: number | null
  sdX: number | null
  sdY: number | null
  inAoi: number[]
}

export type GazeData = {
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades'
  notes: string
  kept: Kept
  counted: DrawnTests
  binMs: number
  pointCount: number
  laterCount: number
  pointsEvery: number
  bins: GazeBin[]
  points: ([number, number, number])[]
}

export type HeatmapData = {
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades'
  notes: string
  kept: Kept
  counted: DrawnTests
  of: 'gazes' | 'fixations'
  unit: string
  weighting: 'counts' | 'participants'
  widthPx: number
  heightPx: number
  columns: number
  rows: number
  count: number
  total: number
  outside: number
  participants: number
  weights: number[]
}

export type AoisData = {
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades'
  notes: string
  kept: Kept
  counted: DrawnTests
  columns: string[]
  rows: string[][]
}

export type PictureShown = {
  shown: { widthPx: number; heightPx: number } | null
  misfit: string | null
  isVaried: boolean
  /** Duration and mean frame rate of a video, null where it does not say it; null for a picture */
  video: { durationMs: number; frameRateHz: number | null } | null
  /** Duration of the longest test of the item */
  longestTestMs: number | null
}

export type GazeTrack = { tMs: number[]; x: (number | null)[]; y: (number | null)[] }

export type TestEvent = { tMs: number; name: string; value: string }

export type RecordedTest = {
  testId: string
  participantId: string
  durationMs: number | null
  window: { widthPx: number; heightPx: number } | null
  display: { leftPx: number; topPx: number; widthPx: number; heightPx: number } | null
  gaze: GazeTrack
  segmentStarts: number[]
  mouse: GazeTrack
  clicks: number[]
  scroll: ([number, number])[]
  events: TestEvent[]
}

export type Recordings = {
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades'
  notes: string
  kept: Kept
  counted: DrawnTests
  /** The first tests, as many as a browser plays smoothly at once */
  tests: RecordedTest[]
  /** Limit that leaves further tests out: the largest number of tests, or of samples. null if all play */
  limit: { of: 'tests' | 'samples'; most: number } | null
}

export type EyeTrace = {
  recorded: (number | null)[]
  removed: number[]
  size: (number | null)[]
  interpolated: number[]
  blinks: ({ fromMs: number; toMs: number })[]
}

export type PupilTrace = {
  testId: string
  participantId: string
  durationMs: number | null
  tMs: number[]
  left: EyeTrace
  right: EyeTrace
  size: (number | null)[]
  baseline: number | null
  events: TestEvent[]
}

export type PupilTraces = {
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades'
  notes: string
  kept: Kept
  counted: DrawnTests
  unit: 'mm' | 'px' | 'diameter_au' | 'area_au' | null
  tests: PupilTrace[]
}
