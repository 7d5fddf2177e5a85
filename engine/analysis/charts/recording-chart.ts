import type { Gaze, Samples } from '../../compute/gaze.ts'
import { mousePercents } from '../../exports/columns/item-percents.ts'
import type { ExportContext, TestRun } from '../../exports/columns/test-context.ts'
import type { DisplayRectangle } from '../../model/study.ts'
import { roundToPrinted } from '../../text/cells.ts'
import { roundToMs } from '../../text/numbers.ts'
import type { Chart } from './chart.ts'
import { eventsOf, type TracedTest } from './pupil-traces-chart.ts'

/** Positions over time: columns of equal length, in ms and percent of the displayed item; null if lost. */
type Track = { tMs: number[]; x: (number | null)[]; y: (number | null)[] }

/** Recording of one test, with the cells of `gazes-split` and `mouse`. */
type RecordedTest = Pick<TracedTest, 'testId' | 'participantId' | 'durationMs' | 'events'> & {
  /** Size of the browser window and position of the item in it, before any scrolling, in px. */
  window: { widthPx: number; heightPx: number } | null
  display: DisplayRectangle | null
  /** Recorded gaze points after denoising, without interpolated ones. */
  gaze: Track
  /** Indexes in `gaze` of the first point of each segment, which follows a gap. */
  segmentStarts: number[]
  /** Mouse positions, only where the mouse moved, was lost or clicked. */
  mouse: Track
  /** Indexes of clicks in `mouse`. */
  clicks: number[]
  /** Changes of the scroll position: ms, px. */
  scroll: [number, number][]
}
export type RecordingPart = { tests: RecordedTest[] }

/** Returns the chart that lists recordings of tests: gaze, mouse, clicks and scrolling. */
export function recordingChart(): Chart<RecordingPart> {
  return {
    export: 'gazes-split',
    reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick'],
    needsEvents: true,
    start: () => ({ tests: [] }),
    addTest: (part, run, context) => {
      part.tests.push(recordedTest(run, context))
    },
    merge: (total, part) => {
      for (const test of part.tests) total.tests.push(test)
    },
  }
}

function recordedTest(run: TestRun, context: ExportContext): RecordedTest {
  const { test, participant } = run.identity
  const { browserWidthPx, browserHeightPx, durationUs, display } = test
  return {
    testId: test.id,
    participantId: participant.id,
    durationMs: durationUs === null ? null : roundToMs(durationUs),
    window:
      browserWidthPx === null || browserHeightPx === null
        ? null
        : { widthPx: browserWidthPx, heightPx: browserHeightPx },
    display,
    ...gazeTrack(context.gazeOf(run)),
    ...mouseTrack(run),
    scroll: scrollSteps(run),
    events: eventsOf(run, context),
  }
}

function gazeTrack({ n, tUs, xPercent, yPercent, isInterpolated, segmentStart, segmentCount }: Gaze) {
  const gaze: Track = { tMs: [], x: [], y: [] }
  const segmentStarts: number[] = []
  let segment = 0
  for (let i = 0; i < n; i++) {
    if (segment < segmentCount && i === segmentStart[segment]) {
      segmentStarts.push(gaze.tMs.length)
      segment++
    }
    if (isInterpolated[i] === 1) continue
    gaze.tMs.push(roundToMs(tUs[i]))
    gaze.x.push(roundToPrinted(xPercent[i]))
    gaze.y.push(roundToPrinted(yPercent[i]))
  }
  return { gaze, segmentStarts }
}

function mouseTrack({ samples, identity }: TestRun) {
  const { xPercent, yPercent } = mousePercents(samples, identity.test.display)
  const mouse: Track = { tMs: [], x: [], y: [] }
  const clicks: number[] = []
  let [lastX, lastY]: [number | null, number | null] = [null, null]
  for (const i of byTime(samples)) {
    const isLost = Number.isNaN(xPercent[i]) || Number.isNaN(yPercent[i])
    const [x, y] = isLost ? [null, null] : [roundToPrinted(xPercent[i]), roundToPrinted(yPercent[i])]
    const isClick = samples.isClick[i] === 1 && !isLost
    if (x === lastX && y === lastY && !isClick) continue
    if (isClick) clicks.push(mouse.tMs.length)
    mouse.tMs.push(roundToMs(samples.tUs[i]))
    mouse.x.push(x)
    mouse.y.push(y)
    ;[lastX, lastY] = [x, y]
  }
  return { mouse, clicks }
}

function scrollSteps({ samples }: TestRun): [number, number][] {
  const { tUs, scrollYPx } = samples
  const steps: [number, number][] = []
  for (const i of byTime(samples)) {
    const px = roundToPrinted(scrollYPx[i])
    if (px !== (steps.at(-1)?.[1] ?? 0)) steps.push([roundToMs(tUs[i]), px])
  }
  return steps
}

/** Sorts samples by time, since their recorded order may differ. */
function byTime({ n, tUs }: Samples): Int32Array {
  return Int32Array.from({ length: n }, (_, i) => i).sort((a, b) => tUs[a] - tUs[b] || a - b)
}
