import { formatOf } from '../../engine/formats/formats.ts'
import type { Job } from '../../engine/jobs/record/job.ts'
import { filesOf, filesOfPart, type StoredJobFile } from '../../engine/jobs/record/job-files.ts'
import type { FinishedFile, FinishedPart } from '../../engine/jobs/record/state.ts'

/**
 * A file that clients can download: that of a job, or one of its parts, `number` from 1. `tag` identifies its bytes;
 * `files` are the file and its gzip version, if it has one, as they are stored.
 */
export type PublishedFile = FinishedFile & {
  number: number | null
  fileName: string
  tag: string
  files: StoredJobFile[]
}

/** Returns the file of a job; null before it has succeeded, and for a job in parts. */
export function publishedFile(job: Job): PublishedFile | null {
  const { end, fileName } = job
  if (end?.state !== 'succeeded' || end.file === null) return null
  return { ...end.file, number: null, fileName, tag: job.id.slice(1), files: filesOf(job) }
}

/** Lists the parts of a job; none before it has succeeded, and for a job of one file. */
export function publishedParts(job: Job): (PublishedFile & FinishedPart)[] {
  const { end } = job
  if (end?.state !== 'succeeded') return []
  return (end.parts ?? []).map((part, i, { length }) => {
    const number = i + 1
    const tag = `${job.id.slice(1)}-${number}`
    return { ...part, number, fileName: partFileName(job, number, length), tag, files: filesOfPart(job, part) }
  })
}

/** Returns the file name of a part: that of the whole with a number, of equal length for all, before the extension. */
function partFileName({ fileName, plan }: Job, number: number, of: number): string {
  const extension = `.${formatOf(plan).extension}`
  const padded = String(number).padStart(String(of).length, '0')
  return `${fileName.slice(0, -extension.length)}-${padded}-of-${of}${extension}`
}
