import { snapshotsOfOpen } from '../engine/jobs/list-jobs.ts'
import { removeDeadScratch } from '../engine/storage/files/scratch.ts'
import { tidyWebhooks } from '../engine/webhooks/tidy-webhooks.ts'
import { KINDS } from './kinds/kinds.ts'
import { type Passes, startPasses } from './passes.ts'
import { LEFT_BEHIND_MS, type SweepParts } from './tries/listed-work.ts'
import { putBack } from './tries/put-back.ts'

const PASS_EVERY_MS = 3000
const TIDY_EVERY_MS = 60_000

/**
 * Sweeps every few seconds, in one of the processes on a data directory. A sweep queues unfinished work of each kind
 * again that is missing from the queue, expires files by age and space, removes records of ended work after a week, and
 * deletes unused snapshots and leftovers of dead processes.
 */
export function startSweep(parts: SweepParts): Passes {
  const { jobs, place, records, config, log } = parts
  const sweeper = jobs.newSweeper()
  const listings = KINDS.map(({ listing }) => listing(parts))
  let tidiedMs = Number.NEGATIVE_INFINITY
  const sweeping = {
    studies: parts.studies,
    inUse: () => snapshotsOfOpen(jobs),
    onRemoved: (studyId: string, snapshots: string[]) => log.info({ studyId, snapshots }, 'old snapshots removed'),
    onFault: (studyId: string, err: unknown) => log.error({ studyId, err }, 'old snapshots not removed'),
  }

  async function sweep(stopping: AbortSignal): Promise<void> {
    if (!(await sweeper.hold())) return
    const listed = await Promise.all(listings.map((list) => list()))
    const now = parts.now?.() ?? new Date()
    await putBack(
      listed.flatMap(({ promised }) => promised),
      parts,
      stopping,
    )
    for (const { expire } of listed) await expire(now)
    if (now.getTime() - tidiedMs < TIDY_EVERY_MS) return
    tidiedMs = now.getTime()
    for (const { tidy } of listed) await tidy(now)
    const leftBehind = new Date(now.getTime() - LEFT_BEHIND_MS)
    await tidyWebhooks(records, leftBehind)
    await parts.objects?.tidy(leftBehind)
    await removeDeadScratch(config.dataDir)
    await place.sweep(sweeping)
  }
  return startPasses(sweep, { everyMs: PASS_EVERY_MS, fault: 'sweep failed', log, settle: sweeper.release })
}
