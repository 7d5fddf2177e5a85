// Made of the schemas of the OpenAPI document by: npx vitest run test/clients/types.test.ts -u

export type Uuid = string

export type ExportName = 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades'

export type FormatName = 'csv' | 'ndjson' | 'arrow' | 'parquet' | 'xlsx' | 'csv-semicolon'

export type ParameterName = 'itemId' | 'preset' | 'detector' | 'eye' | 'movingMedianRangeMs' | 'gazeVelocityThreshold' | 'gazeVelocityThresholdDegPerS' | 'dispersionThresholdPercent' | 'dispersionThresholdDeg' | 'adaptiveLambda' | 'i2mcGapMs' | 'i2mcWindowMs' | 'i2mcStepMs' | 'i2mcCutoffSd' | 'i2mcEdgeMad' | 'i2mcSeed' | 'minFixationDurationMs' | 'maxFixationDurationMs' | 'saccadeMaxDurationMs' | 'mergeGapMs' | 'mergeDistancePercent' | 'mergeDistanceDeg' | 'binMs' | 'pupilMinMm' | 'pupilMaxMm' | 'blinkMinMs' | 'blinkMaxMs' | 'pupilSpeedMad' | 'pupilPadMs' | 'pupilIslandMs' | 'pupilGapMs' | 'pupilSmoothingMs' | 'pupilBaselineFromMs' | 'pupilBaselineToMs' | 'pupilFromMs' | 'pupilToMs' | 'pupilBinMs' | 'recurrenceRadiusPercent' | 'microsaccadeLambda' | 'microsaccadeMinSamples' | 'microsaccadeMaxDeg' | 'clusterAlpha' | 'clusterPermutations' | 'clusterSeed' | 'participantQualityGradeItemMin' | 'fromMs' | 'toMs' | 'eventType' | 'aoiNames' | 'denominator' | 'readingFrom' | 'lines' | 'extras' | 'filter' | 'analysis'

export type ExportParameters = {
  /** null for all items */
  itemId: Uuid | null
  detector: 'velocity' | 'dispersion' | 'adaptive' | 'i2mc'
  /** Eye whose gaze is used; if absent, gaze is as recorded */
  eye?: 'recorded' | 'both' | 'left' | 'right' | 'either'
  filter: string | null
  /** Analysis with its version. Its settings, ignored participants and offsets are included in the other fields; its filter applies in addition */
  analysis?: string
  /** Start of the time window. If absent, item onset */
  fromMs?: number
  /** End of the time window. If absent, no end */
  toMs?: number
  /** Name of the events from which time is measured. If absent, item onset */
  eventType?: string
  /** Names of AOIs. If absent, all */
  aoiNames?: string[]
  denominator: 'screen' | 'all' | 'aois'
  /** Start of reading. If absent, the first fixation */
  readingFrom?: 'first-fixation' | 'first-line' | 'first-word' | number
  /** Algorithm that moves fixations to lines. If absent, they stay where they are */
  lines?: 'attach' | 'chain' | 'cluster' | 'segment' | 'slice' | 'split' | 'warp' | 'vote'
  /** Kinds of further columns. If absent, none */
  extras?: ('degrees' | 'microseconds' | 'runs' | 'pupil')[]
  /** Participants whose tests are left out */
  ignored?: Uuid[]
  /** Corrections of gaze by the analysis */
  offsets?: ({
    participantId: string
    /** Only this test. If absent, all tests without an offset of their own */
    testId?: string
    /** Added to the x of gaze, in px of the window; positive moves it to the right */
    dxPx: number
    /** Added to the y of gaze, in px of the window; positive moves it down */
    dyPx: number
    /** Origin of the offset */
    source: 'hand' | 'validations' | 'clicks'
  })[]
  movingMedianRangeMs: number
  gazeVelocityThreshold: number
  gazeVelocityThresholdDegPerS: number
  dispersionThresholdPercent: number
  dispersionThresholdDeg: number
  adaptiveLambda: number
  i2mcGapMs: number
  i2mcWindowMs: number
  i2mcStepMs: number
  i2mcCutoffSd: number
  i2mcEdgeMad: number
  i2mcSeed: number
  minFixationDurationMs: number
  maxFixationDurationMs: number
  saccadeMaxDurationMs: number
  mergeGapMs: number
  mergeDistancePercent: number
  mergeDistanceDeg: number
  binMs: number
  pupilMinMm: number
  pupilMaxMm: number
  blinkMinMs: number
  blinkMaxMs: number
  pupilSpeedMad: number
  pupilPadMs: number
  pupilIslandMs: number
  pupilGapMs: number
  pupilSmoothingMs: number
  pupilBaselineFromMs: number
  pupilBaselineToMs: number
  pupilFromMs: number
  pupilToMs: number
  pupilBinMs: number
  recurrenceRadiusPercent: number
  microsaccadeLambda: number
  microsaccadeMinSamples: number
  microsaccadeMaxDeg: number
  clusterAlpha: number
  clusterPermutations: number
  clusterSeed: number
  participantQualityGradeItemMin: number
}

/** A refused parameter */
export type Fault = {
  /** Name as received */
  parameter: string
  /** Rule that the value breaks */
  rule: string
  /** Value as received */
  value: string
  /** In a filter: position of the error, in characters from 1 */
  position?: number
  /** Closest known name */
  nearest?: string
}

/** A broken rule of study data */
export type DataProblem = {
  /** The file */
  file: string
  line: number | null
  column: string | null
  value: string | null
  /** Rule that the value breaks */
  rule: string
}

/** A problem (RFC 9457). `type` is the address of a page with its meaning and remedy. */
export type Problem = {
  /** Address of the page that describes the problem */
  type: string
  /** Short summary of the problem */
  title: string
  status: number
  /** Explanation for this request */
  detail: string
  /** The request's id, as in X-Request-Id and in the log; not inside a job */
  instance?: Uuid
  /** Every parameter that breaks its rule */
  errors?: Fault[]
  /** The first 100 places where data breaks its rule */
  problems?: DataProblem[]
}

/** Answer to choose from */
export type Answer = {
  id?: Uuid
  /** Text of the message */
  text?: string
  /** Position among the answers */
  sortingValue?: number
  imageUrl?: string | null
  [key: string]: unknown
}

/** Step that shows a text */
export type MessageStep = {
  type: 'message'
  /** Text shown to the participant */
  text?: string
  /** Call to action */
  cta?: {
    /** Label */
    text?: string
    /** Such as `button` */
    elementType?: string
    [key: string]: unknown
  }
  [key: string]: unknown
}

/** Step with a countdown */
export type CountdownStep = {
  type: 'countdown'
  /** ms */
  durationMs?: number
  [key: string]: unknown
}

/** Step that shows an item */
export type StimuliStep = {
  type: 'stimuli'
  /** Stimulus and how it is shown */
  stimuli?: {
    /** The item's id */
    id?: Uuid
    /** Such as `images` */
    type?: string
    /** Display duration, ms */
    durationMs?: number
    /** True if the item can be scrolled */
    isScrollingEnabled?: boolean
    /** True if a key press ends the step */
    isFinishOnKeyEnabled?: boolean
    /** True if a click ends the step */
    isFinishOnClickEnabled?: boolean
    /** 0 for none */
    watermarkOpacity?: number
    [key: string]: unknown
  }
  [key: string]: unknown
}

/** Step that asks a question */
export type QuestionStep = {
  type: 'question'
  /** The question */
  question?: {
    id?: Uuid
    /** Item that the question refers to */
    refItem?: { id?: Uuid; [key: string]: unknown }
    /** `choice` or `form` */
    type?: string
    /** The question; a form may carry a placeholder */
    text?: string
    /** True if an answer is required */
    isAnswerRequired?: boolean
    /** `text` for a choice, `textArea` for a form */
    answerViewMode?: string
    /** Position among the questions */
    sortingValue?: number
    /** Options of a choice */
    answers?: Answer[]
    /** Options of a choice */
    hasRandomizedAnswers?: boolean
    /** Options of a choice */
    minAnswerCount?: number
    /** Options of a choice */
    maxAnswerCount?: number
    /** Kind of form, such as `serviceBasicSurvey` */
    formType?: string
    [key: string]: unknown
  }
  [key: string]: unknown
}

/** Step of any type */
export type OtherStep = {
  /** Type of the step */
  type: string
  [key: string]: unknown
}

/** A step. Its fields depend on its `type`; unknown types and fields are served unchanged. */
export type Step = MessageStep | CountdownStep | StimuliStep | QuestionStep | OtherStep

/** Get the study flow: the ordered steps of a test */
export type Flow = {
  /** The study */
  study: { id: Uuid }
  /** Steps, executed in sequence */
  steps: Step[]
  /** True if the platform's basic survey is enabled */
  isServiceBasicSurveyEnabled: boolean
}

/** A study that the token may read */
export type StudySummary = {
  id: Uuid
  /** Display name */
  name: string
  /** Snapshot of its data; changes with each import */
  snapshot: string
  /** Time of its last change */
  changedAt: string
  /** Keywords of the study */
  keywords: string[]
  /** True if lists hide the study */
  isArchived: boolean
  /** Project of the study, by name */
  project?: string
  /** First item that has a picture; absent if none has */
  pictureItemId?: Uuid
  /** Participants */
  participantCount: number
  /** Items */
  itemCount: number
  /** Tests: one participant looking at one item once */
  testCount: number
  /** Samples of all tests */
  sampleCount: number
}

