import { readFileSync } from 'node:fs'
import { ServiceError } from '../../engine/model/errors.ts'
import { isCode } from '../../engine/model/system-errors.ts'

/** Enough for the queue, the threads and their files, and for clients beside silent connections. */
const FILES_MIN = 256

/**
 * Checks how many files the process may open, which only Linux tells: with too few, a service would start, and fail in
 * the middle of its work.
 *
 * @throws ServiceError conflict
 */
export function needOpenFiles(): void {
  const files = openFilesMax()
  if (files < FILES_MIN)
    throw new ServiceError(
      'conflict',
      `the process may open ${files} files, too few: at least ${FILES_MIN} are needed (ulimit -n)`,
    )
}

function openFilesMax(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1')
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  } catch (error) {
    if (isCode(error, 'ENOENT', 'EACCES')) return Number.POSITIVE_INFINITY
    throw error
  }
}
