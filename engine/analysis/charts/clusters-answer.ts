import { binsOf as pupilBinsOf } from '../../compute/pupils/pupil-epochs.ts'
import { refusedValue } from '../../model/errors.ts'
import type { Plan } from '../../model/plan.ts'
import { refuseUnknownEvent } from '../../snapshot/rows/read-events.ts'
import { printedOrNull } from '../../text/cells.ts'
import type { ClusterSignal } from '../analysis-kinds.ts'
import type { ClusterDesign } from '../statistics/arrangements.ts'
import type { ClusterTest } from '../statistics/clusters.ts'
import { countShared } from '../statistics/compare.ts'
import type { ChartRun } from './answer-chart.ts'
import { clusterMethods, whyNoP } from './cluster-words.ts'
import type { ClusterTask } from './compare-thread.ts'
import { COMPARE_THREAD } from './comparisons-answer.ts'
import type { AskedGroups } from './group-answer.ts'
import { looksPlan, sumGroups } from './looks-answer.ts'
import { pupilsPlan, sumPupils } from './pupils-answer.ts'
import { timesOfBins } from './pupils-chart.ts'

/**
 * A comparison of two conditions over time. They are two groups of tests or, for looks without groups, two AOI names.
 */
export type AskedClusters = AskedGroups & { signal: ClusterSignal; design: ClusterDesign }

/** Values of a condition, by participant id: one for each bin, NaN for none. */
type Condition = { name: string; notes: string; values: Map<string, Float64Array> }

const SETTINGS = ['clusterAlpha', 'clusterPermutations', 'clusterSeed'] as const

/** Returns the plan of the first condition. @throws ServiceError invalid_param for conditions that are not two */
export function clustersPlan(asked: AskedClusters): Plan {
  refuseConditions(asked)
  const plan = isOfLooks(asked) ? looksPlan(asked, asked.groups[0]) : pupilsPlan(ofPupils(asked), asked.groups[0])
  const own = Object.fromEntries(SETTINGS.map((name) => [name, asked.parameters[name]]))
  return { ...plan, parameters: { ...plan.parameters, ...own } }
}

const isOfLooks = ({ signal }: AskedClusters) => signal === 'looks'
const ofPupils = <Asked extends AskedClusters>(asked: Asked) => ({
  ...asked,
  event: asked.parameters.eventType ?? null,
})

function refuseConditions(asked: AskedClusters): void {
  const { groups, design, parameters } = asked
  const names = parameters.aoiNames ?? []
  // Looks at further AOIs count among those of which looks are a share.
  const isShareOfAois = parameters.denominator === 'aois'
  const isEnough = (n: number) => (isShareOfAois ? names.length >= n : names.length === n)
  const further = isShareOfAois ? ', or more, the rest for the denominator' : ''
  const refuse = (parameter: string, rule: string, value: string) => {
    throw refusedValue({ parameter, rule, value })
  }
  if (groups.length === 1) refuse('group2', 'must be given after group1: two groups are compared', '')
  if (!isOfLooks(asked)) {
    if (groups.length === 0) refuse('group1', 'must be given, and group2, to compare pupils', '')
  } else if (groups.length === 2) {
    if (!isEnough(1)) refuse('aoiNames', `must be one name to compare groups${further}`, names.join(','))
  } else if (!isEnough(2)) {
    refuse('aoiNames', `must be two names to compare without groups${further}`, names.join(','))
  } else if (design === 'between') {
    refuse('design', 'must be within, since the same participants saw both AOIs', design)
  }
}

/**
 * Compares two conditions over time: docs/looks.md.
 *
 * @throws ServiceError invalid_param for conditions that are not two, unknown events, or too many tests
 */