/** A page of studies, ordered by id */
export type StudyPage = {
  studies: StudySummary[]
  /** Studies left out because they are damaged on disk or stored in a format that this version does not read */
  damaged?: Uuid[]
  nextCursor: string | null
}

/** Names that fit a search, the best first */
export type SearchResults = {
  studies: ({
    studyId: Uuid
    /** Name */
    name: string
    /** True if lists hide the study */
    isArchived: boolean
  })[]
  items: ({
    studyId: Uuid
    /** Name of the study */
    studyName: string
    itemId: Uuid
    /** File name of the item */
    name: string
  })[]
  aois: ({
    studyId: Uuid
    /** Name of the study */
    studyName: string
    itemId: Uuid
    /** File name of the item */
    itemName: string
    /** Name of the AOI */
    name: string
  })[]
  /** Of the study `studyId` */
  participants: ({
    studyId: Uuid
    participantId: Uuid
    /** External id, else the display name */
    name: string
  })[]
  /** True if more names fit */
  hasMore: boolean
}

/** A stimulus */
export type Item = {
  id: Uuid
  /** File name of the item */
  filename: string
  /** Address of the image; may be empty */
  cdnUrl: string
  /** Such as `images` */
  type: string
  stimuliDurationMs: number | null
  widthPx: number | null
  heightPx: number | null
  /** Tests that show the item */
  testCount: number
}

/** Left and top inclusive, right and bottom exclusive */
export type Rectangle = {
  /** In pixels of the item */
  topLeft: {
    /** Distance from the left */
    xPx: number
    /** Distance from the top */
    yPx: number
  }
  /** In pixels of the item */
  bottomRight: {
    /** Distance from the left */
    xPx: number
    /** Distance from the top */
    yPx: number
  }
}

/** Polygon; includes its border */
export type Polygon = {
  points: ({
    /** Distance from the left */
    x: number
    /** Distance from the top */
    y: number
  })[]
}

/** From item onset, half-open */
export type TimeRange = {
  /** Inclusive, ms */
  fromMs: number
  /** Exclusive, ms */
  toMs: number
}

/** A part of an area of interest */
export type AoiPart = {
  areaPoints: Rectangle | Polygon
  /** Time range in which the part counts. If absent, always */
  timeRange?: TimeRange | null
}

/** An area of interest on one item */
export type Aoi = {
  id: Uuid
  itemId: Uuid
  /** Name of the AOI */
  name: string
  /** Tags, which join AOIs across items */
  tags?: string[]
  parts: AoiPart[]
}

/** Tracker, screen and procedure of the recording, as far as known */
export type Recording = {
  /** Manufacturer of the eye tracker */
  manufacturer?: string
  /** Model of the eye tracker */
  model?: string
  /** Calibration procedure */
  calibrationType?: string
  /** Place of recording */
  environment?: string
  /** Nominal samples per second */
  nominalSamplingRateHz?: number
  /** Width of the screen */
  screenWidthPx?: number
  /** Height of the screen */
  screenHeightPx?: number
  /** Width of the screen, cm */
  screenWidthCm?: number
  /** Height of the screen, cm */
  screenHeightCm?: number
  /** Viewing distance, cm */
  viewingDistanceCm?: number
  /** Number of calibration points */
  calibrationPoints?: number
  /** Unit of the pupil sizes */
  pupilUnit?: 'mm' | 'px' | 'diameter_au' | 'area_au'
}

/** A person or a group */
export type Author = {
  /** Given name of a person */
  givenName?: string
  /** Family name of a person */
  familyName?: string
  /** Name of a group, in place of the name of a person */
  name?: string
  /** ORCID iD, such as 0000-0002-1825-0097 */
  orcid?: string
  /** Affiliation */
  affiliation?: string
}

/** Description, authors, licence and citation of the study, as far as known */
export type About = {
  /** Description of the study */
  description?: string
  /** Keywords */
  keywords?: string[]
  authors?: Author[]
  /** SPDX licence identifier, such as CC-BY-4.0 */
  license?: string
  /** DOI, such as 10.1000/182 */
  doi?: string
  /** Funders */
  funding?: string[]
  /** Approvals by ethics committees */
  ethics?: string[]
  /** Publications and addresses about the study */
  references?: string[]
}

/** A study with its items and AOIs, as imported */
export type StudyDetails = StudySummary & {
  items: Item[]
  aois: Aoi[]
  recording?: Recording
  /** Recorded columns of each eye */
  eyes?: ('leftGazeXPx' | 'leftGazeYPx' | 'rightGazeXPx' | 'rightGazeYPx' | 'leftPupil' | 'rightPupil' | 'leftEyeDistanceMm' | 'rightEyeDistanceMm')[]
  about?: About
}

/** Drop rate of a study */
export type DropRate = {
  /** The study */
  study: { id: Uuid }
  /** All participants */
  startedCount: number
  /** Participants who completed the study */
  completedCount: number
  /** 100 × (started − completed) / started; null when nobody started */
  dropRatePercents: number | null
}

/** Drop rates of the studies that the token may read */
export type DropRates = {
  studies: DropRate[]
  /** Studies left out because they are damaged on disk or stored in a format that this version does not read */
  damaged?: Uuid[]
}

/** Settings and ignored participants of a study, under one name */
export type Analysis = {
  /** Display name */
  title?: string
  /** Parameters of exports, by name, used unless a request gives its own */
  settings?: {
    detector?: 'velocity' | 'dispersion' | 'adaptive' | 'i2mc'
    eye?: 'recorded' | 'both' | 'left' | 'right' | 'either'
    readingFrom?: 'first-fixation' | 'first-line' | 'first-word' | number
    lines?: 'as-recorded' | 'attach' | 'chain' | 'cluster' | 'segment' | 'slice' | 'split' | 'warp' | 'vote'
    extras?: string
    movingMedianRangeMs?: number
    gazeVelocityThreshold?: number
    gazeVelocityThresholdDegPerS?: number
    dispersionThresholdPercent?: number
    dispersionThresholdDeg?: number
    adaptiveLambda?: number
    i2mcGapMs?: number
    i2mcWindowMs?: number
    i2mcStepMs?: number
    i2mcCutoffSd?: number
    i2mcEdgeMad?: number
    i2mcSeed?: number
    minFixationDurationMs?: number
    maxFixationDurationMs?: number
    saccadeMaxDurationMs?: number
    mergeGapMs?: number
    mergeDistancePercent?: number
    mergeDistanceDeg?: number
    binMs?: number
    pupilMinMm?: number
    pupilMaxMm?: number
    blinkMinMs?: number
    blinkMaxMs?: number
    pupilSpeedMad?: number
    pupilPadMs?: number
    pupilIslandMs?: number
    pupilGapMs?: number
    pupilSmoothingMs?: number
    pupilBaselineFromMs?: number
    pupilBaselineToMs?: number
    pupilFromMs?: number
    pupilToMs?: number
    pupilBinMs?: number
    recurrenceRadiusPercent?: number
    microsaccadeLambda?: number
    microsaccadeMinSamples?: number
    microsaccadeMaxDeg?: number
    clusterAlpha?: number
    clusterPermutations?: number
    clusterSeed?: number
  }
  /** Only tests for which this condition is true */
  filter?: string
  /** Only tests of at least this grade */
  participantQualityGradeItemMin?: number
  /** Only fixations that begin at this time, or later */
  fromMs?: number
  /** Only fixations that begin before this time */
  toMs?: number
  /** Participants whose tests are left out */
  ignored?: ({
    participantId: string
    /** Reason; may be empty */
    reason: string
  })[]
  /** Constant corrections of gaze, which apply before everything else */
  offsets?: ({
    participantId: string
    /** Only this test. If absent, all tests without an offset of their own */
    testId?: string
    /** Added to the x of gaze, in px of the window; positive moves it to the right */
    dxPx: number
    /** Added to the y of gaze, in px of the window; positive moves it down */
    dyPx: number
    /** Origin of the offset */
    source: 'hand' | 'validations' | 'clicks'
  })[]
  /** Colours in figures, by names of AOIs; the others have colours in the order of the study */
  aoiColors?: {
    [key: string]: 'blue' | 'coral' | 'green' | 'lilac' | 'ochre' | 'violet' | 'mint' | 'red'
  }
  /** Contents of the report, as the query of its page: sections, figures of the board, groups, own text */
  report?: string
}

/** One version of an analysis */
export type StoredAnalysis = {
  /** Name of the analysis */
  name: string
  /** The first digits of the SHA-256 of its canonical JSON */
  version: string
  /** `name@version`, as in the parameter `analysis` and in notes */
  reference: string
  changedAt: string | null
  analysis: Analysis
}

/** The analyses of a study in their current versions, by name */
export type AnalysisList = { analyses: StoredAnalysis[] }

/** Tests that a filter keeps */
export type KeptTests = {
  /** Tests that pass the filter */
  tests: number
  /** Tests of the item */
  testsTotal: number
  /** Participants with a test that passes */
  participants: number
  /** Participants with a test */
  participantsTotal: number
}

/** Tests with valid gaze */
export type CountedTests = {
  /** Tests */
  tests: number
  /** Participants */
  participants: number
}

