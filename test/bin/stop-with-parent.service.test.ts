import { expect, test } from 'vitest'
import { startBy } from './npm-start.ts'

// npm passes SIGTERM on to the script. Other signals and parents are tried by the system test.
test('when SIGTERM comes to npm start alone, the service that it started ends, and its token with it', async () => {
  const { started, ended } = await startBy(['npm', 'start'])
  started.kill('SIGTERM')
  expect(await ended()).toBe(0)
})
