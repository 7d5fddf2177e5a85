/** Descriptions of the tests that a threshold on a quality column excludes, given the threshold. */
const MEASURED: Record<string, (amount: string) => string> = {
  test_data_loss_percents: (amount) => `${amount} % of samples lost, or without samples`,
  test_sampling_rate_hz: (amount) => `${amount} samples with gaze per second, or without gaze`,
  test_data_integrity_percents: (amount) => `${amount} % of the time without gaps above 50 ms`,
  test_gaze_on_screen_percents: (amount) => `${amount} % of gaze on the screen, or without gaze in a known window`,
  test_sample_count: (amount) => `${amount} samples`,
  test_valid_sample_count: (amount) => `${amount} samples with gaze`,
}

const BOUND = /^(test_[a-z_]+) *(<=|<|>=|>) *(-?[0-9.]+)$/i

/**
 * Describes the tests that a condition on data quality excludes, to follow "tests with": `more than 30 % of samples
 * lost`; null for any other condition.
 */
export function leftOutBy(condition: string): string | null {
  const [, column, operator, limit] = BOUND.exec(condition) ?? []
  const words = column && MEASURED[column.toLowerCase()]
  if (!words) return null
  if (operator === '<=') return words(`more than ${limit}`)
  if (operator === '<') return words(`at least ${limit}`)
  return words(operator === '>=' ? `less than ${limit}` : `at most ${limit}`)
}