/** Descriptive statistics; null without values */
export type DescribedValues = {
  /** Values */
  n: number
  mean: number | null
  /** Sample standard deviation */
  sd: number | null
  min: number | null
  q1: number | null
  median: number | null
  q3: number | null
  max: number | null
}

/** Result of a statistical test */
export type TestResult = {
  statistic: number
  /** Two-sided p */
  p: number
  /** True if p is exact, false if it is approximate */
  isExact: boolean
}

/** Effect of a comparison */
export type EffectSize = {
  value: number
  /** Lower limit of the 95 % interval */
  low: number
  /** Upper limit */
  high: number
}

/** Comparison of a measure between groups of participants, in each AOI of an item */
export type Comparisons = {
  /** Column of aoi-fixations-stats or reading */
  measure: string
  /** U of Mann and Whitney, or the difference of means by permutation */
  test: 'mann-whitney' | 'permutation'
  /** Seed of the random draws */
  seed: number
  groups: ({
    /** Export that has its values */
    export: ExportName
    /** Version and settings, as in the notes of exports */
    notes: string
    kept: KeptTests
    counted: CountedTests
  })[]
  /** Participants in more than one group; if any, nothing is compared */
  sharedParticipants: number
  aoiIds: Uuid[]
  /** By AOI, by group: values of the participants who have one */
  values: (({ participantIds: Uuid[]; values: number[] })[])[]
  /** By AOI, by group */
  summaries: DescribedValues[][]
  comparisons: ({
    /** Index of the AOI */
    aoi: number
    /** Index of the first group */
    first: number
    /** Index of the second group */
    second: number
    n: [number, number]
    medians: [number | null, number | null]
    means: [number | null, number | null]
    /** null for so few values that p cannot reach 0.05 */
    test: TestResult | null
    /** Holm-corrected p, over all comparisons */
    pHolm: number | null
    /** null for fewer than three values */
    effect: EffectSize | null
  })[]
}

/** Comparison of a measure between AOIs, within participants */
export type Within = {
  /** Column of aoi-fixations-stats or reading */
  measure: string
  /** Seed of the random draws */
  seed: number
  /** Items of the AOIs */
  items: ({
    itemId: Uuid
    /** Export that has its values */
    export: ExportName
    /** Version and settings, as in the notes of exports */
    notes: string
    kept: KeptTests
    counted: CountedTests
  })[]
  /** Compared AOIs, in the order of the request */
  aoiIds: Uuid[]
  /** Participants with a value in every AOI */
  participantIds: Uuid[]
  /** Participants who are left out, since they lack a value in some AOI */
  incompleteParticipants: number
  /** By AOI, by participant */
  values: number[][]
  /** By AOI */
  summaries: DescribedValues[]
  /** Test of all AOIs; null for two AOIs or fewer than three participants */
  friedman: {
    /** χ² */
    statistic: number
    /** Degrees of freedom */
    df: number
    p: number
    /** Agreement of the participants */
    kendallsW: number
  } | null
  /** Each pair of AOIs, by Wilcoxon’s signed-rank test */
  comparisons: ({
    /** Index of the first AOI */
    first: number
    /** Index of the second AOI */
    second: number
    /** Participants */
    n: number
    medians: [number | null, number | null]
    means: [number | null, number | null]
    /** null for so few values that p cannot reach 0.05 */
    test: TestResult | null
    /** Holm-corrected p, over all comparisons */
    pHolm: number | null
    /** null for fewer than three values */
    effect: EffectSize | null
  })[]
}

/** Comparison of a measure between groups of participants and between AOIs, within participants */
export type Mixed = {
  /** Sentences for a methods section, with their sources */
  methods: string
  /** Column of aoi-fixations-stats or reading */
  measure: string
  /** Seed of the random draws */
  seed: number
  groups: ({
    /** Filter of the group */
    filter: string
    /** Items of the AOIs */
    items: ({
      itemId: Uuid
      /** Export that has its values */
      export: ExportName
      /** Version and settings, as in the notes of exports */
      notes: string
      kept: KeptTests
      counted: CountedTests
    })[]
    /** Participants with a value in every AOI */
    participantIds: Uuid[]
    /** Participants who are left out, since they lack a value in some AOI */
    incompleteParticipants: number
    /** By AOI, by participant */
    values: number[][]
    /** By AOI */
    cells: ({
      /** Participants */
      n: number
      mean: number | null
      /** Sample standard deviation */
      sd: number | null
      /** Lower limit of the 95 % interval of the mean, by Student’s t */
      low: number | null
      /** Upper limit */
      high: number | null
    })[]
  })[]
  /** Compared AOIs, in the order of the request */
  aoiIds: Uuid[]
  /** Participants in more than one group; if any, nothing is compared */
  sharedParticipants: number
  noTest: string | null
  /** Mixed analysis of variance; null if a group has fewer than three participants */
  anova: ({
    effect: 'group' | 'condition' | 'interaction'
    /** Degrees of freedom */
    df: number
    /** Degrees of freedom of its error */
    errorDf: number
    /** Sum of squares */
    squares: number | null
    /** Sum of squares of its error */
    errorSquares: number | null
    /** F; null if values are constant */
    f: number | null
    /** p without correction */
    p: number | null
    /** Greenhouse and Geisser’s ε; 1 between groups */
    epsilon: number | null
    /** p with both degrees of freedom times ε */
    correctedP: number | null
    /** Generalized η² */
    etaSquared: number | null
  })[] | null
  /** Differences of two groups, of two AOIs, and of two AOIs between two groups, by permutation */
  contrasts: ({
    effect: 'group' | 'condition' | 'interaction'
    /** Compared groups; null for all */
    groups: [number, number] | null
    /** Compared AOIs; null for the mean of all */
    conditions: [number, number] | null
    n: [number, number]
    /** Of an interaction, the mean difference of the AOIs in each group */
    means: [number | null, number | null]
    /** First mean − second mean; null for fewer than three participants */
    difference: EffectSize | null
    /** null for so few values that p cannot reach 0.05 */
    test: TestResult | null
    /** Holm-corrected p, over the differences of the same effect */
    pHolm: number | null
  })[]
}

/** Transitions between the AOIs of an item, visits, and time to first fixation */
export type Transitions = {
  /** Export that has its values */
  export: ExportName
  /** Version and settings, as in the notes of exports */
  notes: string
  kept: KeptTests
  counted: CountedTests
  /** AOI to which a fixation in several AOIs belongs */
  nested: 'study' | 'smallest'
  /** AOIs of the item; all lists have this order */
  aoiIds: Uuid[]
  /** Indexes of AOIs that contain fixations, all of which belong to another AOI */
  hiddenAois: number[]
  /** From row to column; the last place is outside all AOIs */
  transitions: {
    counts: number[][]
    leaving: number[]
    /** Share of all transitions from the same AOI; null if there are none */
    probabilities: ((number | null)[])[]
    total: number
  }
  visits: ({
    /** Tests with a visit */
    tests: number
    /** Visits */
    visits: number
    /** Mean over the tests with a visit */
    perTest: number | null
    /** Mean dwell time of a visit */
    dwellMs: number | null
    /** Mean duration of a visit */
    durationMs: number | null
  })[]
  /** `tests`: tests that have not ended at a time; `percents`: share of these in a visit, by AOI */
  visiting: { timesMs: number[]; tests: number[]; percents: ((number | null)[])[] }
  /** Time to first fixation */
  firstLooks: ({
    /** Participants */
    n: number
    /** Participants who looked at the AOI */
    looked: number
    steps: ({
      /** ms */
      t: number
      /** Participants who had not looked before */
      atRisk: number
      /** Participants who looked in this interval */
      events: number
      /** Share of participants who have not looked yet */
      survival: number
      /** Lower limit of the 95 % interval */
      low: number
      /** Upper limit */
      high: number
    })[]
    /** Time by which half have looked */
    medianMs: number | null
    untilMs: number
    /** Participants at risk just before each of `visiting.timesMs`: neither looked nor censored */
    atRisk: number[]
  })[]
  untilMs: number
}

/** Quality measures of tests, with a summary */
export type Quality = {
  /** Export that has its values */
  export: ExportName
  /** Version and settings, as in the notes of exports */
  notes: string
  kept: KeptTests
  counted: CountedTests
  /** Over tests */
  measures: ({
    /** Values */
    n: number
    mean: number | null
    /** Sample standard deviation */
    sd: number | null
    min: number | null
    q1: number | null
    median: number | null
    q3: number | null
    max: number | null
    /** Column of quality-stats */
    column: string
  })[]
  /** Each participant */
  participants: ({
    participantId: Uuid
    /** Tests of the participant */
    tests: number
    /** Values over these tests, in the order of `measures` */
    medians: (number | null)[]
  })[]
  /** Mean over tests of the share of samples without gaze, in percent */
  lossByOrder: ({
    /** Position in the order in which items were shown */
    at: number
    /** Tests with a value */
    tests: number
    mean: number
  })[]
  tests: ({
    testId: Uuid
    participantId: Uuid
    itemId: Uuid
    /** Position in the order in which items were shown */
    order: number | null
    /** Samples with gaze */
    validSamples: number
    /** In the order of `measures` */
    values: (number | null)[]
  })[]
}

/** Mean over tests of the share of times without gaze, in percent, over time */
export type Loss = {
  /** Export that has its values */
  export: ExportName
  /** Version and settings, as in the notes of exports */
  notes: string
  kept: KeptTests
  counted: CountedTests
  bins: ({
    /** Start of the bin, ms from item onset */
    at: number
    /** Tests with a value */
    tests: number
    mean: number
  })[]
}

