import { basename } from 'node:path'
import { hashOpenFile } from '../files/hash-file.ts'
import { withPlain } from '../files/plain-file.ts'
import { SAMPLE_LIMITS, type SampleLimits } from '../import/bundle/bundle-limits.ts'
import { type Draft, makeDraft, noteLeft, participantName } from './bundle/draft.ts'
import { assumedTexts, countedText, leftTexts } from './bundle/note-texts.ts'
import { type BundleCounts, writeBundle } from './bundle/write-bundle.ts'
import { NO_OPTIONS, type ReadOptions } from './reader/reader.ts'
import { type Recognised, recognise } from './readers.ts'
import { stemOf } from './text/file-names.ts'
import { checkUnchanged, findSourceFiles, type SourceFile } from './text/source-files.ts'

/** A report on the files, for people: every list has sentences or parts of one. */
export type Conversion = {
  format: string
  title: string
  /** Those that hold recordings. */
  files: string[]
  studyName: string
  counts: BundleCounts
  participants: { name: string; files: string[] }[]
  left: string[]
  assumed: string[]
  doubts: string[]
}

/**
 * Reads foreign recordings and writes them as a bundle, in bounded memory. The same files and options give the same bytes.
 *
 * @param paths files, and folders to walk
 * @param directory absolute, new or empty; the caller removes it when this throws
 * @param format a reader's name, when the content is not to decide
 * @param studyName by default that of the first file or folder
 * @param studyId lower case; by default made from the recordings
 * @throws ServiceError usage, not_found or invalid_bundle, in one sentence that helps
 */
export async function convertFiles({
  paths,
  directory,
  format = null,
  options: given = {},
  studyName,
  studyId = null,
  memoryMib,
  limits = SAMPLE_LIMITS,
  onProgress,
  signal,
}: {
  paths: string[]
  directory: string
  format?: string | null
  options?: Partial<ReadOptions>
  studyName?: string
  studyId?: string | null
  memoryMib: number
  limits?: SampleLimits
  /** Samples so far, and about which share of the work is done, 0 to 1. */
  onProgress?: (samples: number, share: number) => void
  signal?: AbortSignal
}): Promise<Conversion> {
  const options = { ...NO_OPTIONS, ...given }
  const files = await findSourceFiles(paths, limits)
  const recognised = recognise(files, options, format)
  const { reader, recordings } = recognised
  const draft = makeDraft(studyName ?? nameOf(paths[0]))
  draft.studyId = studyId
  async function* batches() {
    yield* reader.read(recordings, files, draft, options)
    await checkUnchanged(files)
    noteOthers(draft, files, recognised)
    noteUnusedScreens(draft, options)
  }
  const counts = await writeBundle({
    directory,
    draft,
    batches: batches(),
    contentOf: () => hashFiles(recordedFiles(draft, files), signal),
    formatTitle: reader.title,
    memoryMib,
    limits,
    onSamples: (samples) => onProgress?.(samples, readShare(files, recordings)),
    signal,
  })
  return {
    format: reader.name,
    title: reader.title,
    files: recordedFiles(draft, files).map(({ name }) => name),
    studyName: draft.studyName,
    counts,
    participants: draft.participants.map((one) => ({ name: participantName(one), files: one.files })),
    left: leftTexts(draft.notes).map(countedText),
    assumed: assumedTexts(draft.notes),
    doubts: [...draft.notes.doubts],
  }
}

/** Lists the files that hold recordings. */
function recordedFiles(draft: Draft, files: SourceFile[]): SourceFile[] {
  const names = new Set(draft.participants.flatMap((one) => one.files))
  return files.filter(({ name }) => names.has(name))
}

async function hashFiles(files: SourceFile[], signal?: AbortSignal): Promise<string[]> {
  const hashes: string[] = []
  for (const { path } of files) hashes.push(await withPlain(path, (file) => hashOpenFile(file, signal)))
  return hashes
}

/** Says by bytes how far it is: writing what was read takes about as long as reading it, and goes on beside it but for the end. */
function readShare(files: SourceFile[], recordings: SourceFile[]): number {
  const counted = files.filter((file) => file.readBytes > 0 || recordings.includes(file))
  const read = counted.reduce((sum, { readBytes }) => sum + readBytes, 0)
  const all = counted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return all === 0 ? 0 : Math.min(1, read / all)
}

function noteOthers(draft: Draft, files: SourceFile[], { derived }: Recognised): void {
  const used = new Set([...draft.usedFiles, ...draft.participants.flatMap((one) => one.files)])
  const note = (what: string, others: SourceFile[]) => {
    const shown = others.slice(0, 5).map(({ name }) => name)
    noteLeft(draft, `${what}: ${shown.join(', ')}${others.length > 5 ? ', …' : ''}`, others.length)
    for (const { name } of others) used.add(name)
  }
  const isLeft = ({ name }: SourceFile) => !used.has(name)
  for (const [what, tables] of derived) note(what, tables.filter(isLeft))
  note('files without recordings', files.filter(isLeft))
}

function noteUnusedScreens(draft: Draft, { screens }: ReadOptions): void {
  const names = new Set(draft.participants.flatMap((one) => [one.key, one.externalId]))
  const unused = [...(screens?.keys() ?? [])].filter((name) => !names.has(name))
  if (unused.length > 0) noteLeft(draft, `screens of nobody who is in the files: ${unused.join(', ')}`, unused.length)
}

/** Returns the folder's name, or the file's without its ending. */
function nameOf(path: string): string {
  return stemOf(path) || basename(path)
}
