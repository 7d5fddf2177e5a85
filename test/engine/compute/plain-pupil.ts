import type { PupilSettings } from '../../../engine/compute/pupils/clean-eye.ts'

/** Writes docs/pupils.md down once more, with lists and filters and nothing shared with the engine. */

type Point = { i: number; t: number; s: number }
export type PlainEye = { removed: string[]; sizes: (number | null)[]; blinks: [number, number][] }
type Gap = { p: number; q: number }

const median = (values: number[]) => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  if (sorted.length === 0) return null
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

export function plainEye(tUs: number[], recorded: (number | null)[], isMm: boolean, settings: PupilSettings): PlainEye {
  const removed: string[] = recorded.map((s) => (s === null ? 'lost' : ''))
  const kept = (): Point[] => recorded.flatMap((s, i) => (removed[i] === '' ? [{ i, t: tUs[i], s: s as number }] : []))
  // Step 2
  for (const { i, s } of kept()) if (isMm && (s < settings.pupilMinMm || s > settings.pupilMaxMm)) removed[i] = 'range'
  // Step 3
  const points = kept()
  const smooth = points.map(({ t }) => mean(points.filter((j) => 2 * Math.abs(j.t - t) <= 10_000).map(({ s }) => s)))
  const apart = (a: number, b: number) => (points[b].t - points[a].t) / 1000
  const step = median(tUs.slice(1).map((t, i) => t - tUs[i])) ?? 0
  const blinkMinMs = Math.max(settings.blinkMinMs, (2.5 * step) / 1000)
  const gaps: Gap[] = []
  for (let k = 0; k + 1 < points.length; k++) {
    if (apart(k, k + 1) < blinkMinMs) continue
    let [p, q] = [k, k + 1]
    while (p > 0 && smooth[p - 1] > smooth[p] && apart(p - 1, p) < blinkMinMs && apart(p - 1, k) <= 100) p--
    while (
      q + 1 < points.length &&
      smooth[q + 1] > smooth[q] &&
      apart(q, q + 1) < blinkMinMs &&
      apart(k + 1, q + 1) <= 100
    )
      q++
    gaps.push({ p, q })
  }
  const merged: Gap[] = []
  for (const { p, q } of gaps) {
    const last = merged.at(-1)
    if (last && apart(last.q, p) < 100) last.q = q
    else merged.push({ p, q })
  }
  for (const { p, q } of merged) for (let k = p + 1; k < q; k++) removed[points[k].i] = 'eyelid'
  const blinks = merged
    .filter(({ p, q }) => apart(p, q) <= settings.blinkMaxMs)
    .map(({ p, q }): [number, number] => [points[p].i, points[q].i])
  // Step 4
  const slow = kept()
  const speed = slow.map((point, k) => {
    const change = (a: Point, b: Point) => Math.abs(b.s - a.s) / (b.t - a.t)
    const before = k > 0 ? change(slow[k - 1], point) : 0
    const after = k + 1 < slow.length ? change(point, slow[k + 1]) : 0
    return Math.max(before, after)
  })
  const middle = median(speed) ?? 0
  const mad = median(speed.map((v) => Math.abs(v - middle))) ?? 0
  if (mad > 0 && settings.pupilSpeedMad > 0)
    for (const [k, { i }] of slow.entries()) if (speed[k] > middle + settings.pupilSpeedMad * mad) removed[i] = 'speed'
  // Step 5
  const padded = kept()
  for (let k = 0; k + 1 < padded.length; k++) {
    const [p, q] = [padded[k], padded[k + 1]]
    if (q.t - p.t < 75_000 || q.t - p.t > 2_000_000) continue
    for (const { i, t } of padded) {
      const isBefore = t <= p.t && p.t - t < settings.pupilPadMs * 1000
      const isAfter = t >= q.t && t - q.t < settings.pupilPadMs * 1000
      if (isBefore || isAfter) removed[i] = 'padding'
    }
  }
  // Step 6
  const rows: Point[][] = []
  for (const point of kept()) {
    const last = rows.at(-1)?.at(-1)
    if (last && point.t - last.t < 75_000) rows.at(-1)!.push(point)
    else rows.push([point])
  }
  for (const row of rows)
    if (row.at(-1)!.t - row[0].t < settings.pupilIslandMs * 1000) for (const { i } of row) removed[i] = 'island'
  // Step 7
  const known = kept()
  const sizes = recorded.map((s, i) => {
    if (removed[i] === '') return s
    const p = known.filter((point) => point.i < i).at(-1)
    const q = known.find((point) => point.i > i)
    if (!p || !q || q.t - p.t > settings.pupilGapMs * 1000) return null
    return p.s + (q.s - p.s) * ((tUs[i] - tUs[p.i]) / (tUs[q.i] - tUs[p.i]))
  })
  return { removed, sizes, blinks }
}

export function plainPupil(
  tUs: number[],
  left: (number | null)[],
  right: (number | null)[],
  eye: string,
  settings: PupilSettings,
): { sizes: (number | null)[]; baseline: number | null } {
  // Step 8
  const both = tUs.flatMap((t, i) => {
    const [l, r] = [left[i], right[i]]
    return l === null || r === null || eye === 'left' || eye === 'right' ? [] : [{ t, d: r - l }]
  })
  const differenceAt = (t: number) => {
    const before = both.filter((point) => point.t <= t).at(-1)
    const after = both.find((point) => point.t >= t)
    if (!before || !after) return (before ?? after)?.d ?? 0
    return before.t === after.t ? before.d : before.d + (after.d - before.d) * ((t - before.t) / (after.t - before.t))
  }
  const joined = tUs.map((t, i) => {
    const l = eye === 'right' ? null : left[i]
    const r = eye === 'left' ? null : right[i]
    if (l !== null && r !== null) return (l + r) / 2
    if (eye === 'both') return null
    return l !== null ? l + differenceAt(t) / 2 : r !== null ? r - differenceAt(t) / 2 : null
  })
  // Step 9
  const rows: number[][] = []
  for (const i of joined.keys()) {
    if (joined[i] === null) continue
    const last = rows.at(-1)?.at(-1)
    if (last === i - 1 && tUs[i] - tUs[last] < 75_000) rows.at(-1)!.push(i)
    else rows.push([i])
  }
  const sizes = joined.map((size, i) => {
    if (size === null) return null
    const row = rows.find((indexes) => indexes.includes(i))!
    const near = row.filter((j) => 2 * Math.abs(tUs[j] - tUs[i]) <= settings.pupilSmoothingMs * 1000)
    return mean(near.map((j) => joined[j] as number))
  })
  // Step 10
  const inWindow = (t: number) => t >= settings.pupilBaselineFromMs * 1000 && t < settings.pupilBaselineToMs * 1000
  const baseline = median(sizes.filter((size, i): size is number => size !== null && inWindow(tUs[i])))
  return { sizes, baseline }
}