export type AverageInBins = {
  /** Participants with a value */
  n: number[]
  /** null without values */
  mean: (number | null)[]
  /** Sample standard deviation; null for fewer than two values */
  sd: (number | null)[]
  /** Lower limit of the 95 % interval of the mean */
  low: (number | null)[]
  /** Upper limit */
  high: (number | null)[]
}

/** Averages of pupils over time */
export type Pupils = {
  event: string | null
  /** Unit of the sizes; null if unknown */
  unit: 'mm' | 'px' | 'diameter_au' | 'area_au' | null
  /** Start of each bin, ms from item onset or the event */
  binStartsMs: number[]
  /** In the order of the request */
  groups: ({
    /** Export that has its values */
    export: ExportName
    /** Version and settings, as in the notes of exports */
    notes: string
    /** Condition of the group; empty for all tests */
    filter: string
    kept: KeptTests
    /** Tests with recorded sizes */
    testsWithSizes: number
    /** Participants with a size in any bin */
    participants: number
    /** Tests, or events in them, with a size in any bin */
    epochs: number
    /** Epochs that have a baseline */
    epochsWithBaseline: number
    /** Pupil size, by bin */
    size: AverageInBins
    /** Size above the baseline, by bin */
    aboveBaseline: AverageInBins
  })[]
  /** Names of the events of these tests; at most 1000 */
  eventNames: string[]
}

/** Rate of binocular microsaccades over time, and their main sequence */
export type Microsaccades = {
  /** Sentences for a methods section, with their sources */
  methods: string
  eventType: string | null
  /** Greatest amplitude of a microsaccade, in degrees */
  maxDeg: number
  /** Width of a bin */
  binMs: number
  /** Start of each bin, ms from item onset or the event */
  binStartsMs: number[]
  /** In the order of the request */
  groups: ({
    /** Export that has its values */
    export: ExportName
    /** Version and settings, as in the notes of exports */
    notes: string
    kept: KeptTests
    counted: CountedTests
    /** Condition of the group; empty for all tests */
    filter: string
    /** Tests with gaze of both eyes at 200 Hz or more */
    testsWithBothEyes: number
    /** Tests among them that are left out, since the size or distance of the screen is unknown */
    testsWithoutDegrees: number
    /** Participants with gaze of both eyes in a bin */
    participants: number
    /** Tests, or events in them, with gaze of both eyes */
    epochs: number
    /** Microsaccades in these epochs */
    microsaccades: number
    /** Binocular saccades in these epochs that are larger */
    largerSaccades: number
    /** Microsaccades a second of gaze, by bin, over participants */
    rate: AverageInBins
    /** Microsaccades that begin in the bin */
    counts: number[]
    /** Seconds with gaze of both eyes in the bin */
    seconds: (number | null)[]
    /** Line through the logarithms, by least squares */
    mainSequence: {
      /** Microsaccades with an amplitude and a velocity above 0 */
      n: number
      /** Slope of log₁₀ peak velocity on log₁₀ amplitude; null for fewer than three */
      slope: number | null
      /** log₁₀ of the peak velocity at 1° */
      intercept: number | null
      /** Correlation of both */
      r: number | null
    }
    /** 1 if all microsaccades are listed, else every nth is */
    everyNth: number
    /** Amplitude of each listed microsaccade, in degrees */
    amplitudesDeg: number[]
    /** Mean of the peak velocities of both eyes */
    peaksDegPerS: number[]
  })[]
}

/** Averages of looks at AOIs over time */
export type Looks = {
  /** Sentences for a methods section, with their sources */
  methods: string
  eventType: string | null
  /** Times of which looks are a share */
  denominator: 'screen' | 'all' | 'aois'
  /** Names of AOIs; all lists have this order */
  aoiNames: string[]
  /** Start of each bin, ms from item onset or the event */
  binStartsMs: number[]
  /** In the order of the request */
  groups: ({
    /** Export that has its values */
    export: ExportName
    /** Version and settings, as in the notes of exports */
    notes: string
    kept: KeptTests
    counted: CountedTests
    /** Condition of the group; empty for all tests */
    filter: string
    /** Participants with a time that counts */
    participants: number
    /** Tests, or events in them, with a time that counts */
    epochs: number
    /** By AOI name */
    looks: ({
      /** Share of looks, by bin */
      proportion: {
        /** Participants with a time that counts */
        n: number[]
        /** null without participants */
        mean: (number | null)[]
        /** Lower limit of the 95 % interval of the mean; null for fewer than two participants */
        low: (number | null)[]
        /** Upper limit */
        high: (number | null)[]
        sd: (number | null)[]
      }
      /** Empirical logit, weighted, by bin */
      elog: {
        /** Participants with a time that counts */
        n: number[]
        /** null without participants */
        mean: (number | null)[]
        /** Lower limit of the 95 % interval of the mean; null for fewer than two participants */
        low: (number | null)[]
        /** Upper limit */
        high: (number | null)[]
      }
    })[]
  })[]
}

/** Comparison of two conditions over time, by cluster permutation */
export type Clusters = {
  /** Sentences for a methods section, with their sources */
  methods: string
  /** Compared values */
  signal: 'looks' | 'pupil-size' | 'pupil-above-baseline'
  design: 'within' | 'between'
  eventType: string | null
  /** The two conditions, in the order of the request */
  conditions: ({
    /** Filter of the group, or AOI name */
    name: string
    /** Version and settings, as in the notes of exports */
    notes: string
    /** Compared participants */
    participants: number
  })[]
  /** Participants with values of one condition only, in a comparison within participants */
  leftOutParticipants: number
  /** Participants in both groups of a comparison between participants; if any, none is made */
  sharedParticipants: number
  /** Width of a bin */
  binMs: number
  /** Two-sided p of a t below which its bin belongs to a cluster */
  alpha: number
  /** Largest number of arrangements */
  permutations: number
  /** Seed of the random draws */
  seed: number
  /** Number of all arrangements, at most 2⁵³ − 1 */
  arrangements: number
  /** True if all arrangements were computed, false if random ones */
  isExact: boolean
  /** Least p that so many participants can reach; null for fewer than two */
  leastP: number | null
  noP: string | null
  bins: ({
    /** Start of the bin, ms from item onset or the event */
    startMs: number
    n: [number, number]
    means: [number | null, number | null]
    /** First mean − second mean */
    difference: number | null
    /** Lower limit of its 95 % interval */
    low: number | null
    /** Upper limit */
    high: number | null
    /** null for fewer than two values, or constant ones */
    t: number | null
    /** Degrees of freedom */
    df: number
    /** Size of t beyond which the bin belongs to a cluster */
    threshold: number | null
  })[]
  clusters: ({
    /** Start of its first bin */
    fromMs: number
    /** End of its last bin */
    toMs: number
    /** Index of its first bin */
    firstBin: number
    /** Number of its bins */
    bins: number
    /** Sum of t */
    mass: number | null
    /** Two-sided p, corrected for all bins; null if it cannot reach 0.05 */
    p: number | null
  })[]
}

/** Comparison of the scanpaths of each pair of participants */
export type Scanpaths = {
  /** Export that has its values */
  export: ExportName
  /** Version and settings, as in the notes of exports */
  notes: string
  kept: KeptTests
  counted: CountedTests
  /** Sentences for a methods section, with their sources */
  methods: string
  /** First test of each participant */
  scanpaths: ({
    participantId: Uuid
    testId: Uuid
    /** Fixations */
    fixations: number
    /** A letter for each fixation, the place where it is; a dot is outside all AOIs */
    aoiString: string
    /** AOIs of the item, plus 1 for outside */
    places: number
    /** Transitions between stays */
    transitions: number
    /** Entropy of the place that follows; null without a transition */
    transitionEntropyBits: number | null
    /** Entropy of the places left; null without a transition */
    stationaryEntropyBits: number | null
    /** Pairs of fixations that recur; null for fewer than two fixations */
    recurrencePercents: number | null
    /** Recurrences in diagonal lines; null without recurrences */
    determinismPercents: number | null
    /** Those in horizontal and vertical lines; null without recurrences */
    laminarityPercents: number | null
    /** Mean distance of recurrences; null without recurrences */
    recurrenceCenterPercents: number | null
    /** Fixations that a saccade follows */
    saccadePairs: number
    /** Coefficient K, standardized over all tests, as in the export */
    coefficientK: number | null
    /** Means of the values of its pairs; null without values */
    means: {
      levenshteinSimilarity: number | null
      needlemanWunsch: number | null
      vector: number | null
      direction: number | null
      length: number | null
      position: number | null
      duration: number | null
    }
  })[]
  pairs: ({
    /** Index of the first scanpath */
    first: number
    /** Index of the second scanpath */
    second: number
    /** Levenshtein distance of the AOI strings */
    levenshtein: number
    /** 1 − the distance, divided by the length of the longer; null if both are empty */
    levenshteinSimilarity: number | null
    /** Needleman–Wunsch score of the AOI strings */
    needlemanWunsch: number
    /** MultiMatch: similarity of shape; null for fewer than three fixations, as are the others */
    vector: number | null
    direction: number | null
    length: number | null
    position: number | null
    duration: number | null
  })[]
}

