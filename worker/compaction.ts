import { isTransient } from '../engine/jobs/faults.ts'
import { snapshotsOfOpen } from '../engine/jobs/list-jobs.ts'
import type { Jobs } from '../engine/jobs/open-jobs.ts'
import { ServiceError } from '../engine/model/errors.ts'
import type { Config } from '../engine/model/settings.ts'
import { isDiskFull } from '../engine/model/system-errors.ts'
import type { Studies } from '../engine/snapshot/snapshots.ts'
import { compactStudy } from '../engine/study/compact/compact-study.ts'
import type { StudyPlace } from '../engine/study/place.ts'
import { sweepSnapshots } from '../engine/study/sweep-snapshots.ts'
import { type Passes, startPasses } from './passes.ts'
import type { Log } from './tries/job-context.ts'

type Parts = {
  jobs: Jobs
  studies: Studies
  /** Store of studies that change; if absent, the data directory. */
  place?: StudyPlace
  config: Pick<Config, 'dataDir' | 'engineMemoryMib'>
  log: Log
}

const LOOK_EVERY_MS = 2000
/** Studies that need no further look: they were looked at twice since their last change, the second time at rest. */
const LOOKS = 4

/**
 * Compacts growing studies until it is closed: merges their small sample files in the background, one study at a time.
 */
export function startCompaction({ jobs, studies, place, config, log }: Parts): Passes {
  const looked = new Map<string, { snapshotId: string; looks: number }>()

  /** Interval of log lines: an error that repeats every two seconds would fill the log. */
  function tellOnce(studyId: string, err: Error): void {
    if (looked.get(studyId)?.snapshotId === err.message) return
    looked.set(studyId, { snapshotId: err.message, looks: 0 })
    log.error({ studyId, err }, 'the study cannot be read')
  }

  async function look(studyId: string, snapshotId: string, signal: AbortSignal): Promise<void> {
    if (snapshotId === '') throw new ServiceError('corrupt', `study ${studyId}: its current snapshot is unknown`)
    const last = looked.get(studyId)
    const looks = last?.snapshotId === snapshotId ? last.looks + 1 : 1
    looked.set(studyId, { snapshotId, looks })
    if (looks > LOOKS) return
    const { dataDir, engineMemoryMib: memoryMib } = config
    try {
      // Files of the previous merge are removed first, so that the disk holds little data twice.
      if (looks > 1) await sweepSnapshots(dataDir, studyId, () => snapshotsOfOpen(jobs), jobs.now())
      const merged = await compactStudy({ dataDir, place, studyId, threads: 1, memoryMib, now: new Date(), signal })
      if (merged !== null) log.info({ studyId, ...merged }, merged.from > 0 ? 'sample files merged' : 'tables merged')
    } catch (error) {
      if (signal.aborted) return
      log[isTransient(error) || isDiskFull(error) ? 'warn' : 'error'](
        { studyId, err: error },
        'sample files could not be merged',
      )
    }
  }

  async function lookAtAll(signal: AbortSignal): Promise<void> {
    const currents = await studies.currents()
    for (const [studyId, snapshotId] of currents)
      if (!signal.aborted) await look(studyId, snapshotId, signal).catch((err) => tellOnce(studyId, err))
    for (const studyId of looked.keys()) if (!currents.has(studyId)) looked.delete(studyId)
  }
  return startPasses(lookAtAll, { everyMs: LOOK_EVERY_MS, fault: 'the studies cannot be read', log })
}
