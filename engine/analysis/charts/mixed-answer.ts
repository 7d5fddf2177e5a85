import { knownOrNull } from '../../text/cells.ts'
import { countShared, LEAST, SEED, withHolm } from '../statistics/compare.ts'
import {
  contrastNames,
  isEnoughForAnova,
  MIXED_EFFECTS,
  type MixedContrast,
  type MixedData,
  mixedAnova,
} from '../statistics/mixed.ts'
import { meanInterval } from '../statistics/student-t.ts'
import type { ChartRun } from './answer-chart.ts'
import type { MixedTask } from './compare-thread.ts'
import { bothKnown, COMPARE_THREAD } from './comparisons-answer.ts'
import { mixedMethods, whyNoTest } from './mixed-words.ts'
import { type ComparedAois, valuesInAois } from './within-answer.ts'

/** Groups of participants, and AOIs of one item or several that all of them saw. */
export type AskedMixed = ComparedAois & { groups: string[] }

/**
 * Compares AOIs within participants, and groups of participants, and both together: docs/analysis.md.
 *
 * @throws ServiceError invalid_param for too many tests
 */
export async function mixedAnswer(asked: AskedMixed, run: ChartRun) {
  const { aois, measure, groups } = asked
  const told = []
  for (const filter of groups) told.push({ filter, ...(await valuesInAois(asked, filter, run)) })
  const shared = countShared(told.map(({ seen }) => seen))
  const data = told.map(({ values }) => values)
  const anova = shared > 0 || !isEnoughForAnova(data) ? null : mixedAnova(data)
  const contrasts = shared > 0 ? [] : await compareAll(data, run)
  const participants = told.map(({ participantIds }) => participantIds.length)
  return {
    methods: mixedMethods({ measure, participants, conditions: aois.length, seed: SEED }),
    measure: measure.column,
    seed: SEED,
    groups: told.map(({ seen, values, ...head }) => ({
      ...head,
      /** Counts the participants with a value in some AOIs, but not in all. */
      incompleteParticipants: seen.length - head.participantIds.length,
      values: values.map((own) => [...own]),
      cells: values.map((own) => {
        const { n, ...interval } = meanInterval(own)
        return { n, ...inNumbers(interval) }
      }),
    })),
    aoiIds: aois.map(({ id }) => id),
    sharedParticipants: shared,
    noTest: whyNoTest({ shared, participants, least: LEAST }),
    anova:
      anova?.map(({ effect, df, errorDf, ...numbers }) => ({ effect, df, errorDf, ...inNumbers(numbers) })) ?? null,
    contrasts: MIXED_EFFECTS.flatMap((name) => withHolm(contrasts.filter(({ effect }) => effect === name))).map(
      (each) => ({ ...each, means: bothKnown(each.means) }),
    ),
  }
}

/** Differences that a task compares, so that others get their turn on the thread. */
const AT_ONCE = 8

async function compareAll(data: MixedData, run: ChartRun): Promise<MixedContrast[]> {
  const names = contrastNames(data.length, data[0].length)
  const compared: MixedContrast[] = []
  for (let i = 0; i < names.length; i += AT_ONCE) {
    const task: MixedTask = { data, names: names.slice(i, i + AT_ONCE) }
    compared.push(...((await run.pool.computeBy(COMPARE_THREAD, 'compareMixed', task)) as MixedContrast[]))
    run.signal.throwIfAborted()
  }
  return compared
}

type Known<Of> = { [name in keyof Of]: number | null }

/** Returns numbers for JSON; null for unknown ones. */
function inNumbers<Of extends Record<string, number>>(numbers: Of): Known<Of> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, knownOrNull(value)])) as Known<Of>
}
