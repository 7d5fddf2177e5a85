import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Aoi, Item } from '../../core/api.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import { setQuery } from '../../core/router.ts'
import { useWidth } from '../../figures/figure.tsx'
import type { Clip } from '../../figures/video/clip.ts'
import { filmWords, framesFrom } from '../../figures/video/frame-time.ts'
import { fitting } from '../../ui/waiting/await-item.tsx'
import { drawMoment, paleGround, type Scene, type Shown } from './draw-moment.ts'
import { useFilm } from './film.ts'
import { countInAois, countViewers, FRAME_MS, type PlayedTest, sampleBeside } from './moment.ts'
import { SPEEDS, usePlayback } from './playback.ts'
import { type PlayedFixations, ReplayTimeline } from './timeline.tsx'
import { ShownChips, TimeSlider, TRAILS_MS, Transport } from './transport.tsx'
import { type Filmed, VideoPanel } from './video-panel.tsx'

const JUMP_MS = 1000
/** Settings of the player in a link. */
type PlayerLink = { startsAt: number; speed: number; trailMs: number }

/** Reads the player's settings from a link; invalid values keep their defaults. */
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

type PlayerProps = PlayedFixations & Filmed & { item: Item; tests: PlayedTest[]; link: PlayerLink }

/** Plays tests over their item, with the controls of a video player. */
export function Player(props: PlayerProps) {
  const { item, aois, paint, chosen, tests, fixations, names, image, clip, aspect, untilMs } = props
  const { title, caption, fileName } = props
  const [trailMs, setTrailMs] = useState(props.link.trailMs)
  const [shown, setShown] = useState<Shown>({
    gaze: true,
    mouse: true,
    aois: aois.length > 0,
    window: tests.length === 1,
  })
  const stage = useStage(image, aspect)
  const { box, canvas, width, height, dense } = stage
  const { head, slider, clock, note, swarm, tell } = usePlayHead(clip, untilMs, tests.length)
  const playing = usePlaying(props, stage, { shown, trailMs }, tell)
  const { scene, isPlaying, speed, setSpeed, seek, pause, goTo, step, frameMs, said, moves } = playing
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
            aria-label={`Replay of ${countOf(tests.length, 'test')} over ${isolate(item.filename) || 'the item'}`}
          />
        </div>
        <Transport {...{ isPlaying, speed, trailMs, moves, clock }} onSpeed={setSpeed} onTrail={setTrailMs} />
        <TimeSlider {...{ slider, untilMs, seek, goTo }} onStep={step} />
        {tests.length > 1 && <p ref={swarm} class="hint swarm" />}
        {clip !== null && <p ref={note} class="hint film-note" role="status" />}
        <ReplayTimeline
          {...{ fixations, aois, chosen, paint, names, untilMs, head }}
          events={tests.flatMap(({ recorded }) => recorded.events)}
          onSeek={(tMs) => seek(tMs, isPlaying)}
        />
        <p class="hint said" role="status">
          {isPlaying ? '' : said}
        </p>
        <p class="hint">
          Keys: Space plays and pauses; comma and full stop step by a frame of{' '}
          {clip === null ? '1/60 s' : `the video, ${frameMs.toFixed(1)} ms`}, &lt; and &gt; by a recorded sample, J and
          L by a second.
        </p>
      </section>
      <VideoPanel {...{ scene, image, clip, aspect, untilMs, speed, title, caption, fileName }} onStart={pause} />
    </div>
  )
}

/**
 * Plays a scene on its stage, with its film, also step by step.
 *
 * @param tell called with each drawn time and the number of tests with gaze then
 */
