import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEmbeddedQueue } from '../../worker/queue/embedded.ts'

test('an embedded queue begins as what the build prepared, which takes a fifth of the time of a new database', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-embedded-'))
  const queue = await startEmbeddedQueue(directory, () => {})
  // A new database would have template0 and template1, too.
  expect((await queue.pool.query('SELECT datname FROM pg_database')).rows).toEqual([{ datname: 'postgres' }])
  await queue.close()
  await rm(directory, { recursive: true })
})