/** Reading measures of words, averaged over participants */
export type Reading = {
  /** Export that has its values */
  export: ExportName
  /** Version and settings, as in the notes of exports */
  notes: string
  kept: KeptTests
  counted: CountedTests
  /** Sentences for a methods section, with their sources */
  methods: string
  /** In reading order; empty for an item without words */
  words: ({
    aoiId: Uuid
    /** Line of the text */
    line: number
    /** Place in the line */
    place: number
    /** The word itself; empty if its AOI is named by its place alone */
    text: string
  })[]
  /** Averages of the measures */
  measures: ({
    /** Column of the export reading; the values of true and false are 100 and 0 % */
    column: string
    /** Participants with a value, by word */
    n: number[]
    /** Mean over these, by word; null without any */
    means: (number | null)[]
    /** Sample standard deviation, by word; null for fewer than two */
    sds: (number | null)[]
    /** Over participants, of the means of their words */
    ofText: {
      /** Participants with a value */
      n: number
      mean: number | null
      sd: number | null
    }
  })[]
}

/** Number, age and gender of participants */
export type DescribedParticipants = {
  /** Version and settings, as in the notes of exports */
  notes: string
  /** Participants */
  participants: number
  /** Participants who completed the study */
  completed: number
  age: DescribedValues
  genders: ({
    /** Empty if unknown */
    displayGender: string
    /** Participants */
    participants: number
    /** Participants who completed the study */
    completed: number
    age: DescribedValues
  })[]
}

/** Measures of the tags of AOIs over all items */
export type Tags = {
  /** Export that has its values */
  export: ExportName
  /** Version and settings, as in the notes of exports */
  notes: string
  kept: KeptTests
  counted: CountedTests
  /** Columns of aoi-tags-stats */
  measures: string[]
  tags: ({
    /** Tag of AOIs */
    tag: string
    /** AOIs with the tag */
    aoiCount: number
    /** Items of these AOIs */
    itemCount: number
    /** Participants with a test of these items that has valid gaze */
    participantCount: number
    /** Tests of these items with valid gaze */
    testCount: number
    /** These participants */
    participantIds: Uuid[]
    /** By measure, by participant */
    values: ((number | null)[])[]
    /** By measure, over participants with a value */
    described: DescribedValues[]
  })[]
}

/** Suggested offset, in px of the window */
export type SuggestedOffset = {
  /** Clicks, or targets, with gaze */
  count: number
  /** Offset of x; null if there are too few */
  dxPx: number | null
  /** Offset of y; null if there are too few */
  dyPx: number | null
  /** Median distance between gaze and these places */
  distancePx: number | null
  /** Median distance that would remain with the offset */
  leftPx: number | null
}

/** Offsets that would move gaze to validation targets and to clicks */
export type Offsets = {
  /** Version and settings, as in the notes of exports */
  notes: string
  /** Fewest clicks that suggest an offset */
  clicksMin: number
  /** Fewest validation targets that suggest an offset */
  targetsMin: number
  participants: ({ participantId: Uuid; validations: SuggestedOffset; clicks: SuggestedOffset })[]
  /** Tests with clicks */
  tests: ({ testId: Uuid; itemId: Uuid; participantId: Uuid; clicks: SuggestedOffset })[]
}

/** An export */
export type Export = {
  name: ExportName
  /** Display name */
  title: string
  /** Unit of a row */
  rowPer: string
  /** Question that the export answers */
  question: string
  /** True for the recommended export among those that answer the question */
  isRecommended: boolean
  /** Path; replace {studyId} */
  path: string
  /** Distinguishes exports that share a path */
  variant: 'raw' | 'normalized' | 'mouse' | null
  /** Parameters that `notes` lists */
  settings: ParameterName[]
  /** Kinds of further columns that it has */
  extras: ('degrees' | 'microseconds' | 'runs' | 'pupil')[]
  /** Address of the Table Schema */
  schema: string
}

/** Parameter of every export */
export type ParameterDescription = {
  name: ParameterName
  kind: 'uuid' | 'choice' | 'choices' | 'int' | 'float' | 'condition' | 'analysis' | 'moment' | 'event' | 'names'
  /** Unit */
  unit?: string
  /** Allowed values */
  choices?: string[]
  /** Default value */
  default: number | string | null
  /** Minimum */
  min?: number
  /** Maximum */
  max?: number
  /** Effect of the parameter */
  meaning: string
}

/** Output format of every export */
export type FormatDescription = {
  name: FormatName
  /** Display name */
  title: string
  /** File name extension */
  extension: string
}

/** Exports, their parameters and formats */
export type ExportList = {
  exports: Export[]
  /** Questions that exports answer, in order */
  questions: string[]
  parameters: ParameterDescription[]
  formats: FormatDescription[]
}

/** A column */
export type TableField = {
  /** Name of the column, as in the header */
  name: string
  type: 'string' | 'integer' | 'number' | 'boolean' | 'datetime' | 'array'
  format?: 'uuid' | 'uri' | 'any'
  unit: string | null
  /** Meaning */
  description: string
  /** Text that stands for an unknown value */
  missingValues: string[]
  /** Constraints on each value */
  constraints?: { required: true }
  /** The column exists in some studies only; `*` stands for any name */
  optional?: true
  /** True if CSV text that begins like a formula gets a leading `'`, which readers must remove */
  formulaGuard?: true
}

/** A Frictionless Table Schema; `unit`, `optional` and `formulaGuard` are additions */
export type TableSchema = {
  /** Profile of the schema */
  $schema: string
  /** Display name of the export */
  title: string
  /** Unit of a row */
  description: string
  /** Columns, in order */
  fields: TableField[]
  /** Default for fields without a value of their own */
  missingValues: string[]
}

/** Job id; identical requests share one job */
export type JobId = string

/** `queued`, then `running`, then one of `succeeded`, `failed`, `canceled`; `expired` once the file is gone */
export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'expired'

/** Progress */
export type JobProgress = {
  /** Share of samples done */
  percent: number
  /** Samples processed */
  samplesDone: number
  /** Samples to process */
  samplesTotal: number
  /** Rows written, without the header */
  rows: number
  /** Bytes written, uncompressed */
  bytes: number
  etaSeconds: number | null
  /** Finished parts of a running job in parts */
  partsDone?: number
  /** Parts of a running job in parts */
  partsTotal?: number
}

/** The file, in the requested format */
export type JobFile = {
  /** Address */
  href: string
  /** File name of a download */
  name: string
  /** Length of the file, bytes */
  bytes: number
  gzipBytes: number | null
  /** Rows, without the header */
  rows: number
  /** Uncompressed file */
  sha256: string
  gzipSha256: string | null
  /** Presigned URLs at the object store. Anyone with a URL can download the file, without a token. Only in the answer for a single job, if STORE_PRESIGN_SECONDS is set */
  direct?: {
    /** Uncompressed file */
    href: string
    gzipHref: string | null
    /** Expiry of the URLs */
    expiresAt: string
  }
}

/** One of the files of a job in parts, complete by itself */
export type JobPart = JobFile & {
  /** Number of the part, from 1 */
  number: number
  /** Samples of its tests */
  samples: number
  /** Its tests: consecutive ones, in the order of the export */
  tests: {
    /** Number of tests */
    count: number
    first: {
      /** Item */
      itemId: Uuid
      /** Participant */
      participantId: Uuid
    } | null
    last: {
      /** Item */
      itemId: Uuid
      /** Participant */
      participantId: Uuid
    } | null
  }
}

/** A large export, or one that was requested with `Prefer: respond-async` */
export type Job = {
  id: JobId
  /** Table, or a package of tables */
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades' | 'package'
  /** The study */
  study: { id: Uuid }
  /** Snapshot that the file is computed from */
  snapshot: string
  /** All parameters, defaults filled in */
  parameters: ExportParameters
  state: JobState
  progress: JobProgress
  /** Time of the request */
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  expiresAt: string | null
  /** null unless its state is succeeded, and for a job in parts */
  file: JobFile | null
  /** Number of files of a job in parts; absent for one file */
  partCount?: number
  /** Files of a job in parts, whose rows, one after the other, are those of the one file. Only in the answer for a single job, once it has succeeded */
  parts?: JobPart[]
  /** Reason for the failure, or the damage on disk that expired it; else null */
  error: Problem | null
  /** Format of the file, or of the tables in a package; absent for CSV */
  format?: FormatName
  /** Tables of a package, if the request named them; otherwise, the package has every table with rows */
  exports?: ExportName[]
}

/** A page of jobs, newest first */
export type JobPage = { jobs: Job[]; nextCursor: string | null }

/** The queue, which all servers and workers share */
export type QueueState = {
  /** Back end of the queue */
  kind: 'embedded' | 'redis' | 'postgres'
  /** True if the queue answers */
  answers: boolean
  isPaused: boolean | null
  /** null while the queue is unavailable */
  jobs: {
    /** Waiting jobs, including imports */
    waiting: number
    /** Running jobs */
    active: number
    /** Ended jobs that the queue remembers */
    completed: number
    /** Failed jobs that the queue remembers */
    failed: number
  } | null
}

