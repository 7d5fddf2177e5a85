import { addStop, createTrack, type Track } from './eye-track.ts'
import type { Look } from './eyes.ts'
import type { Region } from './pictures.ts'
import { between, chance, type Random } from './random.ts'

export type MousePath = { track: Track; clickMs: number[] }

/**
 * Plans a hand that rests, follows the eyes now and then, and clicks buttons that were looked at.
 *
 * @param looks in time, with the indexes of their regions
 * @returns window pixels; times ascend
 */
export function planMouse(
  random: Random,
  looks: Look[],
  regions: Region[],
  restXPx: number,
  restYPx: number,
): MousePath {
  const track = createTrack()
  const clickMs: number[] = []
  addStop(track, 0, 0, restXPx, restYPx)
  let freeMs = 0
  for (const { startMs, xPx, yPx, region } of looks) {
    if (region < 0 || startMs < freeMs) continue
    const isButton = regions[region].isButton && chance(random, 0.4)
    if (!isButton && !chance(random, 0.14)) continue
    const leaveMs = startMs + between(random, 40, 140)
    const arriveMs = leaveMs + between(random, 260, 620)
    track.leaveMs[track.leaveMs.length - 1] = leaveMs
    const strayPx = isButton ? 0 : 45
    addStop(
      track,
      arriveMs,
      arriveMs,
      Math.round(xPx + strayPx * random.normal()),
      Math.round(yPx + strayPx * random.normal()),
    )
    freeMs = arriveMs + between(random, 80, 260)
    if (isButton || chance(random, 0.06)) clickMs.push(freeMs - 40)
  }
  return { track, clickMs }
}
