import { useEffect, useRef, useState } from 'preact/hooks'
import { isShownVideo } from '../../../isomorphic/picture-names.ts'
import { haveSameShape, type Size } from '../../../isomorphic/same-shape.ts'
import {
  forgetAll,
  getJson,
  type Item,
  type PictureShown,
  type Problem,
  problemFrom,
  request,
  type Study,
} from '../../core/api.ts'
import { picturesChanged } from '../../figures/item-picture.tsx'
import { drawAsShown, type HowShown } from './as-shown.ts'
import { firstFrame } from './first-frame.ts'
import { isPicture, isVideo, matchPictures } from './match-pictures.ts'

/** Chosen picture, its item, and the state of its upload. */
export type ChosenPicture = {
  file: File
  image: HTMLImageElement
  /** null for none. */
  itemId: string | null
  /** Displayed size of the item; null until it is known. */
  shown: PictureShown | null
  how: HowShown | null
  state: 'waiting' | 'sending' | 'done'
  problem: Problem | null
}

/** Returns how a picture may have been displayed on an item; an empty list if there is no choice. */
export function howsOf(
  { file, image, shown }: Pick<ChosenPicture, 'file' | 'image' | 'shown'>,
  item: Item,
): HowShown[] {
  if (shown === null || shown.shown === null) return []
  if (!shown.isVaried && haveSameShape(shown.shown, sizeOf(image))) return []
  const isSized = item.widthPx !== null
  // Videos are never re-encoded.
  if (isVideo(file)) return isSized ? [] : ['sized']
  if (shown.isVaried) return ['sized']
  return [isSized ? 'contain' : 'sized', 'fill', 'cover', 'none']
}

export function sizeOf(image: HTMLImageElement): Size {
  return { widthPx: image.naturalWidth, heightPx: image.naturalHeight }
}

/** Keeps the chosen pictures, and uploads them one by one. */
export function usePictures(study: Study, only: Item | null) {
  const { pictures, now, add, set, attempt } = useChosen()
  const [left, setLeft] = useState<string[]>([])
  const [isBusy, setIsBusy] = useState(false)

  /** Loads how an item that gets a picture was displayed. */
  const load = async (file: File, itemId: string | null) => {
    const path = `/api2/studies/${study.id}/items/${itemId}/shown`
    if (itemId !== null) await attempt(file, itemId, async () => ({ shown: await getJson<PictureShown>(path) }))
  }

  const assign = (file: File, itemId: string | null) => {
    set(file, { itemId, shown: null, how: null, problem: null })
    return load(file, itemId)
  }

  const choose = async (files: File[]) => {
    const { taken, unread } = await decoded(files)
    setLeft(unread)
    const found = matchPictures(
      taken.map(({ file }) => file.name),
      study.items,
    )
    const matched = taken.map((each, i) => ({ ...each, itemId: only === null ? found[i] : i === 0 ? only.id : null }))
    add(matched)
    for (const { file, itemId } of matched) await load(file, itemId)
  }

  const send = async () => {
    setIsBusy(true)
    for (const each of now.current) {
      const item = study.items.find(({ id }) => id === each.itemId)
      if (item === undefined || each.state === 'done') continue
      set(each.file, { state: 'sending', problem: null })
      await attempt(each.file, each.itemId, async () => {
        await put(study, item, each)
        return { state: 'done' }
      })
    }
    picturesChanged()
    forgetAll()
    setIsBusy(false)
  }
  const tell = (file: File, how: HowShown) => set(file, { how })
  return { pictures, left, isBusy, choose, assign, send, tell }
}

/** Keeps the chosen pictures and their states. @returns `now` holds them as they are after an await, too */
function useChosen() {
  const [pictures, setPictures] = useState<ChosenPicture[]>([])
  const now = useRef(pictures)
  now.current = pictures
  useEffect(
    () => () => {
      for (const { image } of now.current) URL.revokeObjectURL(image.src)
    },
    [],
  )
  const add = (more: ChosenPicture[]) => setPictures((before) => [...before, ...more])
  const change = (isOne: (picture: ChosenPicture) => boolean, changes: Partial<ChosenPicture>) =>
    setPictures((before) => before.map((each) => (isOne(each) ? { ...each, ...changes } : each)))
  const set = (file: File, changes: Partial<ChosenPicture>) => change((each) => each.file === file, changes)
  /** Sets the changes that some work brings, or its problem, unless the picture has got another item meanwhile. */
  const attempt = async (file: File, itemId: string | null, work: () => Promise<Partial<ChosenPicture>>) => {
    const changes = await work().catch((error) => ({ state: 'waiting' as const, problem: problemFrom(error) }))
    change((each) => each.file === file && each.itemId === itemId, changes)
  }
  return { pictures, now, add, set, attempt }
}

/** Decodes files as pictures or videos; `unread` names those that this browser cannot show. */
async function decoded(files: File[]): Promise<{ taken: ChosenPicture[]; unread: string[] }> {
  const taken: ChosenPicture[] = []
  const unread: string[] = []
  for (const file of files) {
    const image = isPicture(file) ? await imageOf(file) : isVideo(file) ? await firstFrame(file) : null
    if (image === null) unread.push(file.name)
    else taken.push({ file, image, itemId: null, shown: null, how: null, state: 'waiting', problem: null })
  }
  return { taken, unread }
}

async function put(study: Study, item: Item, picture: ChosenPicture): Promise<void> {
  const { file, image, shown, how } = picture
  const area = shown?.shown ?? null
  const isDrawn = how !== null && how !== 'sized' && area !== null
  const body = isDrawn ? await drawAsShown(image, area, how) : file
  // An item without tests also gets the size of its first picture, which AOIs need.
  const isSized = how === 'sized' || (area === null && item.widthPx === null && image.naturalWidth > 0)
  const query = new URLSearchParams({ rename: 'true', ...(isSized ? { resize: 'true' } : {}) })
  const path = `/api2/studies/${study.id}/items/${item.id}/image?${query}`
  await request(path, { method: 'PUT', body, headers: { 'Content-Type': body.type || typeOf(file.name) } })
}

function typeOf(name: string): string {
  const ending = name.replace(/^.*\./s, '').toLowerCase()
  if (isShownVideo(name)) return ending === 'webm' ? 'video/webm' : 'video/mp4'
  return `image/${ending === 'svg' ? 'svg+xml' : ending === 'jpg' ? 'jpeg' : ending}`
}

/** Decodes a file as a picture; null if the browser cannot show it. */
function imageOf(file: File): Promise<HTMLImageElement | null> {
  return new Promise((resolve) => {
    const image = new Image()
    image.onload = () => resolve(image)
    image.onerror = () => {
      URL.revokeObjectURL(image.src)
      resolve(null)
    }
    image.src = URL.createObjectURL(file)
  })
}
