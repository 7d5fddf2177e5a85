/**
 * A two-sided test; `isExact` says whether p comes from all arrangements, not from an approximation or a sample of
 * them.
 */
export type TestResult = { statistic: number; p: number; isExact: boolean }

/** An effect size with an interval of 95 %. */
export type Effect = { value: number; low: number; high: number }

/** Sample size from which, or with ties, the normal approximation is used, as in R. */
export const EXACT_BELOW = 50
