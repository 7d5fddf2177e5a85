import { basename } from 'node:path'
import { SAMPLE_LIMITS, type SampleLimits } from '../../import/bundle/bundle-limits.ts'
import { ServiceError } from '../../model/errors.ts'
import { hashOpenFile } from '../../storage/files/hash-file.ts'
import { withPlain } from '../../storage/files/plain-file.ts'
import type { ContinuedStudy } from '../bundle/continued-study.ts'
import { NothingNew } from '../bundle/known-recordings.ts'
import { isPictureFile } from '../bundle/take-pictures.ts'
import { type BundleCounts, writeBundle } from '../bundle/write-bundle.ts'
import type { Batch } from '../draft/batch.ts'
import {
  type Draft,
  makeDraft,
  noteAssumed,
  noteDoubt,
  noteLeft,
  type PictureMatches,
  participantName,
} from '../draft/draft.ts'
import { checkKept } from '../draft/kept-facts.ts'
import { assumedTexts, countedText, leftTexts, shortened } from '../draft/note-texts.ts'
import type { SeenMessage } from '../draft/seen-messages.ts'
import { namesInPath, type PathPattern } from '../reader/path-names.ts'
import { NO_OPTIONS, type ReadOptions } from '../reader/reader.ts'
import { findCopies } from '../text/file-copies.ts'
import { stemOf } from '../text/file-names.ts'
import { checkSourcesUnchanged, findSourceFiles, type SourceFile } from '../text/source-files.ts'
import { type Recognised, recognise } from './readers.ts'
import { choicesToKeep, withStudysChoices, withStudysMapping } from './recalled-choices.ts'
import { noteUnmapped } from './unmapped-tables.ts'

/** A report on the files for people: each list holds sentences or parts of one. */
export type Conversion = {
  format: string
  title: string
  /** Files that hold recordings. */
  files: string[]
  studyName: string
  counts: BundleCounts
  participants: { name: string; files: string[] }[]
  /** Names of the displayed items. */
  items: string[]
  /** null without pictures, and in older reports. */
  pictures?: PictureMatches | null
  /** Messages that may begin, end or name a trial; absent in older reports. */
  messages?: SeenMessage[]
  left: string[]
  assumed: string[]
  doubts: string[]
}

type Converting = {
  /** Files, and folders to walk. */
  paths: string[]
  /** Absolute path, new or empty; the caller removes it if `convertFiles` throws. */
  directory: string
  /** Name of a reader, to override detection by content. */
  format?: string | null
  options?: Partial<ReadOptions>
  /** By default that of the first file or folder. */
  studyName?: string
  /** Lower case; by default derived from the recordings. */
  studyId?: string | null
  /** Study to which the bundle will be appended; its known files are skipped. */
  continued?: ContinuedStudy | null
  memoryMib: number
  limits?: SampleLimits
  /** Samples so far, and the approximate share of the work done, 0 to 1. */
  onProgress?: (samples: number, share: number) => void
  signal?: AbortSignal
}

/**
 * Reads foreign recordings and writes them as a bundle, in bounded memory. The same files and options give the same
 * bytes.
 *
 * @throws NothingNew if the study has all of them; ServiceError usage, not_found or invalid_bundle, in one helpful
 * sentence
 */
