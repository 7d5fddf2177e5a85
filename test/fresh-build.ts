import { spawnSync } from 'node:child_process'

/**
 * Builds what has changed, for sizes of tests that start the program: they run what is in `dist`, and `npx vitest` by
 * itself would leave an old build there. As after `npm install`, nothing is installed.
 */
export function setup(): void {
  // Each size of tests has its own set-up; the first build serves all.
  if (process.env.TESTS_ARE_BUILT) return
  // In the environment of tests, Vite would build a dashboard that nobody else gets, a tenth larger.
  const env = { ...process.env, npm_lifecycle_event: 'prepare', NODE_ENV: 'production' }
  const root = new URL('..', import.meta.url)
  const { status } = spawnSync(process.execPath, ['scripts/setup.mjs'], { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) throw new Error('the build failed')
  process.env.TESTS_ARE_BUILT = 'yes'
}
