import { type Failed, failed } from '../../run/pool/thread-answers.ts'
import { contextOf, readRuns } from '../../run/shards/shard.ts'
import type { ShardInput } from '../../run/shards/shard-input.ts'
import type { ChartRequest } from './chart.ts'
import { chartOf } from './chart-kinds.ts'
import { addViewer, noViewers, type Viewers } from './viewers.ts'

/** Result of a shard; `viewers` is valid only if the chart reads gaze. */
export type ComputedPart = { part: unknown; viewers: Viewers }

/** A shard of a chart's tests. */
type ChartTask = ShardInput & { request: ChartRequest }

/** Cache of shards of the usual length, since a chart is requested again at every step of a slider. */
const KEPT_ROWS_MAX = 1 << 18

/** Computes one shard of a chart on this thread. */
export async function computeChart(task: ChartTask): Promise<{ part: ComputedPart } | Failed> {
  try {
    return { part: await computePart(task) }
  } catch (error) {
    return failed(error)
  }
}

async function computePart(task: ChartTask): Promise<ComputedPart> {
  const chart = chartOf(task.request)
  const runs = await readRuns(task, chart.reads, KEPT_ROWS_MAX)
  const context = await contextOf(task, chart)
  const part = chart.start()
  const viewers = noViewers()
  for (const { run } of runs()) {
    const isViewed = addViewer(viewers, run.samples, run.identity.test.participantIndex)
    if (isViewed || !chart.ofViewers) chart.addTest(part, run, context)
  }
  return { part, viewers }
}
