import { ServiceError } from '../../engine/model/errors.ts'

const REASONS: Record<string, string> = {
  ENOTDIR: 'it is not in a directory',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
}

/**
 * Returns a sentence on why the system refuses access to a file or folder; null for any other error.
 *
 * @param path as given
 */
export function refusalOf(error: unknown, path: string, act: 'read' | 'written' | 'used'): ServiceError | null {
  const code = String((error as NodeJS.ErrnoException).code)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ServiceError('disk_full', `the disk is full: ${path} was not written`)
  const absent = { read: 'there is no such file', written: 'its directory does not exist', used: undefined }[act]
  const reason = code === 'ENOENT' ? absent : REASONS[code]
  return reason === undefined ? null : new ServiceError('usage', `${path} cannot be ${act}: ${reason}`)
}
