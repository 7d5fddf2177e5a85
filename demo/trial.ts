import { type DemoScreen, planScanpath, type SimulatedGaze } from './eyes.ts'
import { type Losses, planLosses } from './losses.ts'
import { type MousePath, planMouse } from './mouse-track.ts'
import type { Person } from './people.ts'
import type { DemoItem } from './pictures.ts'
import { between, chance, pick, type Random, wholeBetween } from './random.ts'

/** A test as planned: what its row says, and the paths that its samples follow. */
export type Trial = {
  durationMs: number
  finishedOnKey: string
  hasFinishedOnClick: boolean
  notes: string
  /** none: no row at all; lost: rows without a single gaze. */
  samples: 'gaze' | 'lost' | 'none'
  stepMs: number
  screen: DemoScreen
  scanpath: SimulatedGaze
  mouse: MousePath | null
  losses: Losses
}

/** Returns where the import will find the item displayed: whole and centred, or as wide as the window if it scrolls. */
function layOut(item: DemoItem, windowWidthPx: number, windowHeightPx: number): DemoScreen {
  const { widthPx, heightPx } = item
  const fit = Math.min(windowWidthPx / widthPx, windowHeightPx / heightPx)
  const scale = item.isScrolling ? windowWidthPx / widthPx : fit
  return {
    windowWidthPx,
    windowHeightPx,
    scale,
    leftPx: item.isScrolling ? 0 : (windowWidthPx - widthPx * scale) / 2,
    topPx: item.isScrolling ? 0 : (windowHeightPx - heightPx * scale) / 2,
    maxScrollPx: item.isScrolling ? Math.max(0, Math.floor(heightPx * scale - windowHeightPx)) : 0,
  }
}

/**
 * Plans one test of a person.
 *
 * @param random the test's own stream
 * @param place where the test stands among the person's; at place 0, people who are tracked badly have no gaze
 */
export function planTrial(given: {
  random: Random
  person: Person
  item: DemoItem
  hz: number
  stimuliDurationMs: number
  place: number
}): Trial {
  const { random, person, item, hz, stimuliDurationMs, place } = given
  const { regions } = item
  const screen = layOut(item, person.windowWidthPx, person.windowHeightPx)
  const stepMs = 1000 / (hz * person.rateShare)
  const { pxPerDegree, offScreenShare, dwellShare } = person
  const scanpath = planScanpath({
    random,
    regions,
    screen,
    durationMs: stimuliDurationMs,
    pxPerDegree,
    offScreenShare,
    dwellShare,
  })
  const restXPx = wholeBetween(random, 200, person.windowWidthPx - 200)
  const restYPx = wholeBetween(random, 150, person.windowHeightPx - 100)
  const mouse = person.hasMouse ? planMouse(random, scanpath.looks, regions, restXPx, restYPx) : null

  const samples = place !== 0 ? 'gaze' : person.grade === 1 ? 'lost' : person.grade === 2 ? 'none' : 'gaze'
  let durationMs = stimuliDurationMs
  let finishedOnKey = ''
  const endingClickMs = mouse?.clickMs.find((ms) => ms > 0.4 * stimuliDurationMs && ms + 5 * stepMs < stimuliDurationMs)
  const hasFinishedOnClick = samples !== 'none' && item.isFinishOnClick && endingClickMs !== undefined
  if (hasFinishedOnClick) durationMs = Math.ceil(endingClickMs + 4 * stepMs)
  else if (item.isFinishOnKey && chance(random, 0.4)) {
    durationMs = Math.round(stimuliDurationMs * between(random, 0.55, 0.98))
    finishedOnKey = pick(random, ['Space', 'Space', 'Space', 'Enter', 'ArrowRight'])
  }
  const notes = samples === 'none' ? 'camera was blocked' : chance(random, 0.05) ? 'paused once, then "went on"' : ''
  const losses = planLosses(random, durationMs, person.missingShare, stepMs)
  return { durationMs, finishedOnKey, hasFinishedOnClick, notes, samples, stepMs, screen, scanpath, mouse, losses }
}
