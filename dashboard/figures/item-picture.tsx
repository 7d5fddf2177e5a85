import { useState } from 'preact/hooks'
import { isShownPicture, isShownVideo } from '../../isomorphic/picture-names.ts'
import type { Item } from '../core/api.ts'
import './figures.css'

/** Number of changes of pictures on this page, to bypass the browser's cache. */
let version = 0

/** Reloads all pictures. */
export function picturesChanged(): void {
  version++
}

/** Returns the address of an item's picture; null if its filename is not a picture's. */
export function imageOf(studyId: string, { id, filename }: Pick<Item, 'id' | 'filename'>): string | null {
  return isShownPicture(filename) ? fileOf(studyId, id) : null
}

/** Returns the address of an item's video; null if its filename is not a video's. */
export function videoOf(studyId: string, { id, filename }: Pick<Item, 'id' | 'filename'>): string | null {
  return isShownVideo(filename) ? fileOf(studyId, id) : null
}

/** Returns the address of the picture or video of an item that has one. */
export function fileOf(studyId: string, itemId: string): string {
  return `/api2/studies/${studyId}/items/${itemId}/image${version === 0 ? '' : `?version=${version}`}`
}

type ItemPictureProps = { studyId: string; item: Item; width: number; height: number }

/** Draws a small picture of an item, or a placeholder if it has none; never a broken image. */
export function ItemPicture({ studyId, item, width, height }: ItemPictureProps) {
  const href = imageOf(studyId, item)
  const video = videoOf(studyId, item)
  const [missing, setMissing] = useState<string | null>(null)
  if (video !== null && missing !== video)
    return <video src={video} preload="metadata" muted {...{ width, height }} onError={() => setMissing(video)} />
  return href !== null && missing !== href ? (
    <img src={href} alt="" loading="lazy" width={width} height={height} onError={() => setMissing(href)} />
  ) : (
    <span class="no-picture">no picture</span>
  )
}
