import { isShownPicture, isShownVideo } from '../../../isomorphic/picture-names.ts'
import type { Item } from '../../core/api.ts'

const ENDING = /\.(svg|png|jpe?g|gif|webp|avif|bmp|tiff?|mp4|m4v|webm|mov|avi)$/i

/** Returns whether a browser can show a file as a picture. */
export function isPicture({ name, type }: Pick<File, 'name' | 'type'>): boolean {
  return /^image\/(svg\+xml|png|jpeg|gif|webp|avif)$/.test(type) || isShownPicture(name)
}

/** Returns whether a file is a video that the server accepts. */
export function isVideo({ name, type }: Pick<File, 'name' | 'type'>): boolean {
  return /^video\/(mp4|webm)$/.test(type) || isShownVideo(name)
}

const baseOf = (name: string) => name.replace(/^.*[\\/]/s, '').toLowerCase()
const stemOf = (name: string) => baseOf(name).replace(ENDING, '')

/**
 * Matches pictures to items by name, without folders and case, with and without extension. Ambiguous pictures, which
 * fit several items or share one, are not matched.
 *
 * @returns ids of items, null for none, in the order of the names
 */
export function matchPictures(names: string[], items: Pick<Item, 'id' | 'filename'>[]): (string | null)[] {
  const only = (found: Pick<Item, 'id' | 'filename'>[]) => (found.length === 1 ? found[0].id : null)
  const exact = names.map((name) => only(items.filter(({ filename }) => baseOf(filename) === baseOf(name))))
  const loose = names.map((name, i) => {
    if (exact[i] !== null) return null
    const found = only(items.filter(({ filename }) => stemOf(filename) === stemOf(name)))
    return found === null || exact.includes(found) ? null : found
  })
  const wanted = names.map((_, i) => exact[i] ?? loose[i])
  return wanted.map((id) => (id !== null && wanted.indexOf(id) === wanted.lastIndexOf(id) ? id : null))
}
