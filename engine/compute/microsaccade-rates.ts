import type { Epoch } from './looks.ts'
import { firstAt } from './time-window.ts'

/** Microsaccades in each bin, and the seconds with gaze of both eyes; of equal lengths, without gaps. */
export type MicrosaccadeRates = { counts: number[]; seconds: number[] }

/** Times of a test, in ascending order, and the starts of its microsaccades, in µs. */
export type MicrosaccadeTimes = {
  tUs: Float64Array
  /** 1 for times with gaze of both eyes, else 0. */
  hasGaze: Uint8Array
  /** Median step between the times. */
  stepUs: number
  startsUs: number[]
}

/**
 * Adds the microsaccades that begin in each bin of an epoch, and its seconds of gaze: docs/microsaccades.md, "Rate over
 * time".
 *
 * @returns `within`, true if the epoch has gaze of both eyes; `isLonger`, true if it has some after the last bin
 */
export function addMicrosaccades(
  { counts, seconds }: MicrosaccadeRates,
  { tUs, hasGaze, stepUs, startsUs }: MicrosaccadeTimes,
  { fromUs, toUs, binUs }: Epoch,
  binsMax: number,
): { within: boolean; isLonger: boolean } {
  const binOf = (us: number) => Math.floor((us - fromUs) / binUs)
  const addTo = (values: number[], bin: number, value: number) => {
    while (counts.length <= bin) {
      counts.push(0)
      seconds.push(0)
    }
    values[bin] += value
  }
  const found = { within: false, isLonger: false }
  const [start, end] = [firstAt(tUs, tUs.length, fromUs), firstAt(tUs, tUs.length, toUs)]
  for (let i = start; i < end; i++) {
    if (hasGaze[i] === 0) continue
    const bin = binOf(tUs[i])
    if (bin >= binsMax) {
      found.isLonger = true
      break
    }
    found.within = true
    addTo(seconds, bin, stepUs / 1e6)
  }
  for (const us of startsUs) if (us >= fromUs && us < toUs && binOf(us) < binsMax) addTo(counts, binOf(us), 1)
  return found
}
