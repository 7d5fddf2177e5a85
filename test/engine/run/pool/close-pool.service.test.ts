import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

/** Closes eight pools, each a little later after its thread began to start. */
const SCRIPT = `
const { createPool } = await import(${JSON.stringify(new URL('../../../../dist/engine/run/pool/pool.js', import.meta.url).href)})
await Promise.all(Array.from({ length: 8 }, async (_, i) => {
  const pool = createPool({ threads: 1 })
  await new Promise((resolve) => setTimeout(resolve, i * 150))
  await pool.close()
}))`

test('a pool that is closed while its threads load their code does not end the process', {
  timeout: 360_000,
}, async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code, signal] = await once(child, 'close')
  expect({ code, signal, said }).toMatchObject({ code: 0, signal: null })
})
