import { bothOf } from '../../../isomorphic/conditions.ts'
import type { Measure } from '../../../isomorphic/measures.ts'
import { makePlan } from '../../exports/make-plan.ts'
import { refusedParameter } from '../../model/errors.ts'
import { threadFile } from '../../run/pool/thread-file.ts'
import { knownOrNull } from '../../text/cells.ts'
import { type Comparison, countShared, SEED, type TestKind, withHolm } from '../statistics/compare.ts'
import { describe } from '../statistics/descriptive.ts'
import { type ParticipantValues, valuesOfParticipants } from '../statistics/measures.ts'
import type { ChartRun, ChartSubject } from './answer-chart.ts'
import type { CompareTask } from './compare-thread.ts'
import { tableAnswer } from './table-answer.ts'

/** Modules that threads preload. */
export const COMPARE_THREAD = threadFile(import.meta.url, './compare-thread.js')

/**
 * A comparison of a measure in each AOI of an item between groups of participants. A group is the tests that pass the
 * subject's filter and the group's.
 */
type ComparedGroups = { measure: Measure; kind: TestKind; groups: string[]; samplesMax: number }

/**
 * Returns the values of each group in each AOI, one for each participant, and the comparisons of each pair of groups.
 */
export async function comparisonsAnswer(subject: ChartSubject, asked: ComparedGroups, run: ChartRun) {
  const { measure, kind } = asked
  const aois = subject.snapshot.study.aois.filter(({ itemId }) => itemId === subject.item.id)
  const tables: Awaited<ReturnType<typeof measuredTests>>[] = []
  for (const filter of asked.groups) tables.push(await measuredTests(subject, filter, asked, run))
  const shared = countShared(tables.map(({ participantIds }) => [...new Set(participantIds)]))
  const values = aois.map(({ id }) => tables.map((table) => valuesIn(table, id)))
  const compared: (Comparison & { aoi: number })[] = []
  for (const [aoi, groups] of shared > 0 ? [] : values.entries()) {
    const task: CompareTask = { groups: groups.map((group) => group.values), kind }
    const part = (await run.pool.computeBy(COMPARE_THREAD, 'compareGroups', task)) as Comparison[]
    run.signal.throwIfAborted()
    compared.push(...part.map((each) => ({ ...each, aoi })))
  }
  return {
    measure: measure.column,
    test: kind,
    seed: SEED,
    groups: tables.map(({ head }) => head),
    sharedParticipants: shared,
    aoiIds: aois.map(({ id }) => id),
    values: values.map((groups) =>
      groups.map(({ participantIds, values: own }) => ({ participantIds, values: [...own] })),
    ),
    summaries: values.map((groups) => groups.map((group) => describe(group.values))),
    comparisons: withHolm(compared).map((each) => ({
      ...each,
      medians: bothKnown(each.medians),
      means: bothKnown(each.means),
    })),
  }
}

/** Returns two numbers; null for unknown ones. */
export function bothKnown(values: [number, number]): [number | null, number | null] {
  return [knownOrNull(values[0]), knownOrNull(values[1])]
}

type GroupTable = { participantIds: string[]; aoiIds: string[]; values: Float64Array }

/**
 * Returns the cells of a measure in the AOIs of an item, for the tests that pass the subject's filter and one more.
 *
 * @throws ServiceError invalid_param if there are too many
 */
export async function measuredTests(
  subject: ChartSubject,
  filter: string,
  { measure, samplesMax }: Pick<ComparedGroups, 'measure' | 'samplesMax'>,
  run: ChartRun,
) {
  const { snapshot, item, parameters, formulaGuard } = subject
  const plan = makePlan({
    snapshot,
    exportName: measure.export,
    parameters: { ...parameters, itemId: item.id, filter: bothOf(parameters.filter, filter) },
    formulaGuard,
    isJoined: true,
    hasEpochs: false,
  })
  const wanted = ['participant_id', 'aoi_id', measure.column]
  const { rows, columns, isWhole, ...head } = await tableAnswer(plan, snapshot, { columns: wanted, samplesMax }, run)
  if (!isWhole)
    throw refusedParameter(
      { parameter: 'filter', rule: 'must keep fewer tests', value: filter },
      'filter must keep fewer tests: their AOIs have more rows than are compared',
    )
  const [who, aoi, value] = wanted.map((name) => columns.indexOf(name))
  return {
    head,
    participantIds: rows.map((row) => row[who]),
    aoiIds: rows.map((row) => row[aoi]),
    values: Float64Array.from(rows, (row) => valueOfCell(row[value])),
  }
}

/** Reads a cell of a measure: a number, or 100 for true and 0 for false; NaN for an empty one. */
export function valueOfCell(cell: string): number {
  if (cell === '') return Number.NaN
  if (cell === 'true') return 100
  return cell === 'false' ? 0 : Number(cell)
}

/** Returns the values of participants in an AOI. */
export function valuesIn({ participantIds, aoiIds, values }: GroupTable, aoiId: string): ParticipantValues {
  const places = aoiIds.flatMap((id, i) => (id === aoiId ? [i] : []))
  return valuesOfParticipants(
    places.map((i) => participantIds[i]),
    Float64Array.from(places, (i) => values[i]),
  )
}
