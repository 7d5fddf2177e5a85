import { isInAoi, toMillionths } from '../compute/aoi.ts'
import { roundToMs } from '../text/numbers.ts'
import type { Chart } from './chart.ts'

/** Recorded gaze points after denoising, summed in bins of time from onset; interpolated points are left out. */
export type GazePart = {
  pointCount: number
  /** Points beyond the last bin. */
  laterCount: number
  /** Points by bin, and sums of their percents in millionths. */
  n: number[]
  sumX: number[]
  sumY: number[]
  sumXx: number[]
  sumYy: number[]
  /** Points in each AOI, by AOI and bin. */
  inAoi: number[][]
  /** One in `pointsEvery`: ms, x %, y %. Empty if none were asked for. */
  points: [number, number, number][]
}

/** Returns the chart of gaze over time. @param pointsEvery one in so many points is listed too; 0 for none */
export function gazeChart(binMs: number, binsMax: number, pointsEvery: number): Chart<GazePart> {
  return {
    export: 'gazes-split',
    reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
    start: () => ({
      pointCount: 0,
      laterCount: 0,
      n: [],
      sumX: [],
      sumY: [],
      sumXx: [],
      sumYy: [],
      inAoi: [],
      points: [],
    }),
    addTest: (part, run, context) => {
      const gaze = context.gazeOf(run)
      const { shapes } = context.aoisOf(run.identity.item)
      for (let a = part.inAoi.length; a < shapes.length; a++) part.inAoi.push([])
      for (let i = 0; i < gaze.n; i++) {
        if (gaze.isInterpolated[i] === 1) continue
        const tUs = gaze.tUs[i]
        const x = toMillionths(gaze.xPercent[i])
        const y = toMillionths(gaze.yPercent[i])
        if (pointsEvery > 0 && part.pointCount % pointsEvery === 0) part.points.push([roundToMs(tUs), x / 1e6, y / 1e6])
        part.pointCount++
        const bin = Math.floor(roundToMs(tUs) / binMs)
        if (bin >= binsMax) {
          part.laterCount++
          continue
        }
        growTo(part, bin)
        part.n[bin]++
        part.sumX[bin] += x
        part.sumY[bin] += y
        part.sumXx[bin] += (x / 1e6) ** 2
        part.sumYy[bin] += (y / 1e6) ** 2
        for (const [a, shape] of shapes.entries()) if (isInAoi(shape, x, y, tUs)) part.inAoi[a][bin]++
      }
    },
    merge: (total, part) => {
      for (let a = total.inAoi.length; a < part.inAoi.length; a++) total.inAoi.push(total.n.map(() => 0))
      if (part.n.length > 0) growTo(total, part.n.length - 1)
      total.pointCount += part.pointCount
      total.laterCount += part.laterCount
      for (const name of ['n', 'sumX', 'sumY', 'sumXx', 'sumYy'] as const) add(total[name], part[name])
      for (const [a, counts] of part.inAoi.entries()) add(total.inAoi[a], counts)
      for (const point of part.points) total.points.push(point)
    },
  }
}

function growTo(part: GazePart, bin: number): void {
  while (part.n.length <= bin) {
    for (const column of [part.n, part.sumX, part.sumY, part.sumXx, part.sumYy]) column.push(0)
  }
  for (const counts of part.inAoi) while (counts.length <= bin) counts.push(0)
}

function add(total: number[], part: number[]): void {
  for (const [i, value] of part.entries()) total[i] += value
}
