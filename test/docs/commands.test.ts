import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = ['README.md', ...['python', 'r', 'js'].map((name) => `clients/${name}/README.md`)].concat(
  readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
)

const lines = pages.flatMap((page) => {
  const blocks = readFileSync(root + page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)
  return [...blocks].flatMap(([, block]) => block.split('\n')).map((line) => `${page}: ${line}`)
})

test('every command to paste is npx gazette, which works in a clone and writes nothing of npm into a file', () => {
  const calls = lines.filter((line) => /(^\S+: |\$\(|[|;&] *|\w=\S+ )(npm run |npx )?gazette\b(?! -)/.test(line))
  expect(calls.length).toBeGreaterThan(30)
  expect(calls.filter((line) => !/\bnpx gazette /.test(line))).toEqual([])
})

test('every command to paste begins a line or follows an operator, not another command', () => {
  const program = /\b(?:npx gazette|npm (?:run|start|test|ci|pack))\b/g
  const begins = /(^\S+: *|&& |\|\|? |; |\$\(|\bdo )(\w+=\S* )*$/
  const joined = lines.filter((line) =>
    [...line.matchAll(program)].some(({ index }) => !begins.test(line.slice(0, index))),
  )
  expect(joined).toEqual([])
})
