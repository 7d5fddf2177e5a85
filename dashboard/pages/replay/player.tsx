import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Aoi, FixationsData, Item } from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import { setQuery } from '../../core/router.ts'
import { useWidth } from '../../figures/figure.tsx'
import { fitting } from '../../ui/waiting/await-item.tsx'
import { drawMoment, paleGround, type Scene, type Shown } from './draw-moment.ts'
import { countInAois, FRAME_MS, type PlayedTest, sampleBeside, viewersOf } from './moment.ts'
import { SPEEDS, usePlayback } from './playback.ts'
import { Timeline } from './timeline.tsx'
import { ShownChips, TimeSlider, TRAILS_MS, Transport } from './transport.tsx'
import { VideoPanel } from './video-panel.tsx'

const JUMP_MS = 1000
/** Settings of the player in a link. */
type PlayerLink = { startsAt: number; speed: number; trailMs: number }

/** Reads the player's part of a link; what cannot be used is left at its default. */
export function readPlayer(query: URLSearchParams): PlayerLink {
  const one = (name: string, allowed: number[], fallback: number) => {
    const value = Number(query.get(name) ?? Number.NaN)
    return allowed.includes(value) ? value : fallback
  }
  const t = Number(query.get('t') ?? 0)
  return {
    startsAt: Number.isFinite(t) && t > 0 ? t : 0,
    speed: one('speed', SPEEDS, 1),
    trailMs: one('trail', TRAILS_MS, 1000),
  }
}

type PlayerProps = {
  item: Item
  aois: Aoi[]
  paint: AoiPaint
  chosen: number[]
  tests: PlayedTest[]
  fixations: FixationsData
  names: Map<string, string>
  image: HTMLImageElement | null
  aspect: number
  untilMs: number
  link: PlayerLink
  title: string
  caption: string
  fileName: string
}

/** Plays tests over their item, with all that one can do with a film. */
export function Player({
  item,
  aois,
  paint,
  chosen,
  tests,
  fixations,
  names,
  image,
  aspect,
  untilMs,
  link,
  title,
  caption,
  fileName,
}: PlayerProps) {
  const [trailMs, setTrailMs] = useState(link.trailMs)
  const [shown, setShown] = useState<Shown>({
    gaze: true,
    mouse: true,
    aois: aois.length > 0,
    window: tests.length === 1,
  })
  const { box, canvas, isSized, width, height, dense, ground } = useStage(image, aspect)
  const head = useRef<HTMLDivElement>(null)
  const slider = useRef<HTMLInputElement>(null)
  const clock = useRef<HTMLOutputElement>(null)
  const scene: Scene = { item, aois, aoiColors: paint.colors, tests, shown, trailMs, ground }

  const show = (tMs: number) => {
    const context = canvas.current?.getContext('2d')
    if (!context || !isSized) return
    drawMoment(context, scene, tMs, { width: width * dense, height: height * dense }, dense)
    const { dataset } = canvas.current!
    dataset.draws = String(Number(dataset.draws ?? 0) + 1)
    if (head.current) head.current.style.left = `${(100 * tMs) / untilMs}%`
    if (slider.current) {
      slider.current.value = String(tMs)
      slider.current.setAttribute('aria-valuetext', `${(tMs / 1000).toFixed(2)} seconds`)
    }
    if (clock.current) clock.current.value = `${(tMs / 1000).toFixed(3)} of ${(untilMs / 1000).toFixed(1)} s`
  }
  const isStill = useMemo(() => matchMedia('(prefers-reduced-motion: reduce)').matches, [])
  const start = { startsAt: Math.min(link.startsAt, untilMs), isStarting: !isStill, startSpeed: link.speed }
  const { isPlaying, speed, at, setSpeed, toggle, seek, pause } = usePlayback(untilMs, start, show)
  // Whatever changes what is drawn, also while nothing moves.
  useEffect(() => show(at.current))
  const { said, goTo } = useRest({ tests, aois, untilMs, isPlaying, at, seek })
  const moves = movesOf(tests, at, toggle, goTo)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons within, from wherever the focus is
    <div class="stack" onKeyDown={(event) => pressKey(event, moves)}>
      <section class="card figure player" aria-label="Replay">
        <ShownChips shown={shown} hasAois={aois.length > 0} onChange={setShown} />
        <div ref={box} class="drawing">
          <canvas
            ref={canvas}
            class="stage"
            width={width * dense}
            height={height * dense}
            style={{ width: `${width}px`, height: `${height}px` }}
            role="img"
            aria-label={`Replay of ${tests.length} tests over ${isolate(item.filename) || 'the item'}`}
          />
        </div>
        <Transport {...{ isPlaying, speed, trailMs, moves, clock }} onSpeed={setSpeed} onTrail={setTrailMs} />
        <TimeSlider {...{ slider, untilMs, seek, goTo }} onStep={(frames) => goTo(at.current + frames * FRAME_MS)} />
        <Timeline
          {...{ fixations, aois, chosen, paint, names, untilMs, head }}
          onSeek={(tMs) => seek(tMs, isPlaying)}
        />
        <p class="hint said" role="status">
          {isPlaying ? '' : said}
        </p>
        <p class="hint">
          Keys: Space plays and pauses; comma and full stop step by a frame of 1/60 s, &lt; and &gt; by a recorded
          sample, J and L by a second.
        </p>
      </section>
      <VideoPanel {...{ scene, image, aspect, untilMs, speed, title, caption, fileName }} onStart={pause} />
    </div>
  )
}

