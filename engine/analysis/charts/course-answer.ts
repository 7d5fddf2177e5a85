import { knownOrNull } from '../../text/cells.ts'
import type { AoiOrder } from '../statistics/aoi-ranks.ts'
import { firstLooks } from '../statistics/first-looks.ts'
import { summarizeVisits, type VisitColumns, visitingAt } from '../statistics/visits.ts'
import { type ChartRun, type ChartSubject, compute } from './answer-chart.ts'
import type { CoursePart } from './course-chart.ts'

const STEP_MS = 50
const STEPS_MAX = 600

/**
 * Computes transitions, visits, visits over time, and time to first fixation for the AOIs of an item.
 *
 * @param nested AOI to which a fixation in several belongs in transitions; visits and first fixations count in each AOI
 */
export async function courseAnswer(subject: ChartSubject, run: ChartRun, { nested }: { nested: AoiOrder }) {
  const { snapshot, item } = subject
  const aoiIds = snapshot.study.aois.filter(({ itemId }) => itemId === item.id).map(({ id }) => id)
  const n = aoiIds.length
  const { head, part } = await compute<CoursePart>(subject, run, {
    kind: 'course',
    aoiCount: n,
    smallestFirst: nested === 'smallest',
  })
  const { participants, ttffMs, transitions, held, stood } = part
  const visits = columnsOf(part)
  // Censored at the end of the window: what happens later is unknown.
  const { toMs = Number.POSITIVE_INFINITY } = subject.parameters
  const longestMs = visits.endsAtMs.reduce((most, ms) => Math.max(most, ms), item.stimuliDurationMs ?? 1000)
  const untilMs = Math.min(toMs, longestMs)
  const stepMs = Math.max(STEP_MS, Math.ceil(untilMs / STEPS_MAX / STEP_MS) * STEP_MS)
  const timesMs = Float64Array.from({ length: Math.floor(untilMs / stepMs) + 1 }, (_, i) => i * stepMs)
  const testsUntilMs = Float64Array.from(part.untilMs, (ms) => (Number.isNaN(ms) ? ms : Math.min(toMs, ms)))
  const visiting = visitingAt(visits, testsUntilMs, n, timesMs)
  const leaving = transitions.map((row) => row.reduce((sum, count) => sum + count, 0))
  return {
    ...head,
    nested,
    aoiIds,
    hiddenAois: held.flatMap((isHeld, a) => (isHeld && !stood[a] ? [a] : [])),
    transitions: {
      counts: transitions,
      leaving,
      probabilities: transitions.map((row, from) => row.map((n) => (leaving[from] === 0 ? null : n / leaving[from]))),
      total: leaving.reduce((sum, count) => sum + count, 0),
    },
    visits: summarizeVisits(visits, n),
    visiting: {
      timesMs: [...timesMs],
      tests: [...visiting.tests],
      percents: visiting.percents.map((own) => Array.from(own, knownOrNull)),
    },
    firstLooks: aoiIds.map((_, a) =>
      firstLooks(
        participants,
        Float64Array.from(ttffMs, (own) => own[a]),
        testsUntilMs,
        Math.min(toMs, item.stimuliDurationMs ?? untilMs),
        timesMs,
      ),
    ),
    untilMs,
  }
}

function columnsOf({ visits }: CoursePart): VisitColumns {
  return {
    n: visits.length,
    test: Int32Array.from(visits, ({ test }) => test),
    aoi: Int32Array.from(visits, ({ aoi }) => aoi),
    startsAtMs: Float64Array.from(visits, ({ startsAtMs }) => startsAtMs),
    endsAtMs: Float64Array.from(visits, ({ endsAtMs }) => endsAtMs),
    dwellMs: Float64Array.from(visits, ({ dwellMs }) => dwellMs),
  }
}
