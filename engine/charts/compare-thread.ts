import { type Comparison, comparePairs, type TestKind } from '../analysis/compare.ts'

/** Groups of values, to be compared on a thread: permutations and bootstrap samples take their time. */
export type CompareTask = { groups: Float64Array[]; kind: TestKind }

export function compareGroups({ groups, kind }: CompareTask): { part: Comparison[] } {
  return { part: comparePairs(groups, kind) }
}
