import type { Aoi, Item } from '../../core/api.ts'
import { inkOn } from '../../core/colors/aoi-colors.ts'
import type { Point } from '../../figures/aoi-tags.ts'
import { aoiCorners } from '../../figures/stimulus.tsx'
import {
  countInAois,
  countViewers,
  createMoments,
  fillMoments,
  type Moments,
  type PlayedTest,
  windowOn,
} from './moment.ts'
import { arrowOf, dotOf, type Sprite } from './sprites.ts'

/** Layers over the picture. */
export type Shown = { gaze: boolean; mouse: boolean; aois: boolean; window: boolean }

/** Content of a frame; `ground` is the paler picture, in the size of the drawing. */
export type Scene = {
  item: Item
  aois: Aoi[]
  aoiColors: string[]
  tests: PlayedTest[]
  shown: Shown
  trailMs: number
  ground: CanvasImageSource | null
}

type Size = { width: number; height: number }

/**
 * Draws a moment over a whole canvas.
 *
 * @param t ms from item onset
 * @param scale of lines and dots
 * @returns the number of tests with gaze at that time
 */
export function drawMoment(
  context: CanvasRenderingContext2D,
  scene: Scene,
  t: number,
  { width, height }: Size,
  scale: number,
): number {
  context.clearRect(0, 0, width, height)
  if (scene.ground === null) {
    context.fillStyle = '#eef2f4'
    context.fillRect(0, 0, width, height)
  } else context.drawImage(scene.ground, 0, 0, width, height)
  if (scene.shown.aois) drawAois(context, scene, t, { width, height }, scale)
  const { tests, shown, trailMs } = scene
  const { moments, colors } = preparedOf(tests)
  const looking = fillMoments(tests, t, trailMs, moments)
  const pen = { context, width, height, scale }
  const isOne = tests.length === 1
  if (shown.window) for (let i = 0; i < tests.length; i++) drawWindow(pen, tests[i], moments.scrollPx[i], isOne)
  if (shown.gaze && trailMs > 0) for (const of of colors) drawTrails(pen, tests, of, moments)
  if (shown.mouse) for (let i = 0; i < tests.length; i++) drawClicks(pen, tests[i], t)
  const radius = isOne ? 9 * scale : 6.5 * scale
  for (const { color, indexes } of colors) {
    if (shown.mouse) stamp(pen, arrowOf(color, scale), indexes, moments.mouseX, moments.mouseY)
    if (shown.gaze) stamp(pen, dotOf(color, radius), indexes, moments.gazeX, moments.gazeY)
  }
  return looking
}

/** Tests of a colour, which are drawn together. */
type Colored = { color: string; indexes: number[] }

/** @property viewers number of tests with gaze */
type Prepared = { moments: Moments; colors: Colored[]; viewers: number }

/** Cache by list of tests, so that a frame allocates nothing for each test. */
const prepared = new WeakMap<PlayedTest[], Prepared>()

function preparedOf(tests: PlayedTest[]): Prepared {
  const known = prepared.get(tests)
  if (known !== undefined) return known
  const colors = new Map<string, number[]>()
  for (const [i, { color }] of tests.entries()) {
    const indexes = colors.get(color) ?? []
    indexes.push(i)
    colors.set(color, indexes)
  }
  const made = {
    moments: createMoments(tests.length),
    colors: [...colors].map(([color, indexes]) => ({ color, indexes })),
    viewers: countViewers(tests),
  }
  prepared.set(tests, made)
  return made
}

/** @property scale of lines and dots */
type Pen = Size & { context: CanvasRenderingContext2D; scale: number }

/** Draws the AOIs: more opaque the more tests look into them, with the number of these tests. */
function drawAois(
  context: CanvasRenderingContext2D,
  { aois, aoiColors, item, tests }: Scene,
  t: number,
  { width, height }: Size,
  scale: number,
): void {
  const counts = countInAois(tests, t, aois.length)
  const n = preparedOf(tests).viewers
  context.font = `700 ${12 * scale}px system-ui, sans-serif`
  context.textBaseline = 'top'
  for (const [a, { parts }] of aois.entries()) {
    const isLit = counts[a] > 0
    for (const [p, { areaPoints, timeRange }] of parts.entries()) {
      if (timeRange && (t < timeRange.fromMs || t >= timeRange.toMs)) continue
      const corners = aoiCorners(areaPoints, item, width, height)
      polygon(context, corners)
      context.globalAlpha = isLit ? 0.18 + (0.42 * counts[a]) / n : 0.06
      context.fillStyle = aoiColors[a]
      context.fill('evenodd')
      context.globalAlpha = isLit ? 1 : 0.7
      context.strokeStyle = aoiColors[a]
      context.lineWidth = (isLit ? 3.5 : 1.5) * scale
      context.stroke()
      context.globalAlpha = 1
      const text = isLit && n > 1 && p === 0 ? `${a + 1}: ${counts[a]} of ${n}` : `${a + 1}`
      const [x, y] = corners[0]
      const wide = context.measureText(text).width + 8 * scale
      const left = Math.max(0, Math.min(width - wide, x))
      const top = Math.max(0, Math.min(height - 17 * scale, y))
      context.fillStyle = aoiColors[a]
      context.fillRect(left, top, wide, 17 * scale)
      context.fillStyle = inkOn(aoiColors[a])
      context.fillText(text, left + 4 * scale, top + 3 * scale)
    }
  }
}

