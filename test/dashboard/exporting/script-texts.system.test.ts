import { type ExecFileException, execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, type TestContext, test } from 'vitest'
import { scriptTexts, type Wanted } from '../../../dashboard/pages/exporting/script-texts.ts'
import { canRun, PYTHON } from '../../programs.ts'
import { openTestServer, publishStudy, shareTestServer, type TestServer } from '../../server/test-server.ts'

const IDS = '0c000000-0000-4000-8000-000000000003'
const DAMAGED = '0d000000-0000-4000-8000-000000000004'

/** A server on which every read is a job, and a job may fail. */
let busy: TestServer
let service: TestServer
let directory: string
beforeAll(async () => {
  service = await shareTestServer()
  busy = await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0' }, { hasWorker: true })
  for (const { dataDir } of [service, busy]) await publishStudy(dataDir, IDS, 'ids', ['007', 'NA'])
  await publishStudy(busy.dataDir, DAMAGED, 'damaged')
  const snapshots = join(busy.dataDir, 'studies', DAMAGED)
  const [snapshot] = (await readdir(snapshots)).filter((name) => name.length === 64)
  const file = join(snapshots, snapshot, 'samples-00000.parquet')
  const bytes = await readFile(file)
  bytes[bytes.length >> 1] ^= 1
  await rm(file)
  await writeFile(file, bytes)
})
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gazette-lines-'))
  return () => rm(directory, { recursive: true })
})
afterAll(async () => {
  await service.close()
  await busy.close()
})

type Language = keyof ReturnType<typeof scriptTexts>
const TEXT = ['participant_external_id', 'participant_display_name', 'item_filename', 'notes']
/** Facts about the table that the lines have read: rows, and the ids. */
const TELL: Record<Language, string> = {
  curl: '',
  Python: "print(len(table), *sorted(table['participant_external_id'].unique()))",
  R: "cat(nrow(table), sort(unique(table$participant_external_id)), '\\n')",
}

/** Runs lines as a script would: to the end, and with the code of the last line. */
function run(
  at: TestServer,
  language: Language,
  wanted: Partial<Wanted>,
  token = at.read,
  study = IDS,
): Promise<string> {
  const { format = 'csv', isSmall = at === service } = wanted
  const query = format === 'csv' ? '' : `?format=${format}`
  const url = `${at.url}/api2/studies/${study}/collected-data/eye-tracking/fixations${query}`
  const lines = scriptTexts({ url, file: `fixations.${format}`, format, isSmall, textColumns: TEXT })[language]
  const [file, flag] = { curl: ['sh', '-c'], Python: [PYTHON, '-c'], R: ['Rscript', '-e'] }[language]
  const env = { ...process.env, GAZETTE_TOKEN: token }
  return new Promise((resolve, reject) => {
    const done = (error: ExecFileException | null, stdout: string, stderr: string) =>
      error ? reject(new Error(`${language}: ${stderr}${stdout}`)) : resolve(stdout.trim())
    execFile(file, [flag, `${lines}\n${TELL[language]}`], { cwd: directory, env }, done)
  })
}

function need(context: TestContext, language: Language, format = 'csv'): void {
  const needs = `import pandas${format === 'csv' ? '' : ', pyarrow'}`
  if (language === 'Python' && !canRun(PYTHON, '-c', needs)) context.skip(`skipped: no Python here can ${needs}`)
  if (language === 'R' && !canRun('Rscript', '--version')) context.skip('skipped: R is not installed here')
}

const rowsOf = async () => {
  const path = `/api2/studies/${IDS}/collected-data/eye-tracking/fixations`
  return (await (await service.get(path)).text()).trimEnd().split('\n').length - 1
}

for (const language of ['curl', 'Python', 'R'] as const) {
  test(`${language}: what comes at once and what is a job are read whole; ids of digits and NA stay`, async (context) => {
    need(context, language)
    const told = language === 'curl' ? '' : `${await rowsOf()} 007 NA`
    expect(await run(service, language, {})).toBe(told)
    expect(await run(busy, language, {})).toBe(told)
    const path = `/api2/studies/${IDS}/collected-data/eye-tracking/fixations`
    expect(await readFile(join(directory, 'fixations.csv'), 'utf8')).toBe(await (await service.get(path)).text())
  })

  test(`${language}: a refused token and a job that fails end as errors, and never as a file`, async (context) => {
    need(context, language)
    await expect(run(service, language, {}, 'wrong')).rejects.toThrow(/401/)
    await expect(run(busy, language, {}, busy.read, DAMAGED)).rejects.toThrow(/500/)
    expect((await readdir(directory)).filter((name) => !name.endsWith('.part'))).toEqual([])
  })
}

for (const format of ['parquet', 'arrow', 'ndjson'])
  test(`Python reads ${format} at once and by a job`, async (context) => {
    need(context, 'Python', format)
    for (const at of [service, busy]) expect(await run(at, 'Python', { format })).toBe(`${await rowsOf()} 007 NA`)
  })

test('pandas and R refuse a job or a problem that is read as a table', async (context) => {
  const path = `/api2/studies/${IDS}/collected-data/eye-tracking/fixations?movingMedianRangeMs=333`
  const answers = { job: await busy.get(path), problem: await busy.get(path, { 'x-auth-token': 'wrong' }) }
  expect([answers.job.status, answers.problem.status]).toEqual([202, 401])
  for (const [name, answer] of Object.entries(answers)) {
    const text = await answer.text()
    expect(JSON.parse(text)).toMatchObject(name === 'job' ? { state: 'queued' } : { status: 401 })
    const fields = text.split('\n').map((line) => line.split(',').length)
    expect([fields.slice(0, 2), fields[2] > 2]).toEqual([[1, 2], true])
    const file = join(directory, name)
    await writeFile(file, text)
    if (canRun(PYTHON, '-c', 'import pandas')) {
      const read = spawnSync(PYTHON, ['-c', `import pandas; pandas.read_csv('${file}')`], { encoding: 'utf8' })
      expect([read.status, read.stderr]).toEqual([1, expect.stringContaining('ParserError')])
    } else context.annotate('pandas is not installed here')
    if (canRun('Rscript', '--version'))
      expect(spawnSync('Rscript', ['-e', `read.csv('${file}')`])).toMatchObject({ status: 1 })
    else context.annotate('R is not installed here')
  }
})
