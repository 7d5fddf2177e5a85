import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { canRun } from '../../programs.ts'

const isMissing = !['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-mgr'].every((name) => canRun(name, '--version'))
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Runs test files beside Ceph's gateway. Returns what they printed, and the exit code. */
async function besideCeph(files: string[], options: string[], env: Record<string, string>) {
  const vitest = [at('../../../node_modules/.bin/vitest'), 'run', '--project', 'system', ...files, ...options]
  // Not one of the tests that run it: each of those has a pool of its own.
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, ...own } = process.env
  const child = spawn('sh', [at('ceph.sh'), ...vitest], {
    cwd: at('../../..'),
    env: { ...own, ...env, NO_COLOR: '1', VITEST_MAX_WORKERS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

test.skipIf(isMissing)(
  "a study changes in a bucket of Ceph as in a directory, and what is sent while servers are killed is there, on Ceph's gateway",
  async () => {
    const files = ['test/server/bucket.system', 'test/chaos/live.system']
    const { code, output } = await besideCeph(files, [], {})
    expect(code, output).toBe(0)
    expect(output).toMatch(/Test Files +2 passed/)
  },
  900_000,
)

test.skipIf(isMissing)(
  "jobs end whole while servers, workers, Redis and the disk of Ceph's gateway are killed",
  async () => {
    const kills = process.env.CHAOS_KILLS ?? '12'
    const options = ['-t', String.raw`\(bucket\)`]
    const { code, output } = await besideCeph(['test/chaos/chaos.system'], options, {
      CHAOS_KILLS: kills,
      CHAOS_RUN_KILLS: kills,
    })
    expect(code, output).toBe(0)
    expect(output).toMatch(/kill -9 s3 \| [1-9]/)
  },
  6 * 3_600_000,
)
