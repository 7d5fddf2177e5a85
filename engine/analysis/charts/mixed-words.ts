import type { Measure } from '../../../isomorphic/measures.ts'
import { ARRANGEMENTS_MAX } from '../statistics/permutation.ts'

/** Returns sentences for a methods section. @param participants of each group; conditions within participants */
export function mixedMethods(given: {
  measure: Measure
  participants: number[]
  conditions: number
  seed: number
}): string {
  const { measure, participants, conditions, seed } = given
  const sizes = `${participants.slice(0, -1).join(', ')} and ${participants.at(-1)}`
  const isCorrected = conditions > 2
  const corrected = isCorrected
    ? ', with degrees of freedom corrected within participants by ε (Greenhouse & Geisser, 1959, doi:10.1007/BF02289823)'
    : ''
  return (
    `${measure.label} was compared between ${participants.length} groups of ${sizes} participants and between ${conditions} areas of interest ` +
    `within participants by a mixed (split-plot) analysis of variance on one mean a participant and area${corrected}; groups had equal weight (type III). ` +
    'Effect sizes are generalized η² (Olejnik & Algina, 2003, doi:10.1037/1082-989X.8.4.434). ' +
    'Differences of two groups, of two areas, and of two areas between two groups (interaction) were tested by permutation, ' +
    `of participants between groups or of areas within participants: all arrangements, or ${ARRANGEMENTS_MAX} random ones if there are more ` +
    `(p = (1 + k) / (1 + ${ARRANGEMENTS_MAX}), Phipson & Smyth, 2010, doi:10.2202/1544-6115.1585; seed ${seed}), ` +
    'with percentile intervals of 95 % from 2000 bootstrap samples of participants within groups (Efron, 1979, doi:10.1214/aos/1176344552) ' +
    'and p corrected by Holm (1979) over the differences of a kind.'
  )
}

/** Returns why there is no analysis of variance; null if there is one. @param participants of each group */
export function whyNoTest(given: { shared: number; participants: number[]; least: number }): string | null {
  const { shared, participants, least } = given
  if (shared > 0)
    return `${shared === 1 ? '1 participant is' : `${shared} participants are`} in more than one group: give the groups conditions that exclude each other`
  if (participants.every((n) => n >= least)) return null
  return `the groups have ${participants.slice(0, -1).join(', ')} and ${participants.at(-1)} participants with a value in every AOI: at least ${least} are needed in each`
}
