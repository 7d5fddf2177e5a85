import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ANALYSIS_NAMES } from '../../engine/analysis/analysis-kinds.ts'

test.each([
  'js/README.md',
  'js/src/gazette.ts',
  'python/README.md',
  'python/gazette_client/client.py',
  'r/README.md',
  'r/R/exports.R',
])('clients/%s names every analysis', (path) => {
  const text = readFileSync(new URL(`../../clients/${path}`, import.meta.url), 'utf8')
  expect(ANALYSIS_NAMES.filter((name) => !new RegExp(`["\`]${name}["\`]|^  ${name}: `, 'm').test(text))).toEqual([])
})
