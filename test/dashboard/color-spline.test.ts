import { interpolateBlues, interpolatePuOr, schemeBlues, schemePuOr } from 'd3-scale-chromatic'
import { expect, test } from 'vitest'
import { colorSpline } from '../../dashboard/core/colors/color-spline.ts'

test('a spline of colours begins with the first and ends with the last', () => {
  const grays = colorSpline(['#000000', '#808080', '#ffffff'])
  expect([grays(0), grays(0.5), grays(1)]).toEqual([
    [0, 0, 0],
    [128, 128, 128],
    [255, 255, 255],
  ])
})

test('its colours are those of d3-scale-chromatic', () => {
  const shares = Array.from({ length: 1001 }, (_, i) => i / 1000)
  const text = ([r, g, b]: number[]) => `rgb(${r}, ${g}, ${b})`
  expect(shares.map((share) => text(colorSpline(schemeBlues[9])(share)))).toEqual(shares.map(interpolateBlues))
  expect(shares.map((share) => text(colorSpline(schemePuOr[11])(share)))).toEqual(shares.map(interpolatePuOr))
})
