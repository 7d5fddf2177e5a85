import type { CleanEye } from '../../compute/pupils/clean-eye.ts'
import type { ExportContext, TestRun } from '../../exports/columns/test-context.ts'
import { PUPIL_COLUMNS, pupilOf } from '../../exports/columns/test-pupil.ts'
import { knownOrNull, printedOrNull } from '../../text/cells.ts'
import type { Chart } from './chart.ts'

/** One eye at the points of a test: columns of equal length; null without a size. */
type EyeTrace = {
  recorded: (number | null)[]
  /** Index of the reason for removal in REMOVED_REASONS; -1 if the size stayed. */
  removed: number[]
  /** Sizes after interpolation, before smoothing. */
  size: (number | null)[]
  /** Indexes of the points with an interpolated size. */
  interpolated: number[]
  blinks: { fromMs: number; toMs: number }[]
}

/** The pupils of one test after each step. */
export type TracedTest = {
  testId: string
  participantId: string
  durationMs: number | null
  tMs: number[]
  left: EyeTrace
  right: EyeTrace
  /** Size after smoothing, of the chosen eyes. */
  size: (number | null)[]
  baseline: number | null
  events: { tMs: number; name: string; value: string }[]
}
export type PupilTracesPart = { tests: TracedTest[] }

/** Returns the chart that lists the pupils of tests with every step, and their events. */
export function pupilTracesChart(): Chart<PupilTracesPart> {
  return {
    export: 'pupils',
    reads: PUPIL_COLUMNS,
    needsEvents: true,
    start: () => ({ tests: [] }),
    addTest: (part, run, context) => {
      const trace = traceOf(run, context)
      if (trace !== null) part.tests.push(trace)
    },
    merge: (total, part) => {
      for (const test of part.tests) total.tests.push(test)
    },
  }
}

function traceOf(run: TestRun, context: ExportContext): TracedTest | null {
  const measured = pupilOf(run, context)
  if (measured === null) return null
  const { recorded, pupil } = measured
  const { test, participant } = run.identity
  const times = recorded.tUs.subarray(0, pupil.n)
  return {
    testId: test.id,
    participantId: participant.id,
    durationMs: test.durationUs === null ? null : test.durationUs / 1000,
    tMs: Array.from(times, (us) => us / 1000),
    left: eyeTrace(times, recorded.left, pupil.left),
    right: eyeTrace(times, recorded.right, pupil.right),
    size: printed(pupil.size, pupil.n),
    baseline: printedOrNull(pupil.baseline),
    events: eventsOf(run, context),
  }
}

function eyeTrace(
  tUs: Float64Array,
  recorded: Float64Array,
  { size, removed, isInterpolated, blinks }: CleanEye,
): EyeTrace {
  const n = tUs.length
  return {
    recorded: Array.from(recorded.subarray(0, n), knownOrNull),
    removed: Array.from(removed.subarray(0, n), (code) => code - 1),
    size: printed(size, n),
    interpolated: [...isInterpolated.subarray(0, n).keys()].filter((i) => isInterpolated[i] === 1),
    blinks: blinks.map(({ before, after }) => ({ fromMs: tUs[before] / 1000, toMs: tUs[after] / 1000 })),
  }
}

function printed(values: Float64Array, n: number): (number | null)[] {
  return Array.from(values.subarray(0, n), printedOrNull)
}

/** Returns the events of a test in order of time. */
export function eventsOf({ identity: { test } }: TestRun, context: ExportContext) {
  const { tUs, name, value } = context.eventsOf(test)
  return Array.from(tUs, (us, i) => ({ tMs: us / 1000, name: name[i], value: value[i] }))
}
