import { expect, test } from 'vitest'
import type { Aoi } from '../../../dashboard/core/api.ts'
import { aoiAtTime, movingWords } from '../../../dashboard/figures/aoi-at-time.ts'
import { meanSizePercent } from '../../../isomorphic/aoi-size.ts'

const part = (xPx: number, timeRange?: { fromMs: number; toMs: number }): Aoi['parts'][number] => ({
  areaPoints: { topLeft: { xPx, yPx: 0 }, bottomRight: { xPx: xPx + 10, yPx: 10 } },
  ...(timeRange === undefined ? {} : { timeRange }),
})
const [early, late] = [part(0, { fromMs: 0, toMs: 1000 }), part(50, { fromMs: 1000, toMs: 3000 })]

test('an AOI that moves stands where it is at the time of the frame, with its path', () => {
  const moving = { parts: [late, early] }
  expect(aoiAtTime(moving, 1000)).toEqual({ shown: [late], isThere: true, path: [early, late] })
  expect(aoiAtTime(moving, null)).toEqual({ shown: [early], isThere: true, path: [early, late] })
  expect(aoiAtTime(moving, 5000)).toEqual({ shown: [late], isThere: false, path: [early, late] })
})

test('parts without a time are always drawn, and have no path', () => {
  const parts = [part(0), part(20)]
  expect(aoiAtTime({ parts }, 700)).toEqual({ shown: parts, isThere: true, path: [] })
  const appears = [part(0), late]
  expect(aoiAtTime({ parts: appears }, 700).shown).toEqual([appears[0]])
})

test('only AOIs that move are explained', () => {
  const aoi = (parts: Aoi['parts']) => ({ parts }) as Aoi
  expect(movingWords([aoi([part(0)]), aoi([late])])).toBe('')
  expect(movingWords([aoi([early, late])])).toMatch(/^AOIs that move stand where/)
})

test('the size of an AOI that moves is the mean over its time, of any other the sum of its parts', () => {
  const sized = (sizePercent: number, timeRange: { fromMs: number; toMs: number } | null) => ({
    sizePercent,
    timeRange,
  })
  expect(meanSizePercent([sized(3, { fromMs: 0, toMs: 1000 }), sized(6, { fromMs: 1000, toMs: 3000 })])).toBe(5)
  expect(meanSizePercent([sized(3, null), sized(6, { fromMs: 0, toMs: 10 })])).toBe(9)
  expect(meanSizePercent([sized(3, { fromMs: 0, toMs: 10 }), sized(2, { fromMs: 0, toMs: 10 })])).toBe(5)
})
