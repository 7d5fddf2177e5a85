import { rm, rmdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Jobs, openJobs } from '../jobs/open-jobs.ts'
import { ServiceError } from '../model/errors.ts'
import type { Snapshot } from '../model/study.ts'
import { currentIdIn, openSnapshot } from '../snapshot/snapshots.ts'
import { studyDirectory } from '../storage/files/layout.ts'
import { takeLock, withStudyLock } from '../storage/files/lock.ts'
import { namesIn } from '../storage/files/optional-files.ts'
import { notifyStudy, type StudyNow } from '../webhooks/notify-study.ts'
import { COMPACTING } from './shared-files.ts'
import { removeAllBut, type Sweeping, sweepingDirectory } from './sweep-snapshots.ts'

/**
 * Location where studies are changed: the data directory, or a bucket by way of a mirror, a directory of this process.
 * A change is written into the study's directory, published there, and then published to all processes.
 */
export type StudyPlace = {
  /**
   * Runs `work` as the only change of a study.
   *
   * @param waitMs how long to wait for another
   * @throws ServiceError not_found for what is no id, busy when another process changes it, disk_full, store_away
   */
  change: <T>(studyId: string, work: (study: HeldStudy) => Promise<T>, waitMs?: number) => Promise<T>
  /** Runs `work` with the current state of a study, to publish nothing. */
  look: <T>(studyId: string, work: (study: HeldStudy) => Promise<T>) => Promise<T>
  /**
   * Runs `work`, which changes the analyses in a study's directory, and publishes them to all processes.
   *
   * @throws ServiceError busy, disk_full, store_away; and what `work` throws
   */
  decide: <T>(studyId: string, work: (studyDir: string) => Promise<T>) => Promise<T>
  /**
   * Runs `work` as the only process that merges a study's files, while others may change it.
   *
   * @param isDue whether there is anything to do
   * @param work given the study, and the place by which it changes that
   * @returns null where nothing is due, or another process is at it
   */
  compact: <T>(
    studyId: string,
    isDue: (study: MergedStudy) => Promise<boolean>,
    work: (study: MergedStudy, place: StudyPlace) => Promise<T>,
  ) => Promise<T | null>
  /** Runs `tell` with the published state of a study, while nobody changes it. @throws ServiceError busy */
  tell: (studyId: string, tell: (now: StudyNow) => Promise<void>) => Promise<void>
  /** Returns the time of day. */
  now: () => Date
  /** Removes replaced snapshots that nobody needs. */
  sweep: (sweeping: Sweeping) => Promise<void>
  /** Releases the resources of this process. */
  close: () => Promise<void>
}

/** A study whose files are merged: its directory with the folder `COMPACTING`, and its snapshots. */
export type MergedStudy = Pick<HeldStudy, 'studyDir' | 'open'>

/** A study that no other process changes. */
export type HeldStudy = {
  studyDir: string
  /** Returns true if anything of the study exists, including leftovers of a killed removal. */
  isKnown: () => Promise<boolean>
  /** True if older snapshots are not in its directory, and are fetched when they are opened. */
  isElsewhere: boolean
  /**
   * True if a killed removal had left something, which was deleted now. In a directory, the leftovers themselves tell
   * that.
   */
  hadRest: boolean
  /** Opens a snapshot. @throws ServiceError not_found, corrupt */
  open: (snapshotId: string) => Promise<Snapshot>
  /**
   * Publishes the content of its directory to all processes: the current snapshot, history, past AOIs and analyses.
   *
   * @param isRest whether nothing else of the study may stay: `removeOthers` follows, here or, after a kill, elsewhere
   * @throws ServiceError busy where somebody else has published meanwhile: then nothing is changed
   */
  publish: (isRest?: boolean) => Promise<void>
  /** Notifies webhooks of the published state of the study. */
  notify: () => Promise<void>
  /** Jobs of the installation, whose files go with a removal. */
  jobs: () => Jobs
  /** Deletes all snapshots but one (null for all), and the files that only they have. Call `publish` before. */
  removeOthers: (snapshotId: string | null) => Promise<void>
}

const LOCK = /^(compact\.)?lock/

/** Returns the place of a data directory, where a study's directory is what all processes see. */
export function directoryPlace(dataDir: string, now: () => Date = () => new Date()): StudyPlace {
  const held = (studyDir: string): HeldStudy => ({
    studyDir,
    isKnown: async () => (await namesIn(studyDir)).some((name) => !LOCK.test(name)),
    isElsewhere: false,
    hadRest: false,
    open: (snapshotId) => openSnapshot(join(studyDir, snapshotId)),
    publish: async () => {},
    notify: () => notifyStudy(dataDir, () => studyNow(studyDir, now())),
    jobs: () => openJobs(dataDir, now),
    removeOthers: (keepId) => removeAllBut(studyDir, keepId),
  })
  const place: StudyPlace = {
    now,
    change: async (studyId, work, waitMs) => {
      const studyDir = directoryOf(dataDir, studyId)
      return withStudyLock(studyDir, () => work(held(studyDir)), waitMs)
    },
    look: async (studyId, work) => work(held(directoryOf(dataDir, studyId))),
    decide: (studyId, work) => work(directoryOf(dataDir, studyId)),
    compact: async (studyId, isDue, work) => {
      const study = held(directoryOf(dataDir, studyId))
      if ((await currentIdIn(study.studyDir)) === null || !(await isDue(study))) return null
      const lock = await takeLock(join(study.studyDir, 'compact.lock'))
      if (lock === null) return null
      try {
        return await work(study, place)
      } finally {
        await rm(join(study.studyDir, COMPACTING), { recursive: true, force: true })
        await lock.release()
        // Remove the directory if the study is gone.
        await rmdir(study.studyDir).catch(() => undefined)
      }
    },
    tell: async (studyId, tell) => {
      const studyDir = directoryOf(dataDir, studyId)
      await withStudyLock(studyDir, async () => tell(await studyNow(studyDir, now())))
    },
    sweep: sweepingDirectory(dataDir, now),
    close: async () => {},
  }
  return place
}

/** Returns the directory of a study. @throws ServiceError not_found for what is no id */
export function directoryOf(dataDir: string, studyId: string): string {
  const studyDir = studyDirectory(dataDir, studyId)
  if (studyDir === null) throw new ServiceError('not_found', 'there is no such study')
  return studyDir
}

/** Returns the current snapshot of the study in a directory. @param now when a study that is gone was removed */
async function studyNow(studyDir: string, now: Date): Promise<StudyNow> {
  const snapshotId = await currentIdIn(studyDir)
  const sinceMs = snapshotId === null ? now.getTime() : (await stat(join(studyDir, 'current'))).mtimeMs
  return { studyId: basename(studyDir), snapshotId, sinceMs }
}
