import { expect, test } from 'vitest'
import { compareScanpaths } from '../../engine/analysis/statistics/compare-scanpaths.ts'
import { detectFixations } from '../../engine/compute/detectors/detect-fixations.ts'
import { createFixations } from '../../engine/compute/fixation-list.ts'
import { createGaze, denoise } from '../../engine/compute/gaze.ts'
import { findEyeSaccades, pairSaccades } from '../../engine/compute/microsaccades.ts'
import { fickAngles } from '../../engine/compute/quality/degrees.ts'
import { precisionOf } from '../../engine/compute/quality/precision.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import { canRun, PYTHON } from '../programs.ts'
import { noteAgreement } from './agreements.ts'
import { type Clone, cloneOf, inPython, noteMissing, noteResult } from './public-data.ts'

/** Returns what another program computes from its example data; null, noted as left out, if it is not there. */
function known<T>(what: string, comparison: string, repository: string): { clone: Clone; cases: T[] } | null {
  const clone = cloneOf(repository)
  if (clone === null) noteMissing(what, repository)
  else if (canRun(PYTHON, '-c', 'import scipy, pandas'))
    return { clone, cases: inPython('others.py', [comparison, clone.folder]) as T[] }
  else noteMissing(what, 'Python with scipy and pandas')
  return null
}

const column = (values: (number | null)[]) => Float64Array.from(values, (value) => value ?? Number.NaN)

test('precision is that of ETDQualitizer', () => {
  const what = 'Precision: RMS-S2S, STD and BCEA in degrees'
  type Case = { x: (number | null)[]; y: (number | null)[]; known: number[] }
  const found = known<Case>(what, 'precision', 'dcnieho/ETDQualitizer')
  if (found === null) return
  const screen = { widthPx: 1920, heightPx: 1080, widthCm: 52.8, heightCm: 29.7, distanceCm: 65 }
  const own = found.cases.flatMap(({ x, y }) => {
    const valid = x.flatMap((value, i) => (value === null || y[i] === null ? [] : [i]))
    // Its origin is the centre of the screen.
    const px = { x: column(valid.map((i) => x[i]! + 960)), y: column(valid.map((i) => y[i]! + 540)) }
    const isPair = Int32Array.from(valid, (i, at) => (at > 0 && valid[at - 1] === i - 1 ? 1 : 0))
    const groups = { start: Int32Array.of(0), end: Int32Array.of(valid.length), n: 1, room: new Float64Array(3) }
    const { rmsS2s, std, bcea68 } = precisionOf({ ...fickAngles(screen, px), isPair }, groups)
    return [rmsS2s, std, bcea68]
  })
  const about = { what, page: 'quality.md', data: `${found.cases.length} eyes of its example recordings` }
  const largest = noteAgreement({
    ...about,
    reference: found.clone.version,
    own,
    known: found.cases.flatMap((each) => each.known),
  })
  expect(largest).toBeLessThan(1e-9)
})

test('microsaccades are those of the Microsaccade Toolbox', () => {
  const what = 'Microsaccades of both eyes: samples and amplitudes'
  type Case = { left: number[][]; right: number[][]; lambda: number; minSamples: number; known: number[][] }
  const found = known<Case>(what, 'microsaccades', 'lschwetlick/EngbertMicrosaccadeToolbox')
  if (found === null) return
  const own = found.cases.map(({ left, right, lambda, minSamples }) => {
    const [l, r] = [left, right].map(([x, y]) => {
      const tUs = Float64Array.from(x, (_, i) => i * 2000)
      return findEyeSaccades({ tUs, x: column(x), y: column(y) }, 2000, { lambda, minSamples })
    })
    return pairSaccades(l, r).map((pair) =>
      [pair.left, pair.right].flatMap(({ first, last, amplitudeX, amplitudeY }) => [
        first,
        last,
        amplitudeX,
        amplitudeY,
      ]),
    )
  })
  expect(own.map((pairs) => pairs.length)).toEqual(found.cases.map((each) => each.known.length))
  const pairs = own.flat().length
  const about = { what, page: 'microsaccades.md', data: `${pairs} saccades in its example recordings, λ 5 and 6` }
  const theirs = found.cases.flatMap((each) => each.known.flat())
  expect(noteAgreement({ ...about, reference: found.clone.version, own: own.flat(2), known: theirs })).toBeLessThan(
    1e-9,
  )
})

