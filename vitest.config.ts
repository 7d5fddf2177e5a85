import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes: begun last, one of them would keep a core busy while the other has nothing left to do. */
const LONG = ['test/chaos/', 'test/worker/', 'test/dashboard/', 'test/engine/run/']

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
    // On two cores: files that start servers wait for a good part of their time.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['bin/**', 'demo/**', 'engine/**', 'server/**', 'worker/**'],
      // It runs in the browser: test/dashboard walks through it in Chromium.
      exclude: ['server/dashboard/**', '**/*.wat'],
      reporter: ['text-summary'],
    },
  },
})
