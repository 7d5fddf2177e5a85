import { type FileHandle, open } from 'node:fs/promises'
import { isCode } from '../store/durable.ts'
import type { FileKind, Job } from './job.ts'
import { filePath } from './job-paths.ts'
import type { Jobs } from './open-jobs.ts'

/**
 * Opens a published file; null when it is gone. Whoever holds the handle reads on to the end, also after expiry: an open file
 * outlives its name. So open once, take sizes from the handle, and read from it.
 */
export async function openFile({ root }: Jobs, job: Job, kind: FileKind): Promise<FileHandle | null> {
  try {
    return await open(filePath(root, job, kind), 'r')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}
