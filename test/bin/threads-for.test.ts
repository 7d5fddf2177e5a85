import { expect, test } from 'vitest'
import { threadsFor } from '../../bin/output/write-table.ts'

test('a table is worth more threads the more samples it reads or bytes it has, and a small one none', () => {
  expect(threadsFor({ samples: 26_604, bytes: 14_000_000 })).toBe(1)
  expect(threadsFor({ samples: 0, bytes: 0 })).toBeLessThanOrEqual(1)
  expect(threadsFor({ samples: 4_000_000, bytes: 1_000 })).toBe(2)
  expect(threadsFor({ samples: 1_000, bytes: 400_000_000 })).toBe(2)
  expect(threadsFor({ samples: 4_000_000, bytes: 1_000_000_000 })).toBe(5)
})
