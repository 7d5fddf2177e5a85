import { hashOpenFile } from '../../../storage/files/hash-file.ts'
import { withPlain } from '../../../storage/files/plain-file.ts'
import { isCopyName } from '../bundle/copy-name.ts'
import type { SourceFile } from './source-files.ts'

/** Smaller files may be equal by chance, such as those of a trial without any gaze. */
const LEAST_BYTES = 1024

/**
 * Finds files with the same bytes. Of each, the original is the one that is not named like a copy, nearest to the
 * given folder.
 *
 * @returns the copies, each with its original
 */
export async function findCopies(files: SourceFile[], signal?: AbortSignal): Promise<Map<SourceFile, SourceFile>> {
  const bySize = new Map<string, SourceFile[]>()
  for (const file of files) {
    if (file.sizeBytes < LEAST_BYTES) continue
    const key = `${file.sizeBytes} ${file.sheet}`
    bySize.set(key, [...(bySize.get(key) ?? []), file])
  }
  const copies = new Map<SourceFile, SourceFile>()
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
      if (original) copies.set(file, original)
      else originals.set(hash, file)
    }
  }
  return copies
}
