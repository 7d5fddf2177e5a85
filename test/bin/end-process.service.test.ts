import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

const built = (path: string) => new URL(`../../dist/${path}`, import.meta.url).href

/**
 * A query that takes for ever, as one that does not notice its interruption, and the end of the process after a grace.
 */
const HELD = `
  import { endAfterGrace } from '${built('bin/terminal/end-process.js')}'
  import { openDuckDb } from '${built('engine/duckdb/duckdb.js')}'
  const db = await openDuckDb({ directories: [], threads: 1, memoryMib: 64 })
  const held = db.connection.run("SELECT repeat('a', 64) LIKE '" + '%_'.repeat(30) + "b' FROM range(2)")
  held.catch(() => undefined)
  endAfterGrace(100, 100)
`

test('a process ends after its grace, whatever query it still runs', { timeout: 120_000 }, async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', HELD], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  expect(said).toBe('gazette: not everything could be stopped in time; ending by SIGKILL\n')
})
