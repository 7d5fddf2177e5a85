import { MEASURES } from '../../isomorphic/measures.ts'
import { AOI_ORDERS } from './statistics/aoi-ranks.ts'
import { CLUSTER_DESIGNS } from './statistics/arrangements.ts'
import { TEST_KINDS } from './statistics/compare.ts'

/**
 * Facts of each analysis that the command line, the routes and the docs share, without the code that computes it
 * (analyses.ts). CONTRIBUTING.md lists what a new analysis consists of.
 */
type AnalysisKind = {
  /** Begins with a verb. */
  summary: string
  /**
   * Items that it covers: `one`, which must be given; `any`, one or, if none is given, all; `of its AOIs`, which tell
   * their items.
   */
  items: 'one' | 'any' | 'of its AOIs'
  /** True if it may be limited to one participant. */
  hasParticipant?: boolean
  /** Parameters of its own. */
  heeds?: ChoiceName[]
  /** Number of conditions of groups, or of AOIs. */
  groups?: Bounds
  aois?: Bounds
  /** True if it heeds the name of events. */
  hasEvent?: boolean
}
export type Bounds = { min: number; max: number }

/** Values that are compared over time. */
const CLUSTER_SIGNALS = ['looks', 'pupil-size', 'pupil-above-baseline'] as const
export type ClusterSignal = (typeof CLUSTER_SIGNALS)[number]

/** Parameters of analyses with a fixed set of values; the first is the default. */
export const CHOICES = {
  measure: {
    values: MEASURES.map(({ column }) => column),
    meaning: 'The measure: a column of aoi-fixations-stats or, for words, of reading',
  },
  test: { values: TEST_KINDS, meaning: 'The test between groups' },
  signal: { values: CLUSTER_SIGNALS, meaning: 'Values to compare over time' },
  design: {
    values: CLUSTER_DESIGNS,
    meaning: 'Comparison of two conditions of the same participants, or of two groups of participants',
  },
  nested: { values: AOI_ORDERS, meaning: 'AOI to which a fixation in several AOIs belongs' },
} satisfies Record<string, { values: readonly string[]; meaning: string }>
export type ChoiceName = keyof typeof CHOICES

const kind = (entry: AnalysisKind): AnalysisKind => entry

export const ANALYSIS_KINDS = {
  comparisons: kind({
    summary: 'Compare groups of participants in each AOI of an item',
    items: 'one',
    hasParticipant: true,
    heeds: ['measure', 'test'],
    groups: { min: 2, max: 4 },
  }),
  within: kind({
    summary: 'Compare AOIs that the same participants saw',
    items: 'of its AOIs',
    heeds: ['measure'],
    aois: { min: 2, max: 8 },
  }),
  mixed: kind({
    summary: 'Compare AOIs within participants, and groups of participants, and both together',
    items: 'of its AOIs',
    heeds: ['measure'],
    groups: { min: 2, max: 4 },
    aois: { min: 2, max: 8 },
  }),
  transitions: kind({
    summary: 'Count transitions between the AOIs of an item',
    items: 'one',
    hasParticipant: true,
    heeds: ['nested'],
  }),
  visits: kind({
    summary: 'Summarize visits of the AOIs of an item',
    items: 'one',
    hasParticipant: true,
    heeds: ['nested'],
  }),
  survival: kind({
    summary: 'Estimate the time to first fixation of the AOIs of an item',
    items: 'one',
    hasParticipant: true,
    heeds: ['nested'],
  }),
  quality: kind({ summary: 'Get quality measures of tests', items: 'any' }),
  loss: kind({ summary: 'Get the data loss of an item over time', items: 'one' }),
  reading: kind({
    summary: 'Average reading measures of the words of an item',
    items: 'one',
    hasParticipant: true,
  }),
  tags: kind({ summary: 'Get measures of AOI tags over items', items: 'any' }),
  offsets: kind({ summary: 'Suggest offsets of gaze from validations and clicks', items: 'any' }),
  participants: kind({ summary: 'Get number, age and gender of participants', items: 'any' }),
  pupils: kind({
    summary: 'Average pupils over time, for groups of tests',
    items: 'any',
    groups: { min: 0, max: 4 },
    hasEvent: true,
  }),
  microsaccades: kind({
    summary: 'Average the rate of binocular microsaccades over time, for groups of tests',
    items: 'any',
    groups: { min: 0, max: 4 },
  }),
  scanpaths: kind({ summary: 'Compare the scanpaths of each pair of participants on an item', items: 'one' }),
  clusters: kind({
    summary: 'Compare two conditions over time by cluster permutation',
    items: 'any',
    heeds: ['signal', 'design'],
    groups: { min: 0, max: 2 },
  }),
  looks: kind({
    summary: 'Average looks at AOIs over time, for groups of tests',
    items: 'any',
    groups: { min: 0, max: 4 },
  }),
}
export type AnalysisName = keyof typeof ANALYSIS_KINDS
export const ANALYSIS_NAMES = Object.keys(ANALYSIS_KINDS) as AnalysisName[]

/** Returns the names of the parameters that an analysis has besides those of exports, as the command line has them. */
export function ownParameters(name: AnalysisName): string[] {
  const { heeds = [], groups, aois, hasEvent } = ANALYSIS_KINDS[name]
  return [...heeds, ...(groups ? ['group'] : []), ...(aois ? ['aoi'] : []), ...(hasEvent ? ['event'] : [])]
}
