import type { Report } from '../model/bundle-problems.ts'
import type { Manifest } from '../model/study.ts'
import type { StudyReader } from '../snapshot/snapshots.ts'
import type { Changing } from '../study/change-study.ts'
import type { BundleFiles } from './bundle/bundle.ts'
import type { SampleLimits } from './bundle/bundle-limits.ts'
import type { StudyRead } from './bundle/study-json.ts'

export type ImportOptions = Omit<Changing, 'studyId' | 'spillMaxBytes' | 'waitMs'> & {
  /** The bundle's. */
  directory: string
  /** The studies that there are; those of the data directory, if not given. */
  studies?: StudyReader
  /** Adds participants and tests to a study instead of replacing it. */
  append: boolean
  /** The study that the bundle is of; if not given, the bundle says it. */
  studyId?: string
  /** Appends a bundle whose study.json may have further items and AOIs behind those of the study. */
  extendsStudy?: boolean
  /** Id of the snapshot that must be current still; null for any. */
  ifMatch?: string | null
  /** Limits of samples; by default, the defaults of the settings. */
  limits?: SampleLimits
  /** Samples written so far, and all. */
  onProgress?: (done: number, total: number) => void
}

export type ImportResult = {
  studyId: string
  snapshotId: string
  /** false for equal data again, and for a dry run. */
  published: boolean
  counts: Manifest['counts']
}

/** A bundle whose study.json has been read. */
export type Bundle = Pick<ImportOptions, 'append' | 'extendsStudy' | 'onProgress'> & {
  files: BundleFiles
  limits: SampleLimits
  read: StudyRead
  /** The problems found so far. */
  report: Report
}
