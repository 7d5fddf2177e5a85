import { bothOf } from '../../../isomorphic/conditions.ts'
import { makePlan } from '../../exports/make-plan.ts'
import type { ExportName } from '../../model/export-names.ts'
import type { Parameters } from '../../model/parameters.ts'
import type { Plan } from '../../model/plan.ts'
import { printedOrNull } from '../../text/cells.ts'
import type { ChartSubject } from './answer-chart.ts'

/**
 * Groups of tests that are averaged over time. A group is the tests that pass its filter and that of the parameters;
 * without groups, all tests.
 */
export type AskedGroups = Omit<ChartSubject, 'item' | 'participantIndex'> & { groups: string[] }

/** Returns the plan of a group. @throws ServiceError invalid_param for an invalid item, filter, eye or AOI name */
export function groupPlan(exportName: ExportName, asked: AskedGroups, filter: string): Plan {
  const { snapshot, parameters, formulaGuard } = asked
  const joined = { ...parameters, filter: bothOf(parameters.filter, filter) }
  const isJoined = filter !== '' || parameters.analysis !== undefined
  return makePlan({ snapshot, exportName, parameters: joined, formulaGuard, isJoined })
}

/** Sums each group, one after another, or all tests without one. */
export async function sumEach<Sums>(groups: string[], sum: (filter: string) => Promise<Sums>): Promise<Sums[]> {
  const summed: Sums[] = []
  for (const filter of groups.length === 0 ? [''] : groups) summed.push(await sum(filter))
  return summed
}

/** Returns the starts of bins. */
export function startsOfBins({ fromMs = 0, binMs }: Parameters, bins: number): number[] {
  return Array.from({ length: bins }, (_, bin) => fromMs + bin * binMs)
}

type InBins<Name extends string> = { n: number[] } & Record<Name, (number | null)[]>

/** Returns means in bins as columns, rounded as in files. */
export function columnsOfBins<Name extends string>(inBins: Record<'n' | Name, number>[], names: readonly Name[]) {
  const columns = names.map((name) => [name, inBins.map((own) => printedOrNull(own[name]))])
  return { n: inBins.map(({ n }) => n), ...Object.fromEntries(columns) } as InBins<Name>
}

/** Columns of a mean over participants. */
export const OF_MEANS = ['mean', 'sd', 'low', 'high'] as const
