import { constants, mkdirSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { groupBy } from '../../../isomorphic/group-by.ts'
import type { Size } from '../../../isomorphic/same-shape.ts'
import { inMib, pictureLimit, type SampleLimits } from '../../import/bundle/bundle-limits.ts'
import { sizeFault } from '../../model/picture-size.ts'
import { VideoFault } from '../../model/video/reader.ts'
import { isVideoName } from '../../model/video/video-facts.ts'
import { NotPlain, readPlain, withPlain } from '../../storage/files/plain-file.ts'
import { videoNamed } from '../../storage/files/video-file.ts'
import {
  type Draft,
  type DraftItem,
  type Ids,
  noteAssumed,
  noteDoubt,
  noteLeft,
  type PictureMatches,
} from '../draft/draft.ts'
import { placedAt } from '../draft/placed-at.ts'
import type { ContinuedStudy } from './continued-study.ts'
import { canBeShown, checkedPictureSize, isPictureName, withoutEnding } from './picture-size.ts'

/** A picture beside the recordings: its path as given, and the parts of its name that are matched. */
type Picture = { path: string; name: string; base: string }

const LISTED_MAX = 200
const NAME_MAX_BYTES = 200

/** A picture among the files. */
export type PictureFile = { path: string; name: string }

/** Returns whether a file is a picture, by its name. @property sheet sheet of a workbook; null for a whole file */
export function isPictureFile({ name, sheet }: { name: string; sheet: string | null }): boolean {
  return sheet === null && isPictureName(name)
}

/**
 * Copies pictures beside recordings into the bundle, and assigns them to items by name: without path and case, with or
 * without extension. The item gets a valid picture name, and the picture's size unless the files state another.
 *
 * @param directory of the bundle
 * @param chosen names of the items to which some pictures were assigned by hand
 * @returns each item's picture, by the names in the files; null without any picture
 */
export async function takePictures(
  directory: string,
  draft: Draft,
  ids: Ids,
  files: PictureFile[],
  chosen: Map<string, string | null>,
  continued: ContinuedStudy | null,
  limits: SampleLimits,
): Promise<PictureMatches | null> {
  if (files.length === 0) return null
  const pictures = files.map(({ path, name }) => ({ path, name, base: baseOf(name) }))
  const free = pictures.filter(({ name }) => !chosen.has(name))
  const [byBase, byStem] = [groupBy(free, ({ base }) => base.toLowerCase()), groupBy(free, ({ base }) => stemOf(base))]
  const given = (filename: string) => pictures.find(({ name }) => chosen.get(name) === filename)
  const found = draft.items.map((item) => given(item.filename) ?? pictureOf(item, byBase, byStem))
  const matches = {
    files: files.map(({ name }) => name),
    items: draft.items.map(({ filename }, i) => ({ name: filename, picture: found[i]?.name ?? null })),
  }
  const names = namesFor(draft.items, found)
  const known = new Map(continued?.items.map(({ id, name }) => [id, name]))
  const taken: string[] = []
  const written = new Set<string>()
  for (const [i, picture] of found.entries()) {
    if (picture === null) continue
    const item = draft.items[i]
    const name = known.get(ids.items[i]) ?? names[i]
    const to = join(directory, 'images', name)
    mkdirSync(join(directory, 'images'), { recursive: true })
    const size = await takePicture(draft, picture, name, { to, limits, written })
    if (size === undefined) continue
    written.add(name)
    item.filename = name
    if (size && item.widthPx === null) Object.assign(item, size)
    taken.push(name === picture.name ? name : `${name} (${picture.name})`)
  }
  notePictures(draft, taken, pictures, found)
  return matches
}

function baseOf(path: string): string {
  const plain = /^https?:/i.test(path) ? path.replace(/[?#].*$/s, '') : path
  return plain.replace(/^.*[\\/]/s, '')
}

/**
 * Finds the picture of an item: by its name, otherwise without the extension; among several, the one in the folder of
 * its path.
 */
function pictureOf(
  { filename }: DraftItem,
  byBase: Map<string, Picture[]>,
  byStem: Map<string, Picture[]>,
): Picture | null {
  const base = baseOf(filename).toLowerCase()
  const alike = byBase.get(base) ?? byStem.get(stemOf(base)) ?? []
  const shared = alike.map((picture) => ({ picture, parts: partsShared(picture.name, filename) }))
  const [best, next] = shared.sort((a, b) => b.parts - a.parts)
  return base === '' || best === undefined || next?.parts === best.parts ? null : best.picture
}

function stemOf(base: string): string {
  return withoutEnding(base.toLowerCase())
}

/** Counts the trailing path segments that two paths share. */
function partsShared(a: string, b: string): number {
  const [one, other] = [a, b].map((path) => withoutEnding(path.toLowerCase()).split(/[\\/]/).reverse())
  const differing = one.findIndex((part, i) => part !== other[i])
  return differing < 0 ? one.length : differing
}

/** Names items after their pictures' files, with their paths if several would have the same name. */
function namesFor(items: DraftItem[], found: (Picture | null)[]): string[] {
  const plain = items.map(({ filename }, i) => fileName(baseOf(filename), found[i]))
  const counts = new Map<string, number>()
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1)
  return items.map(({ filename }, i) =>
    counts.get(plain[i]) === 1 ? plain[i] : fileName(filename.replaceAll(/[\\/]+/g, '_'), found[i]),
  )
}

/** Returns a name with the extension of the picture; it keeps its own if they differ only in case. */
function fileName(name: string, picture: Picture | null): string {
  if (picture === null) return name
  const ending = picture.base.slice(withoutEnding(picture.base).length)
  const own = name.slice(withoutEnding(name).length)
  return own.toLowerCase() === ending.toLowerCase() ? name : withoutEnding(name) + ending
}

/**
 * Copies a picture, and returns its size; null if it states none; undefined, with a note, if the file cannot be a
 * picture of that type.
 */
async function takePicture(
  draft: Draft,
  { path, name: given }: Picture,
  name: string,
  { to, limits, written }: { to: string; limits: SampleLimits; written: Set<string> },
): Promise<Size | null | undefined> {
  const leave = (why: string) => {
    noteLeft(draft, `pictures ${why}`, 1, { first: given })
    return undefined
  }
  if (!canBeShown(given)) return leave('of a kind that browsers do not show: save them as PNG, videos as MP4 or WebM')
  if (Buffer.byteLength(name) > NAME_MAX_BYTES || /[\\/\0]/.test(name) || !canBeShown(name))
    return leave('of items whose names no picture can have')
  if (written.has(name)) return leave('of items that would be called the same')
  const { mostBytes } = pictureLimit(name, limits)
  const tooLarge = `of more than ${inMib(mostBytes)}`
  try {
    if (isVideoName(name)) {
      const isSmall = await withPlain(path, async (file) => (await file.stat()).size <= mostBytes)
      if (!isSmall) return leave(tooLarge)
      const { widthPx, heightPx } = await videoNamed(path, name)
      await copyFile(path, to, constants.COPYFILE_FICLONE)
      return { widthPx, heightPx }
    }
    const bytes = await readPlain(path, mostBytes)
    const size = checkedPictureSize(name, bytes)
    if (size === undefined) return leave('that are not what their ending says')
    if (sizeFault(bytes) !== null) return leave('of a size that no picture has')
    writeFileSync(to, bytes)
    return size
  } catch (error) {
    if (error instanceof VideoFault) return leave(`that cannot be played: a video ${error.message}`)
    if (!(error instanceof NotPlain)) throw error
    return leave(tooLarge)
  }
}

function notePictures(draft: Draft, taken: string[], pictures: Picture[], found: (Picture | null)[]): void {
  const more = taken.length > LISTED_MAX ? `, and ${taken.length - LISTED_MAX} more` : ''
  if (taken.length > 0)
    noteAssumed(
      draft,
      `pictures beside the recordings belong to the items of the same name: ${taken.slice(0, LISTED_MAX).join(', ')}${more}`,
    )
  const used = new Set(found)
  const unused = pictures.filter((picture) => !used.has(picture))
  const shown = unused.slice(0, 5).map(({ name }) => name)
  noteLeft(
    draft,
    `${unused.length === 1 ? 'picture' : 'pictures'} whose name fits no item, or several: ${shown.join(', ')}${unused.length > 5 ? ', …' : ''}`,
    unused.length,
  )
}

/**
 * Places tests whose displayed size is known only from the picture; without a picture, they count as filling the
 * window.
 */
export function placePictures(draft: Draft, ids: Ids, continued: ContinuedStudy | null): void {
  const known = new Map(continued?.study.items.map((item) => [item.id, item]))
  const unsized = draft.tests.filter((test) => {
    if (test.place === null || test.display !== null) return false
    const { widthPx, heightPx } = known.get(ids.items[test.item]) ?? draft.items[test.item]
    if (widthPx === null || heightPx === null) return true
    test.display = placedAt(test.place, { widthPx, heightPx })
    return false
  })
  if (unsized.length === 0) return
  const [{ item, place }] = unsized
  noteDoubt(
    draft,
    `the files say where pictures lay, and not how large they were, as of ${draft.items[item].filename} at ${place!.xPx}, ${place!.yPx}: these count as filling the window; give the pictures beside the recordings, whose size is taken then`,
  )
}
