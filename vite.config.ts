import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { chunkGroups } from './scripts/chunk-groups.ts'
import { chunkName, docsPlugin } from './scripts/docs/docs-plugin.ts'
import { preloadShell } from './scripts/preload-shell.ts'
import { pureConstants } from './scripts/pure-constants.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/**
 * Builds the dashboard's browser side. What it makes is served by server/http/dashboard-files.ts under a policy without
 * inline code.
 */
export default defineConfig({
  root: path('dashboard'),
  clearScreen: false,
  logLevel: 'warn',
  plugins: [docsPlugin(), pureConstants(), preloadShell()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path('dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    // Pictures and fonts as files of their own: data addresses in styles would need a looser policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { chunkFileNames: chunkName, codeSplitting: { groups: chunkGroups() } } },
  },
})
