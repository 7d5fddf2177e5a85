import type { SampleColumns } from '../engine/import/samples/samples-parquet.ts'
import { readTrack } from './eye-track.ts'
import type { Person } from './people.ts'
import { createRandom, NORMAL_QUANTILES } from './random.ts'
import type { Trial } from './trial.ts'

/** Writes the next rows of a test from row `from` up to row `to`, and returns the row after the last one written. */
export type Sampler = (columns: SampleColumns, from: number, to: number) => number

/** The frames of a webcam come early or late by some of a step, a few are missing; the first may come before onset. */
const JITTER_SHARE = 0.06
const DROP_SHARE = { best: 0.0008, other: 0.004 }
/** The tracker's noise decays within a few frames; the drift of the eyes is slower. */
const NOISE_TIME_MS = 25
const DRIFT_TIME_MS = 450
const DRIFT_DEGREES = 0.14

/**
 * Samples a trial as a camera and a tracker would, frame by frame. A test may have millions of samples, so they are
 * made in pieces.
 *
 * @param path the random stream of this test's samples
 * @param idWords the test id as in SampleColumns
 */
export function sampleTrial(path: number[], trial: Trial, person: Person, idWords: Uint32Array): Sampler {
  const { uint32, uniform } = createRandom(...path)
  const { stepMs, durationMs, losses, screen } = trial
  const gaze = readTrack(trial.scanpath.gaze)
  const scroll = readTrack(trial.scanpath.scroll)
  const mouse = trial.mouse ? readTrack(trial.mouse.track) : null
  const clickMs = trial.mouse?.clickMs ?? []
  const isLost = trial.samples === 'lost'
  const scrolls = screen.maxScrollPx > 0 || mouse !== null
  const dropBelow = Math.floor((person.grade === 6 ? DROP_SHARE.best : DROP_SHARE.other) * 2 ** 20)
  const [noiseStays, noiseEnters] = decay(person.noisePx, NOISE_TIME_MS, stepMs)
  const [driftStays, driftEnters] = decay(DRIFT_DEGREES * person.pxPerDegree, DRIFT_TIME_MS, stepMs)
  const firstMs = stepMs * (uniform() * 1.2 - 0.7)
  let [frame, loss, click, noiseX, noiseY, driftX, driftY] = [0, 0, 0, 0, 0, 0, 0]

  return ({ testId, tMs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick }, from, to) => {
    let row = from
    while (row < to && trial.samples !== 'none') {
      const chanceWord = uint32()
      const noiseWord = uint32()
      const driftWord = uint32()
      const t = firstMs + stepMs * (frame++ + JITTER_SHARE * NORMAL_QUANTILES[chanceWord >>> 20])
      if (t > durationMs) return row
      noiseX = noiseX * noiseStays + noiseEnters * NORMAL_QUANTILES[noiseWord >>> 20]
      noiseY = noiseY * noiseStays + noiseEnters * NORMAL_QUANTILES[noiseWord & 0xfff]
      driftX = driftX * driftStays + driftEnters * NORMAL_QUANTILES[driftWord >>> 20]
      driftY = driftY * driftStays + driftEnters * NORMAL_QUANTILES[driftWord & 0xfff]
      if ((chanceWord & 0xfffff) < dropBelow) continue

      while (loss < losses.endMs.length && t >= losses.endMs[loss]) loss++
      const isGone = isLost || (loss < losses.startMs.length && t >= losses.startMs[loss])
      gaze.moveTo(t)
      testId[4 * row] = idWords[0]
      testId[4 * row + 1] = idWords[1]
      testId[4 * row + 2] = idWords[2]
      testId[4 * row + 3] = idWords[3]
      tMs[row] = Math.round(t * 1000) / 1000
      gazeXPx[row] = isGone ? Number.NaN : Math.round((gaze.x + person.biasXPx + noiseX + driftX) * 1000) / 1000
      gazeYPx[row] = isGone ? Number.NaN : Math.round((gaze.y + person.biasYPx + noiseY + driftY) * 1000) / 1000
      scroll.moveTo(t)
      scrollYPx[row] = scrolls ? Math.round(scroll.x) : Number.NaN
      isClick[row] = 0
      if (mouse) {
        mouse.moveTo(t)
        mouseXPx[row] = Math.round(mouse.x)
        mouseYPx[row] = Math.round(mouse.y)
        if (click < clickMs.length && t >= clickMs[click]) {
          isClick[row] = 1
          click++
        }
      } else {
        mouseXPx[row] = Number.NaN
        mouseYPx[row] = Number.NaN
      }
      row++
    }
    return row
  }
}

/** Returns the share of a noise that stays from frame to frame, and how much new noise keeps its deviation the same. */
function decay(deviationPx: number, timeMs: number, stepMs: number): [stays: number, entersPx: number] {
  const stays = Math.exp(-stepMs / timeMs)
  return [stays, deviationPx * Math.sqrt(1 - stays * stays)]
}
