import { useEffect, useState } from 'preact/hooks'
import { type Item, request } from '../api.ts'
import { isolate } from '../number-texts.ts'
import { imageOf } from '../studies/item-picture.tsx'
import type { Picture } from './stimulus.tsx'

/** The item's picture once it is known to be there, or why there is none. */
export function usePicture(studyId: string, item: Item): Picture {
  const [picture, setPicture] = useState<Picture>({ href: null, aspect: null, lack: null })
  const name = isolate(item.filename) || 'this item'
  useEffect(() => {
    const href = imageOf(studyId, item)
    const lacking = `No picture of ${name} was imported`
    if (href === null) return setPicture({ href: null, aspect: null, lack: lacking })
    const controller = new AbortController()
    const image = new Image()
    image.onload = () => setPicture({ href, aspect: image.naturalWidth / image.naturalHeight || null, lack: null })
    image.onerror = () => {
      const tell = (lack: string) => controller.signal.aborted || setPicture({ href: null, aspect: null, lack })
      request(href, { method: 'HEAD', signal: controller.signal }).then(
        () => tell(`The picture of ${name} is damaged, or of a kind that this browser cannot show`),
        (problem: { status?: number }) =>
          tell(problem.status === 404 ? lacking : `The picture of ${name} could not be loaded`),
      )
    }
    image.src = href
    return () => {
      controller.abort()
      image.onload = null
      image.onerror = null
    }
  }, [studyId, item])
  return picture
}
