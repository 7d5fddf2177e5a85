import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { makeItems } from '../../demo/pictures.ts'

const items = makeItems(8)
const areaOf = (item: number, name: string) => items[item].aois.find((aoi) => aoi.name === name)!

test('There is an item for each picture in the folder', () => {
  const svgs = readdirSync(dirname(items[0].path)).filter((name) => name.endsWith('.svg'))
  expect(items.map(({ path }) => basename(path)).sort()).toEqual(svgs.sort())
})

test('After the last picture the first one comes again, under another file name', () => {
  const again = makeItems(18)
  expect(again[8]).toEqual({ ...again[0], filename: 'advert-09.svg' })
  expect(again[17]).toEqual({ ...again[1], filename: 'shop-18.svg' })
  expect(again[0].filename).toBe('advert-01.svg')
  expect(new Set(again.map(({ filename }) => filename)).size).toBe(18)
})

test('A picture has the size that the list gives it, and needs nothing from elsewhere', () => {
  for (const { path, widthPx, heightPx } of items) {
    const svg = readFileSync(path, 'utf8')
    expect(svg).toContain(`width="${widthPx}" height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}"`)
    expect(svg).not.toMatch(/<script|<image|@import|href="[^#]|url\([^#]/)
    expect(svg.match(/https?:[^"]*/g)).toEqual(['http://www.w3.org/2000/svg'])
    for (const [, id] of svg.matchAll(/(?:href="|url\()#(\w+)/g)) expect(svg).toContain(`id="${id}"`)
  }
})

test('Areas are rectangles and polygons inside their picture, of one part and of many, with and without a time range', () => {
  const all = items.flatMap(({ aois, widthPx, heightPx }) =>
    aois.flatMap(({ parts }) => parts.map((part) => ({ ...part, widthPx, heightPx }))),
  )
  expect(all.some(({ areaPoints }) => 'points' in areaPoints)).toBe(true)
  expect(all.some(({ timeRange }) => timeRange)).toBe(true)
  expect(items.some(({ aois }) => aois.some(({ parts }) => parts.length > 1))).toBe(true)
  for (const { areaPoints, widthPx, heightPx } of all) {
    if ('points' in areaPoints) {
      for (const { x, y } of areaPoints.points) expect(Math.min(x, y, 1 - x, 1 - y)).toBeGreaterThanOrEqual(0)
      continue
    }
    const { topLeft, bottomRight } = areaPoints
    expect(Math.min(topLeft.xPx, topLeft.yPx)).toBeGreaterThanOrEqual(0)
    expect(Math.min(widthPx - bottomRight.xPx, heightPx - bottomRight.yPx)).toBeGreaterThanOrEqual(0)
    expect(Math.min(bottomRight.xPx - topLeft.xPx, bottomRight.yPx - topLeft.yPx)).toBeGreaterThan(0)
  }
})

test('A box of the list is a rectangle by its corners, a polygon is shares of the picture', () => {
  const button = { topLeft: { xPx: 72, yPx: 540 }, bottomRight: { xPx: 322, yPx: 608 } }
  expect(areaOf(0, 'Button').parts).toEqual([{ areaPoints: button }])
  // 966 of 1280 px and 170 of 800 px.
  const [{ areaPoints }] = areaOf(0, 'Product').parts
  expect('points' in areaPoints && areaPoints.points[0]).toEqual({ x: 0.754688, y: 0.2125 })
  const [first] = areaOf(0, 'First look at the headline').parts
  expect(first.timeRange).toEqual({ fromMs: 0, toMs: 1500 })
})

test('The parts of an area share its pull, and gaze on a polygon falls in the middle of it', () => {
  // Four cartons share 2.6.
  const carton = { x: 66, y: 156, width: 136, height: 216, pull: 0.65, lines: 0, isButton: true }
  expect(items[2].regions).toContainEqual(carton)
  // The bottle is 196 by 538 px: 15 % of that is left out on each side.
  const bottle = items[0].regions.find(({ pull }) => pull === 1.6)!
  expect(bottle.x).toBeCloseTo(902 + 29.4, 9)
  expect(bottle.y).toBeCloseTo(170 + 80.7, 9)
  expect(bottle.width).toBeCloseTo(137.2, 9)
  expect(bottle.height).toBeCloseTo(376.6, 9)
})
