import { availableParallelism, loadavg } from 'node:os'

/** Beyond that, a test that hangs would hold up the run for too long. */
const PATIENCE_MAX = 5

/**
 * Returns by how much limits of tests are longer than on a machine at rest: limits are for processor time, which a
 * test gets the less of the more processes want to run.
 */
export function patience(): number {
  const runnable = loadavg()[0] / availableParallelism()
  return Math.min(PATIENCE_MAX, Math.max(1, Math.round(runnable)))
}
