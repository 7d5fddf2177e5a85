import { describe, expect, test } from 'vitest'
import { repainted, usualColors } from '../../dashboard/core/analysis/use-aoi-colors.ts'
import {
  AOI_COLORS,
  COLORED_MAX,
  isFaintOn,
  type NamedColors,
  NO_AOI,
  nameColors,
  OTHER_AOI,
  paintAois,
} from '../../dashboard/core/colors/aoi-colors.ts'
import { cellColor, fogColor, heatOn } from '../../dashboard/core/colors/heat-colors.ts'
import { HEAT_MAPS, type HeatMapName } from '../../dashboard/core/colors/heat-maps.ts'
import { readPaint } from '../../dashboard/core/colors/picked-colors.ts'
import { AOI_COLOR_NAMES } from '../../isomorphic/aoi-color-names.ts'
import { difference, labOf, VISIONS } from './color-vision.ts'

test('the measure of difference is the published one', () => {
  // Sharma, Wu and Dalal (2005), table 1, pairs 1, 7 and 25.
  expect(difference([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 4)
  expect(difference([50, 0, 0], [50, -1, 2])).toBeCloseTo(2.3669, 4)
  expect(difference([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387])).toBeCloseTo(1.2644, 4)
})

describe.each(VISIONS)('with %s', (vision) => {
  test('any two colours that may stand side by side in a scarf plot are told apart', () => {
    // On the page's two grounds, too.
    const all = [...Object.values(AOI_COLORS), OTHER_AOI, NO_AOI, '#ffffff', '#182028']
    const pairs = all.flatMap((one, i) => all.slice(i + 1).map((other) => [one, other]))
    const close = pairs.filter(([one, other]) => difference(labOf(one, vision), labOf(other, vision)) < 12)
    expect(close).toEqual([])
  })

  test.each(Object.keys(HEAT_MAPS) as HeatMapName[])('the colours of the heatmap %s go one way', (name) => {
    const { isForDark } = HEAT_MAPS[name]
    const grounds: [number, number, number][] = isForDark
      ? [
          [0, 0, 0],
          [40, 40, 40],
        ]
      : [
          [255, 255, 255],
          [225, 225, 225],
        ]
    for (const ground of grounds) {
      for (const opacity of [0.4, 0.6, 0.85, 1]) {
        const lightness = Array.from({ length: 41 }, (_, i) => labOf(heatOn(ground, name, i / 40, opacity), vision)[0])
        const steps = lightness.slice(1).map((value, i) => (isForDark ? value - lightness[i] : lightness[i] - value))
        // A share of a step is lost to whole numbers from 0 to 255.
        expect(Math.min(...steps), `${name} on ${ground} at ${opacity}`).toBeGreaterThan(-0.3)
        expect(steps.reduce((sum, step) => sum + step, 0)).toBeGreaterThan(isForDark ? 15 : 20)
      }
    }
  })
})

test('as many AOIs as chosen have a colour of their own, the others share one grey', () => {
  const aois = Array.from({ length: 16 }, (_, a) => ({ name: `AOI ${a}` }))
  const paint = paintAois(aois, [0, 2, 4, 6, 8, 10, 12, 14])
  expect(COLORED_MAX).toBe(8)
  expect(new Set(paint).size).toBe(9)
  expect(paint[1]).toBe(OTHER_AOI)
  expect(paint[15]).toBe(OTHER_AOI)
})

test('a colour belongs to a name on all items; one that is picked comes first, and the next free one last', () => {
  const usual = usualColors(['Logo', 'Text', 'Face', 'Logo'].map((name) => ({ name })))
  const colorsOf = (names: string[], picked: NamedColors = {}) => {
    const aois = names.map((name) => ({ name }))
    return nameColors(aois, [...names.keys()], picked, usual)
  }
  expect(colorsOf(['Logo', 'Text', 'Face'])).toEqual(['blue', 'coral', 'green'])
  expect(colorsOf(['Face', 'Logo'])).toEqual(['green', 'blue'])
  expect(colorsOf(['Logo', 'Text', 'Face'], { Face: 'blue' })).toEqual(['green', 'coral', 'blue'])
  expect(colorsOf(['Logo', 'Logo'])).toEqual(['blue', 'coral'])
  expect(colorsOf(['constructor'], {})).toEqual(['blue'])
})

test('picking the colour of another AOI changes places with it', () => {
  expect(repainted(['blue', 'coral', null], 0, 'coral')).toEqual(['coral', 'blue', null])
  expect(repainted(['blue', 'coral', null], 2, 'coral')).toEqual(['blue', 'green', 'coral'])
  expect(repainted(['blue', 'coral', null], 1, null)).toEqual(['blue', null, null])
  expect(repainted([...AOI_COLOR_NAMES, null], 8, 'blue')).toEqual([null, ...AOI_COLOR_NAMES.slice(1), 'blue'])
})

test('colours in an address are names of colours by names of AOIs', () => {
  const read = (paint: string) => readPaint(new URLSearchParams({ paint }))
  expect(read('{"Logo":"red"}')).toEqual({ Logo: 'red' })
  expect(['{"Logo":"pink"}', '["red"]', 'red', '{', 'null'].map(read)).toEqual([null, null, null, null, null])
})

test('a line gets a rim where its contrast with the ground is below 3', () => {
  // 1.94 and 6.19; 1.74 and 8.49, by the formula of WCAG.
  expect([isFaintOn('#6516c5', '#182028'), isFaintOn('#fd7563', '#182028')]).toEqual([true, false])
  expect([isFaintOn('#e9b0fc', '#ffffff'), isFaintOn('#6516c5', '#ffffff')]).toEqual([true, false])
})

test.each([
  ['light', false, [255, 255, 255]],
  ['dark', true, [34, 44, 53]],
] as const)('a cell of a matrix stands out from a %s page the more, the larger its share is', (_, isDark, ground) => {
  const distance = (color: string) => {
    const value = Number.parseInt(color.slice(1), 16)
    return [16, 8, 0].reduce((sum, shift, i) => sum + Math.abs(((value >> shift) & 255) - ground[i]), 0)
  }
  const distances = [0.02, 0.2, 0.5, 0.8, 1].map((share) => distance(cellColor(share, isDark)))
  expect(distances).toEqual([...distances].sort((a, b) => a - b))
  expect(distances[0]).toBeLessThan(distances[4] / 2)
})

test('fog is full where the density is 0, half at half of the scale, and gone from its end on', () => {
  const alphas = [0, 0.5, 1, 2].map((share) => fogColor('dark', share, 0.8)[3])
  expect(alphas).toEqual([204, 102, 0, 0])
})
