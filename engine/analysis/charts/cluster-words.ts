import type { ClusterSignal } from '../analysis-kinds.ts'
import type { ClusterDesign } from '../statistics/arrangements.ts'
import type { ClusterSettings, ClusterTest } from '../statistics/clusters.ts'

type Sizes = { design: ClusterDesign; participants: [number, number] }

const SIGNALS: Record<ClusterSignal, string> = {
  looks: 'Proportions of looks',
  'pupil-size': 'Pupil sizes',
  'pupil-above-baseline': 'Pupil sizes above the baseline',
}

/** Returns sentences for a methods section. */
export function clusterMethods(
  told: Sizes & ClusterSettings & Pick<ClusterTest, 'isExact' | 'arrangements'> & { signal: ClusterSignal },
): string {
  const { design, participants, signal, alpha, permutations, seed, isExact, arrangements } = told
  const whom =
    design === 'within'
      ? `two conditions within ${participants[0]} participants`
      : `two groups of ${participants[0]} and ${participants[1]} participants`
  const drawn = isExact
    ? `all ${arrangements} arrangements`
    : `${permutations} random arrangements (seed ${seed}; p = (1 + k) / (1 + ${permutations}), Phipson & Smyth, 2010)`
  return (
    `${SIGNALS[signal]} were compared between ${whom} over time by a cluster-based permutation test ` +
    '(Maris & Oostenveld, 2007, doi:10.1016/j.jneumeth.2007.03.024): ' +
    `${design === 'within' ? 'paired' : 'independent, pooled'} t in each bin, clusters of neighbouring bins with two-sided p < ${alpha}, ` +
    `the sum of t as the mass of a cluster, and the largest mass in each of ${drawn} as its distribution.`
  )
}

/** Returns why clusters have no p; null if they have one, or if there are none to test. */
export function whyNoP(told: Sizes & { shared: number } & Pick<ClusterTest, 'leastP' | 'arrangements'>): string | null {
  const { design, participants, shared, leastP, arrangements } = told
  if (design === 'between' && shared > 0)
    return `${shared === 1 ? '1 participant is' : `${shared} participants are`} in both groups: compare within participants, or filter them`
  const [n, m] = participants
  if (leastP === null)
    return design === 'within'
      ? `${n === 1 ? '1 participant has' : `${n} participants have`} values of both conditions: at least 2 are needed`
      : `the groups have ${n} and ${m} participants with values: at least 2 are needed in each`
  if (leastP > 0.05)
    return `so few participants allow ${arrangements} arrangements, so that p is at least ${Number(leastP.toPrecision(3))}`
  return null
}
