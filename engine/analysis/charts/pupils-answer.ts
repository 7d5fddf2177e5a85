import { binsOf, type EpochSums } from '../../compute/pupils/pupil-epochs.ts'
import { settingsNotes } from '../../exports/columns/notes.ts'
import { refusedValue } from '../../model/errors.ts'
import type { Plan } from '../../model/plan.ts'
import { refuseUnknownEvent } from '../../snapshot/rows/read-events.ts'
import { meanInterval } from '../statistics/student-t.ts'
import type { ChartRun } from './answer-chart.ts'
import { type AskedGroups, columnsOfBins, groupPlan, OF_MEANS, sumEach } from './group-answer.ts'
import { type PupilsPart, timesOfBins } from './pupils-chart.ts'
import { runChart } from './run-chart.ts'
import { selectFew } from './table-answer.ts'

/** Groups of tests, and the name of the events to which time is locked; null for item onset. */
export type AskedPupils = AskedGroups & { event: string | null }

const BINS_MAX = 2000
/** Largest number of event names in an answer, since triggers may be named by trial. */
const NAMES_MAX = 1000

/**
 * Returns the plan of a group.
 *
 * @throws ServiceError invalid_param for an invalid item, filter or eye, or too many bins
 */
export function pupilsPlan(asked: AskedPupils, filter = ''): Plan {
  const { parameters } = asked
  // The epochs are those of this analysis, with its own start and end.
  const plan = groupPlan('pupils', { ...asked, parameters: { ...parameters, eventType: undefined } }, filter)
  const { pupilFromMs, pupilToMs, pupilBinMs } = parameters
  if (binsOf(timesOfBins(parameters).span) > BINS_MAX) {
    const rule = `must be at least ${Math.ceil((pupilToMs - pupilFromMs) / BINS_MAX)} for so long a time: there are at most ${BINS_MAX} bins`
    throw refusedValue({ parameter: 'pupilBinMs', rule, value: String(pupilBinMs) })
  }
  return { ...plan, parameters: { ...plan.parameters, pupilFromMs, pupilToMs, pupilBinMs } }
}

/**
 * Computes averages of pupils over time, with participants as units: docs/pupils.md, "Averages".
 *
 * @throws ServiceError invalid_param for too many tests, or no events with the name
 */
export async function pupilsAnswer(asked: AskedPupils & { samplesMax: number }, run: ChartRun) {
  const { snapshot, parameters, groups, event } = asked
  if (event !== null) await refuseUnknownEvent(snapshot, event, 'event')
  const { span } = timesOfBins(parameters)
  const answers = await sumEach(groups, (filter) => averageGroup(asked, filter, run))
  const names = new Set(answers.flatMap(({ eventNames }) => eventNames))
  return {
    event,
    unit: snapshot.study.recording?.pupilUnit ?? null,
    binStartsMs: Array.from({ length: binsOf(span) }, (_, bin) => (span.fromUs + bin * span.binUs) / 1000),
    groups: answers.map(({ eventNames: _, ...group }) => group),
    eventNames: [...names].sort().slice(0, NAMES_MAX),
  }
}

async function averageGroup(asked: AskedPupils & { samplesMax: number }, filter: string, run: ChartRun) {
  const { sums, ...head } = await sumPupils(asked, filter, run)
  const own = [...sums.values()]
  const bins = binsOf(timesOfBins(asked.parameters).span)
  return {
    ...head,
    size: averageOver(own, bins, 'size', 'sizeCount'),
    aboveBaseline: averageOver(own, bins, 'above', 'aboveCount'),
  }
}

/** Sums the pupils of each participant of a group. @returns `sums` by participant id */
export async function sumPupils(asked: AskedPupils & { samplesMax: number }, filter: string, run: ChartRun) {
  const { snapshot, event, samplesMax } = asked
  const plan = pupilsPlan(asked, filter)
  const { tests, kept } = await selectFew(plan, snapshot, samplesMax, run.signal)
  const { part } = await runChart<PupilsPart>({ request: { kind: 'pupils', event }, plan, snapshot, tests, ...run })
  const { testsWithSizes, epochs, epochsWithBaseline } = part
  return {
    export: plan.export,
    notes: `${settingsNotes(plan)}${event === null ? '' : `; event = ${event}`}`,
    filter,
    kept,
    testsWithSizes,
    participants: part.participants.size,
    epochs,
    epochsWithBaseline,
    eventNames: [...part.eventNames],
    sums: part.participants,
  }
}

/** Averages over participants: columns with one value for each bin, rounded as in files. */
function averageOver(sums: EpochSums[], bins: number, sum: 'size' | 'above', count: 'sizeCount' | 'aboveCount') {
  const inBins = Array.from({ length: bins }, (_, bin) => {
    const known = sums.filter((own) => own[count][bin] > 0)
    return meanInterval(known.map((own) => own[sum][bin] / own[count][bin]))
  })
  return columnsOfBins(inBins, OF_MEANS)
}