/** Current state of queue, workers and disk */
export type Operations = {
  /** Version of Gazette */
  version: string
  queue: QueueState
  /** Workers that take jobs */
  workers: {
    connected: number | null
    /** Jobs that a worker runs at a time, as configured on this server */
    concurrencyEach: number
  }
  /** Threads of this server */
  engine: {
    /** All threads */
    threads: number
    /** Shards being computed */
    running: number
    /** Waiting shards */
    waiting: number
  }
  /** Small exports of this server */
  waitingClients: {
    /** Exports being computed while clients wait */
    computing: number
    /** Exports waiting for a slot */
    inLine: number
    /** Bytes of answers that clients have not yet read */
    heldBytes: number
  }
  /** Disk of the data directory */
  disk: {
    freeMib: number | null
    /** Free space below which new jobs are refused, bytes */
    floorMib: number
    /** True if the free space is above the floor */
    isEnough: boolean
    /** Limit on the total size of job files, bytes */
    exportsMaxGib: number
  }
}

/** Outcomes of jobs, by the last attempt of each */
export type LastHour = {
  /** Start of the hour */
  startsAt: string
  /** End of the hour */
  endsAt: string
  /** Jobs that ended in this hour, by outcome */
  ended: {
    /** Jobs that succeeded */
    succeeded: number
    /** Jobs that failed */
    failed: number
    /** Jobs that were canceled */
    canceled: number
  }
  /** Samples computed by these jobs */
  samples: number
  /** Bytes written by these jobs, uncompressed */
  bytes: number
  /** Waiting time, from the request to the start of work; null without jobs */
  waitSeconds: {
    /** Median */
    median: number
    /** 90th percentile */
    p90: number
    /** Maximum */
    longest: number
  } | null
  /** Run time of succeeded jobs; null without jobs */
  runSeconds: {
    /** Median */
    median: number
    /** 90th percentile */
    p90: number
    /** Maximum */
    longest: number
  } | null
  /** Intervals of five minutes, oldest first */
  bins: ({
    /** Start of the five minutes */
    startsAt: string
    /** Jobs that succeeded */
    succeeded: number
    /** Jobs that failed */
    failed: number
    /** Jobs that were canceled */
    canceled: number
    waitMedianSeconds: number | null
  })[]
}

/** A job, for operators */
export type OperatorJob = Job & {
  studyName: string | null
  /** Tokens that requested this attempt and have not withdrawn */
  askedBy: ({
    /** The token */
    id: string
    /** Display name; empty if the study was deleted or has no name */
    name: string
  })[]
  /** Number of the current attempt */
  attempt: number
  /** Tries at this attempt that neither ended it nor were handed back; 0 once it has ended */
  tries: number
}

/** A page of jobs, newest first */
export type OperatorJobPage = { jobs: OperatorJob[]; nextCursor: string | null }

/** Result of draining the queue */
export type Drained = {
  /** Jobs that were canceled */
  canceled: number
}

/** Spread of some values */
export type Spread = {
  /** Number of values */
  n: number
  /** Median */
  median: number
  /** Minimum */
  min: number
  /** Maximum */
  max: number
}

/** Measurements of the data of the kept tests */
export type MeasuredData = {
  /** Tests that pass all exclusions */
  tests: number
  /** Tests with gaze */
  testsWithGaze: number
  /** Samples per second, of the median step of each test; null if none is known */
  rateHz: Spread | null
  /** Share of samples without gaze of each test; null if none is known */
  lossPercents: Spread | null
  /** RMS-S2S in windows of 200 ms, of each test */
  precision: {
    /** Number of values */
    n: number
    /** Median */
    median: number
    /** Minimum */
    min: number
    /** Maximum */
    max: number
    /** Degrees, if the size of the screen is known */
    unit: 'deg' | 'percents'
  } | null
  /** The same in percent of the width and height of the displayed item, if `precision` is in degrees */
  precisionPercents?: Spread
  /** Mean distance of gaze from validation targets, of each participant */
  accuracy: {
    /** Number of values */
    n: number
    /** Median */
    median: number
    /** Minimum */
    min: number
    /** Maximum */
    max: number
    /** Degrees, if the size of the screen is known */
    unit: 'deg' | 'px'
    /** Targets with gaze, of all participants */
    validations: number
  } | null
  /** Fixations of each test; null if none is known */
  fixations: Spread | null
  /** Measures of each eye, over tests */
  eyes?: ({
    /** Number of values */
    n: number
    /** Median */
    median: number
    /** Minimum */
    min: number
    /** Maximum */
    max: number
    /** Column of quality-stats */
    column: string
  })[]
  /** Gaze points of all tests */
  points: {
    /** Points */
    points: number
    /** Interpolated ones */
    interpolated: number
    /** Gaps of more than 50 ms between valid samples */
    cuts: number
  }
  /** Steps of the detector of fixations in all tests */
  steps: {
    /** Fixations that were merged with the one before */
    merged: number
    /** Fixations that were longer than the longest, so that they were cut */
    cut: number
    /** Runs of fast points that are too short for a saccade */
    bridged: number
    /** Lost positions that I2MC interpolated */
    filled: number
  }
  /** Pupil sizes of all tests and of the chosen eyes, if pupils were recorded */
  pupils?: {
    /** Sizes */
    recorded: number
    /** Interpolated ones, in place of lost or removed ones */
    interpolated: number
    /** Removed: out of range */
    range: number
    /** Removed: while an eyelid closed or opened */
    eyelid: number
    /** Removed: changed too fast */
    speed: number
    /** Removed: close to a gap */
    padding: number
    /** Removed: isolated between gaps */
    island: number
  }
}

/** An exclusion, applied after the ones before it */
export type Exclusion = {
  because: 'item' | 'grade' | 'ignored' | 'quality' | 'filter'
  /** Value of the exclusion: file name of the item, lowest grade, ignored participants, quality condition, or filter */
  value: string
  /** Remaining tests */
  tests: number
  /** Remaining participants */
  participants: number
}

/** A source that the methods section cites */
export type MethodsSource = {
  /** Key of the BibTeX entry */
  key: string
  /** Citation key in the paragraph */
  short: string
  /** Full reference */
  reference: string
  /** DOI */
  doi: string
  /** BibTeX entry */
  bibtex: string
}

/** Parameters that influence the numbers */
export type AppliedParameters = {
  /** null for all items */
  itemId?: Uuid | null
  detector?: 'velocity' | 'dispersion' | 'adaptive' | 'i2mc'
  /** Eye whose gaze is used; if absent, gaze is as recorded */
  eye?: 'recorded' | 'both' | 'left' | 'right' | 'either'
  filter?: string | null
  /** Analysis with its version. Its settings, ignored participants and offsets are included in the other fields; its filter applies in addition */
  analysis?: string
  /** Start of the time window. If absent, item onset */
  fromMs?: number
  /** End of the time window. If absent, no end */
  toMs?: number
  /** Name of the events from which time is measured. If absent, item onset */
  eventType?: string
  /** Names of AOIs. If absent, all */
  aoiNames?: string[]
  denominator?: 'screen' | 'all' | 'aois'
  /** Start of reading. If absent, the first fixation */
  readingFrom?: 'first-fixation' | 'first-line' | 'first-word' | number
  /** Algorithm that moves fixations to lines. If absent, they stay where they are */
  lines?: 'attach' | 'chain' | 'cluster' | 'segment' | 'slice' | 'split' | 'warp' | 'vote'
  /** Kinds of further columns. If absent, none */
  extras?: ('degrees' | 'microseconds' | 'runs' | 'pupil')[]
  /** Participants whose tests are left out */
  ignored?: Uuid[]
  /** Corrections of gaze by the analysis */
  offsets?: ({
    participantId: string
    /** Only this test. If absent, all tests without an offset of their own */
    testId?: string
    /** Added to the x of gaze, in px of the window; positive moves it to the right */
    dxPx: number
    /** Added to the y of gaze, in px of the window; positive moves it down */
    dyPx: number
    /** Origin of the offset */
    source: 'hand' | 'validations' | 'clicks'
  })[]
  movingMedianRangeMs?: number
  gazeVelocityThreshold?: number
  gazeVelocityThresholdDegPerS?: number
  dispersionThresholdPercent?: number
  dispersionThresholdDeg?: number
  adaptiveLambda?: number
  i2mcGapMs?: number
  i2mcWindowMs?: number
  i2mcStepMs?: number
  i2mcCutoffSd?: number
  i2mcEdgeMad?: number
  i2mcSeed?: number
  minFixationDurationMs?: number
  maxFixationDurationMs?: number
  saccadeMaxDurationMs?: number
  mergeGapMs?: number
  mergeDistancePercent?: number
  mergeDistanceDeg?: number
  binMs?: number
  pupilMinMm?: number
  pupilMaxMm?: number
  blinkMinMs?: number
  blinkMaxMs?: number
  pupilSpeedMad?: number
  pupilPadMs?: number
  pupilIslandMs?: number
  pupilGapMs?: number
  pupilSmoothingMs?: number
  pupilBaselineFromMs?: number
  pupilBaselineToMs?: number
  pupilFromMs?: number
  pupilToMs?: number
  pupilBinMs?: number
  recurrenceRadiusPercent?: number
  microsaccadeLambda?: number
  microsaccadeMinSamples?: number
  microsaccadeMaxDeg?: number
  clusterAlpha?: number
  clusterPermutations?: number
  clusterSeed?: number
  participantQualityGradeItemMin?: number
}

