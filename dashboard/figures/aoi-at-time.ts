import type { Aoi } from '../core/api.ts'

type Part = Aoi['parts'][number]

/** Drawing of an AOI in a still figure: its parts, and the positions through which it moves, in order of time. */
type AoiAtTime = {
  shown: Part[]
  /** False if the AOI is elsewhere in time: its nearest position is drawn. */
  isThere: boolean
  /** Empty for an AOI that does not move. */
  path: Part[]
}

/**
 * Returns what a still figure draws of an AOI: parts without a time, and those of the time of its frame.
 *
 * @param tMs time of the frame; null for a picture, on which an AOI stands where it begins
 */
export function aoiAtTime({ parts }: Pick<Aoi, 'parts'>, tMs: number | null): AoiAtTime {
  const always = parts.filter(({ timeRange }) => !timeRange)
  const timed = parts.filter(({ timeRange }) => timeRange).sort((one, other) => fromMs(one) - fromMs(other))
  if (timed.length === 0) return { shown: always, isThere: true, path: [] }
  const path = timed.length > 1 ? timed : []
  const at = tMs ?? fromMs(timed[0])
  const now = timed.filter(({ timeRange }) => timeRange!.fromMs <= at && at < timeRange!.toMs)
  if (now.length > 0 || always.length > 0) return { shown: [...always, ...now], isThere: true, path }
  const nearest = timed.reduce((best, part) => (awayMs(part, at) < awayMs(best, at) ? part : best))
  return { shown: [nearest], isThere: false, path }
}

function fromMs({ timeRange }: Part): number {
  return timeRange!.fromMs
}

function awayMs({ timeRange }: Part, tMs: number): number {
  return tMs < timeRange!.fromMs ? timeRange!.fromMs - tMs : tMs - timeRange!.toMs
}

/** Says how AOIs that move are drawn on a still figure; '' if none moves. */
export function movingWords(aois: Aoi[]): string {
  const isMoving = aois.some((aoi) => aoiAtTime(aoi, null).path.length > 0)
  return isMoving
    ? 'AOIs that move stand where they are at the time of the picture, dashed if they are there earlier or later; a thin line is their path.'
    : ''
}
