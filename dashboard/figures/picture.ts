import { useEffect, useState } from 'preact/hooks'
import { type Item, type PictureShown, request } from '../core/api.ts'
import { isolate } from '../core/number-texts.ts'
import { usePlace } from '../core/router.ts'
import { useData } from '../core/use-data.ts'
import type { Settings } from '../core/view/chart-settings.ts'
import { imageOf, videoOf } from './item-picture.tsx'
import type { Picture } from './stimulus.tsx'
import { frameIn, readFrameOf } from './video/frame-time.ts'
import { useClip, useVideoFrame } from './video/use-clip.ts'

type Found = { href: string | null; aspect: number | null; lack: string | null }

/** Returns the aspect ratio of an item; a default if the study does not give its size. */
export function aspectOf({ widthPx, heightPx }: Pick<Item, 'widthPx' | 'heightPx'>, fallback = 16 / 9): number {
  return widthPx && heightPx ? widthPx / heightPx : fallback
}

const ALWAYS = { fromMs: '', toMs: '' }

/**
 * Returns the item's picture once it is loaded and has the shape of the displayed item, or the reason why there is
 * none.
 *
 * @param window time window; a video shows a frame of it
 */
export function usePicture(studyId: string, item: Item, window: Pick<Settings, 'fromMs' | 'toMs'> = ALWAYS): Picture {
  const still = useFound(studyId, item)
  const { data, problem } = useData<PictureShown>(`/api2/studies/${studyId}/items/${item.id}/shown`)
  const { query } = usePlace()
  const video = data?.video ?? null
  const src = videoOf(studyId, item)
  const isVideo = src !== null
  // A video of another shape is not drawn, so it is not read either.
  const film = useClip(data?.misfit === null ? src : null, video)
  const frame = frameIn(window, readFrameOf(query), video?.durationMs ?? 0)
  const href = useVideoFrame(film.clip, frame.tMs)
  const found = isVideo ? ofVideo(item, data, film.isUnplayable, href) : still
  const aspect = aspectOf(item, data?.shown ? aspectOf(data.shown) : (found.aspect ?? undefined))
  const durationMs = video?.durationMs ?? null
  const lacking = (lack: string | null): Picture => ({ href: null, aspect, lack, clip: null, durationMs })
  if (problem !== null && found.lack === null)
    return lacking('The picture is not drawn because its displayed size is unknown')
  if (data === null || data.misfit !== null || found.href === null) return lacking(found.lack ?? data?.misfit ?? null)
  return { href: found.href, aspect, lack: null, clip: film.clip, durationMs, ...(isVideo ? { frame } : {}) }
}

/** Returns the frame of a video, or the reason why there is none. */
function ofVideo(item: Item, shown: PictureShown | null, isUnplayable: boolean, href: string | null): Found {
  const name = isolate(item.filename)
  const lack =
    shown !== null && shown.video === null
      ? `No video of ${name} was imported`
      : isUnplayable
        ? `This browser cannot play the video of ${name}: H.264 in MP4, or VP9 in WebM, can be played`
        : null
  return { href: lack === null ? href : null, aspect: null, lack }
}

/** Returns the item's picture once it is loaded, or the reason why there is none. */
function useFound(studyId: string, item: Item): Found {
  const [picture, setPicture] = useState<Found>({ href: null, aspect: null, lack: null })
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
        () => tell(`The picture of ${name} is damaged, or its format is not supported by this browser`),
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
