import type { Manifest, StudyWrite } from '../model/study.ts'
import type { BundleFiles } from './bundle/bundle.ts'
import type { SampleLimits } from './bundle/bundle-limits.ts'

export type ImportOptions = {
  /** Absolute; made when it is not there. */
  dataDir: string
  /** The bundle's. */
  directory: string
  /** Adds participants and tests to a study instead of replacing it. */
  append: boolean
  /** The study that the bundle is of; if not given, the bundle says it. */
  studyId?: string
  /** Appends a bundle whose study.json may have further items and AOIs behind those of the study. */
  extendsStudy?: boolean
  /** Checks everything, and publishes nothing. */
  dryRun: boolean
  /** An existing directory for the temporary files of a dry run; the system's own, where nobody removes what a killed process left, if not given. */
  scratch?: string
  /** Time at which the snapshot is made; it influences no id and no export. */
  now: Date
  threads: number
  /** DuckDB's memory; what does not fit is spilled beside the study. */
  memoryMib: number
  /** Of samples; as the settings' defaults are, if not given. */
  limits?: SampleLimits
  signal?: AbortSignal
  /** What the study's history is to tell of it. */
  write?: StudyWrite
  /** Samples written so far, and all. */
  onProgress?: (done: number, total: number) => void
  /**
   * Called with the study locked, once everything is checked and before anything of it can be seen; what it throws refuses the import. Not
   * for equal data again.
   */
  beforePublish?: (publication: Publication) => Promise<void>
}

/** What is about to be published, and the snapshot that it replaces; null for a new study. Of a dry run, what would be. */
export type Publication = { studyId: string; snapshotId: string; replacedId: string | null }

export type ImportResult = {
  studyId: string
  snapshotId: string
  /** false for equal data again, and for a dry run. */
  published: boolean
  counts: Manifest['counts']
}

/** An import at work. */
export type Importing = Omit<ImportOptions, 'signal' | 'limits' | 'directory'> & {
  signal: AbortSignal
  limits: SampleLimits
  files: BundleFiles
}