export async function clustersAnswer(asked: AskedClusters & { samplesMax: number }, run: ChartRun) {
  refuseConditions(asked)
  const { design, signal, parameters } = asked
  const { conditions, fromMs, binMs } = isOfLooks(asked)
    ? await lookConditions(asked, run)
    : await pupilConditions(asked, run)
  const ids = conditions.map(({ values }) => [...values.keys()])
  const shared = countShared(ids)
  const both = ids[0].filter((id) => conditions[1].values.has(id))
  const [first, second] = conditions.map(({ values }) =>
    (design === 'within' ? both : shared > 0 ? [] : [...values.keys()]).map((id) => values.get(id)!),
  )
  const settings = {
    alpha: parameters.clusterAlpha,
    permutations: parameters.clusterPermutations,
    seed: parameters.clusterSeed,
  }
  const task: ClusterTask = { data: { design, first, second }, settings }
  const test = (await run.pool.computeBy(COMPARE_THREAD, 'compareOverTime', task)) as ClusterTest
  run.signal.throwIfAborted()
  const participants: [number, number] = [first.length, second.length]
  return {
    methods: clusterMethods({ design, signal, participants, ...settings, ...test }),
    signal,
    design,
    eventType: parameters.eventType ?? null,
    conditions: conditions.map(({ name, notes }, c) => ({ name, notes, participants: participants[c] })),
    ...(design === 'within'
      ? { leftOutParticipants: ids[0].length + ids[1].length - 2 * both.length, sharedParticipants: 0 }
      : { leftOutParticipants: 0, sharedParticipants: shared }),
    binMs,
    ...settings,
    arrangements: test.arrangements,
    isExact: test.isExact,
    leastP: test.leastP,
    noP: whyNoP({ design, shared, participants, ...test }),
    bins: binsTold(test, fromMs, binMs),
    clusters: test.clusters.map(({ start, end, mass, p }) => ({
      fromMs: fromMs + start * binMs,
      toMs: fromMs + end * binMs,
      firstBin: start,
      bins: end - start,
      mass: printedOrNull(mass),
      p,
    })),
  }
}

function binsTold({ bins }: ClusterTest, fromMs: number, binMs: number) {
  const { n, means, difference, half, t, df, threshold } = bins
  return Array.from({ length: t.length }, (_, b) => ({
    startMs: fromMs + b * binMs,
    n: [n[0][b], n[1][b]] as [number, number],
    means: [printedOrNull(means[0][b]), printedOrNull(means[1][b])] as [number | null, number | null],
    difference: printedOrNull(difference[b]),
    low: printedOrNull(difference[b] - half[b]),
    high: printedOrNull(difference[b] + half[b]),
    t: printedOrNull(t[b]),
    df: df[b],
    threshold: printedOrNull(threshold[b]),
  }))
}

type Conditions = { conditions: Condition[]; fromMs: number; binMs: number }

async function lookConditions(asked: AskedClusters & { samplesMax: number }, run: ChartRun): Promise<Conditions> {
  const { groups, parameters } = asked
  const { names, bins, summed } = await sumGroups(asked, run)
  const valuesOf = ({ sums }: (typeof summed)[number], k: number) => {
    const values = Array.from(sums, ([id, { [k]: own }]): [string, Float64Array] => [
      id,
      Float64Array.from({ length: bins }, (_, b) => (own === undefined ? Number.NaN : own.looks[b] / own.counted[b])),
    ])
    return new Map(values.filter(([, own]) => own.some((value) => !Number.isNaN(value))))
  }
  const told = parameters.aoiNames!
  const conditions =
    groups.length === 0
      ? told
          .slice(0, 2)
          .map((name) => ({ name, notes: summed[0].notes, values: valuesOf(summed[0], names.indexOf(name)) }))
      : summed.map((group) => ({
          name: group.filter,
          notes: group.notes,
          values: valuesOf(group, names.indexOf(told[0])),
        }))
  return { conditions, fromMs: parameters.fromMs ?? 0, binMs: parameters.binMs }
}

async function pupilConditions(asked: AskedClusters & { samplesMax: number }, run: ChartRun): Promise<Conditions> {
  const { snapshot, groups, parameters, signal } = asked
  if (parameters.eventType !== undefined) await refuseUnknownEvent(snapshot, parameters.eventType)
  const [sum, count] = signal === 'pupil-size' ? (['size', 'sizeCount'] as const) : (['above', 'aboveCount'] as const)
  const bins = pupilBinsOf(timesOfBins(parameters).span)
  const conditions: Condition[] = []
  for (const filter of groups) {
    const { sums, notes } = await sumPupils(ofPupils(asked), filter, run)
    const values = Array.from(sums, ([id, own]): [string, Float64Array] => [
      id,
      Float64Array.from({ length: bins }, (_, b) => own[sum][b] / own[count][b]),
    ])
    const known = values.filter(([, own]) => own.some((value) => !Number.isNaN(value)))
    conditions.push({ name: filter, notes, values: new Map(known) })
  }
  return { conditions, fromMs: parameters.pupilFromMs, binMs: parameters.pupilBinMs }
}
