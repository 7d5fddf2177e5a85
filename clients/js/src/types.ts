// Made of the schemas of the OpenAPI document by: npx vitest run test/clients/types.test.ts -u

export type Uuid = string

/** A refused parameter */
export type Fault = {
  /** Name as received */
  parameter: string
  /** Rule that the value breaks */
  rule: string
  /** Value as received */
  value: string
  /** In a filter: the character, from 1, where the rule is broken */
  position?: number
  /** The name that it may have been meant to be */
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

/** RFC 9457. `type` is the address of a page that says what it means and what to do. */
export type Problem = {
  /** A page of this server */
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
  /** Orders answers */
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
    /** Its label */
    text?: string
    /** Such as `button` */
    elementType?: string
    [key: string]: unknown
  }
  [key: string]: unknown
}

/** Step that counts down */
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
    /** 0 is none */
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
    refItem?: {
      id?: Uuid
      [key: string]: unknown
    }
    /** `choice` or `form` */
    type?: string
    /** The question; a form may carry a placeholder */
    text?: string
    /** True if an answer is required */
    isAnswerRequired?: boolean
    /** `text` for a choice, `textArea` for a form */
    answerViewMode?: string
    /** Orders questions */
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
  /** Its type */
  type: string
  [key: string]: unknown
}

/** A step; its fields depend on its `type`, and unknown types and fields are served as they came. */
export type Step = MessageStep | CountdownStep | StimuliStep | QuestionStep | OtherStep

/** Get the study flow: the ordered steps of a test */
export type Flow = {
  /** The study */
  study: {
    id: Uuid
  }
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
  /** The version of its data; it changes with each import */
  snapshot: string
  /** Participants */
  participantCount: number
  /** Items */
  itemCount: number
  /** Tests: one participant looking at one item once */
  testCount: number
  /** Samples of all tests */
  sampleCount: number
}

/** A page of studies, by id */
export type StudyPage = {
  studies: StudySummary[]
  /** Studies that are left out, since they are damaged on disk, or stored in a format that this version does not read */
  damaged?: Uuid[]
  nextCursor: string | null
}

/** A stimulus */
export type Item = {
  id: Uuid
  /** Its file name */
  filename: string
  /** Address of its image, or empty */
  cdnUrl: string
  /** Such as `images` */
  type: string
  stimuliDurationMs: number | null
  widthPx: number | null
  heightPx: number | null
  /** Tests in which it was shown */
  testCount: number
}

/** Left and top inclusive, right and bottom not */
export type Rectangle = {
  /** In pixels of the item */
  topLeft: {
    /** From the left */
    xPx: number
    /** From the top */
    yPx: number
  }
  /** In pixels of the item */
  bottomRight: {
    /** From the left */
    xPx: number
    /** From the top */
    yPx: number
  }
}

