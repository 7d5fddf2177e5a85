import { createContext } from '../exports/context.ts'
import { type Failed, failed, type ShardInput, testRuns } from '../thread.ts'
import type { ChartRequest } from './chart.ts'
import { chartOf } from './kinds.ts'

/** A shard of a chart's tests; the fields are those of an export's. */
export type ChartTask = ShardInput & { request: ChartRequest }
export type ChartAnswer = { part: unknown } | Failed

/** One thread, one shard of a chart. */
export async function computeChart(task: ChartTask): Promise<ChartAnswer> {
  try {
    return { part: computePart(task) }
  } catch (error) {
    return failed(error)
  }
}

function computePart(task: ChartTask): unknown {
  const chart = chartOf(task.request)
  const context = createContext(task.plan, task.aois)
  const part = chart.start()
  for (const run of testRuns(task, chart.reads, false)) chart.addTest(part, run, context)
  return part
}
