import { empiricalLogit, logitWeight } from '../../compute/looks.ts'
import { settingsNotes } from '../../exports/columns/notes.ts'
import { studyFacts } from '../../exports/columns/study-facts.ts'
import { refusedValue } from '../../model/errors.ts'
import type { Parameters } from '../../model/parameters.ts'
import type { Plan } from '../../model/plan.ts'
import { meanInterval, weightedMeanInterval } from '../statistics/student-t.ts'
import type { ChartRun } from './answer-chart.ts'
import { type AskedGroups, columnsOfBins, groupPlan, OF_MEANS, startsOfBins, sumEach } from './group-answer.ts'
import { type BinLooks, type LookSums, type LooksPart, sumsByName } from './looks-chart.ts'
import { runChart } from './run-chart.ts'
import { countedOf } from './selection-counts.ts'
import { selectFew } from './table-answer.ts'

const BINS_MAX = 2000
/** Largest number of participants × AOI names × bins. */
const CELLS_MAX = 10_000_000

/** Returns the plan of a group. @throws ServiceError invalid_param for an invalid item, filter or AOI name */
export function looksPlan(asked: AskedGroups, filter = ''): Plan {
  return groupPlan('looks-binned', asked, filter)
}

/**
 * Averages looks over time, with participants as units: docs/looks.md.
 *
 * @throws ServiceError invalid_param for too many tests or bins, or no events with the name
 */
export async function looksAnswer(asked: AskedGroups & { samplesMax: number }, run: ChartRun) {
  const { parameters } = asked
  const { names, bins, summed } = await sumGroups(asked, run)
  const { eventType, denominator } = parameters
  const sum = (name: 'tests' | 'windowless') => summed.reduce((total, { seen }) => total + seen[name], 0)
  return {
    methods: methodsOf(parameters, sum('tests'), sum('windowless')),
    eventType: eventType ?? null,
    denominator,
    aoiNames: names,
    binStartsMs: startsOfBins(parameters, bins),
    groups: summed.map(({ sums, seen: _, ...head }) => ({
      ...head,
      looks: names.map((_, k) =>
        averageLooks(
          [...sums.values()].flatMap((own) => own[k] ?? []),
          bins,
        ),
      ),
    })),
  }
}

/**
 * Sums the looks of each group, or of all tests without one.
 *
 * @returns bins up to the last with a time that counts
 * @throws as `sumLooks`
 */
export async function sumGroups(asked: AskedGroups & { samplesMax: number }, run: ChartRun) {
  const summed = await sumEach(asked.groups, (filter) => sumLooks(asked, filter, run))
  const names = namesOf(asked)
  return { names, bins: Math.max(...summed.map(({ sums }) => binsOf(sums))), summed }
}

/** Returns the AOI names whose looks are summed, in the order of the study. */
function namesOf({ snapshot, parameters: { aoiNames } }: AskedGroups): string[] {
  const { aoiNames: all } = studyFacts(snapshot)
  return all.filter((name) => aoiNames?.includes(name) ?? true)
}

/**
 * Sums the looks of each participant of a group.
 *
 * @returns `sums` by participant id, each by AOI name and bin
 * @throws ServiceError invalid_param for too many tests, bins or AOI names
 */
async function sumLooks(asked: AskedGroups & { samplesMax: number }, filter: string, run: ChartRun) {
  const { snapshot, samplesMax } = asked
  const plan = looksPlan(asked, filter)
  const { tests, kept } = await selectFew(plan, snapshot, samplesMax, run.signal)
  const names = namesOf(asked)
  const { binMs } = asked.parameters
  const binsMax = Math.min(BINS_MAX, Math.floor(CELLS_MAX / Math.max(1, names.length * kept.participants)))
  const request = { kind: 'looks', names, binsMax } as const
  const { part, viewers } = await runChart<LooksPart>({ request, plan, snapshot, tests, ...run })
  if (part.isLonger) {
    const rule = `must be greater, or toMs less: at most ${binsMax} bins are averaged for ${names.length} AOI names and ${kept.participants} participants`
    throw refusedValue({ parameter: 'binMs', rule, value: String(binMs) })
  }
  return {
    export: plan.export,
    notes: settingsNotes(plan),
    filter,
    kept,
    counted: countedOf(kept, viewers),
    participants: part.participants.size,
    epochs: part.epochs,
    seen: { tests: part.tests, windowless: part.windowless },
    sums: sumsByName(part),
  }
}

/** Returns the number of bins up to the last with a time that counts. */
function binsOf(sums: Map<string, LookSums>): number {
  let bins = 0
  for (const own of sums.values()) for (const looks of own) bins = Math.max(bins, looks?.counted.length ?? 0)
  return bins
}

/** Averages the looks at one AOI name over participants: columns with one value for each bin, rounded as in files. */
function averageLooks(sums: BinLooks[], bins: number) {
  // Participant by participant, whose bins lie side by side; the values of a bin are in the order of participants.
  const most = sums.length
  const [proportions, logits, weights] = [0, 1, 2].map(() => new Float64Array(bins * most))
  const known = new Int32Array(bins)
  for (const { looks, counted } of sums)
    for (let bin = 0; bin < counted.length; bin++) {
      const [y, n] = [looks[bin], counted[bin]]
      if (n === 0) continue
      const at = bin * most + known[bin]++
      proportions[at] = y / n
      logits[at] = empiricalLogit(y, n)
      weights[at] = logitWeight(y, n)
    }
  const inBins = Array.from(known, (m, bin) => {
    const of = (values: Float64Array) => values.subarray(bin * most, bin * most + m)
    return { proportion: meanInterval(of(proportions)), elog: weightedMeanInterval(of(logits), of(weights)) }
  })
  const proportion = columnsOfBins(
    inBins.map((own) => own.proportion),
    OF_MEANS,
  )
  const elog = columnsOfBins(
    inBins.map((own) => own.elog),
    ['mean', 'low', 'high'],
  )
  return { proportion, elog }
}

const COUNTED: Record<Parameters['denominator'], string> = {
  screen: 'the recorded times with gaze on the screen',
  all: 'all recorded times, with and without gaze',
  aois: 'the recorded times with gaze in any of these AOIs',
}

/** Returns the times that count; gaze is not known to be on the screen in tests without the size of the window. */
function countedTimes({ denominator }: Pick<Parameters, 'denominator'>, tests: number, windowless: number): string {
  if (denominator !== 'screen' || windowless === 0) return COUNTED[denominator]
  if (windowless === tests)
    return 'the recorded times with gaze, on the screen or not, as the size of the window is unknown'
  return `${COUNTED.screen} or, in ${windowless} of ${tests} tests, in which the size of the window is unknown, with gaze anywhere`
}

/**
 * Returns sentences for a methods section.
 *
 * @param tests number of tests @param windowless those of which the size of the window is unknown
 */
function methodsOf({ binMs, denominator, eventType }: Parameters, tests: number, windowless: number): string {
  const onset = eventType === undefined ? 'item onset' : `events named ${eventType}`
  return (
    `Looks at areas of interest were counted in bins of ${binMs} ms from ${onset}. ` +
    `The proportion of looks is their share of ${countedTimes({ denominator }, tests, windowless)}, summed for each participant; ` +
    'means are over participants, with 95 % intervals by Student’s t. ' +
    'Empirical logits, ln((y + 0.5) / (n − y + 0.5)), were weighted by the inverse of their variance, ' +
    '1 / (y + 0.5) + 1 / (n − y + 0.5) (Barr, 2008, doi:10.1016/j.jml.2007.09.002).'
  )
}
