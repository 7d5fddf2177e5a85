import { hashOpenFile } from '../../storage/files/hash-file.ts'
import { withPlain } from '../../storage/files/plain-file.ts'
import { isCopyName } from './copy-name.ts'
import { folderOf, stemOf } from './file-names.ts'
import type { SourceFile } from './source-files.ts'

/** Smaller files may be equal by chance, such as those of a trial without any gaze. */
const LEAST_BYTES = 1024

/** Files with the same bytes, each with its original. */
type FoundCopies = {
  copies: Map<SourceFile, SourceFile>
  /** Small files whose names do not say that they are copies. */
  alike: Map<SourceFile, SourceFile>
}

/**
 * Finds files with the same bytes. Of each, the original is the one that is not named like a copy, nearest to the
 * given folder.
 */
export async function findCopies(files: SourceFile[], signal?: AbortSignal): Promise<FoundCopies> {
  const bySize = new Map<string, SourceFile[]>()
  for (const file of files) {
    const key = `${file.sizeBytes} ${file.sheet}`
    bySize.set(key, [...(bySize.get(key) ?? []), file])
  }
  const found: FoundCopies = { copies: new Map(), alike: new Map() }
  for (const group of bySize.values()) {
    if (group.length === 1) continue
    const originals = new Map<string, SourceFile>()
    const depth = ({ name }: SourceFile) => name.split('/').length
    const ranked = [...group].sort(
      (a, b) => Number(isCopyName(a.name)) - Number(isCopyName(b.name)) || depth(a) - depth(b),
    )
    for (const file of ranked) {
      const hash = await withPlain(file.path, (open) => hashOpenFile(open, signal))
      const original = originals.get(hash)
      if (original === undefined) originals.set(hash, file)
      else if (file.sizeBytes >= LEAST_BYTES || isNamedAsCopy(file, original)) found.copies.set(file, original)
      else found.alike.set(file, original)
    }
  }
  return found
}

/** Returns whether a file is named like a copy, or as its original is in a folder above. */
function isNamedAsCopy({ name }: SourceFile, original: SourceFile): boolean {
  const folder = folderOf(original.name)
  const isBelow = folder === '' || name.startsWith(`${folder}/`)
  return isCopyName(name) || (isBelow && stemOf(name) === stemOf(original.name))
}
