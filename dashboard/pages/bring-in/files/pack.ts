import { countOf, bytes as sizeText } from '../../../core/number-texts.ts'
import { CannotTake, type Chosen, FILES_MAX } from './read-drop.ts'
import { type PathedFile, tarOf } from './tar.ts'

/** Parcel: files sent as one upload. */
export type Parcel = {
  name: string
  bytes: Blob
  /** Equal for equal files, so that an interrupted upload is resumed. */
  fingerprint: string
  files: PathedFile[]
}

export type Packed = { parcels: Parcel[]; notes: string[] }

const ARCHIVE = /\.(zip|tar|tgz|tar\.gz)$/i
const FILM = /^(video|audio)\//
/** Kinds of files that people drop by mistake. */
const NO_RECORDINGS: [RegExp, string][] = [
  [/^image\//, 'a picture'],
  [/^video\//, 'a video'],
  [/^audio\//, 'a sound'],
  [/^application\/pdf$/, 'a PDF'],
  [/^application\/(msword|vnd\.openxmlformats-officedocument\.(word|presentation))/, 'a document'],
]

/**
 * Packs chosen files for upload: a single file and archives unchanged, everything else as a tar, which keeps folder
 * names. Videos stay behind, but for those that were shown.
 *
 * @param shown paths of the videos that were shown
 * @throws CannotTake with a sentence if there is nothing to send
 */
export function packFiles({ files, hidden }: Chosen, shown: ReadonlySet<string> = new Set()): Packed {
  if (files.length === 0)
    throw new CannotTake(
      hidden.length === 0 ? 'The folder has no files.' : 'The folder has only hidden files, which are not read.',
    )
  if (files.length > FILES_MAX)
    throw new CannotTake(
      `You chose ${countOf(files.length, 'file')}. At most ${FILES_MAX} can be sent at once: choose only the folders with recordings.`,
    )
  const isBundle = files.some(({ path }) => /(^|\/)study\.json$/.test(path))
  refuseHopeless(files)
  const films = isBundle ? [] : files.filter(({ path, file }) => FILM.test(file.type) && !shown.has(path))
  const sent = files.filter((one) => !films.includes(one))
  const isAlone = sent.length === 1
  const archives = sent.filter(({ path }) => ARCHIVE.test(path) && !path.includes('/'))
  const single = isAlone ? sent : archives
  const rest = sent.filter((one) => !single.includes(one))
  return {
    parcels: [...single.map(parcelOfFile), ...(rest.length === 0 ? [] : [parcelOfFolder(rest)])],
    notes: notesOn(sent, films, hidden),
  }
}

function refuseHopeless(files: PathedFile[]): void {
  const [{ file }] = files
  const one = files.length === 1
  if (files.every((each) => each.file.size === 0))
    throw new CannotTake(
      one
        ? `${file.name} is empty (0 bytes). Check that it was copied completely.`
        : `All ${files.length} files are empty (0 bytes). Check that they were copied completely.`,
    )
  const kinds = files.map((each) => NO_RECORDINGS.find(([type]) => type.test(each.file.type))?.[1])
  if (!kinds.every((kind) => kind !== undefined)) return
  throw new CannotTake(
    `${file.name} is ${kinds[0]}${one ? '' : `, and the other ${files.length - 1} are of that kind, too`}, not a recording of gaze. Choose tables of samples, files of a tracker or a study bundle${kinds[0] === 'a picture' ? ', with or without their pictures. To add pictures to an existing study, drop them on its page' : ''}.`,
  )
}

function notesOn(sent: PathedFile[], films: PathedFile[], hidden: string[]): string[] {
  const empty = sent.filter(({ file }) => file.size === 0).map(({ path }) => path)
  const filmBytes = films.reduce((sum, { file }) => sum + file.size, 0)
  const some = (paths: string[]) => `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ', …' : ''}`
  return [
    ...(empty.length === 0
      ? []
      : [`${countOf(empty.length, 'file')} with 0 bytes: ${some(empty)}. Check that they were copied completely.`]),
    ...(films.length === 0
      ? []
      : [
          `Not sent, since they hold no gaze: ${countOf(films.length, 'video or sound', 'videos and sounds')} (${sizeText(filmBytes)}): ${some(films.map(({ path }) => path))}. Add videos that were shown to participants on the page of the study afterwards.`,
        ]),
    ...(hidden.length === 0 ? [] : [`Not sent, since they are hidden: ${some(hidden)}.`]),
  ]
}

function parcelOfFile(one: PathedFile): Parcel {
  return { name: one.file.name, bytes: one.file, fingerprint: fingerprintOf([one]), files: [one] }
}

/** Returns the name of the only top folder: the tar is named after it, and paths are relative to it. */
function parcelOfFolder(files: PathedFile[]): Parcel {
  const folders = new Set(files.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')))
  const [folder] = folders
  const isOne = folders.size === 1 && folder !== ''
  const within = isOne ? files.map(({ path, file }) => ({ path: path.slice(folder.length + 1), file })) : files
  const name = `${isOne ? fileName(folder) : 'recordings'}.tar`
  return { name, bytes: tarOf(within), fingerprint: fingerprintOf(files), files }
}

/** Removes characters that an upload's name must not have. */
function fileName(folder: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
  const plain = folder.replace(/[\\:\u0000-\u001f\u007f]/g, ' ').replace(/^\.+/, '')
  return plain.slice(0, 60).trim() || 'recordings'
}

function fingerprintOf(files: PathedFile[]): string {
  return hashOf(JSON.stringify(files.map(({ path, file }) => [path, file.size, file.lastModified])))
}

/** Hashes a text with FNV-1a from two offsets. It distinguishes files of the same name; it is not cryptographic. */
function hashOf(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const hash = (start: number) => bytes.reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), start) >>> 0
  return [0x811c9dc5, 0x9747b28c].map((start) => hash(start).toString(16).padStart(8, '0')).join('')
}
