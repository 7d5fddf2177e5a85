import { detectFixations } from '../../../compute/detectors/detect-fixations.ts'
import { createFixations } from '../../../compute/fixation-list.ts'
import { createGaze, type DisplayRectanglePx, denoise } from '../../../compute/gaze.ts'
import { defaultParameters } from '../../../model/parameters.ts'
import type { SampledPositions } from './positions.ts'

/** Longest fixation, in ms: none is cut. */
const LONGEST_MS = 1e9

/** Counts fixations with the default detector. @returns fixations of the positions in all stretches */
export function countFixations({ n, tMs, x, y, isStart }: SampledPositions, shown: DisplayRectanglePx): number {
  const [gaze, fixations] = [createGaze(), createFixations()]
  const settings = { ...defaultParameters(), maxFixationDurationMs: LONGEST_MS }
  let count = 0
  for (let from = 0; from < n; ) {
    let to = from + 1
    while (to < n && !isStart[to]) to++
    const none = new Float64Array(to - from)
    const tUs = tMs.slice(from, to).map((ms) => Math.round((ms - tMs[from]) * 1000))
    const samples = {
      ...{ n: to - from, tUs, gazeXPx: x.slice(from, to), gazeYPx: y.slice(from, to) },
      ...{ scrollYPx: none, mouseXPx: none, mouseYPx: none, isClick: new Uint8Array(to - from) },
    }
    denoise(samples, shown, settings.movingMedianRangeMs, gaze)
    detectFixations(gaze, shown, settings, fixations)
    count += fixations.n
    from = to
  }
  return count
}
