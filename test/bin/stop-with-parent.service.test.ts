import { expect, test } from 'vitest'
import { startBy } from './npm-start.ts'

// npm passes SIGTERM on to the script; SIGHUP ends npm alone. npx has a shell between itself and the program.
test.each([
  ['SIGTERM', ['npm', 'start']],
  ['SIGHUP', ['npx', 'gazette', 'start']],
] as const)(
  'when %s comes to %j alone, the service that it started ends, and its token with it',
  async (signal, line) => {
    const { started, ended } = await startBy([...line])
    started.kill(signal)
    expect(await ended()).toBe(0)
  },
)
