import type { Plan } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import { computeInOrder } from '../../run/in-order.ts'
import type { EnginePool } from '../../run/pool/pool.ts'
import { threadFile } from '../../run/pool/thread-file.ts'
import { shardInput } from '../../run/shards/shard-input.ts'
import { cutShards } from '../../run/shards/shards.ts'
import { withSampleFile } from '../../snapshot/pin-samples.ts'
import type { Selection } from '../../snapshot/selection.ts'
import type { ChartRequest } from './chart.ts'
import { chartOf } from './chart-kinds.ts'
import type { ComputedPart } from './chart-thread.ts'
import { mergeViewers, noViewers, type Viewers } from './viewers.ts'

/** Modules that threads preload, since charts are requested again and again. */
export const CHART_THREAD = threadFile(import.meta.url, './chart-thread.js')

/**
 * Computes a chart's data over tests: threads compute shards, which are merged in order, so the result does not depend
 * on the number of threads.
 *
 * @param tests of the plan, in the order of output
 * @returns the merged data and, if the chart reads gaze, the tests that have gaze
 * @throws ServiceError corrupt as for an export, canceled if `signal` aborts
 */
export async function runChart<Part>(given: {
  request: ChartRequest
  plan: Plan
  snapshot: Snapshot
  tests: Selection
  pool: EnginePool
  signal: AbortSignal
}): Promise<{ part: Part; viewers: Viewers }> {
  const { request, plan, snapshot, tests, pool, signal } = given
  const chart = chartOf(request)
  const total = chart.start()
  const viewers = noViewers()
  const parts = computeInOrder({
    shards: cutShards(tests),
    compute: (shard, stop) => {
      const task = { ...shardInput(shard, plan, snapshot, stop, true), request }
      return withSampleFile(
        snapshot,
        task.file,
        () => pool.computeBy(CHART_THREAD, 'computeChart', task) as Promise<ComputedPart>,
      )
    },
    lookAhead: pool.threads + 1,
    signal,
    what: 'chart',
  })
  for await (const { takeResult } of parts) {
    const { part, viewers: some } = await takeResult()
    chart.merge(total, part)
    mergeViewers(viewers, some)
  }
  return { part: total as Part, viewers }
}
