import type { AoiPart } from '../../../core/api.ts'

/**
 * Key frame of an AOI: a part with a time range, in its position at the start; the last one holds until its end.
 * Between two key frames, every corner moves on a straight line at constant speed. They are stored as ordinary parts.
 */
type KeyFrame = AoiPart & { timeRange: { fromMs: number; toMs: number } }

/** Maximum number of parts of an AOI in study.json. */
const PARTS_MAX = 1000
/** Tolerance for corners on a line: px, or millionths of the item. */
const SAME_PX = 1e-3
const SAME_SHARE = 1e-6

const toUs = (ms: number) => Math.round(ms * 1000) / 1000

/** Returns parts as key frames, sorted by time; a sentence if they cannot be key frames. */
function inOrder(parts: AoiPart[]): KeyFrame[] | string {
  const timed = parts.filter((part): part is KeyFrame => part.timeRange !== undefined && part.timeRange !== null)
  if (timed.length < parts.length || timed.length < 2) return 'Key frames are two or more parts, each with a time.'
  const keys = timed.toSorted((a, b) => a.timeRange.fromMs - b.timeRange.fromMs)
  if (keys.some((key, i) => i > 0 && key.timeRange.fromMs === keys[i - 1].timeRange.fromMs))
    return 'Two key frames begin at the same time.'
  const shapeOf = ({ areaPoints }: AoiPart) => ('points' in areaPoints ? areaPoints.points.length : 'rectangle')
  if (new Set(keys.map(shapeOf)).size > 1) return 'All key frames must have the same number of corners.'
  return keys
}

/** Interpolates between two areas. @param share 0 for the first, 1 for the second */
function between(a: AoiPart['areaPoints'], b: AoiPart['areaPoints'], share: number): AoiPart['areaPoints'] {
  const mix = (from: number, to: number) => from + (to - from) * share
  if ('points' in a && 'points' in b)
    return { points: a.points.map(({ x, y }, i) => ({ x: mix(x, b.points[i].x), y: mix(y, b.points[i].y) })) }
  if ('points' in a || 'points' in b) return a
  const corner = (name: 'topLeft' | 'bottomRight') => ({
    xPx: mix(a[name].xPx, b[name].xPx),
    yPx: mix(a[name].yPx, b[name].yPx),
  })
  return { topLeft: corner('topLeft'), bottomRight: corner('bottomRight') }
}

/**
 * Returns the parts that key frames stand for: between two of them, steps of equal length, the longest that is at most
 * `stepMs`. Each step has the position at its start, so that a key frame has its own.
 *
 * @returns contiguous parts; a sentence if there cannot be any
 */
export function movedOnLines(parts: AoiPart[], stepMs: number): KeyFrame[] | string {
  const keys = inOrder(parts)
  if (typeof keys === 'string') return keys
  const steps = keys.slice(1).map(({ timeRange: { fromMs } }, i) => {
    return Math.ceil((fromMs - keys[i].timeRange.fromMs) / stepMs)
  })
  const all = steps.reduce((sum, n) => sum + n, 1)
  if (all > PARTS_MAX) return `These would be ${all} parts, and an AOI has at most ${PARTS_MAX}: choose longer steps.`
  const moving = keys.slice(1).flatMap((next, i) => {
    const key = keys[i]
    const [from, to] = [key.timeRange.fromMs, next.timeRange.fromMs]
    const at = (step: number) => toUs(from + ((to - from) * step) / steps[i])
    return Array.from({ length: steps[i] }, (_, step): KeyFrame => {
      const areaPoints = between(key.areaPoints, next.areaPoints, (at(step) - from) / (to - from))
      return { areaPoints, timeRange: { fromMs: at(step), toMs: at(step + 1) } }
    })
  })
  return [...moving, keys[keys.length - 1]]
}

/** Recovers key frames: drops parts that lie on the line between their neighbours. */
export function keyFramesOf(parts: AoiPart[]): KeyFrame[] | string {
  const all = inOrder(parts)
  if (typeof all === 'string') return all
  const kept = all.filter((part, i) => {
    const [before, after] = [all[i - 1], all[i + 1]]
    if (before === undefined || after === undefined) return true
    const [from, at, to] = [before, part, after].map(({ timeRange }) => timeRange.fromMs)
    const onLine = between(before.areaPoints, after.areaPoints, (at - from) / (to - from))
    return !isSame(onLine, part.areaPoints)
  })
  return kept.map((key, i) => {
    const toMs = kept[i + 1]?.timeRange.fromMs ?? key.timeRange.toMs
    return { ...key, timeRange: { fromMs: key.timeRange.fromMs, toMs } }
  })
}

function isSame(a: AoiPart['areaPoints'], b: AoiPart['areaPoints']): boolean {
  const numbers = (area: AoiPart['areaPoints']) =>
    'points' in area
      ? area.points.flatMap(({ x, y }) => [x, y])
      : [area.topLeft, area.bottomRight].flatMap(({ xPx, yPx }) => [xPx, yPx])
  const most = 'points' in a ? SAME_SHARE : SAME_PX
  const others = numbers(b)
  return numbers(a).every((value, i) => Math.abs(value - others[i]) <= most)
}

/** Adds a key frame at a time by cutting the current part in two; returns a sentence if no part has that time. */
export function withKeyFrame(
  parts: AoiPart[],
  tMs: number,
  untilMs: number,
): { parts: AoiPart[]; at: number } | string {
  const timeOf = ({ timeRange }: AoiPart) => timeRange ?? { fromMs: 0, toMs: Math.max(untilMs, tMs + 1) }
  const at = parts.findIndex((part) => timeOf(part).fromMs < tMs && tMs < timeOf(part).toMs)
  if (at < 0) return `No part of the AOI counts before and after ${tMs} ms.`
  const { fromMs, toMs } = timeOf(parts[at])
  const { areaPoints } = parts[at]
  const cut = [
    { areaPoints, timeRange: { fromMs, toMs: tMs } },
    { areaPoints, timeRange: { fromMs: tMs, toMs } },
  ]
  return { parts: parts.toSpliced(at, 1, ...cut), at: at + 1 }
}
