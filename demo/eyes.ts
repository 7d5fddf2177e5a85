import { addStop, createTrack, type Track } from './eye-track.ts'
import type { Region } from './pictures.ts'
import { between, chance, type Random, weightedIndex } from './random.ts'

/** The place of the item in the window: item pixels × scale + offset = window pixels, before scrolling. */
export type DemoScreen = {
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

export type SimulatedGaze = { gaze: Track; scroll: Track; looks: Look[] }

/**
 * Returns how long a saccade takes, by the main sequence: 21 ms and 2.2 ms a degree (Carpenter, Movements of the Eyes,
 * 1988). On a path of least jerk its peak velocity is 1.875 × amplitude / duration, which levels off towards 852
 * degrees a second.
 *
 * @param amplitudeDeg degrees of visual angle
 * @returns ms
 */
export function saccadeDurationMs(amplitudeDeg: number): number {
  return 21 + 2.2 * amplitudeDeg
}

/** A viewer while the scanpath is planned: where they look, when, and how far they have scrolled, in window pixels. */
type Viewer = SimulatedGaze & {
  random: Random
  screen: DemoScreen
  pxPerDegree: number
  tMs: number
  xPx: number
  yPx: number
  scrollPx: number
  dwellShare: number
}

/**
 * Plans where a participant looks during a test: at regions by their pull, along lines of text, off the screen for
 * about the given share of the time; and when they scroll to a region that is out of view.
 *
 * @param regions in item pixels
 * @param dwellShare how long they look at a thing, 1 being the typical time
 * @returns tracks in window pixels; their times ascend from 0 to at least `durationMs`
 */
export function planScanpath(given: {
  random: Random
  regions: Region[]
  screen: DemoScreen
  durationMs: number
  pxPerDegree: number
  offScreenShare: number
  dwellShare?: number
}): SimulatedGaze {
  const { random, regions, screen, durationMs, pxPerDegree, offScreenShare, dwellShare = 1 } = given
  const viewer = startAtCentre(random, screen, pxPerDegree, dwellShare)
  const interest = regions.map(({ pull }) => pull)
  let awayMs = 0
  while (viewer.tMs < durationMs) {
    const nextAwayMs = between(random, 350, 1100)
    if (awayMs + nextAwayMs / 2 < offScreenShare * viewer.tMs) {
      lookAway(viewer, nextAwayMs)
      awayMs += nextAwayMs
      continue
    }
    const index = nextRegion(viewer, regions, interest, durationMs)
    interest[index] *= 0.4
    scrollTo(viewer, regions[index])
    if (regions[index].lines > 0) read(viewer, regions[index], index)
    else inspect(viewer, regions[index], index)
  }
  const { gaze, scroll, looks } = viewer
  return { gaze, scroll, looks }
}

function startAtCentre(random: Random, screen: DemoScreen, pxPerDegree: number, dwellShare: number): Viewer {
  const tracks = { gaze: createTrack(), scroll: createTrack(), looks: [] }
  const viewer: Viewer = { ...tracks, random, screen, pxPerDegree, tMs: 0, xPx: 0, yPx: 0, scrollPx: 0, dwellShare }
  addStop(viewer.scroll, 0, 0, 0, 0)
  const xPx = screen.windowWidthPx * between(random, 0.47, 0.53)
  const yPx = screen.windowHeightPx * between(random, 0.44, 0.54)
  dwell(viewer, xPx, yPx, between(random, 140, 320), -1)
  return viewer
}

/** Moves the eyes by one saccade and holds them there. */
function dwell(viewer: Viewer, xPx: number, yPx: number, dwellMs: number, region: number): void {
  const travelMs = viewer.looks.length === 0 ? 0 : saccadeDurationMs(degreesTo(viewer, xPx, yPx))
  const startMs = viewer.tMs + travelMs
  const endMs = startMs + dwellMs
  Object.assign(viewer, { tMs: endMs, xPx, yPx })
  addStop(viewer.gaze, startMs, endMs, xPx, yPx)
  viewer.looks.push({ startMs, endMs, xPx, yPx, region })
}

/** Looks at a point; a long saccade often falls short and is corrected by a second one. */
function aim(viewer: Viewer, xPx: number, yPx: number, dwellMs: number, region: number): void {
  const { random, xPx: fromX, yPx: fromY } = viewer
  if (degreesTo(viewer, xPx, yPx) > 6 && chance(random, 0.35)) {
    const reach = between(random, 0.88, 0.95)
    dwell(viewer, fromX + (xPx - fromX) * reach, fromY + (yPx - fromY) * reach, between(random, 100, 160), region)
  }
  dwell(viewer, xPx, yPx, dwellMs, region)
}

function degreesTo({ xPx, yPx, pxPerDegree }: Viewer, toX: number, toY: number): number {
  return Math.hypot(toX - xPx, toY - yPx) / pxPerDegree
}

/** Looks below the window half of the time, else left or right of it. */
function lookAway(viewer: Viewer, dwellMs: number): void {
  const { random, screen } = viewer
  const { windowWidthPx, windowHeightPx } = screen
  const side = random.uniform()
  const belowPx = windowHeightPx + between(random, 90, 320)
  if (side < 0.5) aim(viewer, windowWidthPx * between(random, 0.2, 0.8), belowPx, dwellMs, -1)
  else {
    const besidePx = side < 0.75 ? between(random, -420, -110) : windowWidthPx + between(random, 110, 420)
    aim(viewer, besidePx, windowHeightPx * random.uniform(), dwellMs, -1)
  }
}

/** Chooses a region: rather one that pulls more, is near, and on a page that scrolls, is not far ahead or behind. */
function nextRegion(viewer: Viewer, regions: Region[], interest: number[], durationMs: number): number {
  const { random, screen, tMs, xPx, yPx, scrollPx } = viewer
  const { windowHeightPx, maxScrollPx } = screen
  const progressPx = Math.min(1, tMs / (durationMs * 0.9)) * maxScrollPx + windowHeightPx / 2
  const weights = regions.map(({ x, y, width, height, pull }, i) => {
    const [centreX, centreY] = toWindow(viewer, x + width / 2, y + height / 2)
    const awayPx = maxScrollPx > 0 ? Math.abs(centreY + scrollPx - progressPx) / windowHeightPx : 0
    return (interest[i] + 0.04 * pull) * Math.exp(-Math.hypot(centreX - xPx, centreY - yPx) / 700 - 3 * awayPx)
  })
  return weightedIndex(random, weights)
}

function toWindow({ screen, scrollPx }: Viewer, itemX: number, itemY: number): [number, number] {
  return [screen.leftPx + itemX * screen.scale, screen.topPx + itemY * screen.scale - scrollPx]
}

/** Scrolls a region into view, while the eyes rest in the middle of the window. */
function scrollTo(viewer: Viewer, region: Region): void {
  const { random, screen, scroll, scrollPx } = viewer
  const { windowWidthPx, windowHeightPx, maxScrollPx } = screen
  const [, viewPx] = toWindow(viewer, 0, region.y + region.height / 2)
  if (maxScrollPx === 0 || (viewPx > windowHeightPx * 0.1 && viewPx < windowHeightPx * 0.85)) return
  const wanted = scrollPx + viewPx - windowHeightPx * between(random, 0.3, 0.55)
  const target = Math.round(Math.min(maxScrollPx, Math.max(0, wanted)))
  if (target === scrollPx) return
  const takesMs = 220 + Math.min(700, 0.3 * Math.abs(target - scrollPx))
  const restX = windowWidthPx * between(random, 0.4, 0.6)
  dwell(viewer, restX, windowHeightPx * between(random, 0.4, 0.6), takesMs + 90, -1)
  const endMs = viewer.tMs - 40
  scroll.leaveMs[scroll.leaveMs.length - 1] = endMs - takesMs
  addStop(scroll, endMs, endMs, target, 0)
  viewer.scrollPx = target
}

/** Looks one to three times at points about the middle of a region. */
function inspect(viewer: Viewer, { x, y, width, height }: Region, index: number): void {
  const { random } = viewer
  for (let looksHere = 1 + Math.floor(2.4 * random.uniform()); looksHere > 0; looksHere--) {
    const itemX = x + width * clamped(0.5 + 0.17 * random.normal())
    const itemY = y + height * clamped(0.47 + 0.17 * random.normal())
    aim(viewer, ...toWindow(viewer, itemX, itemY), fixationMs(viewer, 270), index)
  }
}

/** Reads some of a text's lines, about two degrees at a time, with a long sweep back to the next line. */
function read(viewer: Viewer, { x, y, width, height, lines }: Region, index: number): void {
  const { random, screen, pxPerDegree } = viewer
  const look = (itemX: number, itemY: number, ms: number) => aim(viewer, ...toWindow(viewer, itemX, itemY), ms, index)
  const wanted = Math.max(1, Math.round(lines * between(random, 0.4, 1)))
  const from = wanted < lines && chance(random, 0.25) ? lines - wanted : 0
  const stride = (1.9 * pxPerDegree) / screen.scale
  for (let line = from; line < from + wanted; line++) {
    const lineY = y + (height * (line + 0.5)) / lines
    let along = Math.min(width * 0.3, stride * between(random, 0.3, 0.8))
    while (along < width * 0.96) {
      look(x + along, lineY + random.normal() * height * 0.04, fixationMs(viewer, 215))
      // Now and then back to the word before.
      if (along > stride && chance(random, 0.1)) look(x + along - stride * 0.7, lineY, fixationMs(viewer, 180))
      along += stride * between(random, 0.7, 1.5)
    }
  }
}

/** Draws the duration of a fixation at random: mostly near the typical one, sometimes much longer. */
function fixationMs({ random, dwellShare }: Viewer, typicalMs: number): number {
  return Math.max(90, Math.min(900, dwellShare * typicalMs * Math.exp(0.36 * random.normal())))
}

const clamped = (share: number) => Math.min(0.95, Math.max(0.05, share))
