import { between, chance, type Random } from './random.ts'

/** Half-open spans of time in which the gaze is lost, ascending. */
export type Losses = { startMs: number[]; endMs: number[] }

/**
 * Plans blinks, and longer losses of people who are tracked badly. Together they take about a share of the test.
 *
 * @param stepMs time between frames: a loss also costs the step that it cuts
 */
export function planLosses(random: Random, durationMs: number, missingShare: number, stepMs: number): Losses {
  const costs: number[] = []
  let leftMs = durationMs * missingShare * between(random, 0.85, 1.15)
  while (leftMs > 0) {
    const isBlink = missingShare < 0.08 || chance(random, 0.45)
    const costMs = (isBlink ? between(random, 80, 210) : between(random, 240, 300 + 1600 * missingShare)) + stepMs
    // The last one is taken as often as it fits, so that the share is met on average.
    if (costMs > leftMs && !chance(random, leftMs / costMs)) break
    costs.push(costMs)
    leftMs -= costMs
  }
  const spentMs = costs.reduce((sum, cost) => sum + cost, 0)
  const pauses = Array.from({ length: costs.length + 1 }, () => -Math.log(1 - random.uniform()))
  const unitMs = Math.max(0, durationMs - spentMs) / pauses.reduce((sum, pause) => sum + pause, 0)
  const losses: Losses = { startMs: [], endMs: [] }
  let t = 0
  for (const [i, costMs] of costs.entries()) {
    t += pauses[i] * unitMs
    losses.startMs.push(t)
    losses.endMs.push(t + costMs - stepMs)
    t += costMs
  }
  return losses
}