/** The facts of a methods section */
export type MethodsFacts = {
  studyId: Uuid
  /** Display name */
  studyName: string
  /** Snapshot of its data */
  snapshotId: string
  /** Gazette's version */
  version: string
  /** Participants */
  participants: number
  /** Participants who completed the study */
  completed: number
  /** Tests */
  tests: number
  /** Participants who have a test */
  participantsWithTests: number
  exclusions: Exclusion[]
  recording: Recording | null
  /** Recorded columns of each eye */
  eyes?: ('leftGazeXPx' | 'leftGazeYPx' | 'rightGazeXPx' | 'rightGazeYPx' | 'leftPupil' | 'rightPupil' | 'leftEyeDistanceMm' | 'rightEyeDistanceMm')[]
  about?: About
  /** Samples of these tests */
  samples: number
  /** null if there are more samples than `samplesMax` */
  measured: MeasuredData | null
  samplesMax: number | null
  parameters: AppliedParameters
  aois: {
    /** Areas of interest */
    count: number
    /** Items with AOIs */
    items: number
    /** Items with words among them */
    texts: number
    /** Their sizes, in percent of the item; of an AOI that moves, the mean over its time; null if none is known */
    sizePercents: Spread | null
  }
}

/** The methods section of a study, and the facts behind it */
export type Methods = {
  /** Known facts, in sentences */
  paragraph: string
  /** Facts to add: missing, or known only to the authors */
  toAdd: string[]
  /** Sources that the paragraph cites; the last is the reporting guideline */
  sources: MethodsSource[]
  facts: MethodsFacts
}

/** Request to create a link */
export type LinkNew = {
  /** Path and query of the dashboard page, or of the export */
  path: string
  /** True if the whole study is shown, not only that page */
  isWhole?: boolean
  /** Recipient or purpose */
  name?: string
  /** Time at which the link expires */
  days?: number
  /** True if exports of the shared content may be downloaded */
  hasDownloads?: boolean
}

/** A link */
export type LinkId = string

/** A link, without its secret */
export type SharedLink = {
  id: LinkId
  /** Recipient or purpose */
  name: string
  /** Page of the dashboard, or export */
  path: string
  /** Kind of page; `study` for all pages, `export` for a file */
  page: 'study' | 'item' | 'replay' | 'pupils' | 'microsaccades' | 'reading' | 'scanpaths' | 'transitions' | 'groups' | 'quality' | 'report' | 'export'
  itemId: Uuid | null
  filter: string | null
  /** Lowest grade of the visible tests */
  gradeMin: number
  /** Analysis of the link, with its version */
  analysis?: string
  /** True if exports of the shared content may be downloaded */
  hasDownloads: boolean
  /** Creator of the link */
  madeBy: {
    /** Name of the creator, or of their token */
    name: string
    token: string | null
  }
  /** Time of creation */
  createdAt: string
  /** Time at which the link expires */
  expiresAt: string
  lastUsedAt: string | null
}

/** The links of a study, newest first */
export type LinkList = { links: SharedLink[] }

/** A new link */
export type LinkMade = SharedLink & {
  /** Address to share: the page, and the secret after `#link=`; or of the file, with the secret in its path. Shown only once */
  url: string
}

/** An upload */
export type UploadId = string

/** An upload, complete or in progress */
export type Upload = {
  id: UploadId
  /** Receiver of the messages */
  href: string
  /** File name */
  name: string
  /** Length of the file, bytes */
  bytes: number
  /** Bytes received */
  receivedBytes: number
  /** True if an import has used the upload. It stays while there is room, so that you can import it again */
  isImported: boolean
  /** Time at which the upload began */
  createdAt: string
  /** Expiry */
  expiresAt: string
}

/** The token's uploads, oldest first */
export type UploadList = { uploads: Upload[] }

/** Request to import into a study */
export type ImportToStudy = {
  /** Finished uploads, read together: one bundle, or files */
  uploads: UploadId[]
  /** Only check; publish nothing */
  dryRun?: boolean
  /** Format of the recordings, instead of recognising it by content: a name from docs/formats.md */
  format?: string
  /** Display name of a study made from recordings */
  name?: string
  /** Meaning of the columns of a table, as `gazette convert --guess` prints it */
  mapping?: unknown
  /** Screen size, if the files lack it */
  screen?: {
    /** Width, px */
    widthPx: number
    /** Height, px */
    heightPx: number
  }
  /** Screen size of each participant */
  screens?: ({
    /** Names as in the files */
    participant: string
    /** Width, px */
    widthPx: number
    /** Height, px */
    heightPx: number
  })[]
  /** EyeLink: messages, each with a name as first group */
  messages?: {
    /** Regular expression of the message that begins a trial */
    trial?: string
    /** Regular expression of the message that ends a trial */
    end?: string
    /** Regular expression of the message that names the item */
    item?: string
    /** Regular expression of the message sent when the item appeared */
    onset?: string
  }
  /** Regular expression of messages that become events: its groups are the name and the value */
  events?: string
  /** Gorilla: turn zones into AOIs */
  aois?: boolean
  /** Take names that differ only in case, leading zeros or folder as one */
  joinNames?: boolean
  /** Names in the paths of files, such as `participant{participant}/{trial}.txt` */
  path?: string
  /** Columns whose texts become tags of participants */
  tags?: string[]
  /** Columns that are kept as external data of participants */
  externalData?: string[]
  /** Item of each picture. Pictures that are not listed are matched by name */
  pictures?: ({
    /** Name of a picture among the files, as listed in the report of a check */
    picture: string
    /** Item in the files; null for none */
    item: string | null
  })[]
  /** Publish even if no test has a sample with gaze */
  force?: boolean
  /** Replace the data of the study. Recordings keep its name, authors, and items with their pictures and AOIs */
  replace?: boolean
}

/** Request to create a study */
export type ImportNew = Omit<ImportToStudy, 'replace'> & {
  /** Id of the new study of recordings */
  studyId?: Uuid
  /** Project of the study, by name */
  project?: string
}

/** An import */
export type ImportId = string

/** Result of an import */
export type ImportReport = {
  /** The study */
  study: { id: Uuid }
  /** Snapshot of its data */
  snapshot: string
  /** false if the data was already imported, and for a dry run */
  published: boolean
  /** Contents of the study after the import */
  counts: {
    /** Participants of the whole study */
    participants: number
    /** Items */
    items: number
    /** Tests */
    tests: number
    /** Samples */
    samples: number
  }
  /** null for a bundle */
  conversion: {
    /** Name of the format */
    format: string
    /** Display name */
    title: string
    /** Files that hold recordings */
    files: string[]
    participants: ({
      /** Participant */
      name: string
      /** Files that name the participant */
      files: string[]
    })[]
    /** Item names */
    items: string[]
    /** Pictures that came with the recordings; null for none */
    pictures: {
      /** Pictures among the files */
      files: string[]
      /** Items, each with its picture */
      items: ({
        /** Name in the files */
        name: string
        picture: string | null
      })[]
    } | null
    /** Kinds of messages that may begin, end or name a trial, the most frequent first */
    messages: ({
      /** One of the messages, at most 60 characters of it */
      example: string
      /** Text with which all messages of the kind begin */
      begins: string
      /** Messages of the kind */
      count: number
    })[]
    /** Data that was left out */
    left: string[]
    /** Assumptions made */
    assumed: string[]
    /** Doubts to check, since they would change results */
    check: string[]
  } | null
  /** Contents of the study before and after a replacement, in a dry run; else null */
  change: {
    /** Contents of a study */
    before: {
      /** Participants */
      participants: number
      /** Items */
      items: number
      /** Tests */
      tests: number
      /** Samples */
      samples: number
      /** Fixations with default settings */
      fixations: number
    }
    /** Contents of a study */
    after: {
      /** Participants */
      participants: number
      /** Items */
      items: number
      /** Tests */
      tests: number
      /** Samples */
      samples: number
      /** Fixations with default settings */
      fixations: number
    }
  } | null
  nothingNew: string | null
  /** Ignored files that operating systems add to archives */
  left: string[]
}

/** An import, run by a worker. Available for a week after its end. */
export type Import = {
  id: ImportId
  /** Study to extend or create; null if the files name it */
  study: { id: Uuid } | null
  /** True if the import adds to an existing study */
  append: boolean
  /** True if the import only checks and publishes nothing */
  dryRun: boolean
  uploads: ({
    id: UploadId
    /** The file */
    name: string
    /** Length of the file, bytes */
    bytes: number
  })[]
  /** State of the import */
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'
  progress: {
    /** Approximate progress, percent */
    percent: number
    /** Samples processed so far */
    samples: number
  }
  /** Time of the request */
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  /** Preview of a dry run of recordings that has ended or failed; otherwise null */
  found: {
    /** Formats that fit; if several have a `firstCount`, choose one by `format` */
    formats: ({
      /** Name of a format */
      name: string
      /** Display name */
      title: string
      /** Files that would be read in this format, unless `format` names another */
      firstCount: number
      /** First files, by name */
      files: string[]
      /** Number of files */
      fileCount: number
    })[]
    /** Tables that hold results rather than recordings */
    derived: ({
      /** Kind of the files */
      what: string
      /** First files, by name */
      files: string[]
      /** Number of files */
      fileCount: number
    })[]
    /** Other files */
    others: {
      /** First files, by name */
      files: string[]
      /** Number of files */
      fileCount: number
    }
    /** null if a format fits and the request named no other */
    table: {
      /** Name of the file */
      file: string
      /** Names of the columns */
      header: string[]
      /** First rows; long cells are truncated */
      rows: string[][]
      /** True if the table uses decimal commas */
      decimalComma: boolean
      /** Proposed mapping, with `?` for values to fill in; null if there is none, or the request had one */
      mapping: unknown
      fault: string | null
      /** Columns with one value for each participant, and few different values */
      conditions: ({
        /** Its name */
        column: string
        values: string[]
      })[]
      /** Columns that may hold the confidence of gaze */
      thresholds: ({
        /** Its name */
        column: string
        steps: ({
          /** Lowest valid number */
          least: number
          /** Share of rows with gaze whose number is below it */
          lostPercents: number
        })[]
      })[]
    } | null
  } | null
  /** null unless its state is succeeded */
  report: ImportReport | null
  /** Reason for the failure, with every problem; else null */
  error: Problem | null
}

