import { expect, test } from 'vitest'
import type { FixationsData } from '../../../dashboard/core/api.ts'
import { eventWords } from '../../../dashboard/figures/event-words.ts'

const MARK = 'A line across a row'

/** Returns tests with these numbers of events. */
function testsWith(...counts: number[]): Pick<FixationsData, 'tests'> {
  return {
    tests: counts.map((n) => ({
      testId: 't',
      participantId: 'p',
      fixations: [],
      ...(n > 0 ? { events: Array.from({ length: n }, (_, i): [number, string] => [i, 'cue']) } : {}),
    })),
  }
}

test.each([
  [[], ''],
  [[0, 0], ''],
  [[0, 99], 'A line across a row is an event.'],
  // An answer does not tell whether the test has more than those.
  [[3, 100], 'A line across a row is an event; at most the first 100 of a test are marked.'],
])('tests with %j events have the words: %s', (counts, words) => {
  expect(eventWords(testsWith(...counts), MARK)).toBe(words)
})
