import { computeInOrder } from '../in-order.ts'
import type { Plan } from '../plan.ts'
import type { EnginePool } from '../pool.ts'
import { type RunOptions, runExport, shardTask } from '../run.ts'
import { cutShards } from '../select.ts'
import type { Snapshot } from '../study.ts'
import type { Rows } from '../table.ts'
import type { ChartRequest } from './chart.ts'
import { readCsv } from './csv.ts'
import { chartOf } from './kinds.ts'

/**
 * Computes a chart's data over tests, shard by shard on the threads, added up in order: the same request gives the same
 * numbers on any number of threads.
 *
 * @param tests of the plan, in the order of output
 * @throws ServiceError corrupt as for an export, canceled when `signal` aborts
 */
export async function runChart<Part>({
  request,
  plan,
  snapshot,
  tests,
  pool,
  signal,
}: {
  request: ChartRequest
  plan: Plan
  snapshot: Snapshot
  tests: Rows
  pool: EnginePool
  signal: AbortSignal
}): Promise<Part> {
  const chart = chartOf(request)
  const total = chart.start()
  const parts = computeInOrder({
    shards: cutShards(tests, snapshot),
    compute: (shard, stop) => pool.computeChart({ ...shardTask(shard, plan, snapshot, stop, true), request }),
    lookAhead: pool.threads + 1,
    signal,
    what: 'chart',
  })
  for await (const { result } of parts) chart.merge(total, result)
  return total as Part
}

/** An export over tests, read: its header and its rows. @throws as `runExport` */
export async function readExport(
  options: Pick<RunOptions, 'plan' | 'snapshot' | 'tests' | 'pool' | 'signal'>,
): Promise<string[][]> {
  const blocks: Uint8Array[] = []
  for await (const { csv } of runExport({ ...options, gzip: false, isUrgent: true })) blocks.push(csv.slice())
  return readCsv(Buffer.concat(blocks).toString('utf8'))
}
