import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', ...['python', 'r', 'js'].map((name) => `clients/${name}/README.md`)].concat(
  readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
)

test('every command to paste is npx gazette, which works in a clone and writes nothing of npm into a file', () => {
  const lines = pages.flatMap((page) => {
    const blocks = readFileSync(root + page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)
    return [...blocks].flatMap(([, block]) => block.split('\n')).map((line) => `${page}: ${line}`)
  })
  const calls = lines.filter((line) => /(^\S+: |\$\(|[|;&] *|\w=\S+ )(npm run |npx )?gazette\b(?! -)/.test(line))
  expect(calls.length).toBeGreaterThan(30)
  expect(calls.filter((line) => !/\bnpx gazette /.test(line))).toEqual([])
})
