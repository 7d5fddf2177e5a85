import { scaleLinear } from 'd3-scale'
import { expect, test } from 'vitest'
import { linearScale, niceEnds, ticksOf } from '../../dashboard/ui/chart/scale.ts'

test('a scale maps values to places, and clamps both ways', () => {
  const scale = linearScale([0, 20], [100, 300])
  expect([-5, 0, 5, 20, 21].map(scale)).toEqual([100, 100, 150, 300, 300])
  expect([50, 100, 150, 300, 400].map(scale.invert)).toEqual([0, 0, 5, 20, 20])
  expect([5, 0].map(linearScale([0, 100], [200, 100]))).toEqual([195, 200])
})

test('ticks are round values, grouped by thousands, with the decimals of their step', () => {
  const texts = (from: number, to: number, n: number) =>
    ticksOf(linearScale([from, to], [0, 1]), n).map(({ text }) => text)
  expect(texts(0, 1, 4)).toEqual(['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'])
  expect(texts(0, 3000, 3)).toEqual(['0', '1,000', '2,000', '3,000'])
  expect(texts(-0.02, 0.01, 3)).toEqual(['−0.02', '−0.01', '0.00', '0.01'])
  expect(niceEnds([0.3, 9.7])).toEqual([0, 10])
})

const ENDS = [-1e7, -12_345.6, -700, -3.7, -1, -0.02, 0, 1e-4, 0.013, 0.5, 1, 2.25, 9.99, 10, 640, 1999, 86_400, 3.2e8]

/** 0 for −0, which looks the same. */
const unsigned = (values: number[]) => values.map((value) => value + 0)

test('scales, round ends, ticks and their texts are those of d3-scale', () => {
  for (const [from, to] of ENDS.flatMap((one, i) => ENDS.slice(i).map((other) => [one, other] as [number, number]))) {
    const px: [number, number] = [56, 713.5]
    const ours = linearScale(niceEnds([from, to]), px)
    const theirs = scaleLinear([from, to], px).clamp(true).nice()
    expect(ours.of).toEqual(unsigned(theirs.domain()))
    const values = [...ENDS, (from + to) / 2, from + 0.1 * (to - from)]
    expect(unsigned(values.map(ours))).toEqual(unsigned(values.map((value) => theirs(value))))
    const places = [0, 56, 60.25, 400, 713.5, 800]
    expect(unsigned(places.map(ours.invert))).toEqual(unsigned(places.map((place) => theirs.invert(place))))
    for (const n of [2, 4, 5, 8]) {
      const format = theirs.tickFormat(n)
      expect(ticksOf(ours, n)).toEqual(theirs.ticks(n).map((at) => ({ at, text: format(at) })))
    }
  }
})
