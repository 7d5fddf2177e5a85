import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readSources } from './read-sources.ts'

/** Exported names that stay in two files, by the reason: each is one thing on both sides. */
const SHARED: Record<string, string[]> = {
  'a record of the engine, and the schema of the answer that holds it': [
    'About',
    'Aoi',
    'AoiPart',
    'Author',
    'Exclusion',
    'Fault',
    'ImportReport',
    'Item',
    'Job',
    'KeptTests',
    'MethodsFacts',
    'Participant',
    'Polygon',
    'Recording',
    'Rectangle',
    'SuggestedOffset',
    'TestResult',
    'TimeRange',
    'Webhook',
  ],
  'the same, as a client has it: the package for scripts, the dashboard': [
    'Comparison',
    'Parameters',
    'Problem',
    'StudyAnalysis',
    'TestKind',
  ],
  'an export, and the analysis of the same name, each an entry of its table': [
    'microsaccades',
    'pupils',
    'reading',
    'scanpaths',
  ],
}

/** Types that are made from schemas and lists of the server and the engine, under their names. */
const MADE = ['clients/js/src/types.ts', 'dashboard/core/answers.ts']

test('an exported name is of one file, except for things that both sides have', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const rooms = ['bin', 'clients/js/src', 'dashboard', 'demo', 'engine', 'isomorphic', 'scripts', 'server', 'worker']
  const files = new Map<string, Set<string>>()
  for (const { path, exports } of readSources(root, rooms))
    for (const name of exports) files.set(name, new Set([...(files.get(name) ?? []), path]))
  const twice = [...files].flatMap(([name, all]) => {
    const paths = [...all].filter((path) => !MADE.includes(path))
    return paths.length > 1 ? [{ name, paths }] : []
  })
  const shared = Object.values(SHARED).flat()
  expect(files.size).toBeGreaterThan(3000)
  expect(twice.filter(({ name }) => !shared.includes(name))).toEqual([])
  expect(shared.filter((name) => !twice.some((each) => each.name === name))).toEqual([])
})
