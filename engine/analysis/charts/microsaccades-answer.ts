import type { MicrosaccadeRates } from '../../compute/microsaccade-rates.ts'
import { settingsNotes } from '../../exports/columns/notes.ts'
import { RATE_MIN_HZ } from '../../exports/columns/test-microsaccades.ts'
import { refusedValue } from '../../model/errors.ts'
import type { Parameters } from '../../model/parameters.ts'
import type { Plan } from '../../model/plan.ts'
import { printedEach, printedOrNull, roundToPrinted } from '../../text/cells.ts'
import { mainSequence } from '../statistics/main-sequence.ts'
import { meanInterval } from '../statistics/student-t.ts'
import type { ChartRun } from './answer-chart.ts'
import { type AskedGroups, columnsOfBins, groupPlan, OF_MEANS, startsOfBins, sumEach } from './group-answer.ts'
import type { MicrosaccadesPart } from './microsaccades-chart.ts'
import { runChart } from './run-chart.ts'
import { selectFew } from './table-answer.ts'

const BINS_MAX = 2000
/** Largest number of microsaccades of a group that are listed, for a drawing. */
const LISTED_MAX = 4000

/** Returns the plan of a group. @throws ServiceError invalid_param for an invalid item or filter */
export function microsaccadesPlan(asked: AskedGroups, filter = ''): Plan {
  const plan = groupPlan('microsaccades', asked, filter)
  const { binMs, microsaccadeMaxDeg, fromMs, toMs } = asked.parameters
  const span = { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) }
  return { ...plan, parameters: { ...plan.parameters, binMs, microsaccadeMaxDeg, ...span } }
}

/**
 * Averages the rate of microsaccades over time, with participants as units: docs/microsaccades.md, "Rate over time".
 *
 * @throws ServiceError invalid_param for too many tests or bins, or no events with the name
 */
export async function microsaccadesAnswer(asked: AskedGroups & { samplesMax: number }, run: ChartRun) {
  const { parameters, groups } = asked
  const { binMs, eventType, microsaccadeMaxDeg } = parameters
  const summed = await sumEach(groups, (filter) => sumMicrosaccades(asked, filter, run))
  const bins = Math.max(...summed.flatMap(({ sums }) => [0, ...sums.map(({ counts }) => counts.length)]))
  return {
    methods: summed.some(({ testsWithBothEyes }) => testsWithBothEyes > 0) ? methodsOf(parameters) : NONE_DETECTED,
    eventType: eventType ?? null,
    maxDeg: microsaccadeMaxDeg,
    binMs,
    binStartsMs: startsOfBins(parameters, bins),
    groups: summed.map(({ sums, ...head }) => ({ ...head, ...averageRates(sums, bins) })),
  }
}

/** Sums the microsaccades of each participant of a group. */
async function sumMicrosaccades(asked: AskedGroups & { samplesMax: number }, filter: string, run: ChartRun) {
  const { snapshot, samplesMax } = asked
  const plan = microsaccadesPlan(asked, filter)
  const { tests, kept } = await selectFew(plan, snapshot, samplesMax, run.signal)
  const request = { kind: 'microsaccades', binsMax: BINS_MAX } as const
  const { part } = await runChart<MicrosaccadesPart>({ request, plan, snapshot, tests, ...run })
  if (part.isLonger) {
    const rule = `must be greater, or toMs less: at most ${BINS_MAX} bins are averaged`
    throw refusedValue({ parameter: 'binMs', rule, value: String(asked.parameters.binMs) })
  }
  const { amplitudes, peaks } = part
  const everyNth = Math.max(1, Math.ceil(amplitudes.length / LISTED_MAX))
  const listed = (values: number[]) => values.filter((_, i) => i % everyNth === 0).map(roundToPrinted)
  const { n, ...line } = mainSequence(amplitudes, peaks)
  return {
    export: plan.export,
    notes: settingsNotes(plan),
    filter,
    kept,
    counted: { tests: part.tests - part.withoutDegrees, participants: part.participants.size },
    testsWithBothEyes: part.tests,
    testsWithoutDegrees: part.withoutDegrees,
    participants: part.participants.size,
    epochs: part.epochs,
    microsaccades: amplitudes.length,
    largerSaccades: part.larger,
    mainSequence: { n, ...printedEach(line) },
    everyNth,
    amplitudesDeg: listed(amplitudes),
    peaksDegPerS: listed(peaks),
    sums: [...part.participants.values()],
  }
}

/** Averages rates over participants: columns with one value for each bin, rounded as in files. */
function averageRates(sums: MicrosaccadeRates[], bins: number) {
  const inBins = Array.from({ length: bins }, (_, bin) => {
    const known = sums.filter(({ seconds }) => seconds[bin] > 0)
    return meanInterval(known.map(({ counts, seconds }) => counts[bin] / seconds[bin]))
  })
  const total = (name: keyof MicrosaccadeRates) =>
    Array.from({ length: bins }, (_, bin) => sums.reduce((sum, own) => sum + (own[name][bin] ?? 0), 0))
  return {
    rate: columnsOfBins(inBins, OF_MEANS),
    counts: total('counts'),
    seconds: total('seconds').map(printedOrNull),
  }
}

const NONE_DETECTED = `No microsaccades were detected, since no test has gaze of both eyes at ${RATE_MIN_HZ} Hz or more.`

/** Returns sentences for a methods section. */
function methodsOf(parameters: Parameters): string {
  const { binMs, eventType, microsaccadeLambda, microsaccadeMinSamples, microsaccadeMaxDeg } = parameters
  const onset = eventType === undefined ? 'item onset' : `events named ${eventType}`
  return (
    `Binocular microsaccades of at most ${microsaccadeMaxDeg}° were detected with an elliptic threshold of ` +
    `${microsaccadeLambda} times the median-based standard deviation of the velocity of each eye and a minimum duration of ` +
    `${microsaccadeMinSamples} samples, and had to overlap in both eyes (Engbert & Kliegl, 2003, ` +
    'doi:10.1016/S0042-6989(03)00084-1; Engbert & Mergenthaler, 2006, doi:10.1073/pnas.0509557103). ' +
    `Their rate in bins of ${binMs} ms from ${onset} is that of a second with gaze of both eyes; ` +
    'means are over participants, with 95 % intervals by Student’s t.'
  )
}
