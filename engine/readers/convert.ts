import { type Draft, makeDraft, noteLeft } from './draft.ts'
import type { Mapping } from './mapping.ts'
import type { Screen } from './reader.ts'
import { recognise } from './registry.ts'
import { findSourceFiles, type SourceFile } from './source-files.ts'
import { type BundleCounts, writeBundle } from './write-bundle.ts'

/** What became of the files, for people: every list is of sentences or parts of one. */
export type Conversion = {
  format: string
  title: string
  files: string[]
  studyName: string
  counts: BundleCounts
  left: string[]
  assumed: string[]
}

/**
 * Reads foreign recordings and writes them as a bundle (SPEC section 2), in bounded memory. The same files and options give the same
 * bytes.
 *
 * @param paths files, and folders to walk
 * @param directory absolute, new or empty; the caller removes it when this throws
 * @param format a reader's name, when the content is not to decide
 * @param studyName by default that of the first file or folder
 * @param studyId lower case; by default made from names
 * @throws ServiceError usage, not_found or invalid_bundle, in one sentence that helps
 */
export async function convertFiles({
  paths,
  directory,
  format = null,
  screen = null,
  mapping = null,
  studyName,
  studyId = null,
  memoryMib,
  onProgress,
  signal,
}: {
  paths: string[]
  directory: string
  format?: string | null
  screen?: Screen | null
  mapping?: Mapping | null
  studyName?: string
  studyId?: string | null
  memoryMib: number
  /** Samples so far, and about which share of the work is done, 0 to 1. */
  onProgress?: (samples: number, share: number) => void
  signal?: AbortSignal
}): Promise<Conversion> {
  const files = await findSourceFiles(paths)
  const options = { screen, mapping }
  const { reader, recordings } = recognise(files, options, format)
  const draft = makeDraft(studyName ?? nameOf(files[0].name))
  draft.studyId = studyId
  async function* batches() {
    yield* reader.read(recordings, files, draft, options)
    noteOthers(draft, files, recordings)
  }
  const counts = await writeBundle({
    directory,
    draft,
    batches: batches(),
    formatTitle: reader.title,
    memoryMib,
    onSamples: (samples) => onProgress?.(samples, readShare(files, recordings)),
    signal,
  })
  return {
    format: reader.name,
    title: reader.title,
    files: recordings.map(({ name }) => name),
    studyName: draft.studyName,
    counts,
    left: [...draft.notes.left].map(([what, count]) =>
      count === null ? what : `${count.toLocaleString('en')} ${what}`,
    ),
    assumed: [...draft.notes.assumed],
  }
}

/** By bytes: writing what was read takes about as long as reading it, and goes on beside it but for the end. */
function readShare(files: SourceFile[], recordings: SourceFile[]): number {
  const counted = files.filter((file) => file.readBytes > 0 || recordings.includes(file))
  const read = counted.reduce((sum, { readBytes }) => sum + readBytes, 0)
  const all = counted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return all === 0 ? 0 : Math.min(1, read / all)
}

function noteOthers(draft: Draft, files: SourceFile[], recordings: SourceFile[]): void {
  const others = files.filter((file) => !recordings.includes(file) && !draft.usedFiles.has(file.name))
  const shown = others.slice(0, 5).map(({ name }) => name)
  noteLeft(draft, `files without recordings: ${shown.join(', ')}${others.length > 5 ? ', …' : ''}`, others.length)
}

/** The folder's name, or the file's without its ending. */
function nameOf(path: string): string {
  const [first] = path.split('/')
  return first.replace(/(\.[a-z0-9]{1,5})+$/i, '') || first
}
