import { type Gaze, pointOfSample } from '../../compute/gaze.ts'
import type { Epoch, LookTimes } from '../../compute/looks.ts'
import { gazeHits } from './gaze-hits.ts'
import type { ExportContext, TestRun } from './test-context.ts'
import { epochsOf, type TestEpoch } from './test-epochs.ts'

/** Looks of a test over time: its times, the AOI names of its item that are asked for, and its epochs. */
type TestLooks = {
  times: LookTimes
  /** Indexes of the names among those of the study, in ascending order. */
  places: number[]
  epochs: (TestEpoch & Epoch)[]
}

/** Prepares the looks of a test: docs/looks.md. Null if its item has none of the AOIs. */
export function looksOf(run: TestRun, context: ExportContext): TestLooks | null {
  const { aoiNames } = context.facts
  const wanted = context.plan.parameters.aoiNames ?? aoiNames
  const ofItem = new Set(context.aoisOf(run.identity.item).names)
  const places = [...aoiNames.keys()].filter((p) => ofItem.has(aoiNames[p]) && wanted.includes(aoiNames[p]))
  if (places.length === 0) return null
  const { n, tUs, point, patterns, indexes, gaze } = gazeHits(run, context)
  const isCounted = new Uint8Array(n)
  const { denominator } = context.plan.parameters
  if (denominator === 'all') isCounted.fill(1)
  else if (denominator === 'aois') {
    const isInAny = patterns.map((pattern) => places.some((place) => pattern[place] === 1))
    for (let i = 0; i < n; i++) isCounted[i] = isInAny[indexes[i]] ? 1 : 0
  } else {
    const isOnScreen = pointsOnScreen(run, gaze)
    for (let i = 0; i < n; i++) isCounted[i] = point[i] === -1 ? 0 : isOnScreen[point[i]]
  }
  const binUs = context.plan.parameters.binMs! * 1000
  const epochs = epochsOf(run, context).map((epoch) => ({ ...epoch, binUs }))
  return { times: { n, tUs, patterns, indexes, isCounted }, places, epochs }
}

/** Returns 1 for points with a sample on the screen: within the window, or anywhere if its size is unknown. */
function pointsOnScreen({ samples, identity }: TestRun, gaze: Gaze): Uint8Array {
  const { browserWidthPx, browserHeightPx } = identity.test
  const { n, gazeXPx, gazeYPx } = samples
  const isOn = new Uint8Array(gaze.n)
  const [maxX, maxY] = [browserWidthPx, browserHeightPx].map((size) => size ?? Number.POSITIVE_INFINITY)
  const [minX, minY] = [browserWidthPx, browserHeightPx].map((size) => (size === null ? Number.NEGATIVE_INFINITY : 0))
  for (let i = 0; i < n; i++) {
    const x = gazeXPx[i]
    const y = gazeYPx[i]
    if (x >= minX && x <= maxX && y >= minY && y <= maxY) {
      const p = pointOfSample(gaze, i)
      if (p !== -1) isOn[p] = 1
    }
  }
  return isOn
}
