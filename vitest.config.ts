import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Two cores: test files that start servers and threads of their own do not gain from more.
    maxWorkers: 2,
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
