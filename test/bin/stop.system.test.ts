import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkData } from '../../bin/commands/check.ts'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { openTokens } from '../../engine/access/tokens.ts'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { smallBundle, writeBundle } from '../engine/import/bundles.ts'
import { keptDirectory } from '../engine/kept.ts'
import { GOLDEN_STUDY, importGolden } from '../engine/studies.ts'
import { gazette, launch, type Running } from './gazette.ts'

/** A command that is told to stop, at whatever moment, ends with its code and leaves nothing. */
const root = await keptDirectory()
const bundle = join(root, 'bundle')
const size = { participants: 20, items: 4, seconds: 10, hz: 500, seed: 1 }
await writeDemoBundle({ directory: bundle, ...size, memoryMib: 256 })
/** A data directory with the golden study. */
const golden = join(root, 'golden')
await importGolden(golden)

/** Whatever lies below a directory, but for empty folders. */
async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
}

/** Delays, in ms after the program listens for signals; most of them while the rest of it still loads. */
const MOMENTS = { SIGTERM: [0, 30, 80, 200, 500], SIGINT: [10, 50, 120, 300, 700] } as const

/** Makes the program report when it listens for signals: before its first line, a signal ends Node itself. */
const TELL = `process.on('newListener', (name) => name === 'SIGTERM' && console.log('listens'))`
const TELLING = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELL)}` }

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  /** Ends a command so long after it has begun to listen. */
  async function stopped(args: string[], afterMs: number, settings?: Record<string, string>) {
    const running = launch(args, { ...TELLING, ...settings })
    await running.said(/listens/)
    await setTimeout(afterMs)
    running.process.kill(signal)
    const ended = await running.ended
    expect(ended.signal).toBeNull()
    return ended
  }

  test.each([0, 15, 40])(
    'that comes %i ms after the process begins leaves nothing, whoever ends it',
    async (afterMs) => {
      const data = join(root, `early-${signal}-${afterMs}`)
      const running = launch(['import', bundle, '--data', data])
      await setTimeout(afterMs)
      running.process.kill(signal)
      const { code, signal: diedOf } = await running.ended
      expect(diedOf === signal || code === 1).toBe(true)
      expect(await filesIn(data)).toEqual([])
    },
  )

  const moments = MOMENTS[signal]

  test.each(moments)('ends an import after %i ms with its code, and it leaves nothing', async (afterMs) => {
    const data = join(root, `import-${signal}-${afterMs}`)
    const { code } = await stopped(['import', bundle, '--data', data], afterMs)
    if (code === 0) return expect(await filesIn(data)).toContain('manifest.json')
    expect(code).toBe(1)
    expect(await filesIn(data)).toEqual([])
  })

  test.each(moments)('ends a demo after %i ms with its code, and it leaves nothing', async (afterMs) => {
    const data = join(root, `demo-${signal}-${afterMs}`)
    const size = ['--participants', '20', '--seconds', '20', '--hz', '500']
    const { code } = await stopped(['demo', ...size, '--data', data], afterMs)
    if (code === 0) return expect(await filesIn(data)).toContain('manifest.json')
    expect(code).toBe(1)
    expect(await filesIn(data)).toEqual([])
  })

  test.each(moments)('ends a server that starts, after %i ms, as one that is done', async (afterMs) => {
    const data = join(root, `start-${signal}-${afterMs}`)
    const { code } = await stopped(['start', '--data', data], afterMs, { PORT: '0' })
    expect(code).toBe(0)
    expect((await filesIn(data)).filter((name) => /spool|tmp|scratch|import/.test(name))).toEqual([])
  })

  test.each(moments)('ends an export after %i ms with its code: its file is whole, or not there', async (afterMs) => {
    const folder = await mkdtemp(join(root, 'export-'))
    const args = ['export', 'gazes-raw', '--study', GOLDEN_STUDY, '--data', golden, '-o', join(folder, 'a.csv')]
    const { code } = await stopped(args, afterMs)
    if (code === 0) return expect((await readFile(join(folder, 'a.csv'), 'utf8')).endsWith('\n')).toBe(true)
    expect(code).toBe(1)
    expect(await filesIn(folder)).toEqual([])
  })

  test.each([...moments, 1000, 1500, 2000])(
    'ends a ZIP of all tables after %i ms with one sentence, and it leaves nothing',
    async (afterMs) => {
      const folder = await mkdtemp(join(root, 'package-'))
      const args = ['export', 'package', '--study', GOLDEN_STUDY, '--data', golden, '-o', join(folder, 'a.zip')]
      const { code, stderr } = await stopped(args, afterMs)
      if (code === 0) return expect(await filesIn(folder)).toEqual(['a.zip'])
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^(gazette: the (export|command) was canceled\n)?$/)])
      expect(await filesIn(folder)).toEqual([])
    },
  )

  test('ends an export and a join of parts that wait for a store which does not answer', async () => {
    const asked: (() => void)[] = []
    const silent = createServer(() => asked.shift()?.()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const options = `endpoint=http://127.0.0.1:${(silent.address() as AddressInfo).port}&pathStyle=true`
    const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'us-east-1' }
    const data = join(root, `silent-${signal}`)
    try {
      for (const [args, settings] of [
        [['export', 'fixations', '--study', GOLDEN_STUDY, '--data', data], { STORE_URL: `s3://studies/p?${options}` }],
        [['compose', `s3://studies/p/1?${options}`, '--data', data], {}],
      ] as const) {
        const request = new Promise<void>((resolve) => asked.push(resolve))
        const running = launch([...args], { ...env, ...settings })
        await Promise.race([request, running.ended])
        running.process.kill(signal)
        expect(await running.ended).toMatchObject({ code: 1, signal: null, stderr: 'gazette: it was stopped\n' })
      }
    } finally {
      silent.closeAllConnections()
      silent.close()
    }
  })

  // It writes the audit log, tidies up and ends, within some 10 ms.
  test.each([0, 3, 5, 8])(
    'comes %i ms too late for an export whose file is there: it ends as one that is done, and in the audit log',
    async (afterMs) => {
      const folder = await mkdtemp(join(root, 'late-'))
      const data = join(root, `late-${signal}-${afterMs}`)
      await cp(golden, data, { recursive: true })
      const args = ['export', 'fixations', '--study', GOLDEN_STUDY, '--data', data, '-o', join(folder, 'a.csv')]
      const running = launch(args)
      while (!existsSync(join(folder, 'a.csv')) && running.process.exitCode === null) await setTimeout(1)
      await setTimeout(afterMs)
      running.process.kill(signal)
      expect(await running.ended).toMatchObject({ code: 0, signal: null })
      expect(await readFile(join(data, 'audit.jsonl'), 'utf8')).toContain('"export":"fixations"')
    },
  )

  test.each(moments)(
    'ends a token being made, and a study being removed, after %i ms: done, or not begun',
    async (afterMs) => {
      const data = join(root, `change-${signal}-${afterMs}`)
      await cp(golden, data, { recursive: true })
      const [made, removed] = await Promise.all([
        stopped(['token', 'create', '--data', data], afterMs),
        stopped(['remove', '--study', GOLDEN_STUDY, '--yes', '--data', data], afterMs),
      ])
      for (const { code } of [made, removed]) expect([0, 1]).toContain(code)
      expect(await openTokens(data).list()).toHaveLength(made.code === 0 ? 1 : 0)
      expect(await openStudies(data).studyIds()).toEqual(removed.code === 0 ? [] : [GOLDEN_STUDY])
      const told: string[] = []
      await checkData(
        { jobs: openJobs(data), records: data, objects: null },
        data,
        async ({ sentence }) => void told.push(sentence),
      )
      expect(told).toEqual([])
      expect((await filesIn(data)).filter((name) => /tmp|lock/.test(name))).toEqual([])
    },
  )
})

