import { type ExecFileException, execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, type TestContext, test } from 'vitest'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { listJobs } from '../../engine/jobs/list-jobs.ts'
import { withdrawInterest } from '../../engine/jobs/withdraw-job.ts'
import { canRun, PYTHON } from '../programs.ts'
import { type House, openHouse, STUDY } from '../server/house.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const CHROMIUM_ARGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

const page = readFileSync(new URL('../../docs/examples.md', import.meta.url), 'utf8')

/** All code of a section of the page, as one script. */
function codeOf(section: string, language: string): string {
  const [, text = ''] = new RegExp(`^## ${section}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(page) ?? []
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language)
  expect(blocks.length, `code in ${language} under ${section}`).toBeGreaterThan(0)
  return blocks.map(([, , code]) => code).join('\n')
}

let house: House
let directory: string
let expected: { fixations: string; gazes: string; otherGazes: string }
beforeAll(async () => {
  // Fixations are small here, gaze points are not, and nothing waits.
  house = await openHouse({ SYNC_MAX_BYTES: '12000', HOLD_SECONDS: '0' }, { hasWorker: true })
  directory = await mkdtemp(join(tmpdir(), 'gazette-examples-'))
  const text = async (path: string) => {
    const response = await house.get(`/api2/studies/${STUDY}/collected-data/eye-tracking/${path}`, {
      prefer: 'wait=60',
    })
    expect(response.status).toBe(200)
    return response.text()
  }
  expected = {
    fixations: await text('fixations?movingMedianRangeMs=150'),
    gazes: await text('gazes/raw-denoises-normalized-split'),
    otherGazes: await text('gazes/raw-denoises-normalized-split?movingMedianRangeMs=150'),
  }
})
/** What an example before it made is gone, so that each has to wait for a job. */
beforeEach(async () => {
  const { jobs } = house.parts
  for (const { id } of await listJobs(jobs)) await withdrawInterest(jobs, id, 'all', new Date())
})
afterAll(async () => {
  await house.close()
  await rm(directory, { recursive: true, force: true })
})

/** Runs a program until it ends, beside this process, which is the server. */
function run(file: string, args: string[]): Promise<string> {
  const env = { ...process.env, BASE: house.url, TOKEN: house.read, STUDY }
  return new Promise((resolve, reject) => {
    const done = (error: ExecFileException | null, stdout: string, stderr: string) =>
      error ? reject(new Error(`${file} failed: ${stderr}${stdout}`)) : resolve(stdout)
    execFile(file, args, { cwd: directory, env }, done)
  })
}

const rowsOf = (csv: string) => csv.trimEnd().split('\n').length - 1
const twoCounts = (gazes = expected.gazes) => `${rowsOf(expected.fixations)} fixations\n${rowsOf(gazes)} gaze points\n`

/** Jobs that were asked for by the example: it had to wait for one. */
async function jobCount(): Promise<number> {
  const page = (await (await house.get('/api2/jobs?state=succeeded')).json()) as { jobs: unknown[] }
  return page.jobs.length
}

/** Skips a test, and says why, where a program or its packages are missing. */
function need(context: TestContext, file: string, args: string[], what: string): void {
  if (!canRun(file, ...args)) context.skip(`skipped: ${what} is not installed here`)
}

test('curl', async () => {
  await writeFile(join(directory, 'example.sh'), codeOf('curl', 'sh'))
  const printed = await run('sh', ['-eu', 'example.sh'])
  expect(await readFile(join(directory, 'fixations.csv'), 'utf8')).toBe(expected.fixations)
  expect(await readFile(join(directory, 'gazes.csv'), 'utf8')).toBe(expected.gazes)
  expect(printed).toContain(STUDY)
  expect(printed).toContain('first: 200\nsecond: 304\n')
  expect(await readFile(join(directory, 'again.csv'), 'utf8')).toBe(expected.gazes)
  expect(await jobCount()).toBe(1)
})

test('three lines of pandas', async (context) => {
  need(context, PYTHON, ['-c', 'import pandas, pyarrow'], 'Python with pandas and pyarrow')
  await writeFile(join(directory, 'three.py'), `${codeOf('Three lines', 'python')}\nprint(len(fixations), "fixations")`)
  expect(await run(PYTHON, ['three.py'])).toMatch(/^\d+ fixations\n$/)
})

test('Python with nothing but what it brings, and pandas after it', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  await writeFile(join(directory, 'example.py'), codeOf('Python', 'python'))
  expect(await run(PYTHON, ['example.py'])).toBe(twoCounts(expected.otherGazes))
  expect(await jobCount()).toBe(1)
  need(context, PYTHON, ['-c', 'import pandas'], 'pandas')
  await writeFile(join(directory, 'example.py'), `${codeOf('Python', 'python')}${codeOf('pandas', 'python')}`)
  const printed = await run(PYTHON, ['example.py'])
  expect(printed.startsWith(`${twoCounts(expected.otherGazes)}120 samples\n`)).toBe(true)
  for (const { name } of EXPORTS) {
    const [header] = (await readFile(join(directory, `${name}.csv`), 'utf8')).split('\n')
    expect(printed).toMatch(new RegExp(`^${name}: \\d+ rows, ${header.split(',').length} columns$`, 'm'))
  }
})

test('R with nothing but what it brings', async (context) => {
  need(context, 'Rscript', ['--version'], 'R')
  await writeFile(join(directory, 'example.R'), codeOf('R', 'r'))
  expect(await run('Rscript', ['example.R'])).toBe(twoCounts(expected.otherGazes))
  expect(await jobCount()).toBe(1)
})

test('JavaScript in Node', async () => {
  const code = `const { BASE, TOKEN, STUDY } = process.env\n${codeOf('JavaScript', 'js')}`
  await writeFile(join(directory, 'example.mjs'), code)
  expect(await run(process.execPath, ['example.mjs'])).toBe(twoCounts())
  expect(await jobCount()).toBe(1)
})

test("JavaScript in a browser, on one of Gazette's pages", async (context) => {
  if (!existsSync(CHROMIUM)) context.skip('skipped: Chromium is not installed here')
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS.split(' ') })
  try {
    const tab = await browser.newPage()
    let printed = ''
    tab.on('console', (message) => {
      if (message.type() === 'log') printed += `${message.text()}\n`
    })
    const own = `const BASE = location.origin, TOKEN = '${house.read}', STUDY = '${STUDY}'`
    await tab.goto(`${house.url}/docs`)
    await tab.evaluate(`(async () => { ${own}\n${codeOf('JavaScript', 'js')} })()`)
    expect(printed).toBe(twoCounts())
  } finally {
    await browser.close()
  }
})

test('an example that goes wrong says what is wrong, and leaves no file', async (context) => {
  need(context, PYTHON, ['--version'], 'Python')
  const code = codeOf('Python', 'python').replace('movingMedianRangeMs=150', 'movingMedianRange=150')
  await rm(join(directory, 'table.csv'), { force: true })
  await writeFile(join(directory, 'wrong.py'), code)
  await expect(run(PYTHON, ['wrong.py'])).rejects.toThrow(/Invalid parameter: movingMedianRange is not a parameter/)
  expect(await readdir(directory)).not.toContain('table.csv')
})
