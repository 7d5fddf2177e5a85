import type { Cluster } from './cluster.ts'
import { damaging, fillingDisk, turningBits } from './damage-strikes.ts'
import { freezing, killing, losingQueue, restarting, silencing, spoilingQueue } from './process-strikes.ts'
import { openStriker, type Strike } from './strike.ts'

/** Lists what is done to a cluster. @param noteFull told when its disk is filled */
export function strikesOn(cluster: Cluster, noteFull: () => void, wrong: string[]): Strike[] {
  const striker = openStriker(cluster, wrong)
  // A short run has time for the first rare ones only.
  const [flipped, ...damaged] = damaging(striker, [
    ['flipped', 'one bit of a snapshot turned'],
    ['cut', 'Parquet file truncated'],
    ['overwritten', 'Parquet file overwritten in the middle'],
  ])
  const fulls = cluster.hasSmallDisk ? [fillingDisk(striker, noteFull)] : []
  const ofFiles = [turningBits(striker), flipped, ...fulls, ...damaged]
  if (cluster.mode === 'embedded')
    return [killing(striker, 'start', 14), spoilingQueue(striker), ...ofFiles, restarting(striker, 'start', 2)]
  const queue = cluster.mode === 'postgres' ? 'postgres' : 'redis'
  const ofStore = [killing(striker, 's3', 12), silencing(striker)]
  return [
    killing(striker, 'worker', 20),
    killing(striker, 'server', 5),
    killing(striker, queue, 12),
    freezing(striker),
    ...(cluster.bucket ? ofStore : ofFiles),
    losingQueue(striker, queue),
    restarting(striker, 'worker', 1),
    restarting(striker, 'server', 1),
  ]
}
