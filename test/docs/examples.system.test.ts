import { type ExecFileException, execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { columnsOf } from '../../engine/exports/columns/columns-of.ts'
import { studyFacts } from '../../engine/exports/columns/study-facts.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { listJobs } from '../../engine/jobs/list-jobs.ts'
import { withdrawInterest } from '../../engine/jobs/withdraw-job.ts'
import { kept, keptDirectory } from '../engine/kept.ts'
import { canRun, PYTHON } from '../programs.ts'
import { openTestServer, STUDY } from '../server/test-server.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const CHROMIUM_ARGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

const page = readFileSync(new URL('../../docs/examples.md', import.meta.url), 'utf8')

/** The blocks of code of a section of the page. */
function blocksOf(section: string, language: string): string[] {
  const [, text = ''] = new RegExp(`^## ${section}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(page) ?? []
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language)
  expect(blocks.length, `code in ${language} under ${section}`).toBeGreaterThan(0)
  return blocks.map(([, , code]) => code)
}

/** All code of a section of the page, as one script. */
function codeOf(section: string, language: string): string {
  return blocksOf(section, language).join('\n')
}
// Fixations are small here, gaze points are not, and nothing waits.
const service = kept(await openTestServer({ SYNC_MAX_BYTES: '12000', HOLD_SECONDS: '0' }, { hasWorker: true }))
const directory = await keptDirectory()
const text = async (path: string) => {
  const response = await service.get(`/api2/studies/${STUDY}/collected-data/eye-tracking/${path}`, {
    prefer: 'wait=60',
  })
  expect(response.status).toBe(200)
  return response.text()
}
const expected = {
  fixations: await text('fixations?movingMedianRangeMs=150'),
  gazes: await text('gazes/raw-denoises-normalized-split'),
  otherGazes: await text('gazes/raw-denoises-normalized-split?movingMedianRangeMs=150'),
}
/** Removes files of earlier examples, so that each has to wait for a job. */
beforeEach(async () => {
  const { jobs } = service.parts
  for (const { id } of await listJobs(jobs)) await withdrawInterest(jobs, id, 'all', new Date())
})

/** Runs a program until it ends, beside this process, which is the server. */
function run(file: string, args: string[], study = STUDY): Promise<string> {
  const env = { ...process.env, BASE: service.url, TOKEN: service.read, STUDY: study }
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
  const page = (await (await service.get('/api2/jobs?state=succeeded')).json()) as { jobs: unknown[] }
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
  const facts = studyFacts((await service.parts.studies.current(STUDY))!)
  for (const entry of EXPORTS)
    expect(printed).toMatch(new RegExp(`^${entry.name}: \\d+ rows, ${columnsOf(entry, facts).length} columns$`, 'm'))
})

describe('of the demo study', () => {
  let demo: string
  beforeAll(async () => {
    const bundle = join(directory, 'demo')
    const size = { participants: 24, items: 6, seconds: 8, hz: 30, seed: 1 }
    demo = (await writeDemoBundle({ directory: bundle, ...size, memoryMib: 256 })).studyId
    const now = new Date('2026-01-01T00:00:00Z')
    const { dataDir } = service
    await importBundle({ dataDir, directory: bundle, append: false, dryRun: false, now, threads: 1, memoryMib: 256 })
  })

  test('Python tells its two conditions apart, by a filter and a permutation test', async (context) => {
    need(context, PYTHON, ['--version'], 'Python')
    const [functions] = blocksOf('Python', 'python')
    const code = codeOf('Two conditions compared', 'python')
    await writeFile(join(directory, 'conditions.py'), `${functions}\n${code}`)
    const printed = await run(PYTHON, ['conditions.py'], demo)
    expect(page).toContain(`\n\`\`\`\n${printed}\`\`\`\n`)
    expect(Number(/^p = (.*)$/m.exec(printed)![1])).toBeLessThan(0.01)
  })

  test('docs/packages.md has its methods', async () => {
    const path = fileURLToPath(new URL('../../docs/packages.md', import.meta.url))
    const answer = await service.get(`/api2/studies/${demo}/methods?participantQualityGradeItemMin=3`)
    const { paragraph } = (await answer.json()) as { paragraph: string }
    const text = readFileSync(path, 'utf8')
    const between = /(<!-- demo: [^>]*-->\n)([\s\S]*?)(<!-- \/demo -->)/
    const quoted = `> ${paragraph.replace(/snapshot [0-9a-f]{64}/, 'snapshot …')}\n`
    const wanted = text.replace(between, (_all, open, _old, close) => `${open}${quoted}${close}`)
    expect(between.test(text)).toBe(true)
    // With -u it is written, else compared.
    await expect(wanted).toMatchFileSnapshot(path)
  })
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
    const own = `const BASE = location.origin, TOKEN = '${service.read}', STUDY = '${STUDY}'`
    await tab.goto(`${service.url}/docs`)
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
