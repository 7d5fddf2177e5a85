import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take longest, in the order in which they begin: begun last, one of them would keep a core busy while the other has
 * nothing left to do. Those that mostly wait, for a browser or a queue, lie between those that compute.
 */
const LONG = [
  'test/worker/worker.test.ts',
  'test/simulation/',
  'test/dashboard/walk.test.ts',
  'test/chaos/chaos.test.ts',
  'test/dashboard/hard-use.test.ts',
  'test/chaos/kinds.test.ts',
  'test/worker/queue.test.ts',
  'test/engine/run/run.test.ts',
  'test/dashboard/analysis.test.ts',
  'test/bin/start.test.ts',
  'test/server/problems.test.ts',
  'test/clients/killed.test.ts',
  'test/dashboard/aoi-editor.test.ts',
  'test/chaos/',
  'test/dashboard/',
  'test/worker/',
  'test/clients/',
  'test/bin/',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONG.findIndex((path) => moduleId.includes(path))
      return found < 0 ? LONG.length : found
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    sequence: { sequencer: LongestFirst },
    // On two cores: files that start servers or browsers wait for a good part of their time.
    maxWorkers: 4,
    // A process of tests keeps what it has loaded: loading it anew for each file took up to a fourth of all time.
    isolate: false,
    // Whatever is waited for may be late on a machine that is busy with others.
    expect: { poll: { timeout: 30_000, interval: 50 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: {
      provider: 'v8',
      include: ['bin/**', 'demo/**', 'engine/**', 'server/**', 'worker/**'],
      // It runs in the browser: test/dashboard walks through it in Chromium.
      exclude: ['server/dashboard/**', '**/*.wat'],
      reporter: ['text-summary'],
    },
  },
})
