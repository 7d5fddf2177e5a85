import { useEffect, useState } from 'preact/hooks'
import { bootstrap, meanDifference } from '../../../engine/analysis/bootstrap.ts'
import { quantile } from '../../../engine/analysis/descriptive.ts'
import { holm } from '../../../engine/analysis/holm.ts'
import { cliffsDelta, mannWhitney } from '../../../engine/analysis/mann-whitney.ts'
import { permutationTest } from '../../../engine/analysis/permutation.ts'
import type { Effect, TestResult } from '../../../engine/analysis/test-result.ts'

export type TestKind = 'mann-whitney' | 'permutation'

/** Two groups compared in one AOI; `test` and `effect` are null where a group has fewer than three participants. */
export type Comparison = {
  aoi: number
  /** Places of the groups. */
  first: number
  second: number
  n: [number, number]
  medians: [number, number]
  means: [number, number]
  test: TestResult | null
  pHolm: number | null
  /** Not yet computed: undefined. */
  effect: Effect | null | undefined
}

/** Fewer can show nothing. */
const LEAST = 3
export const SEED = 1
const BUSY_MS = 14

/** Compares every two groups in every AOI. @param values by AOI, by group, by participant */
function compareAll(values: number[][][], kind: TestKind): Comparison[] {
  const rows: Comparison[] = []
  for (const [aoi, groups] of values.entries()) {
    for (let first = 0; first < groups.length; first++) {
      for (let second = first + 1; second < groups.length; second++) {
        const [a, b] = [groups[first], groups[second]]
        const isEnough = a.length >= LEAST && b.length >= LEAST
        const test = kind === 'permutation' ? permutationTest : mannWhitney
        rows.push({
          aoi,
          first,
          second,
          n: [a.length, b.length],
          medians: [quantile(a, 0.5), quantile(b, 0.5)],
          means: [meanDifference(a, [0]), meanDifference(b, [0])],
          test: isEnough ? test(a, b, SEED) : null,
          pHolm: null,
          effect: isEnough ? undefined : null,
        })
      }
    }
  }
  const corrected = holm(rows.map(({ test }) => test?.p ?? null))
  return rows.map((row, i) => ({ ...row, pHolm: corrected[i] }))
}

/** Returns an effect in the terms of a test: Cliff's δ, or the difference of the means. */
function effectOf(a: number[], b: number[], kind: TestKind): Effect {
  return bootstrap(a, b, kind === 'permutation' ? meanDifference : cliffsDelta, SEED)
}

/** Compares as `compareAll` does; effects follow one after the other, so that the page stays quick. */
export function useComparisons(values: number[][][], kind: TestKind): Comparison[] {
  const [rows, setRows] = useState<Comparison[]>([])
  useEffect(() => {
    let isStopped = false
    const work = async () => {
      const all = compareAll(values, kind)
      setRows([...all])
      let since = performance.now()
      for (const [i, row] of all.entries()) {
        if (row.effect === null) continue
        const groups = values[row.aoi]
        all[i] = { ...row, effect: effectOf(groups[row.first], groups[row.second], kind) }
        if (performance.now() - since < BUSY_MS) continue
        await new Promise((resolve) => window.setTimeout(resolve))
        if (isStopped) return
        since = performance.now()
      }
      setRows([...all])
    }
    void work()
    return () => {
      isStopped = true
    }
  }, [values, kind])
  return rows
}

/** Prints p so that no digit is lost that matters: never as 0, never as a star. */
export function pText(p: number | null): string {
  if (p === null) return '–'
  return p < 0.0001 ? '< 0.0001' : p.toFixed(p < 0.01 ? 4 : 3)
}
