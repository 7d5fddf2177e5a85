import { availableParallelism, loadavg } from 'node:os'

/** Beyond that, a test that hangs would hold up the run for too long. */
const PATIENCE_MAX = 5

/** What TEST_PATIENCE multiplies limits by: below 1, a walk that waits for what never comes is red the sooner. */
const GIVEN = Number(process.env.TEST_PATIENCE ?? 1)

/**
 * Returns by how much limits of tests are longer than on a machine at rest: limits are for processor time, which a
 * test gets the less of the more processes want to run. TEST_PATIENCE, if given, multiplies it.
 */
export function patience(): number {
  const runnable = loadavg()[0] / availableParallelism()
  return GIVEN * Math.min(PATIENCE_MAX, Math.max(1, Math.round(runnable)))
}
