import type { Report } from '../model/bundle-problems.ts'
import type { Manifest } from '../model/study.ts'
import type { StudyReader } from '../snapshot/snapshots.ts'
import type { Changing } from '../study/change-study.ts'
import type { BundleFiles } from './bundle/bundle.ts'
import type { SampleLimits } from './bundle/bundle-limits.ts'
import type { StudyRead } from './bundle/study-json.ts'

export type ImportOptions = Omit<Changing, 'studyId' | 'spillMaxBytes' | 'waitMs'> & {
  /** Directory of the bundle. */
  directory: string
  /** Existing studies; those of the data directory if absent. */
  studies?: StudyReader
  /** Adds participants and tests to a study instead of replacing it. */
  append: boolean
  /** Study of the bundle; if absent, the bundle names it. */
  studyId?: string
  /** Project of the study, in place of that of study.json. */
  project?: string
  /** Appends a bundle whose study.json may add items and AOIs after those of the study. */
  extendsStudy?: boolean
  /** Id of the snapshot that must still be current; null for any. */
  ifMatch?: string | null
  /** Limits of samples; those of the default settings if absent. */
  limits?: SampleLimits
  /** Reports the number of samples written so far, and of all samples. */
  onProgress?: (done: number, total: number) => void
}

export type ImportResult = {
  studyId: string
  snapshotId: string
  /** False if the same data was already imported, and for a dry run. */
  published: boolean
  counts: Manifest['counts']
}

/** A bundle after its study.json was read. */
export type Bundle = Pick<ImportOptions, 'append' | 'extendsStudy' | 'onProgress'> & {
  files: BundleFiles
  limits: SampleLimits
  read: StudyRead
  /** Project that the study gets in place of that of study.json; absent if it is the same. */
  project?: string
  /** Problems found so far. */
  report: Report
}