function usePlaying(
  props: PlayerProps,
  stage: ReturnType<typeof useStage>,
  displayed: Pick<Scene, 'shown' | 'trailMs'>,
  tell: (tMs: number, looking: number) => void,
) {
  const { item, aois, paint, tests, clip, untilMs, link } = props
  const { canvas, isSized, width, height, dense } = stage
  const wanted = useRef({ speed: 0 })
  const film = useFilm(clip, { width: isSized ? width * dense : 0, height: height * dense }, () => draw(at.current))
  const scene: Scene = {
    item,
    aois,
    aoiColors: paint.colors,
    tests,
    ...displayed,
    ground: film?.ground ?? stage.ground,
  }
  const show = (tMs: number) => {
    film?.follow(tMs, wanted.current.speed)
    draw(tMs)
  }
  const draw = (tMs: number) => {
    const context = canvas.current?.getContext('2d')
    if (!context || !isSized) return
    const looking = drawMoment(context, scene, tMs, { width: width * dense, height: height * dense }, dense)
    const { dataset } = canvas.current!
    dataset.draws = String(Number(dataset.draws ?? 0) + 1)
    tell(tMs, looking)
  }
  const isStill = useMemo(() => matchMedia('(prefers-reduced-motion: reduce)').matches, [])
  const start = { startsAt: Math.min(link.startsAt, untilMs), isStarting: !isStill, startSpeed: link.speed }
  const playback = usePlayback(untilMs, start, show)
  const { isPlaying, speed, at, toggle, seek } = playback
  wanted.current.speed = isPlaying ? speed : 0
  const frameMs = clip?.frameMs ?? FRAME_MS
  const step = (frames: number) =>
    goTo(clip === null ? at.current + frames * FRAME_MS : framesFrom(at.current, frames, frameMs))
  // Redraw on every change, also while paused.
  useEffect(() => show(at.current))
  const { said, goTo } = useRest({ tests, aois, untilMs, isPlaying, at, seek })
  return { ...playback, scene, frameMs, said, goTo, step, moves: movesOf(tests, at, toggle, goTo, step) }
}

/** Moves the displays of the time without rendering the page. */
function usePlayHead(clip: Clip | null, untilMs: number, n: number) {
  const head = useRef<HTMLDivElement>(null)
  const slider = useRef<HTMLInputElement>(null)
  const clock = useRef<HTMLOutputElement>(null)
  const note = useRef<HTMLParagraphElement>(null)
  const swarm = useRef<HTMLParagraphElement>(null)
  const tell = (tMs: number, looking: number) => {
    if (head.current) head.current.style.left = `${(100 * tMs) / untilMs}%`
    if (slider.current) {
      slider.current.value = String(tMs)
      slider.current.setAttribute('aria-valuetext', `${(tMs / 1000).toFixed(2)} seconds`)
    }
    const words = filmWords(clip, tMs)
    if (note.current && note.current.textContent !== words) note.current.textContent = words
    const who = `Gaze of ${looking} of ${countOf(n, 'test')} at this time`
    if (swarm.current && swarm.current.textContent !== who) swarm.current.textContent = who
    if (clock.current) clock.current.value = `${(tMs / 1000).toFixed(3)} of ${(untilMs / 1000).toFixed(1)} s`
  }
  return { head, slider, clock, note, swarm, tell }
}

/** Keeps the canvas, and the pale picture below it. @returns `isSized` true once its width is known */
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

/** Announces the picture and writes the time to the address, debounced while the time changes. */
function useRest(
  props: {
    tests: PlayedTest[]
    aois: Aoi[]
    untilMs: number
  } & Pick<ReturnType<typeof usePlayback>, 'isPlaying' | 'at' | 'seek'>,
) {
  const { tests, aois, untilMs, isPlaying, at, seek } = props
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

/** Returns the action of each key. */
function movesOf(
  tests: PlayedTest[],
  at: { current: number },
  toggle: () => void,
  goTo: (tMs: number) => void,
  step: (frames: number) => void,
): Record<string, () => void> {
  return {
    k: toggle,
    ' ': toggle,
    ',': () => step(-1),
    '.': () => step(1),
    j: () => goTo(at.current - JUMP_MS),
    l: () => goTo(at.current + JUMP_MS),
    '<': () => goTo(sampleBeside(tests, at.current).before),
    '>': () => goTo(sampleBeside(tests, at.current).after),
  }
}

/** Runs the action of a key, unless the focused element handles the key. */
function pressKey(event: KeyboardEvent, moves: Record<string, () => void>): void {
  const on = event.target as HTMLElement
  const isTaken = event.key === ' ' && on.matches('button, input[type="checkbox"], select')
  if (event.ctrlKey || event.metaKey || event.altKey || isTaken || on.matches('select')) return
  const move = moves[event.key]
  if (move === undefined) return
  event.preventDefault()
  move()
}

/** Describes the picture at a time: who looks at which AOI. */
function momentWords(tests: PlayedTest[], aois: Aoi[], tMs: number): string {
  const counts = countInAois(tests, tMs, aois.length)
  const looked = aois.flatMap(({ name }, a) => (counts[a] === 0 ? [] : [`${counts[a]} in ${a + 1} ${isolate(name)}`]))
  const viewers = countViewers(tests)
  const who = `${countOf(viewers, 'test')}${viewers < tests.length ? ' with gaze' : ''}`
  return `At ${(tMs / 1000).toFixed(3)} s, of ${who}: ${looked.length === 0 ? 'no fixation in an AOI' : looked.join(', ')}.`
}
