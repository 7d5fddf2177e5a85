import { ServiceError } from '../../model/errors.ts'

const SHA256 = /^[0-9a-f]{64}$/

/**
 * Returns what is wrong with an untrusted name that is about to be joined to the path of a folder; null if it stays
 * within the folder on every system.
 */
export function pathFault(name: string): string | null {
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'is absolute'
  if (name.includes('\0')) return 'holds a zero byte'
  const isElsewhere = name.split('/').includes('') || name.split(/[/\\]/).some((part) => part === '..' || part === '.')
  return isElsewhere ? 'leads elsewhere' : null
}

/** Formats a name for messages. */
export function shownName(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
}

/**
 * Checks the names and SHA-256 of listed files, as in a manifest, before any of them becomes part of a path or a key.
 *
 * @param where they are listed, for the sentence
 * @throws ServiceError corrupt
 */
export function checkStoredNames(where: string, files: Iterable<readonly [name: string, sha256: string]>): void {
  for (const [name, sha256] of files) {
    const fault = pathFault(name)
    if (fault !== null)
      throw new ServiceError('corrupt', `${where} lists a file ${shownName(name)}, a name that ${fault}`)
    if (!SHA256.test(sha256)) throw new ServiceError('corrupt', `${where} lists ${shownName(name)} without its SHA-256`)
  }
}
