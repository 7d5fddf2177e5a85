import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = ['bin', 'engine', 'server', 'worker'].flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(room, name)),
)

/** Returns the compiled files of threads and processes that a source starts. */
function startedBy(source: string): string[] {
  const text = readFileSync(join(root, source), 'utf8')
  const names = text.matchAll(/threadFile\(import\.meta\.url, '\.\/(.*?)'\)|'\.\/([\w-]+-thread\.js)'/g)
  return [...names].map(([, beside, alone]) => join('dist', source, '..', beside ?? alone))
}

test('each file that a thread or process starts from is bundled, and so in the package, and no other', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
  const program = 'dist/bin/command-line.js'
  const started = [program, ...new Set(sources.flatMap(startedBy))].sort()
  expect(files.filter((path) => path.endsWith('.js')).sort()).toEqual(started)
})
