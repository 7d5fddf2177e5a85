import { type EyeColumn, recordedEyes } from '../../model/eye-columns.ts'
import type { Manifest, Recording, Snapshot, Study } from '../../model/study.ts'

/** Facts about a whole study that columns and measures need besides their test; plain data that crosses threads. */
export type StudyFacts = {
  /** True if any bundle had the column, filled or not. */
  hasTags: boolean
  /** Names without `external_data_`, in ascending order of bytes. */
  externalDataNames: string[]
  /** Distinct names of all AOIs of the study, unchanged, by first appearance. */
  aoiNames: string[]
  recording: Recording | null
  /** Columns of eyes with values in any sample, in the order of output. */
  eyes: EyeColumn[]
}

/** Facts of an unknown study. */
export const NO_FACTS: StudyFacts = { hasTags: false, externalDataNames: [], aoiNames: [], recording: null, eyes: [] }

const known = new WeakMap<Study, StudyFacts>()

/** Returns the facts of a snapshot's study, cached: always the same object. */
export function studyFacts({
  study,
  manifest,
}: Pick<Snapshot, 'study'> & { manifest: Pick<Manifest, 'participantColumns' | 'sampleFiles'> }): StudyFacts {
  const made = known.get(study)
  if (made) return made
  const { hasTags = false, externalData = [] } = manifest.participantColumns ?? {}
  const facts = {
    hasTags,
    externalDataNames: externalData,
    aoiNames: [...new Set(study.aois.map(({ name }) => name))],
    recording: study.recording ?? null,
    eyes: recordedEyes(manifest),
  }
  known.set(study, facts)
  studies.set(facts, study)
  return facts
}

const studies = new WeakMap<StudyFacts, Study>()

/** Returns the study with these facts; undefined for those of no study, and on a thread, which has a copy. */
export function studyOf(facts: StudyFacts): Study | undefined {
  return studies.get(facts)
}
