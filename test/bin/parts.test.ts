import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import { BIN, gazette } from './gazette.ts'

const bundle = fileURLToPath(new URL('../golden/bundle', import.meta.url))
let dir: string
let data: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gazette-parts-'))
  data = join(dir, 'data')
  expect((await gazette(['import', bundle, '--data', data])).code).toBe(0)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const fixations = ['export', 'fixations', '--study', GOLDEN_STUDY]

test('a shell script makes the parts that docs/parts.md says, and composes the file of one export', async () => {
  const script = (await readFile(new URL('../../docs/parts.md', import.meta.url), 'utf8'))
    .split('```sh\n')[1]
    .split('```')[0]
  const ours = script.replaceAll(/^gazette/gm, `'${process.execPath}' '${BIN}'`).replaceAll('ID', GOLDEN_STUDY)
  await promisify(execFile)('sh', ['-e', '-c', ours.replaceAll('DIR', data)], { cwd: dir })
  const whole = await gazette([...fixations, '--data', data])
  expect(await readFile(join(dir, 'fixations.csv'), 'utf8')).toBe(whole.stdout)
})

test.each([
  ['Slurm', 'SLURM_ARRAY_TASK_ID', 1],
  ['Kubernetes', 'JOB_COMPLETION_INDEX', 0],
  ['AWS Batch', 'AWS_BATCH_JOB_ARRAY_INDEX', 0],
] as const)('the lines of docs/parts.md for %s make parts by their index', async (title, index, first) => {
  const text = await readFile(new URL('../../docs/parts.md', import.meta.url), 'utf8')
  const [, language, block] = text.split(`## ${title}\n`)[1].match(/```(sh|yaml)\n([\s\S]*?)```/)!
  const command = language === 'sh' ? block : parse(block).spec.template.spec.containers[0].args[0]
  const work = await mkdtemp(join(dir, 'array-'))
  await mkdir(join(work, 'parts'))
  await writeFile(join(work, 'gazette'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`, { mode: 0o755 })
  const PATH = `${work}:${process.env.PATH}`
  const run = (line: string, more: object = {}) => {
    const here = line
      .replaceAll(/(\/shared)?\/parts/g, join(work, 'parts'))
      .replaceAll(/(\/shared\/gazette|\/data)\b/g, data)
    const ours = here
      .replaceAll('ID ', `${GOLDEN_STUDY} `)
      .replaceAll('/40', '/2')
      .replaceAll('gazes-split', 'fixations')
    return promisify(execFile)('sh', ['-e', '-c', ours], { cwd: work, env: { ...process.env, ...more, PATH } })
  }
  await Promise.all([0, 1].map((i) => run(command, { [index]: String(first + i) })))
  await run(text.split('## Slurm')[1].match(/gazette compose .*/)![0])
  expect(await readFile(join(work, 'gazes.csv'), 'utf8')).toBe((await gazette([...fixations, '--data', data])).stdout)
})

test('what is wrong with a part, or with parts, is said in one sentence', async () => {
  const sentence = async (args: string[]) => {
    const { code, stderr } = await gazette([...args, '--data', data])
    return [code, stderr]
  }
  expect(await sentence([...fixations, '--part', '4/3', '-o', join(dir, 'x')])).toEqual([
    2,
    expect.stringContaining("'4/3' is invalid. It must be k/n, such as 3/40: part k of n"),
  ])
  expect(await sentence([...fixations, '--part', '1/3'])).toEqual([
    2,
    'gazette: --part writes a file to compose: add -o FILE\n',
  ])
  const one = join(dir, 'one.part')
  expect((await gazette([...fixations, '--part', '1/2', '-o', one, '--data', data])).code).toBe(0)
  expect(await sentence(['compose', one])).toEqual([2, 'gazette: of 2 parts, 2 is missing\n'])
  expect(await sentence(['compose', join(dir, 'none.part')])).toEqual([
    2,
    expect.stringContaining('none.part cannot be read: there is no such file'),
  ])
  expect(await sentence(['compose', one, one])).toEqual([2, 'gazette: one.part is given twice\n'])
  expect(await sentence(['compose', dir])).toEqual([2, expect.stringMatching(/ cannot be read: it is a directory\n$/)])
  const whole = join(dir, 'whole.part')
  await gazette([...fixations, '--part', '1/1', '-o', whole, '--data', data])
  const elsewhere = await gazette(['compose', whole, '--data', join(dir, 'nowhere')])
  expect(elsewhere.stderr).toMatch(
    /nowhere does not have study [0-9a-f-]+ as it was when whole.part was made: name its directory/,
  )
  const other = join(dir, 'other.part')
  await gazette([...fixations, '--part', '2/2', '-o', other, '--data', data, '--moving-median-range-ms', '150'])
  expect(await sentence(['compose', one, other])).toEqual([
    2,
    'gazette: other.part and one.part are of different exports: movingMedianRangeMs is 150 and 200\n',
  ])
  const text = join(dir, 'text.part')
  await writeFile(text, 'no part at all')
  expect(await sentence(['compose', text])).toEqual([
    2,
    'gazette: text.part is not a whole part: gazette export --part writes parts\n',
  ])
})
