/** Returns true if an error has one of these codes, such as ENOENT. */
export function isCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException | null)?.code ?? '')
}

/** Returns null for an error that says that a file does not exist. @throws any other */
export function nullIfAbsent(error: unknown): null {
  if (isCode(error, 'ENOENT')) return null
  throw error
}

/** Returns null for an error that says that a file, or a directory in its path, does not exist. @throws any other */
export function nullIfGone(error: unknown): null {
  if (isCode(error, 'ENOENT', 'ENOTDIR')) return null
  throw error
}

/** Returns true if an error says that the disk, or the user's quota, is full. */
export function isDiskFull(error: unknown): boolean {
  if (isCode(error, 'ENOSPC', 'EDQUOT', 'disk_full')) return true
  // DuckDB tells in words alone.
  return error instanceof Error && /ENOSPC|No space left|Disk quota exceeded|disk (is )?full/i.test(error.message)
}

/** Returns true if an error says that the file system is read-only, as a disk becomes after a fault. */
export function isReadOnly(error: unknown): boolean {
  return isCode(error, 'EROFS') || (error instanceof Error && /\bEROFS\b|Read-only file system/i.test(error.message))
}

/** Returns true if an error reports a temporary shortage of a resource: a retry may succeed. */
export function isShortage(error: unknown): boolean {
  if (isCode(error, 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN')) return true
  // DuckDB, and a thread that cannot start, tell in words alone.
  const words = /Too many open files|Cannot allocate memory|^Out of Memory|\b(EMFILE|ENFILE|ENOMEM|EAGAIN)\b/i
  return error instanceof Error && words.test(error.message)
}
