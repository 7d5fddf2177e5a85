import type { Aoi, Item } from '../../core/api.ts'
import { inkOn } from '../../core/colors/aoi-colors.ts'
import type { Point } from '../../figures/aoi-tags.ts'
import { aoiCorners, RIM } from '../../figures/stimulus.tsx'
import { CLICK_SHOWN_MS, countInAois, type Moment, momentOf, type PlayedTest, viewersOf, windowOn } from './moment.ts'

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
  const moments = scene.tests.map((test) => momentOf(test, t, scene.trailMs))
  const isOne = scene.tests.length === 1
  for (const [i, test] of scene.tests.entries()) {
    if (scene.shown.window) drawWindow(context, test, moments[i], { width, height }, scale, isOne)
    if (scene.shown.gaze) drawTrail(context, test, moments[i], { width, height }, scale)
  }
  for (const [i, { color }] of scene.tests.entries()) {
    if (scene.shown.mouse) drawMouse(context, moments[i], color, { width, height }, scale)
    if (scene.shown.gaze) drawGaze(context, moments[i], color, { width, height }, isOne ? 9 * scale : 6.5 * scale)
  }
  return moments.filter(({ gaze }) => gaze !== null).length
}

/** Draws the AOIs: more opaque the more tests look into them, with the number of these tests. */
function drawAois(
  context: CanvasRenderingContext2D,
  { aois, aoiColors, item, tests }: Scene,
  t: number,
  { width, height }: Size,
  scale: number,
): void {
  const counts = countInAois(tests, t, aois.length)
  const n = viewersOf(tests).length
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
  context: CanvasRenderingContext2D,
  { recorded, color }: PlayedTest,
  { scrollPx }: Moment,
  { width, height }: Size,
  scale: number,
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

function drawTrail(
  context: CanvasRenderingContext2D,
  { recorded: { gaze }, isStart, color }: PlayedTest,
  { trail, gaze: now }: Moment,
  { width, height }: Size,
  scale: number,
): void {
  if (trail.end - trail.start < 1) return
  context.beginPath()
  let isDown = false
  for (let i = trail.start; i < trail.end; i++) {
    const [x, y] = [gaze.x[i], gaze.y[i]]
    if (x === null || y === null) continue
    if (!isDown || isStart[i] === 1) context.moveTo((x * width) / 100, (y * height) / 100)
    else context.lineTo((x * width) / 100, (y * height) / 100)
    isDown = true
  }
  if (now !== null) context.lineTo((now.x * width) / 100, (now.y * height) / 100)
  context.lineJoin = 'round'
  context.strokeStyle = color
  context.globalAlpha = 0.6
  context.lineWidth = 2 * scale
  context.stroke()
  context.globalAlpha = 1
}

function drawGaze(
  context: CanvasRenderingContext2D,
  { gaze }: Moment,
  color: string,
  { width, height }: Size,
  radius: number,
): void {
  if (gaze === null) return
  context.beginPath()
  context.arc((gaze.x * width) / 100, (gaze.y * height) / 100, radius, 0, 2 * Math.PI)
  context.fillStyle = color
  context.fill()
  context.strokeStyle = RIM
  context.lineWidth = radius / 5
  context.stroke()
}

/** Draws the mouse as an arrow; a click is a growing ring. */
function drawMouse(
  context: CanvasRenderingContext2D,
  { mouse, clicks }: Moment,
  color: string,
  { width, height }: Size,
  scale: number,
): void {
  for (const { x, y, agoMs } of clicks) {
    const share = agoMs / CLICK_SHOWN_MS
    context.beginPath()
    context.arc((x * width) / 100, (y * height) / 100, (6 + 22 * share) * scale, 0, 2 * Math.PI)
    context.globalAlpha = 1 - share
    context.strokeStyle = color
    context.lineWidth = 4 * scale
    context.stroke()
    context.globalAlpha = 1
  }
  if (mouse === null) return
  const [x, y] = [(mouse.x * width) / 100, (mouse.y * height) / 100]
  context.beginPath()
  context.moveTo(x, y)
  context.lineTo(x, y + 15 * scale)
  context.lineTo(x + 4 * scale, y + 11.5 * scale)
  context.lineTo(x + 10.5 * scale, y + 10.5 * scale)
  context.closePath()
  context.fillStyle = color
  context.fill()
  context.strokeStyle = '#ffffff'
  context.lineWidth = 1.2 * scale
  context.stroke()
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