/** Its border belongs to it */
export type Polygon = {
  points: ({
    /** From the left */
    x: number
    /** From the top */
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
  /** When it counts; always, without one */
  timeRange?: TimeRange | null
}

/** An area of interest on one item */
export type Aoi = {
  id: Uuid
  itemId: Uuid
  /** Its name */
  name: string
  parts: AoiPart[]
}

/** Tracker, screen and procedure of the recording, as far as known */
export type Recording = {
  /** Manufacturer of the eye tracker */
  manufacturer?: string
  /** Its model */
  model?: string
  /** Calibration procedure */
  calibrationType?: string
  /** Place of recording */
  environment?: string
  /** Samples per second, as the maker gives them */
  nominalSamplingRateHz?: number
  /** Width of the screen */
  screenWidthPx?: number
  /** Height of the screen */
  screenHeightPx?: number
  /** Width of the screen, cm */
  screenWidthCm?: number
  /** Height of the screen, cm */
  screenHeightCm?: number
  /** From the eye to the screen, cm */
  viewingDistanceCm?: number
  /** Points that it was calibrated with */
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

/** Authors, licence and citation of the study, as far as known */
export type About = {
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

/** A study with its items and AOIs, as they were imported */
export type StudyDetails = {
  id: Uuid
  /** Display name */
  name: string
  /** The version of its data; it changes with each import */
  snapshot: string
  /** Participants */
  participantCount: number
  /** Items */
  itemCount: number
  /** Tests: one participant looking at one item once */
  testCount: number
  /** Samples of all tests */
  sampleCount: number
  items: Item[]
  aois: Aoi[]
  recording?: Recording
  about?: About
}

/** Drop rate of a study */
export type DropRate = {
  /** The study */
  study: {
    id: Uuid
  }
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
  /** Studies that are left out, since they are damaged on disk, or stored in a format that this version does not read */
  damaged?: Uuid[]
}

/** Settings of a study under one name, and the participants left out */
export type Analysis = {
  /** Display name */
  title?: string
  /** Parameters of exports, by their names, that are used where a request gives no others */
  settings?: {
    detector?: 'velocity' | 'dispersion' | 'adaptive'
    movingMedianRangeMs?: number
    gazeVelocityThreshold?: number
    dispersionThresholdPercent?: number
    adaptiveLambda?: number
    minFixationDurationMs?: number
    maxFixationDurationMs?: number
    saccadeMaxDurationMs?: number
    mergeGapMs?: number
    mergeDistancePercent?: number
    binMs?: number
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
    /** Why; empty if nobody says */
    reason: string
  })[]
}

/** An analysis of a study in one of its versions */
export type StoredAnalysis = {
  /** Its name */
  name: string
  /** The first digits of the SHA-256 of its canonical JSON */
  version: string
  /** `name@version`: what `analysis` takes, and what notes name */
  reference: string
  changedAt: string | null
  analysis: Analysis
}

/** The analyses of a study in their current versions, by name */
export type AnalysisList = {
  analyses: StoredAnalysis[]
}

/** A measure compared between groups of participants, in each AOI of an item */
export type Comparisons = {
  /** The column of aoi-fixations-stats that is compared */
  measure: string
  /** U of Mann and Whitney, or the difference of means by permutation */
  test: 'mann-whitney' | 'permutation'
  /** Seed of the random draws */
  seed: number
  groups: ({
    /** The export whose cells it is of */
    export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits'
    /** Version and settings, as in the notes of exports */
    notes: string
    kept: {
      /** Tests that the filter keeps */
      tests: number
      /** Tests of the item */
      testsTotal: number
      /** Participants who have one that is kept */
      participants: number
      /** Participants who have one */
      participantsTotal: number
    }
    /** Tests with valid gaze */
    counted: {
      /** Tests */
      tests: number
      /** Participants */
      participants: number
    }
  })[]
  /** Participants in more than one group; then nothing is compared */
  sharedParticipants: number
  aoiIds: Uuid[]
  /** By AOI, by group: a value for each participant who has one */
  values: (({
    participantIds: Uuid[]
    values: number[]
  })[])[]
  /** By AOI, by group */
  summaries: (({
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
  })[])[]
  comparisons: ({
    /** Place of the AOI */
    aoi: number
    /** Place of the first group */
    first: number
    /** Place of the second group */
    second: number
    n: unknown[]
    medians: unknown[]
    means: unknown[]
    /** null of fewer than three values */
    test: {
      statistic: number
      /** Two-sided p */
      p: number
      /** True if p is exact, false if it is approximate */
      isExact: boolean
    } | null
    /** p corrected by Holm over all comparisons */
    pHolm: number | null
    /** null of fewer than three values */
    effect: {
      value: number
      /** Lower limit of its 95 % interval */
      low: number
      /** Upper limit */
      high: number
    } | null
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
  /** Descriptive statistics; null without values */
  age: {
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
  genders: ({
    /** Empty where none is known */
    displayGender: string
    /** Participants */
    participants: number
    /** Participants who completed the study */
    completed: number
    /** Descriptive statistics; null without values */
    age: {
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
  })[]
}

/** Mean over tests of the share of times without gaze, in percent, over time */
export type Loss = {
  /** The export whose cells it is of */
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits'
  /** Version and settings, as in the notes of exports */
  notes: string
  kept: {
    /** Tests that the filter keeps */
    tests: number
    /** Tests of the item */
    testsTotal: number
    /** Participants who have one that is kept */
    participants: number
    /** Participants who have one */
    participantsTotal: number
  }
  /** Tests with valid gaze */
  counted: {
    /** Tests */
    tests: number
    /** Participants */
    participants: number
  }
  bins: ({
    /** Start of the bin, ms from item onset */
    at: number
    /** Tests with a value */
    tests: number
    mean: number
  })[]
}

/** Measures of the quality of tests, and what they are like */
export type Quality = {
  /** The export whose cells it is of */
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits'
  /** Version and settings, as in the notes of exports */
  notes: string
  kept: {
    /** Tests that the filter keeps */
    tests: number
    /** Tests of the item */
    testsTotal: number
    /** Participants who have one that is kept */
    participants: number
    /** Participants who have one */
    participantsTotal: number
  }
  /** Tests with valid gaze */
  counted: {
    /** Tests */
    tests: number
    /** Participants */
    participants: number
  }
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
    /** Their tests */
    tests: number
    /** Over these tests, in the order of `measures` */
    medians: (number | null)[]
  })[]
  /** Mean over tests of the share of samples without gaze, in percent */
  lossByOrder: ({
    /** Place in the order in which items were shown */
    at: number
    /** Tests with a value */
    tests: number
    mean: number
  })[]
  tests: ({
    testId: Uuid
    participantId: Uuid
    itemId: Uuid
    /** Place in the order in which items were shown */
    order: number | null
    /** Samples with gaze */
    validSamples: number
    /** In the order of `measures` */
    values: (number | null)[]
  })[]
}

/** A measure compared between AOIs that the same participants saw */
export type Within = {
  /** The column of aoi-fixations-stats that is compared */
  measure: string
  /** Seed of the random draws */
  seed: number
  /** The items that the AOIs are of */
  items: ({
    itemId: Uuid
    /** The export whose cells it is of */
    export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits'
    /** Version and settings, as in the notes of exports */
    notes: string
    kept: {
      /** Tests that the filter keeps */
      tests: number
      /** Tests of the item */
      testsTotal: number
      /** Participants who have one that is kept */
      participants: number
      /** Participants who have one */
      participantsTotal: number
    }
    /** Tests with valid gaze */
    counted: {
      /** Tests */
      tests: number
      /** Participants */
      participants: number
    }
  })[]
  /** The AOIs that are compared, in the order in which they were asked for */
  aoiIds: Uuid[]
  /** Participants with a value in every AOI */
  participantIds: Uuid[]
  /** Participants with a value in some AOIs only; left out */
  incompleteParticipants: number
  /** By AOI, by participant */
  values: number[][]
  /** By AOI */
  summaries: ({
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
  })[]
  /** The test of all AOIs; null of two, and of fewer than three participants */
  friedman: {
    /** χ² */
    statistic: number
    /** Degrees of freedom */
    df: number
    p: number
    /** Agreement of the participants */
    kendallsW: number
  } | null
  /** Every two AOIs by Wilcoxon’s signed ranks */
  comparisons: ({
    /** Place of the first AOI */
    first: number
    /** Place of the second AOI */
    second: number
    /** Participants */
    n: number
    medians: unknown[]
    means: unknown[]
    /** null of fewer than three values */
    test: {
      statistic: number
      /** Two-sided p */
      p: number
      /** True if p is exact, false if it is approximate */
      isExact: boolean
    } | null
    /** p corrected by Holm over all comparisons */
    pHolm: number | null
    /** null of fewer than three values */
    effect: {
      value: number
      /** Lower limit of its 95 % interval */
      low: number
      /** Upper limit */
      high: number
    } | null
  })[]
}

/** Transitions between the AOIs of an item, visits, and time to first fixation */
export type Transitions = {
  /** The export whose cells it is of */
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits'
  /** Version and settings, as in the notes of exports */
  notes: string
  kept: {
    /** Tests that the filter keeps */
    tests: number
    /** Tests of the item */
    testsTotal: number
    /** Participants who have one that is kept */
    participants: number
    /** Participants who have one */
    participantsTotal: number
  }
  /** Tests with valid gaze */
  counted: {
    /** Tests */
    tests: number
    /** Participants */
    participants: number
  }
  /** Which AOI a fixation in several stands for in transitions */
  nested: 'study' | 'smallest'
  /** The AOIs of the item; lists are in their order */
  aoiIds: Uuid[]
  /** Places of AOIs that hold fixations and stand for none */
  hiddenAois: number[]
  /** From row to column; the last place is outside all AOIs */
  transitions: {
    counts: number[][]
    leaving: number[]
    /** Share of the transitions that leave the same place; null where none does */
    probabilities: ((number | null)[])[]
    total: number
  }
  visits: ({
    /** Tests with a visit */
    tests: number
    /** Visits */
    visits: number
    /** Mean over the tests that have one */
    perTest: number | null
    /** Mean sum of the fixations of a visit */
    dwellMs: number | null
    /** Mean from start to end of a visit */
    durationMs: number | null
  })[]
  /** `tests` are not over at a time; `percents` of those, by AOI, are in a visit */
  visiting: {
    timesMs: number[]
    tests: number[]
    percents: ((number | null)[])[]
  }
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
      /** Share that has not looked yet */
      survival: number
      /** Lower limit of its 95 % interval */
      low: number
      /** Upper limit */
      high: number
    })[]
    /** When half have looked */
    medianMs: number | null
    untilMs: number
    /** Participants at risk just before each of `visiting.timesMs`: neither looked nor censored */
    atRisk: number[]
  })[]
  untilMs: number
}

/** A kind of CSV */
export type Export = {
  name: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits'
  /** Display name */
  title: string
  /** Unit of a row */
  rowPer: string
  /** Its path; {studyId} is to be filled in */
  path: string
  /** Distinguishes exports that share a path */
  variant: 'raw' | 'normalized' | 'mouse' | null
  /** Parameters that `notes` lists */
  settings: ('itemId' | 'detector' | 'movingMedianRangeMs' | 'gazeVelocityThreshold' | 'dispersionThresholdPercent' | 'adaptiveLambda' | 'minFixationDurationMs' | 'maxFixationDurationMs' | 'saccadeMaxDurationMs' | 'mergeGapMs' | 'mergeDistancePercent' | 'binMs' | 'participantQualityGradeItemMin' | 'fromMs' | 'toMs' | 'filter' | 'analysis')[]
  /** Address of the Table Schema */
  schema: string
}

/** Parameter of every export */
export type ParameterDescription = {
  name: 'itemId' | 'detector' | 'movingMedianRangeMs' | 'gazeVelocityThreshold' | 'dispersionThresholdPercent' | 'adaptiveLambda' | 'minFixationDurationMs' | 'maxFixationDurationMs' | 'saccadeMaxDurationMs' | 'mergeGapMs' | 'mergeDistancePercent' | 'binMs' | 'participantQualityGradeItemMin' | 'fromMs' | 'toMs' | 'filter' | 'analysis'
  kind: 'uuid' | 'choice' | 'int' | 'float' | 'condition' | 'analysis' | 'moment'
  /** Unit */
  unit?: string
  /** Allowed values */
  choices?: string[]
  /** Default value */
  default: number | string | null
  /** The least that is allowed */
  min?: number
  /** The most that is allowed */
  max?: number
  /** Effect of the parameter */
  meaning: string
}

/** Output format of every export */
export type FormatDescription = {
  name: 'csv' | 'ndjson' | 'arrow' | 'parquet'
  /** Display name */
  title: string
  /** File name extension */
  extension: string
}

/** Exports, their parameters and formats */
export type ExportList = {
  exports: Export[]
  parameters: ParameterDescription[]
  formats: FormatDescription[]
}

/** A column */
export type TableField = {
  /** Column name, as in the header */
  name: string
  type: 'string' | 'integer' | 'number' | 'boolean' | 'datetime' | 'array'
  format?: 'uuid' | 'uri' | 'any'
  unit: string | null
  /** Meaning */
  description: string
  /** Text that stands for an unknown value */
  missingValues: string[]
  /** Constraints on each value */
  constraints?: {
    required: true
  }
  /** The column exists in some studies only; `*` stands for any name */
  optional?: true
  /** True if CSV text that would start like a formula is preceded by a `'`, which readers remove */
  formulaGuard?: true
}

/** A Frictionless Table Schema; `unit`, `optional` and `formulaGuard` are additions */
export type TableSchema = {
  /** The profile */
  $schema: string
  /** Display name of the export */
  title: string
  /** Unit of a row */
  description: string
  /** Columns, in order */
  fields: TableField[]
  /** Default for fields that do not say */
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
  /** Samples worked through */
  samplesDone: number
  /** Samples of its tests */
  samplesTotal: number
  /** Rows written, without the header */
  rows: number
  /** Bytes written, not compressed */
  bytes: number
  etaSeconds: number | null
}

/** The file, in the requested format */
export type JobFile = {
  /** Address */
  href: string
  /** File name of a download */
  name: string
  /** Its length */
  bytes: number
  gzipBytes: number | null
  /** Rows, without the header */
  rows: number
  /** Uncompressed file */
  sha256: string
  gzipSha256: string | null
  /** Addresses at the object store itself, from which anybody who has them can read the file, without a token; only of a job that was asked for alone, where STORE_PRESIGN_SECONDS is set */
  direct?: {
    /** Uncompressed file */
    href: string
    gzipHref: string | null
    /** Until when they are good */
    expiresAt: string
  }
}

/** A large export, or one requested with `Prefer: respond-async` */
export type Job = {
  id: JobId
  /** Table, or a package of tables */
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'package'
  /** The study */
  study: {
    id: Uuid
  }
  /** The version of the data that it is made from */
  snapshot: string
  /** All parameters, defaults filled in */
  parameters: {
    /** null for all items */
    itemId: Uuid | null
    detector: 'velocity' | 'dispersion' | 'adaptive'
    filter: string | null
    /** The analysis with its version: its settings and ignored participants are in the others, its filter counts besides */
    analysis?: string
    /** Start of the window of time; without it, item onset */
    fromMs?: number
    /** End of the window of time; without it, there is none */
    toMs?: number
    /** Participants whose tests are left out */
    ignored?: Uuid[]
    movingMedianRangeMs: number
    gazeVelocityThreshold: number
    dispersionThresholdPercent: number
    adaptiveLambda: number
    minFixationDurationMs: number
    maxFixationDurationMs: number
    saccadeMaxDurationMs: number
    mergeGapMs: number
    mergeDistancePercent: number
    binMs: number
    participantQualityGradeItemMin: number
  }
  state: JobState
  progress: JobProgress
  /** When it was asked for */
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  expiresAt: string | null
  /** null unless its state is succeeded */
  file: JobFile | null
  /** Why it failed, or the damage on disk that it expired for; else null */
  error: Problem | null
  /** Format of the file, or of the tables in a package; absent for CSV */
  format?: 'csv' | 'ndjson' | 'arrow' | 'parquet'
  /** Tables of a package, if they were chosen; otherwise it holds every table that has rows */
  exports?: ('gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits')[]
}

/** A page of jobs, newest first */
export type JobPage = {
  jobs: Job[]
  nextCursor: string | null
}

/** The queue, which all servers and workers share */
export type QueueState = {
  /** Back end of the queue */
  kind: 'embedded' | 'redis' | 'postgres'
  /** True if the queue answers */
  answers: boolean
  isPaused: boolean | null
  /** null while the queue is away */
  jobs: {
    /** Jobs that no worker is at, imports too */
    waiting: number
    /** Jobs that a worker is at */
    active: number
    /** Jobs that have ended, as far as the queue remembers */
    completed: number
    /** Jobs that have failed, as far as the queue remembers */
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
    /** All */
    threads: number
    /** Shards being computed */
    running: number
    /** Shards that wait */
    waiting: number
  }
  /** Small exports of this server */
  waitingClients: {
    /** Exports being computed for clients that wait */
    computing: number
    /** Exports that wait to be */
    inLine: number
    /** Bytes of answers that clients have not taken yet */
    heldBytes: number
  }
  /** Disk of the data directory */
  disk: {
    freeMib: number | null
    /** Below it, new jobs are refused */
    floorMib: number
    /** True if the free space is above the floor */
    isEnough: boolean
    /** Limit on the total size of job files, bytes */
    exportsMaxGib: number
  }
}

/** Outcomes of jobs, by the last attempt of each */
export type LastHour = {
  /** An hour ago */
  startsAt: string
  /** Now */
  endsAt: string
  /** Jobs that ended in this hour, by how */
  ended: {
    /** Jobs that succeeded */
    succeeded: number
    /** Jobs that failed */
    failed: number
    /** Jobs that were canceled */
    canceled: number
  }
  /** Samples that they computed */
  samples: number
  /** Bytes that they wrote, not compressed */
  bytes: number
  /** From being asked for to the beginning of work; null without any */
  waitSeconds: {
    /** Half took at most this long */
    median: number
    /** Nine of ten took at most this long */
    p90: number
    /** The longest */
    longest: number
  } | null
  /** From there to the end, of those that succeeded; null without any */
  runSeconds: {
    /** Half took at most this long */
    median: number
    /** Nine of ten took at most this long */
    p90: number
    /** The longest */
    longest: number
  } | null
  /** Five minutes each, oldest first */
  bins: ({
    /** When these five minutes began */
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

/** A job, as operators see it */
export type OperatorJob = {
  id: JobId
  /** Table, or a package of tables */
  export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'package'
  /** The study */
  study: {
    id: Uuid
  }
  /** The version of the data that it is made from */
  snapshot: string
  /** All parameters, defaults filled in */
  parameters: {
    /** null for all items */
    itemId: Uuid | null
    detector: 'velocity' | 'dispersion' | 'adaptive'
    filter: string | null
    /** The analysis with its version: its settings and ignored participants are in the others, its filter counts besides */
    analysis?: string
    /** Start of the window of time; without it, item onset */
    fromMs?: number
    /** End of the window of time; without it, there is none */
    toMs?: number
    /** Participants whose tests are left out */
    ignored?: Uuid[]
    movingMedianRangeMs: number
    gazeVelocityThreshold: number
    dispersionThresholdPercent: number
    adaptiveLambda: number
    minFixationDurationMs: number
    maxFixationDurationMs: number
    saccadeMaxDurationMs: number
    mergeGapMs: number
    mergeDistancePercent: number
    binMs: number
    participantQualityGradeItemMin: number
  }
  state: JobState
  progress: JobProgress
  /** When it was asked for */
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  expiresAt: string | null
  /** null unless its state is succeeded */
  file: JobFile | null
  /** Why it failed, or the damage on disk that it expired for; else null */
  error: Problem | null
  /** Format of the file, or of the tables in a package; absent for CSV */
  format?: 'csv' | 'ndjson' | 'arrow' | 'parquet'
  /** Tables of a package, if they were chosen; otherwise it holds every table that has rows */
  exports?: ('gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits')[]
  studyName: string | null
  /** Tokens that requested this attempt and have not withdrawn */
  askedBy: ({
    /** The token */
    id: string
    /** Display name; empty when the study is gone or has no name */
    name: string
  })[]
  /** Number of attempts at the job */
  attempt: number
  /** Tries at this attempt that neither ended it nor were handed back; 0 once it has ended */
  tries: number
}

/** A page of jobs, newest first */
export type OperatorJobPage = {
  jobs: OperatorJob[]
  nextCursor: string | null
}

/** Result of draining the queue */
export type Drained = {
  /** Jobs that were canceled */
  canceled: number
}

/** The methods of a study in words, and the facts behind them */
export type Methods = {
  /** Facts that are known, in sentences */
  paragraph: string
  /** Facts that are missing or known only to the authors */
  toAdd: string[]
  /** Sources that the paragraph cites; the last is the reporting guideline */
  sources: ({
    /** Key of its BibTeX entry */
    key: string
    /** Citation key in the paragraph */
    short: string
    /** For a list of references */
    reference: string
    /** Its DOI */
    doi: string
    /** Its BibTeX entry */
    bibtex: string
  })[]
  facts: {
    studyId: Uuid
    /** Display name */
    studyName: string
    /** The version of its data */
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
    exclusions: ({
      because: 'item' | 'grade' | 'ignored' | 'quality' | 'filter'
      /** The item's file name, the least grade, who is ignored, what tests of too low quality have, the condition */
      value: string
      /** Tests that are left */
      tests: number
      /** Participants who are left */
      participants: number
    })[]
    recording: Recording | null
    about?: About
    /** Samples of the tests that are kept */
    samples: number
    /** null where there are more samples than `samplesMax` */
    measured: {
      /** Tests that are kept */
      tests: number
      /** Tests with gaze */
      testsWithGaze: number
      /** Samples per second, of the median step of each test; null where nothing is known */
      rateHz: {
        /** Number of known values */
        n: number
        /** Their median */
        median: number
        /** The least */
        min: number
        /** The greatest */
        max: number
      } | null
      /** Share of samples without gaze of each test; null where nothing is known */
      lossPercents: {
        /** Number of known values */
        n: number
        /** Their median */
        median: number
        /** The least */
        min: number
        /** The greatest */
        max: number
      } | null
      /** RMS-S2S in windows of 200 ms, of each test */
      precision: {
        /** Number of known values */
        n: number
        /** Their median */
        median: number
        /** The least */
        min: number
        /** The greatest */
        max: number
        /** Degrees where the set-up of the screen is known */
        unit: 'deg' | 'percents'
      } | null
      /** Mean distance of gaze from validation targets, of each participant */
      accuracy: {
        /** Number of known values */
        n: number
        /** Their median */
        median: number
        /** The least */
        min: number
        /** The greatest */
        max: number
        /** Degrees where the set-up of the screen is known */
        unit: 'deg' | 'px'
        /** Targets with gaze, of all participants */
        validations: number
      } | null
      /** Fixations of each test; null where nothing is known */
      fixations: {
        /** Number of known values */
        n: number
        /** Their median */
        median: number
        /** The least */
        min: number
        /** The greatest */
        max: number
      } | null
    } | null
    samplesMax: number | null
    /** Parameters that influence the numbers */
    parameters: {
      /** null for all items */
      itemId?: Uuid | null
      detector?: 'velocity' | 'dispersion' | 'adaptive'
      filter?: string | null
      /** The analysis with its version: its settings and ignored participants are in the others, its filter counts besides */
      analysis?: string
      /** Start of the window of time; without it, item onset */
      fromMs?: number
      /** End of the window of time; without it, there is none */
      toMs?: number
      /** Participants whose tests are left out */
      ignored?: Uuid[]
      movingMedianRangeMs?: number
      gazeVelocityThreshold?: number
      dispersionThresholdPercent?: number
      adaptiveLambda?: number
      minFixationDurationMs?: number
      maxFixationDurationMs?: number
      saccadeMaxDurationMs?: number
      mergeGapMs?: number
      mergeDistancePercent?: number
      binMs?: number
      participantQualityGradeItemMin?: number
    }
    aois: {
      /** Areas of interest */
      count: number
      /** Items that have one */
      items: number
      /** Their sizes, in percent of the item; null where nothing is known */
      sizePercents: {
        /** Number of known values */
        n: number
        /** Their median */
        median: number
        /** The least */
        min: number
        /** The greatest */
        max: number
      } | null
    }
  }
}

/** Request to create a link */
export type LinkNew = {
  /** Path and query of the page of the dashboard that it leads to */
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
  /** The page that it leads to */
  path: string
  /** Which page it shows; `study` for all of them */
  page: 'study' | 'item' | 'replay' | 'transitions' | 'groups' | 'quality' | 'report'
  itemId: Uuid | null
  filter: string | null
  /** The least grade of the tests that it shows */
  gradeMin: number
  /** The only analysis that it shows them with, with its version */
  analysis?: string
  /** True if exports of the shared content may be downloaded */
  hasDownloads: boolean
  /** Creator of the link */
  madeBy: {
    /** Their name, or that of their token */
    name: string
    token: string | null
  }
  /** When it was made */
  createdAt: string
  /** Time at which the link expires */
  expiresAt: string
  lastUsedAt: string | null
}

/** The links of a study, newest first */
export type LinkList = {
  links: SharedLink[]
}

/** A new link */
export type LinkMade = {
  id: LinkId
  /** Recipient or purpose */
  name: string
  /** The page that it leads to */
  path: string
  /** Which page it shows; `study` for all of them */
  page: 'study' | 'item' | 'replay' | 'transitions' | 'groups' | 'quality' | 'report'
  itemId: Uuid | null
  filter: string | null
  /** The least grade of the tests that it shows */
  gradeMin: number
  /** The only analysis that it shows them with, with its version */
  analysis?: string
  /** True if exports of the shared content may be downloaded */
  hasDownloads: boolean
  /** Creator of the link */
  madeBy: {
    /** Their name, or that of their token */
    name: string
    token: string | null
  }
  /** When it was made */
  createdAt: string
  /** Time at which the link expires */
  expiresAt: string
  lastUsedAt: string | null
  /** Address to share: the page, and the secret after `#link=`. Shown only once */
  url: string
}

/** An upload */
export type UploadId = string

/** A file that was sent, or is being sent */
export type Upload = {
  id: UploadId
  /** Receiver of the messages */
  href: string
  /** File name */
  name: string
  /** Its length */
  bytes: number
  /** Bytes received */
  receivedBytes: number
  /** True if an import has used it; it is kept as long as there is room, to import it again */
  isImported: boolean
  /** When it was begun */
  createdAt: string
  /** When it goes */
  expiresAt: string
}

/** The token's uploads, oldest first */
export type UploadList = {
  uploads: Upload[]
}

/** Request to import into a study */
export type ImportToStudy = {
  /** Finished uploads, read together: one bundle, or files */
  uploads: UploadId[]
  /** Checks only, publishes nothing */
  dryRun?: boolean
  /** Format of the recordings, if it should not be recognised by content: a name of docs/formats.md */
  format?: string
  /** Display name of a study made from recordings */
  name?: string
  /** Meaning of the columns of a table, as `gazette convert --guess` prints it */
  mapping?: unknown
  /** Screen size, if the files do not say it */
  screen?: {
    /** Its width, px */
    widthPx: number
    /** Its height, px */
    heightPx: number
  }
  /** The same for each participant */
  screens?: ({
    /** Names as in the files */
    participant: string
    /** Its width, px */
    widthPx: number
    /** Its height, px */
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
  /** Gorilla: makes AOIs of zones */
  aois?: boolean
  /** Columns whose texts become tags of participants */
  tags?: string[]
  /** Columns that are kept as external data of participants */
  externalData?: string[]
  /** Items of pictures; others go to the items of their names */
  pictures?: ({
    /** Name of a picture among the files, as the report of a check has it */
    picture: string
    /** Name of its item in the files; null for none */
    item: string | null
  })[]
  /** Publishes recordings, too, of which no test has a sample with gaze */
  force?: boolean
  /** Replaces the data of the study. Of recordings, it keeps name, authors, and items with their pictures and AOIs */
  replace?: boolean
}

/** Request to create a study */
export type ImportNew = {
  /** Finished uploads, read together: one bundle, or files */
  uploads: UploadId[]
  /** Checks only, publishes nothing */
  dryRun?: boolean
  /** Format of the recordings, if it should not be recognised by content: a name of docs/formats.md */
  format?: string
  /** Display name of a study made from recordings */
  name?: string
  /** Meaning of the columns of a table, as `gazette convert --guess` prints it */
  mapping?: unknown
  /** Screen size, if the files do not say it */
  screen?: {
    /** Its width, px */
    widthPx: number
    /** Its height, px */
    heightPx: number
  }
  /** The same for each participant */
  screens?: ({
    /** Names as in the files */
    participant: string
    /** Its width, px */
    widthPx: number
    /** Its height, px */
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
  /** Gorilla: makes AOIs of zones */
  aois?: boolean
  /** Columns whose texts become tags of participants */
  tags?: string[]
  /** Columns that are kept as external data of participants */
  externalData?: string[]
  /** Items of pictures; others go to the items of their names */
  pictures?: ({
    /** Name of a picture among the files, as the report of a check has it */
    picture: string
    /** Name of its item in the files; null for none */
    item: string | null
  })[]
  /** Publishes recordings, too, of which no test has a sample with gaze */
  force?: boolean
  /** The id that a study of recordings shall have */
  studyId?: Uuid
}

/** An import */
export type ImportId = string

/** Result of an import */
export type ImportReport = {
  /** The study */
  study: {
    id: Uuid
  }
  /** The version of its data */
  snapshot: string
  /** false for equal data again, and for a dry run */
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
    /** The name of the format */
    format: string
    /** Display name */
    title: string
    /** Files that hold recordings */
    files: string[]
    participants: ({
      /** Who */
      name: string
      /** In which files */
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
    /** Data that was left out */
    left: string[]
    /** Assumptions made */
    assumed: string[]
    /** Doubts that would change results */
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
      /** Fixations, by default settings */
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
      /** Fixations, by default settings */
      fixations: number
    }
  } | null
  nothingNew: string | null
  /** Files that operating systems add to archives; not read */
  left: string[]
}

/** An import, which a worker runs. It can be read for a week after its end. */
export type Import = {
  id: ImportId
  /** The study that it adds to, or is to make; null where the files say it */
  study: {
    id: Uuid
  } | null
  /** True if the import adds to an existing study */
  append: boolean
  /** True if the import only checks and publishes nothing */
  dryRun: boolean
  uploads: ({
    id: UploadId
    /** The file */
    name: string
    /** Its length */
    bytes: number
  })[]
  /** State of the import */
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'
  progress: {
    /** About */
    percent: number
    /** Samples so far */
    samples: number
  }
  /** When it was asked for */
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  /** Preview of a dry run of recordings that has ended or failed; otherwise null */
  found: {
    /** Formats that fit; where more than one has a `firstCount`, `format` has to choose */
    formats: ({
      /** The name of a format */
      name: string
      /** Display name */
      title: string
      /** Files that are read in this format, unless `format` says another */
      firstCount: number
      /** The first of them, by name */
      files: string[]
      /** All of them */
      fileCount: number
    })[]
    /** Tables that were computed from recordings */
    derived: ({
      /** Kind of the files */
      what: string
      /** The first of them, by name */
      files: string[]
      /** All of them */
      fileCount: number
    })[]
    /** All the rest */
    others: {
      /** The first of them, by name */
      files: string[]
      /** All of them */
      fileCount: number
    }
    /** null where a format fits and nothing else was asked for */
    table: {
      /** Its name */
      file: string
      /** Names of its columns */
      header: string[]
      /** Its first rows; long cells are cut */
      rows: string[][]
      /** True if the table uses decimal commas */
      decimalComma: boolean
      /** A proposal, in which `?` stands for what is to be filled in; null if there is none, or one was given */
      mapping: unknown
      fault: string | null
      /** Columns with one value for each participant, and few in all */
      conditions: ({
        /** Its name */
        column: string
        values: string[]
      })[]
      /** Columns of numbers that may say how sure a gaze is */
      thresholds: ({
        /** Its name */
        column: string
        steps: ({
          /** Least number that is valid */
          least: number
          /** Share of rows with gaze below it */
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
  /** The version of the study that came of it */
  snapshot: string
}

/** Changed study */
export type ChangedStudy = {
  /** The version of the study that came of it */
  snapshot: string
}

/** Effect of a change on existing recordings */
export type ChangedDescription = {
  /** The version of the study that came of it */
  snapshot: string
  /** True if nothing changed because the request was a dry run */
  isDryRun: boolean
  /** Items that changed, or whose AOIs changed */
  changedItemIds: Uuid[]
  /** Tests of those items */
  affectedTestCount: number
  /** Participants who saw them */
  affectedParticipantCount: number
}

/** A participant that is on the disk, and in every export asked for from now on */
export type AddedParticipant = {
  participantId: Uuid
  /** Tests that came with the participant */
  testCount: number
  /** Samples that came with the participant */
  sampleCount: number
  /** The version of the study that came of it */
  snapshot: string
}

/** A participant with tests and samples. Ids that are left out are made. */
export type NewParticipant = {
  /** The columns of participants.csv; `tags` as a list, and `external_data` as an object. Ids, names and keys have at most 1000 characters, notes and external data 10000, and all texts of a participant together 100000 */
  participant: {
    [key: string]: unknown
  }
  /** The columns of tests.csv without `participant_id`; `samples` and `events` besides */
  tests?: ({
    /** Columns of samples.csv without `test_id`, as lists of one length, or a list of rows */
    samples?: {
      [key: string]: unknown
    } | ({
      [key: string]: unknown
    })[]
    /** Rows of events.csv without `test_id` */
    events?: ({
      [key: string]: unknown
    })[]
    [key: string]: unknown
  })[]
  /** The columns of validations.csv without `participant_id` */
  validations?: ({
    [key: string]: unknown
  })[]
}

/** Attributes to change; null makes one unknown */
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

/** Changes of a name, and of the names, order and number of items */
export type StudyRenaming = {
  /** Display name of the study */
  name?: string
  /** All items that stay, in their new order. Others go, with their AOIs and the steps that show them */
  items?: ({
    id: Uuid
    /** Its name; without it, the item keeps its own */
    filename?: string
  })[]
  /** Removes the tests of items that go; else an item that tests show cannot go */
  removesTests?: boolean
}

/** The AOIs of the item, as in study.json; `itemId` may be left out */
export type NewAois = ({
  id: Uuid
  /** Its name */
  name: string
  [key: string]: unknown
})[]

/** Changes that came by HTTP, newest first */
export type StudyHistory = {
  entries: ({
    /** When */
    at: string
    /** Id of the token that asked for it */
    tokenId: string
    /** Kind of change, such as `participant added` */
    did: string
    participantId?: Uuid
    /** Tests that came */
    testCount?: number
    /** Samples that came */
    sampleCount?: number
    /** The version of the study that came of it */
    snapshot: string
  })[]
  undoable: {
    /** Kind of the change */
    did: string
    /** When it was made */
    at: string
    /** When that ends */
    until: string
  } | null
  nextCursor: string | null
}

/** The AOIs that an item had before its present ones, newest first */
export type PastAois = {
  entries: ({
    /** When they were replaced */
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
  /** When it was made */
  createdAt: string
  /** Messages that are still to be delivered */
  waiting: number
  disabled: {
    /** Since when */
    at: string
    /** `gone`: the receiver answered 410; `failing`: nothing could be delivered for three days */
    why: 'gone' | 'failing'
  } | null
}

/** Webhooks, oldest first */
export type WebhookList = {
  webhooks: Webhook[]
}

/** A webhook with its new secret */
export type WebhookWithSecret = {
  id: WebhookId
  /** URL that receives messages */
  url: string
  /** Purpose */
  name: string
  /** Events sent to it */
  events: ('job.succeeded' | 'job.failed' | 'study.published' | 'study.removed')[]
  /** Studies whose events are sent */
  studies: 'all' | Uuid[]
  /** When it was made */
  createdAt: string
  /** Messages that are still to be delivered */
  waiting: number
  disabled: {
    /** Since when */
    at: string
    /** `gone`: the receiver answered 410; `failing`: nothing could be delivered for three days */
    why: 'gone' | 'failing'
  } | null
  /** By which a receiver verifies signatures: `whsec_` and base64. Shown this once */
  secret: string
}

/** Delivery attempt */
export type WebhookDelivery = {
  /** When the try ended */
  time: string
  /** The message: `webhook-id`, the same for each try */
  message: string
  /** The type of the event */
  type: string
  study: Uuid | null
  /** Which try, from 1 */
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
export type WebhookDeliveryList = {
  deliveries: WebhookDelivery[]
}

/** An export is ready */
export type JobSucceededEvent = {
  type: 'job.succeeded'
  /** When it happened */
  timestamp: string
  data: {
    job: {
      /** The job */
      id: string
      /** The job */
      href: string
      /** Which attempt at it */
      attempt: number
      state: 'succeeded'
      /** When it ended */
      finishedAt: string
    }
    /** Which table, or a package of them */
    export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'package'
    study: {
      id: Uuid
      /** The study */
      href: string
    }
    /** The version of the data */
    snapshot: string
    file: {
      /** The file */
      href: string
      /** Its length */
      bytes: number
      /** Its rows */
      rows: number
      /** Its SHA-256 */
      sha256: string
    }
  }
}

/** An export failed */
export type JobFailedEvent = {
  type: 'job.failed'
  /** When it happened */
  timestamp: string
  data: {
    job: {
      /** The job */
      id: string
      /** The job */
      href: string
      /** Which attempt at it */
      attempt: number
      state: 'failed'
      /** When it ended */
      finishedAt: string
    }
    /** Which table, or a package of them */
    export: 'gazes-raw' | 'gazes-normalized' | 'gazes-split' | 'mouse' | 'fixations' | 'aoi-overall-stats' | 'aoi-fixations-stats' | 'aoi-fixations-order' | 'aoi-clicks-stats' | 'keyboard-mouse-overall' | 'quality-stats' | 'fixations-aois' | 'gazes-aois' | 'gazes-aois-binned' | 'saccades' | 'aoi-transitions' | 'aoi-visits' | 'package'
    study: {
      id: Uuid
      /** The study */
      href: string
    }
    /** The version of the data */
    snapshot: string
    error: {
      /** Why, in a word; the job has the problem */
      code: string
    }
  }
}

/** A study is new, or has changed */
export type StudyPublishedEvent = {
  type: 'study.published'
  /** When it happened */
  timestamp: string
  data: {
    study: {
      id: Uuid
      /** The study */
      href: string
    }
    /** The version that is current now */
    snapshot: string
  }
}

/** A study was removed */
export type StudyRemovedEvent = {
  type: 'study.removed'
  /** When it happened */
  timestamp: string
  data: {
    /** The study */
    study: {
      id: Uuid
    }
    /** The last version that it had */
    snapshot: string
  }
}
