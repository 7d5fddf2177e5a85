import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = new URL('../..', import.meta.url).pathname

/** Benches are plain JavaScript over the build, so no compiler notices when a name that they import has moved. */
test('every name that a bench imports from the build exists in the sources', () => {
  const missing: string[] = []
  let seen = 0
  for (const file of readdirSync(join(ROOT, 'test/bench')).filter((name) => name.endsWith('.mjs'))) {
    const text = readFileSync(join(ROOT, 'test/bench', file), 'utf8')
    for (const [, names, from] of text.matchAll(/import\s*\{([^}]*)\}\s*from\s*'([^']*\/dist\/[^']*)'/g)) {
      const source = posix.normalize(posix.join('test/bench', from)).replace('dist/', '').replace(/\.js$/, '.ts')
      expect(existsSync(join(ROOT, source)), `${file}: ${from}`).toBe(true)
      const sourceText = readFileSync(join(ROOT, source), 'utf8')
      for (const name of names.split(',').flatMap((part) => part.trim().split(' as ')[0] || [])) {
        seen++
        if (!new RegExp(`^export (async )?(const|function\\*?) ${name}\\b`, 'm').test(sourceText))
          missing.push(`${file}: ${name} of ${from}`)
      }
    }
  }
  expect(missing).toEqual([])
  expect(seen).toBeGreaterThan(50)
})
