import type { Scanpath } from '../../compute/scanpath.ts'
import { type ClusterData, type ClusterSettings, type ClusterTest, testClusters } from '../statistics/clusters.ts'
import { type Comparison, comparePairs, type TestKind } from '../statistics/compare.ts'
import { compareScanpaths, type ScanpathPair } from '../statistics/compare-scanpaths.ts'
import { type ContrastName, type MixedContrast, type MixedData, mixedContrast } from '../statistics/mixed.ts'
import { compareWithin } from '../statistics/within.ts'

/** Groups of values to compare on a thread, since permutations and bootstrap samples take time. */
export type CompareTask = { groups: Float64Array[]; kind: TestKind }

export function compareGroups({ groups, kind }: CompareTask): { part: Comparison[] } {
  return { part: comparePairs(groups, kind) }
}

/** Conditions of the same participants, at the same indexes. */
export type WithinTask = { conditions: Float64Array[] }

export function compareConditions({ conditions }: WithinTask): { part: ReturnType<typeof compareWithin> } {
  return { part: compareWithin(conditions) }
}

/** Conditions of the participants of each group, and what is compared of them. */
export type MixedTask = { data: MixedData; names: ContrastName[] }

export function compareMixed({ data, names }: MixedTask): { part: MixedContrast[] } {
  return { part: names.map((name) => mixedContrast(data, name)) }
}

/** Two conditions over time. */
export type ClusterTask = { data: ClusterData; settings: ClusterSettings }

export function compareOverTime({ data, settings }: ClusterTask): { part: ClusterTest } {
  return { part: testClusters(data, settings) }
}

/** Pairs of scanpaths by their indexes, and the diagonal of the displayed item in its widths. */
export type ScanpathTask = { paths: Scanpath[]; places: [first: number, second: number][]; diagonal: number }

export function compareScanpathPairs({ paths, places, diagonal }: ScanpathTask): { part: ScanpathPair[] } {
  return { part: places.map(([first, second]) => compareScanpaths(paths[first], paths[second], diagonal)) }
}
