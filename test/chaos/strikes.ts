import { damaging, fillingDisk, turningBits } from './damage-strikes.ts'
import { freezing, killing, losingQueue, restarting, silencing, spoilingQueue } from './process-strikes.ts'
import { openStriker, type Strike } from './strike.ts'
import type { Town } from './town.ts'

/** Lists what is done to a town. @param noteFull told when its disk is filled */
export function strikesOn(town: Town, noteFull: () => void, wrong: string[]): Strike[] {
  const striker = openStriker(town, wrong)
  // A short run has time for the first rare ones only.
  const [flipped, ...damaged] = damaging(striker, [
    ['flipped', 'one bit of a snapshot turned'],
    ['cut', 'Parquet file truncated'],
    ['overwritten', 'Parquet file overwritten in the middle'],
  ])
  const fulls = town.hasSmallDisk ? [fillingDisk(striker, noteFull)] : []
  const ofFiles = [turningBits(striker), flipped, ...fulls, ...damaged]
  if (town.mode === 'embedded')
    return [killing(striker, 'start', 14), spoilingQueue(striker), ...ofFiles, restarting(striker, 'start', 2)]
  const queue = town.mode === 'postgres' ? 'postgres' : 'redis'
  const ofStore = [killing(striker, 's3', 12), silencing(striker)]
  return [
    killing(striker, 'worker', 20),
    killing(striker, 'server', 5),
    killing(striker, queue, 12),
    freezing(striker),
    ...(town.bucket ? ofStore : ofFiles),
    losingQueue(striker, queue),
    restarting(striker, 'worker', 1),
    restarting(striker, 'server', 1),
  ]
}
