import { ServiceError } from '../errors.ts'
import { createContext } from '../exports/context.ts'
import { sliceSamples } from '../store/read-samples.ts'
import { type ShardTask, samplesOfShard, stopIfAsked, viewsOf } from '../thread.ts'
import type { ChartRequest } from './chart.ts'
import { chartOf } from './kinds.ts'

/** A shard of a chart's tests; the fields are those of an export's. */
export type ChartTask = Omit<ShardTask, 'isFirst' | 'gzip' | 'spare' | 'fresh'> & { request: ChartRequest }
/** Errors do not cross threads whole, so their code travels apart. */
export type ChartAnswer =
  | { part: unknown }
  | { failed: { code: ServiceError['code']; message: string; detail: string } }

/** A few milliseconds of work. */
const LOOK_EVERY_SAMPLES = 8192

/** One thread, one shard of a chart. */
export async function computeChart(task: ChartTask): Promise<ChartAnswer> {
  try {
    return { part: await run(task) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const detail = error.cause instanceof Error ? String(error.cause.stack) : ''
    return { failed: { code: error.code, message: error.message, detail } }
  }
}

async function run(task: ChartTask): Promise<unknown> {
  const { plan, shard, request } = task
  const chart = chartOf(request)
  const samples = samplesOfShard(task, chart.reads)
  const context = createContext(plan, task.aois)
  const part = chart.start()
  let sinceLook = 0
  const { testAt, participantAt } = viewsOf(task)
  for (const [i, row] of shard.testRows.entries()) {
    const test = testAt(row)
    sinceLook += test.sampleCount + 1
    if (sinceLook > LOOK_EVERY_SAMPLES) {
      sinceLook = 0
      stopIfAsked(task.stop)
    }
    const identity = {
      studyId: plan.studyId,
      item: task.items[test.itemIndex],
      participant: participantAt(test.participantIndex),
      test,
    }
    const own = sliceSamples(samples, shard.rowOffsets[i], test.sampleCount)
    chart.addTest(part, { identity, samples: own, isFirstOfFile: false }, context)
  }
  return part
}
