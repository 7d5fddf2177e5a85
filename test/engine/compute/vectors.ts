import { readFileSync } from 'node:fs'
import type { Samples } from '../../../engine/compute/gaze.ts'

/** [tMs, gazeXPx, gazeYPx, scrollYPx], null = lost. */
export type VectorSample = [number, number | null, number | null, number | null]

export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), 'utf8'))
}

/** Samples of a test as the engine reads them: times in µs, NaN where lost. */
export function samplesOf(rows: VectorSample[]): Samples {
  const column = (index: number) => Float64Array.from(rows, (row) => row[index] ?? Number.NaN)
  return {
    n: rows.length,
    tUs: Float64Array.from(rows, ([tMs]) => Math.floor(tMs * 1000 + 0.5)),
    gazeXPx: column(1),
    gazeYPx: column(2),
    scrollYPx: Float64Array.from(rows, (row) => row[3] ?? 0),
    mouseXPx: new Float64Array(rows.length).fill(Number.NaN),
    mouseYPx: new Float64Array(rows.length).fill(Number.NaN),
    isClick: new Uint8Array(rows.length),
  }
}
