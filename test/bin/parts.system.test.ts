import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { keptDirectory } from '../engine/kept.ts'
import { credentialsOf } from '../engine/storage/credentials.ts'
import { startS3 } from '../engine/storage/s3-server.mjs'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import { BIN, gazette, NAME } from './gazette.ts'

const bundle = fileURLToPath(new URL('../golden/bundle', import.meta.url))
const dir = await keptDirectory()
const data = join(dir, 'data')
expect((await gazette(['import', bundle, '--data', data])).code).toBe(0)

const fixations = ['export', 'fixations', '--study', GOLDEN_STUDY]

test('a shell script makes the parts that docs/scaling.md says, and composes the file of one export', async () => {
  const script = await linesBelow('One export in parts, without a queue')
  const ours = script.replaceAll(/^npx gazette/gm, `'${process.execPath}' '${BIN}'`).replaceAll('ID', GOLDEN_STUDY)
  await promisify(execFile)('sh', ['-e', '-c', ours.replaceAll('DIR', data)], { cwd: dir })
  const whole = await gazette([...fixations, '--data', data])
  expect(await readFile(join(dir, 'fixations.csv'), 'utf8')).toBe(whole.stdout)
})

test.each([
  ['Slurm', 'SLURM_ARRAY_TASK_ID', 1],
  ['Kubernetes jobs', 'JOB_COMPLETION_INDEX', 0],
  ['AWS Batch', 'AWS_BATCH_JOB_ARRAY_INDEX', 0],
] as const)('the lines of docs/scaling.md for %s make parts by their index', async (title, index, first) => {
  const text = await readFile(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
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
      .replaceAll('npx gazette', 'gazette')
      .replaceAll('ID ', `${GOLDEN_STUDY} `)
      .replaceAll('/40', '/2')
      .replaceAll('gazes-split', 'fixations')
    return promisify(execFile)('sh', ['-e', '-c', ours], { cwd: work, env: { ...process.env, ...more, PATH } })
  }
  await Promise.all([0, 1].map((i) => run(command, { [index]: String(first + i) })))
  await run(text.split('## Slurm')[1].match(/gazette compose .*/)![0])
  expect(await readFile(join(work, 'gazes.csv'), 'utf8')).toBe((await gazette([...fixations, '--data', data])).stdout)
})

