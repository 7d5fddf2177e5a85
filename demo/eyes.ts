import { between, chance, type Random, weightedIndex } from './random.ts'
import type { Region } from './stimuli/sketch.ts'
import { addStop, createTrack, type Track } from './track.ts'

/** How the item lies in the window: item pixels × scale + offset = window pixels, before scrolling. */
export type Screen = {
  windowWidthPx: number
  windowHeightPx: number
  leftPx: number
  topPx: number
  scale: number
  /** 0 where the item does not scroll. */
  maxScrollPx: number
}

/** One look at one region of the item; `region` is -1 for a look elsewhere. */
export type Look = { startMs: number; endMs: number; xPx: number; yPx: number; region: number }

export type Scanpath = { gaze: Track; scroll: Track; looks: Look[] }

/**
 * How long a saccade takes: the main sequence, 2.2 ms a degree and 21 ms (Carpenter, Movements of the Eyes, 1988). With a
 * minimum-jerk course its peak velocity is 1.875 × amplitude / duration, which levels off towards 852 degrees a second.
 *
 * @param amplitudeDeg degrees of visual angle
 * @returns ms
 */
export function saccadeDurationMs(amplitudeDeg: number): number {
  return 21 + 2.2 * amplitudeDeg
}

/**
 * A scanpath over a test: looks at regions by their pull, words read along their lines, corrective saccades after long
 * ones, scrolling when the next region is out of view, and looks away from the screen for about the share asked for.
 *
 * @param regions in item pixels
 * @returns tracks in window pixels; their times ascend from 0 to at least `durationMs`
 */
