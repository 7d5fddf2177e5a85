/**
 * A two-sided test. `isExact` is true if p comes from all arrangements, false if it comes from an approximation or a
 * sample of them.
 */
export type TestResult = { statistic: number; p: number; isExact: boolean }

/** An effect size with a 95 % interval. */
export type Effect = { value: number; low: number; high: number }

/** Sample size from which the normal approximation is used, as in R; also used if there are ties. */
export const EXACT_BELOW = 50
