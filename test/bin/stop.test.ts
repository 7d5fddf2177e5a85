import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { launch } from './gazette.ts'

/** A command that is told to stop, at whatever moment, ends with its code and leaves nothing. */
let root: string
let bundle: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gazette-test-'))
  bundle = join(root, 'bundle')
  const size = { participants: 20, items: 4, seconds: 10, hz: 500, seed: 1 }
  await writeDemoBundle({ directory: bundle, ...size, memoryMib: 256 })
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Whatever lies below a directory, but for empty folders. */
async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
}

const FIRST_MS = [20, 60, 100, 150, 250, 400, 600, 900]

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  async function stopped(args: string[], afterMs: number) {
    const running = launch(args)
    await setTimeout(afterMs)
    running.process.kill(signal)
    return running.ended
  }

  test.each(FIRST_MS)('ends an import after %i ms with its code, and it leaves nothing', async (afterMs) => {
    const data = join(root, `import-${signal}-${afterMs}`)
    const { code, signal: diedOf } = await stopped(['import', bundle, '--data', data], afterMs)
    if (code === 0) return expect(await filesIn(data)).toContain('manifest.json')
    // Node itself needs a moment before it can listen.
    if (afterMs > 200) expect(diedOf).toBeNull()
    if (diedOf === null) expect(code).toBe(1)
    expect(await filesIn(data)).toEqual([])
  })

  test.each(FIRST_MS)('ends a demo after %i ms with its code, and it leaves nothing', async (afterMs) => {
    const data = join(root, `demo-${signal}-${afterMs}`)
    const size = ['--participants', '20', '--seconds', '20', '--hz', '500']
    const { code, signal: diedOf } = await stopped(['demo', ...size, '--data', data], afterMs)
    if (code === 0) return expect(await filesIn(data)).toContain('manifest.json')
    if (afterMs > 200) expect(diedOf).toBeNull()
    if (diedOf === null) expect(code).toBe(1)
    expect(await filesIn(data)).toEqual([])
  })

  test.each(FIRST_MS)('ends a server that starts, after %i ms, as one that is done', async (afterMs) => {
    const data = join(root, `start-${signal}-${afterMs}`)
    const running = launch(['start', '--data', data], { PORT: '0' })
    await setTimeout(afterMs)
    running.process.kill(signal)
    const { code, signal: diedOf } = await running.ended
    if (afterMs > 200) expect(diedOf).toBeNull()
    if (diedOf === null) expect(code).toBe(0)
    expect((await filesIn(data)).filter((name) => /spool|tmp|scratch|import/.test(name))).toEqual([])
  })
})
