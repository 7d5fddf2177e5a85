import { useRef, useState } from 'preact/hooks'
import { LIGHT } from '../../core/colors/theme.ts'
import { bytes, seconds } from '../../core/number-texts.ts'
import { FIGURE_FONT, saveBlob, wrap } from '../../figures/save.ts'
import { type Clip, seekTo } from '../../figures/video/clip.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { numberOptions } from '../../ui/controls/options.ts'
import { Panel } from '../../ui/controls/panel.tsx'
import { drawMoment, paintPale, paleGround, type Scene } from './draw-moment.ts'
import type { VideoKind } from './save-video.ts'

const RATES = [30, 60]
const TITLE_PX = 44
const LINE_PX = 17
const LETTER_PX = 6.3
const WIDEST_PX = 1280
const TALLEST_PX = 1080

/** The picture or video of a replay, and what names it in a file. */
export type Filmed = {
  image: HTMLImageElement | null
  /** The item's video; null for a picture. */
  clip: Clip | null
  aspect: number
  title: string
  caption: string
  fileName: string
}

type VideoPanelProps = Filmed & { scene: Scene; untilMs: number; speed: number; onStart: () => void }

/** Offers the replay as a video with its title and caption, so that it stands alone. */
export function VideoPanel(props: VideoPanelProps) {
  const { untilMs, speed } = props
  const [kind, setKind] = useState<VideoKind>('webm')
  const [rate, setRate] = useState(30)
  const { share, said, save, stop } = useSaving(props, kind, rate)
  return (
    <Panel title="Save as a video" id="video">
      <div class="row">
        <Choice isInline label="Format" value={kind} of={{ webm: 'WebM', mp4: 'MP4' }} onChange={setKind} />
        <Choice isInline label="Frames per second" value={rate} of={numberOptions(RATES)} onChange={setRate} />
      </div>
      <p class="hint">
        The whole replay at speed {speed} ×, {seconds(untilMs / speed)} long, with the current display. The video is
        created in this browser.
      </p>
      {share === null ? (
        <Button onClick={save}>Save video</Button>
      ) : (
        <p class="row">
          <progress value={share} max={1} aria-label="Progress of the video" />
          <Button class="small" onClick={stop}>
            Stop
          </Button>
        </p>
      )}
      <p class="hint" role="status">
        {said}
      </p>
    </Panel>
  )
}

/** Encodes and saves the video. @returns `share` of the frames that are done, null while idle; `said` the result */
function useSaving(
  { scene, image, clip, aspect, untilMs, speed, title, caption, fileName, onStart }: VideoPanelProps,
  kind: VideoKind,
  rate: number,
) {
  const [share, setShare] = useState<number | null>(null)
  const [said, setSaid] = useState('')
  const saving = useRef<AbortController | null>(null)
  const lastsMs = untilMs / speed
  const save = async () => {
    onStart()
    const controller = new AbortController()
    saving.current = controller
    setShare(0)
    setSaid('')
    try {
      const { saveVideo } = await import('./save-video.ts')
      const { canvas, draw } = videoFrames(scene, image ?? clip, { aspect, title, caption })
      const blob = await saveVideo({
        kind,
        canvas,
        frames: Math.max(1, Math.ceil((lastsMs / 1000) * rate)),
        framesPerSecond: rate,
        draw: (at) => draw(at * 1000 * speed),
        onProgress: setShare,
        signal: controller.signal,
      })
      saveBlob(blob, `${fileName}.${kind}`)
      setSaid(`Saved: ${canvas.width} × ${canvas.height} px, ${seconds(lastsMs)}, ${bytes(blob.size)}.`)
    } catch (error) {
      const why = error instanceof Error && error.message !== '' ? error.message : 'The browser gave no reason.'
      setSaid(controller.signal.aborted ? 'Stopped; nothing was saved.' : `The video could not be created. ${why}`)
    }
    setShare(null)
  }
  return { share, said, save, stop: () => saving.current?.abort() }
}

/** Returns a canvas, and a function that draws a moment of the replay on it, with title and caption. */
function videoFrames(
  scene: Scene,
  image: HTMLImageElement | Clip | null,
  { aspect, title, caption }: { aspect: number; title: string; caption: string },
): { canvas: HTMLCanvasElement; draw: (tMs: number) => Promise<void> } {
  const width = even(Math.max(480, Math.min(WIDEST_PX, TALLEST_PX * aspect)))
  const height = even(width / aspect)
  const lines = wrap(caption, Math.floor((width - 24) / LETTER_PX))
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = even(height + TITLE_PX + lines.length * LINE_PX + 12)
  const context = canvas.getContext('2d')!
  const inner = document.createElement('canvas')
  inner.width = width
  inner.height = height
  const picture = inner.getContext('2d')!
  const clip = image !== null && 'video' in image ? image : null
  const still = image !== null && 'video' in image ? null : paleGround(image, { width, height })
  const frame = document.createElement('canvas')
  Object.assign(frame, { width, height })
  const whole: Scene = { ...scene, ground: clip === null ? still : frame }
  return {
    canvas,
    draw: async (tMs) => {
      if (clip !== null) {
        await seekTo(clip, tMs)
        paintPale(frame.getContext('2d')!, clip.video, { width, height })
      }
      drawMoment(picture, whole, tMs, { width, height }, width / 900)
      context.fillStyle = LIGHT.surface
      context.fillRect(0, 0, canvas.width, canvas.height)
      context.drawImage(inner, 0, TITLE_PX)
      context.fillStyle = LIGHT.ink
      context.font = `600 17px ${FIGURE_FONT}`
      context.fillText(title, 12, 28)
      context.font = `400 15px ${FIGURE_FONT}`
      context.textAlign = 'right'
      context.fillText(`${(tMs / 1000).toFixed(2)} s`, width - 12, 28)
      context.textAlign = 'left'
      context.fillStyle = LIGHT.muted
      context.font = `400 12px ${FIGURE_FONT}`
      for (const [i, line] of lines.entries()) context.fillText(line, 12, TITLE_PX + height + 18 + i * LINE_PX)
    },
  }
}

/** Rounds to an even number of pixels, which encoders need. */
function even(px: number): number {
  return 2 * Math.ceil(px / 2)
}
