import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPool } from '../engine/run/pool/pool.ts'
import { exported, importInto } from './engine/studies.ts'

test('the bundle in docs/bundle.md is imported, and has the fixation that it promises', async () => {
  const text = await readFile(new URL('../docs/bundle.md', import.meta.url), 'utf8')
  const directory = await mkdtemp(join(tmpdir(), 'gazette-docs-'))
  const pool = createPool({ threads: 1 })
  try {
    const files = [...text.matchAll(/^`([\w.]+)`\n\n```\w+\n([\s\S]*?)```/gm)]
    expect(files.map(([, name]) => name)).toEqual(['study.json', 'participants.csv', 'tests.csv', 'samples.csv'])
    for (const [, name, content] of files) await writeFile(join(directory, name), content)
    const { csv, progress } = await exported(pool, await importInto(join(directory, 'data'), directory), 'fixations')
    expect(progress.rows).toBe(1)
    expect(csv.toString()).toMatch(/,0,165,165,,,,1,Gazette/)
  } finally {
    await pool.close()
    await rm(directory, { recursive: true, force: true })
  }
})

test('the test that CONTRIBUTING.md runs by its title exists', async () => {
  const page = await readFile(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8')
  const [, file, title] = /npx vitest run (\S+) -t '([^']+)'/.exec(page)!
  expect(await readFile(new URL(`../${file}`, import.meta.url), 'utf8')).toMatch(new RegExp(`(test|it)\\(.*${title}`))
})