/** The lines of docs/scaling.md below a title, as they are to be run here. */
async function linesBelow(title: string): Promise<string> {
  const text = await readFile(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
  return text.split(`## ${title}\n`)[1].split('```sh\n')[1].split('```')[0]
}

test('parts lie in a bucket and are composed there, as docs/scaling.md says, and nothing is replaced unasked', async () => {
  const s3 = await startS3({ bucket: 'lab', pageSize: 2 })
  try {
    const env = credentialsOf(s3.credentials)
    const run = (args: string[]) => gazette([...args, '--data', data], env)
    const at = (name: string) => `s3://lab/${name}?endpoint=${s3.url}&pathStyle=true`
    const script = (await linesBelow('In a bucket'))
      .replace(/^export STORE_URL.*\n/m, '')
      .replaceAll(/'(s3:\/\/[^']+)'/g, (_, address) => `'${address}?endpoint=${s3.url}&pathStyle=true'`)
      .replaceAll(/^npx gazette (.*)$/gm, `'${process.execPath}' '${BIN}' $1 --data '${data}'`)
    const options = { cwd: dir, env: { ...process.env, ...env } }
    await promisify(execFile)('sh', ['-e', '-c', script.replaceAll('ID', GOLDEN_STUDY)], options)
    const whole = await gazette([...fixations, '--data', data])
    expect([...s3.objects.keys()]).toEqual(['parts/1.part', 'parts/2.part', 'parts/3.part', 'fixations.csv'])
    expect(s3.objects.get('fixations.csv')?.toString()).toBe(whole.stdout)
    const parts = [3, 1, 2].map((number) => at(`parts/${number}.part`))
    expect((await run(['compose', ...parts])).stdout).toBe(whole.stdout)
    const again = ['compose', at('parts/'), '-o', at('fixations.csv')]
    expect((await run(again)).stderr).toContain('already exists: add --force to replace it')
    s3.objects.set('parts/2.part', s3.objects.get('parts/2.part')!.subarray(1))
    expect((await run([...again, '--force'])).stderr).toMatch(/^gazette: 2\.part is damaged: compute it again/)
    expect(s3.objects.get('fixations.csv')?.toString()).toBe(whole.stdout)
    expect(s3.openUploads()).toBe(0)
    const refusals = [
      [['compose', at('parts/4.part')], /4\.part\S* cannot be read: there is no such object/],
      [['compose', at('part/')], /part\/\S* cannot be read: it holds no object/],
      [['compose', 's3:/lab/parts/1.part'], /^gazette: s3:\/lab\/parts\/1\.part must be s3:\/\/bucket\/name/],
      [
        [...fixations, '-o', 'https://me:secret@lab.example/a.csv'],
        /^gazette: https:\/\/…@lab.example\/a\.csv must be s3:/,
      ],
      [[...fixations, '-o', at('tables/')], /^gazette: s3:\/\/lab\/tables\/ names no object: add a name/],
      [[...fixations, '-o', at('a.csv').replace('lab', 'lob')], /^gazette: s3:\/\/lob\/: there is no such bucket/],
      [['export', 'bids', '--study', GOLDEN_STUDY, '-o', at('b')], / is not a folder: /],
    ] as const
    const answers = await Promise.all(refusals.map(([args]) => run([...args])))
    for (const [i, { code, stderr }] of answers.entries())
      expect([code, stderr]).toEqual([2, expect.stringMatching(refusals[i][1])])
    expect(s3.objects.size).toBe(4)
  } finally {
    await s3.stop()
  }
})

test('what is wrong with a part, or with parts, is said in one sentence', async () => {
  const sentence = async (args: string[]) => {
    const { code, stderr } = await gazette([...args, '--data', data])
    return [code, stderr]
  }
  const at = (name: string) => join(dir, name)
  await writeFile(at('text.part'), 'no part at all')
  const parts: [string, string, ...string[]][] = [
    ['one.part', '1/2'],
    ['whole.part', '1/1'],
    ['other.part', '2/2', '--moving-median-range-ms', '150'],
  ]
  const made = parts.map(([name, part, ...more]) => sentence([...fixations, '--part', part, '-o', at(name), ...more]))
  expect((await Promise.all(made)).map(([code]) => code)).toEqual([0, 0, 0])
  const faults: [string[], unknown][] = [
    [
      [...fixations, '--part', '4/3', '-o', at('x')],
      expect.stringContaining("'4/3' is invalid. It must be k/n, such as 3/40: part k of n"),
    ],
    [[...fixations, '--part', '1/3'], 'gazette: --part writes a file to compose: add -o FILE\n'],
    [['compose', at('one.part')], 'gazette: of 2 parts, 2 is missing\n'],
    [['compose', at('none.part')], expect.stringContaining('none.part cannot be read: there is no such file')],
    [['compose', at('one.part'), at('one.part')], 'gazette: one.part is given twice\n'],
    [['compose', dir], expect.stringMatching(/ cannot be read: it is a directory\n$/)],
    [
      ['compose', at('one.part'), at('other.part')],
      'gazette: other.part and one.part are of different exports: movingMedianRangeMs is 150 and 200\n',
    ],
    [['compose', at('text.part')], `gazette: text.part is not a whole part: ${NAME} export --part writes parts\n`],
  ]
  const elsewhere = gazette(['compose', at('whole.part'), '--data', at('nowhere')])
  const told = await Promise.all(faults.map(([args]) => sentence(args)))
  expect(told).toEqual(faults.map(([, words]) => [2, words]))
  expect((await elsewhere).stderr).toMatch(
    /nowhere does not have study [0-9a-f-]+ as it was when whole.part was made: give its directory/,
  )
})