test('scanpaths have the similarities of multimatch_gaze', () => {
  const what = 'MultiMatch: five similarities'
  type Case = { a: number[][]; b: number[][]; known: number[] }
  const found = known<Case>(what, 'scanpaths', 'adswa/multimatch_gaze')
  if (found === null) return
  const own = found.cases.flatMap(({ a, b }) => {
    const [one, other] = [a, b].map(([x, y, seconds]) => ({
      n: x.length,
      // Positions in widths of the item.
      x: column(x.map((value) => value / 1280)),
      y: column(y.map((value) => value / 1280)),
      durationMs: column(seconds.map((value) => value * 1000)),
      place: new Int32Array(x.length),
    }))
    const { vector, direction, length, position, duration } = compareScanpaths(one, other, Math.hypot(1280, 720) / 1280)
      .multiMatch!
    return [vector, direction, length, position, duration]
  })
  const about = { what, page: 'scanpaths.md', data: `${found.cases.length} pairs of its example data` }
  const theirs = found.cases.flatMap((each) => each.known)
  expect(noteAgreement({ ...about, reference: found.clone.version, own, known: theirs })).toBeLessThan(1e-9)
})

test('I2MC finds the fixations of the published program, but for its random numbers', () => {
  const what = 'I2MC'
  type Case = { columns: Record<'time' | 'L_X' | 'L_Y' | 'R_X' | 'R_Y', (number | null)[]>; known: number[][] }
  const found = known<Case>(what, 'i2mc', 'dcnieho/I2MC_Python')
  if (found === null) return
  const display = { leftPx: 0, topPx: 0, widthPx: 1920, heightPx: 1080 }
  const settings = { ...defaultParameters(), detector: 'i2mc' as const, mergeGapMs: 30 }
  const [gaze, fixations] = [createGaze(), createFixations()]
  const counted = { own: 0, known: 0, starts: 0, ends: 0 }
  for (const { columns, known: theirs } of found.cases) {
    const { time, ...rest } = columns
    const n = time.length
    const [leftGazeXPx, leftGazeYPx, rightGazeXPx, rightGazeYPx] = [rest.L_X, rest.L_Y, rest.R_X, rest.R_Y].map(column)
    const either = (a: Float64Array, b: Float64Array) =>
      a.map((value, i) => (Number.isNaN(value) ? b[i] : Number.isNaN(b[i]) ? value : (value + b[i]) / 2))
    const samples = {
      n,
      tUs: Float64Array.from(time, (t) => Math.round(t! * 1000)),
      gazeXPx: either(leftGazeXPx, rightGazeXPx),
      gazeYPx: either(leftGazeYPx, rightGazeYPx),
      scrollYPx: new Float64Array(n),
      mouseXPx: new Float64Array(n),
      mouseYPx: new Float64Array(n),
      isClick: new Uint8Array(n),
      eyes: { leftGazeXPx, leftGazeYPx, rightGazeXPx, rightGazeYPx },
    }
    denoise(samples, display, 200, gaze)
    detectFixations(gaze, display, settings, fixations, { samples, screen: null })
    const [starts, ends] = [fixations.startUs, fixations.endUs].map((times) =>
      Array.from(times.subarray(0, fixations.n), (t) => samples.tUs.indexOf(t)),
    )
    counted.own += starts.length
    counted.known += theirs.length
    counted.starts += theirs.filter(([start]) => starts.includes(start)).length
    // Theirs end with the sample after the last.
    counted.ends += theirs.filter(([, end]) => ends.includes(end) || ends.includes(end - 1)).length
  }
  noteResult({
    what,
    page: 'detectors.md#i2mc',
    data: 'the ten recordings of its example (Tobii TX300, 300 Hz)',
    reference: found.clone.version,
    result: `${counted.own} fixations, ${counted.known} there, with other random numbers; ${counted.starts} begin and ${counted.ends} end at the same sample`,
  })
  expect(counted.own).toBe(counted.known)
  expect(counted.starts / counted.known).toBeGreaterThan(0.9)
})