/** Keeps the canvas and the pale picture below what is drawn on it. @returns `isSized` once its width is known */
function useStage(image: HTMLImageElement | null, aspect: number) {
  const [box, boxWidth] = useWidth()
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = fitting(boxWidth, aspect)
  const height = Math.round(width / aspect)
  const dense = Math.min(2, window.devicePixelRatio || 1)
  const ground = useMemo(
    () => (boxWidth === 0 ? null : paleGround(image, { width: width * dense, height: height * dense })),
    [image, width, height, dense, boxWidth],
  )
  return { box, canvas, isSized: boxWidth > 0, width, height, dense, ground }
}

/** Says what is seen, and puts the time into the address, once it rests: both would be too much while it moves. */
function useRest({
  tests,
  aois,
  untilMs,
  isPlaying,
  at,
  seek,
}: {
  tests: PlayedTest[]
  aois: Aoi[]
  untilMs: number
} & Pick<ReturnType<typeof usePlayback>, 'isPlaying' | 'at' | 'seek'>) {
  const [said, setSaid] = useState('')
  const tell = (tMs: number) => {
    setSaid(momentWords(tests, aois, tMs))
    setQuery({ t: tMs === 0 ? null : String(Math.round(tMs)) })
  }
  useEffect(() => {
    if (isPlaying) return
    tell(at.current)
  }, [isPlaying, tests])
  const goTo = (tMs: number) => {
    seek(tMs)
    tell(Math.max(0, Math.min(untilMs, tMs)))
  }
  return { said, goTo }
}

/** Returns what each key does. */
function movesOf(
  tests: PlayedTest[],
  at: { current: number },
  toggle: () => void,
  goTo: (tMs: number) => void,
): Record<string, () => void> {
  return {
    k: toggle,
    ' ': toggle,
    ',': () => goTo(at.current - FRAME_MS),
    '.': () => goTo(at.current + FRAME_MS),
    j: () => goTo(at.current - JUMP_MS),
    l: () => goTo(at.current + JUMP_MS),
    '<': () => goTo(sampleBeside(tests, at.current).before),
    '>': () => goTo(sampleBeside(tests, at.current).after),
  }
}

/** Makes the move of a key, unless the key is of what has the focus. */
function pressKey(event: KeyboardEvent, moves: Record<string, () => void>): void {
  const on = event.target as HTMLElement
  const isTaken = event.key === ' ' && on.matches('button, input[type="checkbox"], select')
  if (event.ctrlKey || event.metaKey || event.altKey || isTaken || on.matches('select')) return
  const move = moves[event.key]
  if (move === undefined) return
  event.preventDefault()
  move()
}

/** Says what the picture shows at a time: who looks at which AOI. */
function momentWords(tests: PlayedTest[], aois: Aoi[], tMs: number): string {
  const counts = countInAois(tests, tMs, aois.length)
  const looked = aois.flatMap(({ name }, a) => (counts[a] === 0 ? [] : [`${counts[a]} in ${a + 1} ${isolate(name)}`]))
  const viewers = viewersOf(tests).length
  const who = `${countOf(viewers, 'test')}${viewers < tests.length ? ' with gaze' : ''}`
  return `At ${(tMs / 1000).toFixed(3)} s, of ${who}: ${looked.length === 0 ? 'no fixation in an AOI' : looked.join(', ')}.`
}
