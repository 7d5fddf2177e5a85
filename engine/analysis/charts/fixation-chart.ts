import { EVENTS_SHOWN_MAX } from '../../../isomorphic/events-shown.ts'
import { isFixationIn, toMillionths } from '../../compute/aoi.ts'
import type { Fixations } from '../../compute/fixation-list.ts'
import { roundToPrinted } from '../../text/cells.ts'
import { roundToMs } from '../../text/numbers.ts'
import type { Chart } from './chart.ts'
import { eventsOf } from './pupil-traces-chart.ts'

/**
 * A fixation with the values of the CSV: x %, y %, start ms, end ms, saccade length px, amplitude %, duration ms (null
 * without a saccade), and the indexes of its AOIs among those of the item.
 */
type FixationRow = [number, number, number, number, number | null, number | null, number | null, ...aois: number[]]

type FixationsOfTest = {
  testId: string
  participantId: string
  fixations: FixationRow[]
  /** The first events of the test: ms from item onset, name; absent where it has none. */
  events?: [tMs: number, name: string][]
}
export type FixationsPart = {
  tests: FixationsOfTest[]
  fixationCount: number
  testCount: number
  /** End of the last fixation, whole ms; 0 without one. */
  lastEndMs: number
  /** Fixations and events that charts mark, of listed tests and others. */
  markCount: number
  /** Sums over all tests, listed or not, from printed values, so that they equal sums over the CSV. */
  sums: { durationMs: number; saccadeCount: number; amplitudeMillionths: number }
}

/**
 * Returns the chart that lists fixations of whole tests, in the order of output.
 *
 * @param marksMax fixations and events beyond which tests are counted but not listed, since a browser cannot draw
 * millions; the first test is listed whatever it has, but none for 0
 */
export function fixationsChart(marksMax: number): Chart<FixationsPart> {
  return {
    export: 'fixations',
    reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
    needsEvents: true,
    ofViewers: true,
    start: () => ({
      tests: [],
      fixationCount: 0,
      testCount: 0,
      lastEndMs: 0,
      markCount: 0,
      sums: { durationMs: 0, saccadeCount: 0, amplitudeMillionths: 0 },
    }),
    addTest: (part, run, context) => {
      const found = context.fixationsOf(run, context.gazeOf(run))
      const { shapes } = context.aoisOf(run.identity.item)
      part.testCount++
      part.fixationCount += found.n
      addSums(part, found)
      if (found.n > 0) part.lastEndMs = Math.max(part.lastEndMs, roundToMs(found.endUs[found.n - 1]))
      if (marksMax === 0) return
      const events = eventsOf(run, context).slice(0, EVENTS_SHOWN_MAX)
      part.markCount += found.n + events.length
      if (part.markCount > marksMax && part.tests.length > 0) return
      const fixations = Array.from({ length: found.n }, (_, f) => {
        const inside = [...shapes.keys()].filter((a) => isFixationIn(shapes[a], found, f))
        return [...rowOf(found, f), ...inside] as FixationRow
      })
      const { test, participant } = run.identity
      part.tests.push({
        testId: test.id,
        participantId: participant.id,
        fixations,
        ...(events.length > 0 ? { events: events.map(({ tMs, name }): [number, string] => [tMs, name]) } : {}),
      })
    },
    merge: (total, part) => {
      const listed = total.tests.reduce((sum, test) => sum + marksOf(test), 0)
      total.fixationCount += part.fixationCount
      total.testCount += part.testCount
      total.lastEndMs = Math.max(total.lastEndMs, part.lastEndMs)
      for (const name of ['durationMs', 'saccadeCount', 'amplitudeMillionths'] as const)
        total.sums[name] += part.sums[name]
      let room = marksMax - listed
      for (const test of part.tests) {
        // After the first test that does not fit, none is listed, so the listed tests are a run from the first.
        room = marksOf(test) <= room || total.tests.length === 0 ? room - marksOf(test) : -1
        if (room < 0) break
        total.tests.push(test)
      }
    },
  }
}

const marksOf = ({ fixations, events = [] }: FixationsOfTest) => fixations.length + events.length

function addSums({ sums }: FixationsPart, found: Fixations): void {
  for (let f = 0; f < found.n; f++) {
    sums.durationMs += roundToMs(found.endUs[f]) - roundToMs(found.startUs[f])
    if (found.hasSaccade[f] === 0) continue
    sums.saccadeCount++
    sums.amplitudeMillionths += toMillionths(found.saccadeAmplitudePercent[f])
  }
}

/** Returns a fixation as the page draws it, without its AOIs. */
function rowOf(found: Fixations, f: number): FixationRow {
  const startMs = roundToMs(found.startUs[f])
  const jumped = found.hasSaccade[f] === 1
  return [
    roundToPrinted(found.xPercent[f]),
    roundToPrinted(found.yPercent[f]),
    startMs,
    roundToMs(found.endUs[f]),
    jumped ? roundToPrinted(found.saccadeLengthPx[f]) : null,
    jumped ? roundToPrinted(found.saccadeAmplitudePercent[f]) : null,
    jumped ? startMs - roundToMs(found.endUs[f - 1]) : null,
  ]
}