export async function convertFiles(converting: Converting): Promise<Conversion> {
  const { directory, continued = null, memoryMib, limits = SAMPLE_LIMITS, onProgress, signal } = converting
  const chosen = await chooseReader(converting)
  const { files, copies, alike, recordings, pictures, options } = chosen
  const { reader } = chosen.recognised
  const draft = makeDraft(continued?.study.name ?? converting.studyName ?? nameOf(converting.paths[0]))
  for (const [copy, original] of copies) {
    draft.copies.set(copy.name, original.name)
    draft.usedFiles.add(copy.name)
  }
  noteAlike(draft, alike)
  draft.studyId = continued?.study.id ?? converting.studyId ?? null
  if (options.path) readPaths(draft, recordings, options.path)
  if (chosen.taken !== null) noteAssumed(draft, chosen.taken)
  const counts = await writeBundle({
    directory,
    draft,
    batches: readBatches(chosen, draft),
    hashesOf: () => hashFiles(recordedFiles(draft, files), signal),
    pictures,
    chosenPictures: options.pictures ?? new Map(),
    joinsNames: options.joinsNames ?? false,
    continued,
    format: { ...reader, choices: choicesToKeep(options) },
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
    items: draft.items.map(({ filename }) => filename),
    pictures: draft.pictures,
    messages: draft.trialMessages,
    left: leftTexts(draft.notes).map(countedText),
    assumed: assumedTexts(draft.notes),
    doubts: [...draft.notes.doubts],
  }
}

/** Reports small files with the same bytes, which are read. */
function noteAlike(draft: Draft, alike: Map<SourceFile, SourceFile>): void {
  if (alike.size === 0) return
  const pairs = [...alike].map(([file, other]) => `${file.name} and ${other.name}`)
  noteDoubt(
    draft,
    `files of less than 1 KiB have the same bytes, and each counts: ${shortened(pairs, '; ')}; remove those that are copies`,
  )
}

/** Takes what the paths of recordings say. @throws ServiceError usage if none fits the pattern */
function readPaths(draft: Draft, files: SourceFile[], pattern: PathPattern): void {
  for (const { name } of files) {
    const names = namesInPath(name, pattern)
    if (names !== null) draft.pathNames.set(name, names)
  }
  const others = files.filter(({ name }) => !draft.pathNames.has(name))
  if (others.length === files.length)
    throw new ServiceError('usage', `no path fits --path ${pattern.text}: the first is ${files[0].name}`)
  if (others.length > 0)
    noteDoubt(draft, `paths that --path ${pattern.text} does not fit name nothing: ${namesOf(others)}`)
}

/** Files that the study lacks and those that it has, the reader of their recordings, and its options. */
type Chosen = {
  files: SourceFile[]
  /** Copies of recordings, which are not read, each with its original. */
  copies: Map<SourceFile, SourceFile>
  /** Small files with the same bytes, which may be equal by chance. */
  alike: Map<SourceFile, SourceFile>
  known: SourceFile[]
  recognised: Recognised
  recordings: SourceFile[]
  pictures: SourceFile[]
  options: ReadOptions
  /** Sentence about what was taken from the study's earlier imports; null for nothing. */
  taken: string | null
}

async function chooseReader(converting: Converting): Promise<Chosen> {
  const { paths, format = null, options: given = {}, continued = null, limits = SAMPLE_LIMITS, signal } = converting
  const asked = { ...NO_OPTIONS, ...given }
  checkKept(asked.kept)
  const found = await findSourceFiles(paths, limits)
  const known = await filesInStudy(found, continued, signal)
  const files = found.filter((file) => !known.includes(file))
  if (files.length === 0) throw new NothingNew(namesOf(known))
  const before = continued?.recordings ?? NOTHING_BEFORE
  const mapped = withStudysMapping(asked, before, files, format)
  const recognised = recognise(known.length > 0 ? found : files, mapped, format)
  const pictures = files.filter((file) => isPictureFile(file) && !recognised.recordings.includes(file))
  const added = recognised.recordings.filter((file) => !known.includes(file))
  // Equal files beside recordings, such as sidecars, are no copies.
  const { copies, alike } = recognised.reader.hasSidecars ? NO_COPIES : await findCopies(added, signal)
  const recordings = added.filter((file) => !copies.has(file))
  const { options, taken } = withStudysChoices(asked, mapped, before, recognised.reader.name)
  const others = files.filter((file) => !copies.has(file))
  return { files: others, copies, alike, known, recognised, recordings, pictures, options, taken }
}

async function* readBatches(
  { files, known, recognised, recordings, pictures, options }: Chosen,
  draft: Draft,
): AsyncGenerator<Batch> {
  yield* recognised.reader.read(recordings, files, draft, options)
  await checkSourcesUnchanged(files)
  if (draft.tests.length === 0 && known.length > 0) throw new NothingNew(namesOf(known))
  noteKnown(draft, known)
  const others = files.filter((file) => !pictures.includes(file))
  const read = new Set(recordings)
  if (options.mapping !== null)
    noteUnmapped(
      draft,
      others.filter((file) => !read.has(file)),
      options.mapping,
    )
  noteOthers(draft, others, recognised)
  noteUnusedScreens(draft, options)
}

const NO_COPIES = { copies: new Map<SourceFile, SourceFile>(), alike: new Map<SourceFile, SourceFile>() }
const NOTHING_BEFORE = { format: '', choices: undefined }

/** Lists the files that hold recordings. */
function recordedFiles(draft: Draft, files: SourceFile[]): SourceFile[] {
  const names = new Set(draft.participants.flatMap((one) => one.files))
  return files.filter(({ name }) => names.has(name))
}

async function hashFiles(files: SourceFile[], signal?: AbortSignal): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (const { path, name } of files) hashes.set(name, await withPlain(path, (file) => hashOpenFile(file, signal)))
  return hashes
}

async function filesInStudy(
  files: SourceFile[],
  continued: ContinuedStudy | null,
  signal?: AbortSignal,
): Promise<SourceFile[]> {
  if (continued === null || continued.hashes.size === 0) return []
  const hashes = await hashFiles(files, signal)
  return files.filter(({ name }) => continued.hashes.has(hashes.get(name)!))
}

function noteKnown(draft: Draft, known: SourceFile[]): void {
  if (known.length > 0) noteLeft(draft, `files whose recordings the study already has: ${namesOf(known)}`, known.length)
}

function namesOf(files: SourceFile[]): string {
  return shortened(files.map(({ name }) => name))
}

/** Estimates progress by bytes: writing takes about as long as reading, and overlaps with it except at the end. */
function readShare(files: SourceFile[], recordings: SourceFile[]): number {
  const counted = files.filter((file) => file.readBytes > 0 || recordings.includes(file))
  const read = counted.reduce((sum, { readBytes }) => sum + readBytes, 0)
  const all = counted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return all === 0 ? 0 : Math.min(1, read / all)
}

function noteOthers(draft: Draft, files: SourceFile[], { derived }: Recognised): void {
  const used = new Set([...draft.usedFiles, ...draft.participants.flatMap((one) => one.files)])
  const note = (what: string, others: SourceFile[]) => {
    noteLeft(draft, `${what}: ${namesOf(others)}`, others.length)
    for (const { name } of others) used.add(name)
  }
  const isLeft = ({ name }: SourceFile) => !used.has(name)
  for (const [what, tables] of derived) note(what, tables.filter(isLeft))
  note('files without recordings', files.filter(isLeft))
}

function noteUnusedScreens(draft: Draft, { screens }: ReadOptions): void {
  const names = new Set(draft.participants.flatMap((one) => [one.key, one.externalId]))
  const unused = [...(screens?.keys() ?? [])].filter((name) => !names.has(name))
  if (unused.length > 0)
    noteLeft(draft, `screens of participants who are not in the files: ${unused.join(', ')}`, unused.length)
}

/** Returns the folder's name, or the file's without its extension. */
function nameOf(path: string): string {
  return stemOf(path) || basename(path)
}
