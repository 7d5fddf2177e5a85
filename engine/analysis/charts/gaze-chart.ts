import { isInAoi, toMillionths } from '../../compute/aoi.ts'
import { isWithinTime } from '../../compute/time-window.ts'
import { roundToMs } from '../../text/numbers.ts'
import type { Chart } from './chart.ts'

/** Sums of recorded, denoised gaze points in time bins from onset, without interpolated points. */
export type GazePart = {
  pointCount: number
  /** Number of points beyond the last bin. */
  laterCount: number
  /** Number of points by bin. */
  n: number[]
  participants: Map<string, GazeOfParticipant>
  /** By AOI, by bin: number of points in the AOI. */
  inAoi: number[][]
  /** Every `pointsEvery`-th point: ms, x %, y %. Empty unless requested. */
  points: [number, number, number][]
}

/** By bin: number of points, and sums of their percents in millionths. */
type GazeOfParticipant = { n: number[]; sumX: number[]; sumY: number[] }

/** Returns the chart. @param pointsEvery also lists one of so many points; 0 lists none */
export function gazeChart(binMs: number, binsMax: number, pointsEvery: number): Chart<GazePart> {
  return {
    export: 'gazes-split',
    reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
    ofViewers: true,
    start: () => ({
      pointCount: 0,
      laterCount: 0,
      n: [],
      participants: new Map(),
      inAoi: [],
      points: [],
    }),
    addTest: (part, run, context) => {
      const gaze = context.gazeOf(run)
      const { shapes } = context.aoisOf(run.identity.item)
      const own = participantOf(part, run.identity.participant.id)
      for (let a = part.inAoi.length; a < shapes.length; a++) part.inAoi.push([])
      for (let i = 0; i < gaze.n; i++) {
        const tUs = gaze.tUs[i]
        if (gaze.isInterpolated[i] === 1 || !isWithinTime(tUs, context.window)) continue
        const x = toMillionths(gaze.xPercent[i])
        const y = toMillionths(gaze.yPercent[i])
        if (pointsEvery > 0 && part.pointCount % pointsEvery === 0) part.points.push([roundToMs(tUs), x / 1e6, y / 1e6])
        part.pointCount++
        const bin = Math.floor(roundToMs(tUs) / binMs)
        if (bin >= binsMax) {
          part.laterCount++
          continue
        }
        for (const column of [part.n, ...part.inAoi, own.n, own.sumX, own.sumY]) growTo(column, bin + 1)
        part.n[bin]++
        own.n[bin]++
        own.sumX[bin] += x
        own.sumY[bin] += y
        for (const [a, shape] of shapes.entries()) if (isInAoi(shape, x, y, tUs)) part.inAoi[a][bin]++
      }
    },
    merge: (total, part) => {
      while (total.inAoi.length < part.inAoi.length) total.inAoi.push([])
      total.pointCount += part.pointCount
      total.laterCount += part.laterCount
      add(total.n, part.n)
      for (const [id, own] of part.participants) {
        const sums = participantOf(total, id)
        for (const name of ['n', 'sumX', 'sumY'] as const) add(sums[name], own[name])
      }
      for (const [a, counts] of part.inAoi.entries()) add(total.inAoi[a], counts)
      for (const counts of total.inAoi) growTo(counts, total.n.length)
      for (const point of part.points) total.points.push(point)
    },
  }
}

function participantOf({ participants }: GazePart, id: string): GazeOfParticipant {
  const known = participants.get(id)
  if (known !== undefined) return known
  const own = { n: [], sumX: [], sumY: [] }
  participants.set(id, own)
  return own
}

function growTo(column: number[], length: number): void {
  while (column.length < length) column.push(0)
}

function add(total: number[], part: number[]): void {
  growTo(total, part.length)
  for (const [i, value] of part.entries()) total[i] += value
}

/** Spread of participants' gaze in one time bin; each participant weighs the same, whatever their number of points. */
type GazeSpread = {
  participants: number
  /** Mean over the participants' means, %. */
  meanX: number
  meanY: number
  /** Sample standard deviation of these means, with divisor n − 1; NaN for fewer than two. */
  sdX: number
  sdY: number
}

export function spreadOf({ participants }: GazePart, bin: number): GazeSpread {
  const own = [...participants.values()].filter(({ n }) => (n[bin] ?? 0) > 0)
  const [meanX, sdX] = meanAndDeviation(own.map(({ sumX, n }) => sumX[bin] / 1e6 / n[bin]))
  const [meanY, sdY] = meanAndDeviation(own.map(({ sumY, n }) => sumY[bin] / 1e6 / n[bin]))
  return { participants: own.length, meanX, meanY, sdX, sdY }
}

function meanAndDeviation(values: number[]): [mean: number, deviation: number] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return [mean, values.length < 2 ? Number.NaN : Math.sqrt(squares / (values.length - 1))]
}
