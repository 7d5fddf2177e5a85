import { formatOf } from '../../formats/formats.ts'
import type { Job } from './job.ts'
import { filePath, jobPath } from './job-paths.ts'
import type { FileKind, FinishedFile, FinishedPart, StoredFile } from './state.ts'

/** A stored file of a job: its name in the storage, and what was written. */
export type StoredJobFile = { path: string; kind: FileKind; stored: StoredFile }

const KINDS = ['plain', 'gzip'] as const

/** Lists the files that the end of a job names, of one file or of all parts. */
export function filesOf(job: Job): StoredJobFile[] {
  const { end } = job
  const one = end?.file ? storedIn(end.file, (kind) => filePath(job, kind)) : []
  return [...one, ...(end?.parts ?? []).flatMap((part) => filesOfPart(job, part))]
}

/** Lists the files of a part of a job: the file and its gzip version, if it has one. */
export function filesOfPart(job: Pick<Job, 'id' | 'plan'>, part: FinishedPart): StoredJobFile[] {
  return storedIn(part, (kind) => partPath(job, part.name, kind))
}

function storedIn(file: FinishedFile, pathOf: (kind: FileKind) => string): StoredJobFile[] {
  return KINDS.flatMap((kind) => {
    const stored = file[kind]
    return stored === null ? [] : [{ path: pathOf(kind), kind, stored }]
  })
}

/** Returns the name of a part's file in the storage. @param name as `FinishedPart` has it */
export function partPath({ id, plan }: Pick<Job, 'id' | 'plan'>, name: string, kind: FileKind): string {
  return jobPath(id, `${name}.${formatOf(plan).extension}${kind === 'gzip' ? '.gz' : ''}`)
}

/** Returns the paths of the files that clients may still get; none unless the job has succeeded. */
export function publishedPaths(job: Job): Set<string> {
  return new Set(job.end?.state === 'succeeded' ? filesOf(job).map(({ path }) => path) : [])
}
