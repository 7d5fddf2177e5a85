import { expect, test } from 'vitest'
import { addStop, createTrack, minimumJerk, readTrack } from '../../demo/eye-track.ts'
import { planScanpath, saccadeDurationMs } from '../../demo/eyes.ts'
import { planLosses } from '../../demo/losses.ts'
import { makeItems } from '../../demo/pictures.ts'
import { createRandom } from '../../demo/random.ts'

const PX_PER_DEGREE = 40
const ITEMS = makeItems(2)
const plan = (itemIndex: number, maxScrollPx: number, offScreenShare = 0) =>
  planScanpath({
    random: createRandom(1, itemIndex),
    regions: ITEMS[itemIndex].regions,
    screen: { windowWidthPx: 1440, windowHeightPx: 800, leftPx: 80, topPx: 0, scale: 1, maxScrollPx },
    durationMs: 60_000,
    pxPerDegree: PX_PER_DEGREE,
    offScreenShare,
  })

/** The highest speed of one saccade, in degrees a second, from positions 0.05 ms apart. */
function peakVelocity(amplitudeDeg: number): number {
  const durationMs = saccadeDurationMs(amplitudeDeg)
  const track = createTrack()
  addStop(track, 0, 100, 0, 0)
  addStop(track, 100 + durationMs, 1000, amplitudeDeg, 0)
  const reader = readTrack(track)
  let [before, peak] = [0, 0]
  for (let t = 100; t <= 100 + durationMs; t += 0.05) {
    reader.moveTo(t)
    peak = Math.max(peak, (reader.x - before) / 0.05e-3)
    before = reader.x
  }
  return peak
}

test('Saccades follow the main sequence: 2.2 ms a degree and 21 ms', () => {
  expect(saccadeDurationMs(5)).toBe(32)
  expect(saccadeDurationMs(20)).toBe(65)
})

test('Peak velocity is 1.875 times the mean and levels off with amplitude', () => {
  // 10 degrees in 43 ms are 232.6 degrees a second on average.
  expect(peakVelocity(10)).toBeCloseTo(436, 0)
  const peaks = [2, 5, 10, 20, 40].map(peakVelocity)
  for (let i = 1; i < peaks.length; i++) expect(peaks[i]).toBeGreaterThan(peaks[i - 1])
  expect(peaks[1] / peaks[0]).toBeGreaterThan(1.9)
  expect(peaks[4] / peaks[3]).toBeLessThan(1.25)
})

test('A movement starts and ends at rest and is half way at half time', () => {
  expect([0, 0.5, 1].map(minimumJerk)).toEqual([0, 0.5, 1])
  expect(minimumJerk(0.01)).toBeLessThan(0.0001)
  expect(1 - minimumJerk(0.99)).toBeLessThan(0.0001)
})

test('A scanpath holds still in fixations and moves as the main sequence says between them', () => {
  const { gaze, looks } = plan(0, 0)
  expect(looks.length).toBeGreaterThan(120)
  for (let i = 1; i < gaze.x.length; i++) {
    const degrees = Math.hypot(gaze.x[i] - gaze.x[i - 1], gaze.y[i] - gaze.y[i - 1]) / PX_PER_DEGREE
    expect(gaze.arriveMs[i] - gaze.leaveMs[i - 1]).toBeCloseTo(saccadeDurationMs(degrees), 6)
    expect(gaze.leaveMs[i] - gaze.arriveMs[i]).toBeGreaterThanOrEqual(90)
  }
})

test('Gaze visits most of the areas of an item, and looks away only as much as asked', () => {
  const { regions } = ITEMS[0]
  const seen = new Set(plan(0, 0).looks.map(({ region }) => region))
  expect([...seen].filter((region) => region >= 0).length).toBeGreaterThan(
    regions.filter(({ pull }) => pull > 0.2).length * 0.7,
  )
  const isAway = ({ xPx, yPx }: { xPx: number; yPx: number }) => xPx < 0 || xPx > 1440 || yPx < 0 || yPx > 800
  expect(plan(0, 0).looks.filter(isAway)).toEqual([])
  const awayMs = plan(0, 0, 0.2)
    .looks.filter(isAway)
    .reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
  expect(awayMs / 60_000).toBeGreaterThan(0.15)
  expect(awayMs / 60_000).toBeLessThan(0.27)
})

test('A tall item is scrolled down in steps, never beyond its end', () => {
  const { scroll } = plan(1, 2200)
  expect(Math.max(...scroll.x)).toBeGreaterThan(1200)
  expect(Math.max(...scroll.x)).toBeLessThanOrEqual(2200)
  expect(Math.min(...scroll.x)).toBe(0)
  for (let i = 1; i < scroll.x.length; i++) {
    expect(scroll.leaveMs[i - 1]).toBeGreaterThanOrEqual(scroll.arriveMs[i - 1])
    expect(scroll.arriveMs[i]).toBeGreaterThan(scroll.leaveMs[i - 1])
  }
})

test('Losses take about the share asked for and do not overlap', () => {
  for (const share of [0.05, 0.2, 0.5]) {
    let lostMs = 0
    for (let seed = 0; seed < 20; seed++) {
      const { startMs, endMs } = planLosses(createRandom(seed), 60_000, share, 33)
      for (let i = 0; i < startMs.length; i++) {
        expect(startMs[i]).toBeGreaterThanOrEqual(i === 0 ? 0 : endMs[i - 1])
        lostMs += endMs[i] - startMs[i] + 33
      }
    }
    expect(lostMs / (20 * 60_000) / share).toBeGreaterThan(0.9)
    expect(lostMs / (20 * 60_000) / share).toBeLessThan(1.1)
  }
})
