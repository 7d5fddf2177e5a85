import { afterEach, expect, test, vi } from 'vitest'
import { progressLine } from '../../bin/terminal/progress.ts'

afterEach(() => vi.unstubAllEnvs())

/** Returns what a line at half of the work writes to a stream. */
function written(stream: { isTTY: boolean; columns?: number }): string {
  let text = ''
  const write = (more: string) => {
    text += more
    return true
  }
  const line = progressLine('export', { ...stream, write } as NodeJS.WriteStream)
  line.show(0.5, '1,000 rows')
  line.done()
  return text
}

test('progress fits the width of the terminal, and is erased at the end', () => {
  vi.stubEnv('TERM', 'xterm')
  const bar = `${'█'.repeat(12)}${'░'.repeat(12)}`
  expect(written({ isTTY: true, columns: 40 })).toBe(`\r\x1b[K${`export ${bar}  50 %  1,000`.slice(0, 39)}\r\x1b[K`)
  // A terminal that does not know its width.
  expect(written({ isTTY: true, columns: 0 })).toBe(`\r\x1b[Kexport ${bar}  50 %  1,000 rows\r\x1b[K`)
})

test('progress is silent in a pipe, and on a terminal that cannot erase a line', () => {
  expect(written({ isTTY: false })).toBe('')
  vi.stubEnv('TERM', 'dumb')
  expect(written({ isTTY: true })).toBe('')
})