export function planScanpath({
  random,
  regions,
  screen,
  durationMs,
  pxPerDegree,
  offScreenShare,
}: {
  random: Random
  regions: Region[]
  screen: Screen
  durationMs: number
  pxPerDegree: number
  offScreenShare: number
}): Scanpath {
  const { windowWidthPx, windowHeightPx, leftPx, topPx, scale, maxScrollPx } = screen
  const [gaze, scroll] = [createTrack(), createTrack()]
  const looks: Look[] = []
  const weights = regions.map(() => 0)
  const interest = regions.map(({ pull }) => pull)
  let [t, x, y, scrollPx, offMs] = [0, 0, 0, 0, 0]

  const dwell = (toX: number, toY: number, dwellMs: number, region: number) => {
    const travelMs = looks.length === 0 ? 0 : saccadeDurationMs(Math.hypot(toX - x, toY - y) / pxPerDegree)
    ;[x, y] = [toX, toY]
    const startMs = t + travelMs
    t = startMs + dwellMs
    addStop(gaze, startMs, t, x, y)
    looks.push({ startMs, endMs: t, xPx: x, yPx: y, region })
  }
  const aim = (toX: number, toY: number, dwellMs: number, region: number) => {
    const amplitudeDeg = Math.hypot(toX - x, toY - y) / pxPerDegree
    // Long saccades often fall short and are corrected.
    const reach = amplitudeDeg > 6 && chance(random, 0.35) ? between(random, 0.88, 0.95) : 1
    if (reach < 1) dwell(x + (toX - x) * reach, y + (toY - y) * reach, between(random, 100, 160), region)
    dwell(toX, toY, dwellMs, region)
  }
  const lookAway = (dwellMs: number) => {
    offMs += dwellMs
    const side = random.uniform()
    const below = windowHeightPx + between(random, 90, 320)
    if (side < 0.5) aim(windowWidthPx * between(random, 0.2, 0.8), below, dwellMs, -1)
    else
      aim(
        side < 0.75 ? between(random, -420, -110) : windowWidthPx + between(random, 110, 420),
        windowHeightPx * random.uniform(),
        dwellMs,
        -1,
      )
  }
  const scrollTo = (region: Region) => {
    const viewPx = topPx + (region.y + region.height / 2) * scale - scrollPx
    if (maxScrollPx === 0 || (viewPx > windowHeightPx * 0.1 && viewPx < windowHeightPx * 0.85)) return
    const wanted = scrollPx + viewPx - windowHeightPx * between(random, 0.3, 0.55)
    const target = Math.round(Math.min(maxScrollPx, Math.max(0, wanted)))
    if (target === scrollPx) return
    const takesMs = 220 + Math.min(700, 0.3 * Math.abs(target - scrollPx))
    // The eyes rest in the middle of the window while the page moves under them.
    dwell(windowWidthPx * between(random, 0.4, 0.6), windowHeightPx * between(random, 0.4, 0.6), takesMs + 90, -1)
    addStop(scroll, t - 40, t - 40, target, 0)
    scroll.leaveMs[scroll.leaveMs.length - 2] = t - 40 - takesMs
    scrollPx = target
  }
  const toWindow = (itemX: number, itemY: number): [number, number] => [
    leftPx + itemX * scale,
    topPx + itemY * scale - scrollPx,
  ]

  addStop(scroll, 0, 0, 0, 0)
  dwell(
    windowWidthPx * between(random, 0.47, 0.53),
    windowHeightPx * between(random, 0.44, 0.54),
    between(random, 140, 320),
    -1,
  )
  while (t < durationMs) {
    const awayMs = between(random, 350, 1100)
    if (offMs + awayMs / 2 < offScreenShare * t) {
      lookAway(awayMs)
      continue
    }
    const progressPx = Math.min(1, t / (durationMs * 0.9)) * maxScrollPx + windowHeightPx / 2
    for (let i = 0; i < regions.length; i++) {
      const { x: left, y: top, width, height } = regions[i]
      const [centreX, centreY] = toWindow(left + width / 2, top + height / 2)
      const awayPx = maxScrollPx > 0 ? Math.abs(centreY + scrollPx - progressPx) / windowHeightPx : 0
      weights[i] =
        (interest[i] + 0.04 * regions[i].pull) * Math.exp(-Math.hypot(centreX - x, centreY - y) / 700 - 3 * awayPx)
    }
    const index = weightedIndex(random, weights)
    const region = regions[index]
    interest[index] *= 0.4
    scrollTo(region)
    if (region.lines > 0)
      read(random, region, scale, pxPerDegree, (itemX, itemY, ms) => aim(...toWindow(itemX, itemY), ms, index))
    else
      for (let looksHere = 1 + Math.floor(2.4 * random.uniform()); looksHere > 0; looksHere--) {
        const itemX = region.x + region.width * clamped(0.5 + 0.17 * random.normal())
        const itemY = region.y + region.height * clamped(0.47 + 0.17 * random.normal())
        aim(...toWindow(itemX, itemY), fixationMs(random, 270), index)
      }
  }
  return { gaze, scroll, looks }
}

/** Along some of a text's lines, two degrees or so at a time, with a long sweep back to the next line. */
function read(
  random: Random,
  { x, y, width, height, lines }: Region,
  scale: number,
  pxPerDegree: number,
  look: (itemX: number, itemY: number, ms: number) => void,
): void {
  const wanted = Math.max(1, Math.round(lines * between(random, 0.4, 1)))
  const from = wanted < lines && chance(random, 0.25) ? lines - wanted : 0
  const stride = (1.9 * pxPerDegree) / scale
  for (let line = from; line < from + wanted; line++) {
    const lineY = y + (height * (line + 0.5)) / lines
    for (
      let along = Math.min(width * 0.3, stride * between(random, 0.3, 0.8));
      along < width * 0.96;
      along += stride * between(random, 0.7, 1.5)
    ) {
      look(x + along, lineY + random.normal() * height * 0.04, fixationMs(random, 215))
      // Now and then back to the word before.
      if (along > stride && chance(random, 0.1)) look(x + along - stride * 0.7, lineY, fixationMs(random, 180))
    }
  }
}

/** Skewed as fixations are: most near the typical one, a few much longer. */
function fixationMs(random: Random, typicalMs: number): number {
  return Math.max(90, Math.min(900, typicalMs * Math.exp(0.36 * random.normal())))
}

const clamped = (share: number) => Math.min(0.95, Math.max(0.05, share))