function polygon(context: CanvasRenderingContext2D, corners: Point[]): void {
  context.beginPath()
  for (const [i, [x, y]] of corners.entries()) {
    if (i === 0) context.moveTo(x, y)
    else context.lineTo(x, y)
  }
  context.closePath()
}

/** Draws the part of the page that the window showed; for one test, the rest is darkened. */
function drawWindow(
  { context, width, height, scale }: Pen,
  { recorded, color }: PlayedTest,
  scrollPx: number,
  isOne: boolean,
): void {
  const seen = windowOn(recorded, scrollPx)
  if (seen === null || (seen.height >= 100 && seen.width >= 100 && seen.y <= 0)) return
  const [x, y] = [(seen.x * width) / 100, (seen.y * height) / 100]
  const [wide, high] = [(seen.width * width) / 100, (seen.height * height) / 100]
  if (isOne) {
    context.fillStyle = 'rgb(10 20 28 / 45%)'
    context.fillRect(0, 0, width, y)
    context.fillRect(0, y + high, width, Math.max(0, height - y - high))
  }
  context.strokeStyle = color
  context.globalAlpha = isOne ? 1 : 0.5
  context.lineWidth = 1.5 * scale
  context.strokeRect(x, y, wide, high)
  context.globalAlpha = 1
}

/** Shortest step of a trail that is drawn, in px at scale 1: shorter ones are not seen, but cost as much. */
const STEP_PX = 1.5

/** Number of tests up to which trails are thick. Without a graphics card, a line of 1 px costs a tenth. */
const THICK_TESTS_MAX = 50

/** Draws the trails of the tests of a colour as one path. */
function drawTrails(
  { context, width, height, scale }: Pen,
  tests: PlayedTest[],
  { color, indexes }: Colored,
  { gazeX, gazeY, trailStart, trailEnd }: Moments,
): void {
  const step = STEP_PX * scale
  context.beginPath()
  for (const i of indexes) {
    const { gaze, isStart } = tests[i]
    let isDown = false
    let [lastX, lastY] = [0, 0]
    for (let p = trailStart[i]; p < trailEnd[i]; p++) {
      const x = (gaze.x[p] * width) / 100
      const y = (gaze.y[p] * height) / 100
      if (Number.isNaN(x) || Number.isNaN(y)) continue
      if (!isDown || isStart[p] === 1) context.moveTo(x, y)
      else if (Math.abs(x - lastX) + Math.abs(y - lastY) < step) continue
      else context.lineTo(x, y)
      isDown = true
      lastX = x
      lastY = y
    }
    if (isDown && !Number.isNaN(gazeX[i])) context.lineTo((gazeX[i] * width) / 100, (gazeY[i] * height) / 100)
  }
  context.lineJoin = 'round'
  context.strokeStyle = color
  context.globalAlpha = 0.6
  context.lineWidth = tests.length > THICK_TESTS_MAX ? 1 : 2 * scale
  context.stroke()
  context.globalAlpha = 1
}

/** Copies a sprite to each of some places that are known. */
function stamp(
  { context, width, height }: Pen,
  { picture, middle }: Sprite,
  indexes: number[],
  xPercent: Float64Array,
  yPercent: Float64Array,
): void {
  for (const i of indexes) {
    if (Number.isNaN(xPercent[i]) || Number.isNaN(yPercent[i])) continue
    context.drawImage(picture, (xPercent[i] * width) / 100 - middle, (yPercent[i] * height) / 100 - middle)
  }
}

const CLICK_SHOWN_MS = 700

/** Draws the clicks of the mouse as growing rings. */
function drawClicks({ context, width, height, scale }: Pen, { recorded, mouse, color }: PlayedTest, t: number): void {
  for (const place of recorded.clicks) {
    const share = (t - mouse.tMs[place]) / CLICK_SHOWN_MS
    if (share < 0 || share >= 1) continue
    const x = (mouse.x[place] * width) / 100
    const y = (mouse.y[place] * height) / 100
    context.beginPath()
    context.arc(x, y, (6 + 22 * share) * scale, 0, 2 * Math.PI)
    context.globalAlpha = 1 - share
    context.strokeStyle = color
    context.lineWidth = 4 * scale
    context.stroke()
    context.globalAlpha = 1
  }
}

/** Returns an item's picture, made paler; null without one. */
export function paleGround(image: HTMLImageElement | null, { width, height }: Size): HTMLCanvasElement | null {
  if (image === null || width < 1 || height < 1) return null
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width)
  canvas.height = Math.round(height)
  paintPale(canvas.getContext('2d')!, image, canvas)
  return canvas
}

/** Paints a picture over the whole of a canvas, made paler. */
export function paintPale(context: CanvasRenderingContext2D, image: CanvasImageSource, { width, height }: Size): void {
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, width, height)
  context.drawImage(image, 0, 0, width, height)
  context.fillStyle = 'rgb(255 255 255 / 30%)'
  context.fillRect(0, 0, width, height)
}
