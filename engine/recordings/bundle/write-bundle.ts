import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SampleLimits } from '../../import/bundle/bundle-limits.ts'
import { writeSampleParquet } from '../../import/samples/samples-parquet.ts'
import { ServiceError } from '../../model/errors.ts'
import type { EyeColumn } from '../../model/eye-columns.ts'
import { isDiskFull } from '../../model/system-errors.ts'
import type { RecordedChoices } from '../../snapshot/recordings-file.ts'
import type { Batch } from '../draft/batch.ts'
import { type Draft, type Ids, noteDoubt } from '../draft/draft.ts'
import { noteMessages } from '../draft/draft-events.ts'
import { countedText, leftTexts } from '../draft/note-texts.ts'
import { recordingOf } from '../draft/recording-facts.ts'
import { assumeTheRest } from './assume-the-rest.ts'
import {
  writeConversion,
  writeEventsCsv,
  writeParticipantsCsv,
  writeRecordings,
  writeStudy,
  writeTestsCsv,
  writeValidationsCsv,
} from './bundle-files.ts'
import { makeIds } from './bundle-ids.ts'
import { checkTexts } from './check-texts.ts'
import { type ContinuedStudy, fitIntoStudy } from './continued-study.ts'
import { openDoubts } from './doubt-result.ts'
import { settleTests } from './settle-tests.ts'
import { openSpool } from './spool.ts'
import { CANCELED, spoolBatches, unspool } from './spool-samples.ts'
import { type PictureFile, placePictures, takePictures } from './take-pictures.ts'

export type BundleCounts = {
  studyId: string
  participants: number
  items: number
  tests: number
  samples: number
  validations: number
  /** Samples without gaze. */
  lostSamples: number
  /** Tests with gaze. */
  testsWithGaze: number
}

type BundleWriting = {
  /** Absolute path, created if missing; the caller removes it if `writeBundle` throws. */
  directory: string
  draft: Draft
  /** Batches of the reader that fills the draft; the draft is complete when they end. */
  batches: AsyncIterable<Batch>
  /** Hashes the recording files, by name, once the draft is complete. */
  hashesOf: () => Promise<Map<string, string>>
  /** Pictures beside the recordings, and the items to which some were assigned by hand. */
  pictures: PictureFile[]
  chosenPictures: Map<string, string | null>
  /** True if names that differ only in spelling are one. */
  joinsNames: boolean
  /** Study to which the bundle will be appended. */
  continued: ContinuedStudy | null
  format: { name: string; title: string; choices: RecordedChoices }
  memoryMib: number
  limits: SampleLimits
  onSamples?: (samples: number) => void
  signal?: AbortSignal
}

/**
 * Writes a draft and its samples as a bundle. The same draft and samples give the same bytes.
 *
 * @throws ServiceError invalid_bundle if the files contain no recording, or an impossible time; canceled, disk_full
 */
export async function writeBundle(writing: BundleWriting): Promise<BundleCounts> {
  const { directory, draft, batches, hashesOf, format, memoryMib, limits, onSamples, signal } = writing
  mkdirSync(directory, { recursive: true })
  const spool = openSpool(join(directory, 'samples.spool'))
  try {
    const tallies = await spoolBatches(spool, batches, draft, limits, onSamples, signal)
    if (draft.tests.length === 0)
      throw new ServiceError('invalid_bundle', `no recording was found in the files (${format.title})${whyNone(draft)}`)
    noteMessages(draft)
    const indexes = await settleTests(draft, tallies, writing)
    checkTexts(draft)
    const hashes = await hashesOf()
    const ids = makeIds(draft, [...hashes.values()], writing.continued)
    await writeRows(writing, ids, tallies.eyes)
    const doubts = openDoubts(draft)
    await writeSampleParquet({
      directory,
      path: join(directory, 'samples.parquet'),
      memoryMib,
      eyes: tallies.eyes,
      fill: unspool(spool, draft, { testIds: ids.tests, indexes, onBatch: doubts.take, signal }),
    })
    doubts.note()
    const counts = {
      studyId: ids.study,
      participants: draft.participants.length,
      items: draft.items.length,
      tests: draft.tests.length,
      validations: draft.validations.length,
      samples: tallies.samples,
      lostSamples: tallies.lost,
      testsWithGaze: doubts.testsWithGaze(),
    }
    writeRecordings(directory, draft, ids, format, hashes)
    writeConversion(directory, draft, format.title, counts)
    return counts
  } catch (error) {
    if (signal?.aborted) throw new ServiceError('canceled', CANCELED, { cause: error })
    if (!isDiskFull(error)) throw error
    throw new ServiceError('disk_full', 'there is no space left on the disk', { cause: error })
  } finally {
    spool.close()
  }
}

/** Completes a draft whose samples are known, and writes everything but those. @param eyes columns of its samples */
async function writeRows(
  { directory, draft, pictures, chosenPictures, continued, limits }: BundleWriting,
  ids: Ids,
  eyes: EyeColumn[],
): Promise<void> {
  if (continued !== null) fitIntoStudy(draft, ids, continued)
  if (continued !== null) doubtPupilUnit(draft, eyes, continued)
  draft.pictures = await takePictures(directory, draft, ids, pictures, chosenPictures, continued, limits)
  placePictures(draft, ids, continued)
  assumeTheRest(draft, ids, continued)
  writeStudy(directory, draft, ids, continued)
  writeParticipantsCsv(directory, draft, ids, new Set(continued?.participants.map(({ id }) => id)))
  writeTestsCsv(directory, draft, ids)
  writeValidationsCsv(directory, draft, ids)
  writeEventsCsv(directory, draft, ids)
}

/** Reports pupils whose unit differs from that of the study. */
function doubtPupilUnit(draft: Draft, eyes: EyeColumn[], { study }: ContinuedStudy): void {
  const [own, unit] = [study.recording?.pupilUnit, recordingOf(draft)?.pupilUnit]
  if (own === unit || !eyes.some((name) => name === 'leftPupil' || name === 'rightPupil')) return
  noteDoubt(
    draft,
    `pupils are in ${unit ?? 'an unknown unit'}, and the pupilUnit of the study is ${own ?? 'not given'}: the study does not tell them apart`,
  )
}

/** Explains from the omissions why nothing else was found. */
function whyNone({ notes }: Draft): string {
  const counted = leftTexts(notes).filter(({ count }) => count !== null)
  return counted.length === 0 ? '' : `: they have ${counted.map(countedText).join('; ')}`
}