/** Created study */
export type CreatedStudy = {
  id: Uuid
  /** Resulting snapshot of the study */
  snapshot: string
}

/** Changed study */
export type ChangedStudy = {
  /** Resulting snapshot of the study */
  snapshot: string
}

/** Effect of a change on existing recordings */
export type ChangedDescription = {
  /** Resulting snapshot of the study */
  snapshot: string
  /** True if nothing changed because the request was a dry run */
  isDryRun: boolean
  /** Items that changed, or whose AOIs changed */
  changedItemIds: Uuid[]
  /** Tests of these items */
  affectedTestCount: number
  /** Participants with these tests */
  affectedParticipantCount: number
  /** AOIs of the item that a CSV of boxes makes */
  aois?: Aoi[]
}

/** A participant that is on disk and in every later export */
export type AddedParticipant = {
  participantId: Uuid
  /** Tests of the participant */
  testCount: number
  /** Samples of the participant */
  sampleCount: number
  /** Resulting snapshot of the study */
  snapshot: string
}

/** A participant with tests and samples. Gazette creates omitted ids. */
export type NewParticipant = {
  /** The columns of participants.csv; `tags` as a list, and `external_data` as an object. Ids, names and keys have at most 1000 characters, notes and external data 10000, and all texts of a participant together 100000 */
  participant: {
    [key: string]: string | number | boolean | null | string[] | { [key: string]: string | number | boolean | null }
  }
  /** The columns of tests.csv without `participant_id`, and `samples` and `events` */
  tests?: ({
    /** Columns of samples.csv without `test_id`, as lists of equal length, or a list of rows */
    samples?: { [key: string]: (string | number | boolean | null)[] } | ({ [key: string]: string | number | boolean | null })[]
    /** Rows of events.csv without `test_id` */
    events?: ({ [key: string]: string | number | boolean | null })[]
    [key: string]: unknown
  })[]
  /** The columns of validations.csv without `participant_id` */
  validations?: ({ [key: string]: string | number | boolean | null })[]
}

/** Attributes to change; null makes an attribute unknown */
export type ParticipantAttributes = {
  external_id?: string | null
  display_name?: string | null
  age?: number | null
  /** 0 female, 1 male, 2 other */
  gender?: number | null
  display_gender?: string | null
  quality_grade?: number | null
  is_completed?: boolean
  notes?: string | null
}

/** The object of study.json, as docs/study.schema.json describes it */
export type NewStudy = {
  id: Uuid
  /** Display name */
  name: string
  [key: string]: unknown
}

/** Changes to the name and project of a study, whether it is archived, and the names, order and number of its items */
export type StudyRenaming = {
  /** Display name of the study */
  name?: string
  /** True hides the study from lists, false shows it again */
  isArchived?: boolean
  /** Project of the study; null takes it out of its project */
  project?: string | null
  /** Items to keep, in their new order. All others are removed, with their AOIs and the steps that show them */
  items?: ({
    id: Uuid
    /** New name. If omitted, the item keeps its name */
    filename?: string
  })[]
  /** Remove the tests of removed items; otherwise, an item with tests cannot be removed */
  removesTests?: boolean
}

/** The AOIs of the item, as in study.json; `itemId` may be left out */
export type NewAois = ({
  id: Uuid
  /** Name */
  name: string
  [key: string]: unknown
})[]

/** Changes over HTTP, newest first */
export type StudyHistory = {
  entries: ({
    /** Time of the change */
    at: string
    /** Id of the token */
    tokenId: string
    tokenName: string | null
    /** Kind of change, such as `participant added` */
    did: string
    /** Differences of the description of the study, or names of changed attributes */
    details?: string[]
    participantId?: Uuid
    /** Added tests */
    testCount?: number
    /** Added samples */
    sampleCount?: number
    /** Resulting snapshot of the study */
    snapshot: string
  })[]
  undoable: {
    /** Kind of the change */
    did: string
    /** Time of the change */
    at: string
    /** Time until which it can be undone */
    until: string
  } | null
  nextCursor: string | null
}

/** Earlier AOIs of an item, newest first */
export type PastAois = {
  entries: ({
    /** Time of the replacement */
    until: string
    tokenId: string | null
    aois: Aoi[]
  })[]
  nextCursor: string | null
}

/** Request to create a webhook */
export type WebhookNew = {
  /** URL that receives messages: https, at a public address */
  url: string
  /** Purpose */
  name?: string
  /** Events to send. Default: all */
  events?: ('job.succeeded' | 'job.failed' | 'study.published' | 'study.removed')[]
  /** Studies, which need not exist yet; all if omitted */
  studies?: Uuid[]
}

/** A webhook */
export type WebhookId = string

/** Webhook, without its secret */
export type Webhook = {
  id: WebhookId
  /** URL that receives messages */
  url: string
  /** Purpose */
  name: string
  /** Events sent to it */
  events: ('job.succeeded' | 'job.failed' | 'study.published' | 'study.removed')[]
  /** Studies whose events are sent */
  studies: 'all' | Uuid[]
  /** Time of creation */
  createdAt: string
  /** Undelivered messages */
  waiting: number
  disabled: {
    /** Time since which it is disabled */
    at: string
    /** `gone`: the receiver answered 410; `failing`: no delivery succeeded for three days */
    why: 'gone' | 'failing'
  } | null
}

/** Webhooks, oldest first */
export type WebhookList = { webhooks: Webhook[] }

/** A webhook with its new secret */
export type WebhookWithSecret = Webhook & {
  /** Secret to verify signatures: `whsec_` and base64. Shown only once */
  secret: string
}

/** Delivery attempt */
export type WebhookDelivery = {
  /** Time at which the try ended */
  time: string
  /** Id of the message, as in `webhook-id`; the same for each try */
  message: string
  /** The type of the event */
  type: string
  study: Uuid | null
  /** Number of the try, from 1 */
  try: number
  /** Outcome */
  outcome: 'delivered' | 'failed' | 'given up'
  status: number | null
  /** Duration */
  ms: number
  error: string | null
  nextAt: string | null
}

/** Latest delivery attempts, newest first */
export type WebhookDeliveryList = { deliveries: WebhookDelivery[] }

/** An export is ready */
export type JobSucceededEvent = {
  type: 'job.succeeded'
  /** Time of the event */
  timestamp: string
  data: {
    job: {
      /** The job */
      id: string
      /** The job */
      href: string
      /** Number of the attempt */
      attempt: number
      state: 'succeeded'
      /** Time at which it ended */
      finishedAt: string
    }
    /** Table, or a package of tables */
    export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades' | 'package'
    study: {
      id: Uuid
      /** The study */
      href: string
    }
    /** Snapshot of the data */
    snapshot: string
    /** Absent for a job in parts */
    file?: {
      /** The file */
      href: string
      /** Length of the file, bytes */
      bytes: number
      /** Rows of the file */
      rows: number
      /** SHA-256 of the file */
      sha256: string
    }
    /** Totals of the files of a job in parts, which the job lists */
    parts?: {
      /** Number of files */
      count: number
      /** Length of all files, bytes */
      bytes: number
      /** Rows of all files */
      rows: number
    }
  }
}

/** An export failed */
export type JobFailedEvent = {
  type: 'job.failed'
  /** Time of the event */
  timestamp: string
  data: {
    job: {
      /** The job */
      id: string
      /** The job */
      href: string
      /** Number of the attempt */
      attempt: number
      state: 'failed'
      /** Time at which it ended */
      finishedAt: string
    }
    /** Table, or a package of tables */
    export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'participants-wide' | 'aoi-tags-stats' | 'samples' | 'events' | 'pupils' | 'pupil-stats' | 'blinks' | 'reading' | 'reading-lines' | 'looks-binned' | 'scanpaths' | 'microsaccades' | 'package'
    study: {
      id: Uuid
      /** The study */
      href: string
    }
    /** Snapshot of the data */
    snapshot: string
    error: {
      /** Code of the problem; the job has the whole problem */
      code: string
    }
  }
}

/** A study was created or changed */
export type StudyPublishedEvent = {
  type: 'study.published'
  /** Time of the event */
  timestamp: string
  data: {
    study: {
      id: Uuid
      /** The study */
      href: string
    }
    /** Current snapshot */
    snapshot: string
  }
}

/** A study was removed */
export type StudyRemovedEvent = {
  type: 'study.removed'
  /** Time of the event */
  timestamp: string
  data: {
    /** The study */
    study: { id: Uuid }
    /** Last snapshot */
    snapshot: string
  }
}