describe('an import whose samples take DuckDB a while to read', () => {
  let long: string
  beforeAll(async () => {
    const { samples: _, ...rest } = smallBundle()
    long = await writeBundle(join(root, 'long'), rest)
    const line = (i: number) => `${rest.tests[0].test_id},${i},${i % 1000}.25,${i % 800}.5\n`
    const lines = Array.from({ length: 2_000_000 }, (_, i) => line(i)).join('')
    await writeFile(join(long, 'samples.csv'), `test_id,t_ms,gaze_x_px,gaze_y_px\n${lines}`)
  })

  /** Waits until the first sample is about to be read: then a file is made below the data directory. */
  async function reads(data: string, { process: child }: Running): Promise<void> {
    while (!(await filesIn(data)).includes('staged.duckdb') && child.exitCode === null) await setTimeout(5)
  }

  // A query that is at work when DuckDB is closed would hold a thread for ever, and the process with it.
  test('ends when it is stopped, at whatever moment of that', async ({ onTestFinished }) => {
    for (const afterMs of [50, 150, 250, 350, 450, 550]) {
      const data = join(root, `long-${afterMs}`)
      const running = launch(['import', long, '--data', data])
      onTestFinished(running.killNow)
      await reads(data, running)
      await setTimeout(afterMs)
      running.process.kill('SIGTERM')
      expect(await running.ended).toMatchObject({ code: 1, signal: null })
      expect(await filesIn(data)).toEqual([])
    }
  })

  test('leaves what the next one removes when it is killed, also as a dry run', async () => {
    const data = join(root, 'killed')
    const running = launch(['import', long, '--dry-run', '--data', data])
    await reads(data, running)
    running.killNow()
    expect(await running.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await filesIn(data)).toContain('staged.duckdb')
    expect(await gazette(['import', bundle, '--dry-run', '--data', data])).toMatchObject({ code: 0 })
    expect(await filesIn(data)).toEqual([])
  })
})
