import { defineConfig, type TestUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { closingLines } from './test/closing-lines.ts'
import { patience } from './test/patience.ts'

/**
 * The sizes of tests, told apart by the ends of their names (CONTRIBUTING.md): what they need, and what runs them. The
 * gate runs all but `system`.
 */
const SIZES = {
  /** System tests small enough for the gate: one walk in Chromium, one round of each queue, a few worlds. */
  smoke: '.smoke.test.ts',
  /** Real servers, processes, listeners and the embedded queue. */
  service: '.service.test.ts',
  /** Browsers, Redis and PostgreSQL servers, R and Python, kills, worlds, fuzzing. */
  system: '.system.test.ts',
}
const sized = Object.values(SIZES).map((end) => `test/**/*${end}`)

/**
 * Begins with smoke tests, since each of them takes long, and ends with unit tests, which fill whatever core is free.
 */
class LargestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = [SIZES.smoke, SIZES.system, SIZES.service, '.test.ts']
    const rank = ({ moduleId }: TestSpecification) => order.findIndex((end) => moduleId.endsWith(end))
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

const shared = {
  reporters: ['default', closingLines()],
  // On two cores: files that start servers or browsers wait for much of their time; with four at once, all take longer.
  maxWorkers: 3,
  // A process of tests keeps what it has loaded: loading it anew for each file took up to a fourth of all time.
  isolate: false,
  // A module is compiled once for its text, not for each run.
  experimental: { fsModuleCache: true },
  // Whatever is waited for may be late on a machine that is busy with others.
  expect: { poll: { timeout: 60_000 * patience(), interval: 50 } },
  testTimeout: 360_000 * patience(),
  hookTimeout: 360_000 * patience(),
  // Which lines each test runs: test/mutants asks.
  setupFiles: process.env.REACHED_LINES ? [new URL('test/mutants/reached-lines.ts', import.meta.url).pathname] : [],
  execArgv: [
    // Most of what tests make is garbage at once.
    '--max-semi-space-size=64',
    // As on another day: `.ci/run` runs unit tests a second time so.
    ...(process.env.TEST_DAYS_AHEAD ? ['--import', new URL('test/another-day.mjs', import.meta.url).href] : []),
  ],
} satisfies TestUserConfig

/** Comparisons on public data, which `npm run validate` runs where it is given a folder with these data. */
const PUBLIC = { extends: true as const, test: { name: 'public', include: ['test/validation/*.public.ts'] } }

/** Each size as a project, for `--project`. */
const PROJECTS = {
  globalSetup: ['test/temporary-folder.ts'],
  projects: [
    {
      extends: true,
      test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: sized, globalSetup: ['test/fresh-threads.ts'] },
    },
    ...Object.entries(SIZES).map(([name, end]) => ({
      extends: true as const,
      test: { name, include: [`test/**/*${end}`], globalSetup: ['test/fresh-build.ts'] },
    })),
    ...(process.env.VALIDATION_DATA ? [PUBLIC] : []),
  ],
} satisfies TestUserConfig

/** All sizes but `system` as one: each process loads a module once for them all, which saves an eighth of the time. */
const GATE = {
  globalSetup: ['test/temporary-folder.ts', 'test/fresh-build.ts'],
  include: ['test/**/*.test.ts'],
  exclude: [`test/**/*${SIZES.system}`],
  env: { NODE_ENV: 'test' },
} satisfies TestUserConfig

export default defineConfig(({ mode }) => ({
  test: {
    ...shared,
    ...(mode === 'gate' ? GATE : PROJECTS),
    sequence: { sequencer: LargestFirst },
    coverage: {
      provider: 'v8',
      include: ['bin/**', 'demo/**', 'engine/**', 'server/**', 'worker/**'],
      // It runs in the browser: test/dashboard walks through it in Chromium.
      exclude: ['dashboard/**', '**/*.wat'],
      reporter: ['text-summary'],
    },
  },
}))
