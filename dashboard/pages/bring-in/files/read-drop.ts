import type { PathedFile } from './tar.ts'

/** Files that operating systems create. */
const BY_SYSTEMS = /(^|\/)(\.[^/]*|Thumbs\.db|desktop\.ini|__MACOSX)(\/|$)/
export const FILES_MAX = 20_000

/** Chosen files with their paths, and the hidden ones that were skipped. */
export type Chosen = { files: PathedFile[]; hidden: string[] }

/** Error with a sentence for the user. */
export class CannotTake extends Error {}

/** Reads the files of a file or folder input. */
export function readInput(list: FileList): Chosen {
  return sortedOut([...list].map((file) => ({ path: file.webkitRelativePath || file.name, file })))
}

/**
 * Reads dropped files, and walks folders.
 *
 * @param entries taken during the drop event, since they are gone afterwards
 * @throws CannotTake
 */
export async function readEntries(entries: FileSystemEntry[]): Promise<Chosen> {
  const found: PathedFile[] = []
  const walk = async (entry: FileSystemEntry): Promise<void> => {
    if (BY_SYSTEMS.test(entry.name) && !entry.isFile) return
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
      found.push({ path: entry.fullPath.replace(/^\//, ''), file })
      if (found.length > FILES_MAX)
        throw new CannotTake(`You chose more than ${FILES_MAX} files: choose only the folders with recordings.`)
      return
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    for (;;) {
      // A reader returns entries in batches, and an empty batch at the end.
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
      if (some.length === 0) return
      for (const one of some) await walk(one)
    }
  }
  try {
    for (const entry of entries) await walk(entry)
  } catch (error) {
    if (error instanceof CannotTake) throw error
    throw new CannotTake('A file or folder cannot be read: check that it still exists and that you may read it.')
  }
  return sortedOut(found)
}

function sortedOut(found: PathedFile[]): Chosen {
  const isHidden = ({ path }: PathedFile) => BY_SYSTEMS.test(path)
  const files = found.filter((one) => !isHidden(one)).sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files, hidden: found.filter(isHidden).map(({ path }) => path) }
}
