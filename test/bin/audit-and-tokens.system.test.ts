import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import { requestJob } from '../../engine/jobs/request-job.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import type { Plan } from '../../engine/model/plan.ts'
import { keptDirectory } from '../engine/kept.ts'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import { gazette } from './gazette.ts'

const bundle = fileURLToPath(new URL('../golden/bundle', import.meta.url))
const dir = await keptDirectory()
const data = join(dir, 'data')
expect(await gazette(['import', bundle, '--data', data])).toMatchObject({ code: 0, stdout: `${GOLDEN_STUDY}\n` })

test('imports, exports, removals and tokens are in the audit log, with who did them', async () => {
  const fresh = join(dir, 'audited')
  await gazette(['import', bundle, '--data', fresh])
  await gazette(['import', bundle, '--data', fresh])
  const { stdout } = await gazette(['export', 'fixations', '--study', GOLDEN_STUDY, '--data', fresh])
  await gazette(['token', 'create', '--data', fresh])
  const [token] = (await gazette(['token', 'list', '--data', fresh])).stdout.split(' ')
  await gazette(['token', 'revoke', token, '--data', fresh])
  await gazette(['remove', '--study', GOLDEN_STUDY, '--yes', '--data', fresh])
  const file = join(fresh, 'audit.jsonl')
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  const by = { user: userInfo().username }
  const study = GOLDEN_STUDY
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'import', study, by, snapshot: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { event: 'export', study, by, export: 'fixations', bytes: Buffer.byteLength(stdout) },
    { event: 'token made', token, by },
    { event: 'token revoked', token, by },
    { event: 'removal', study, by },
  ])
  expect((await stat(file)).mode & 0o077).toBe(0)
})

test('gazette token create shows the token once; list and revoke know it by its id', async () => {
  const made = await gazette(['token', 'create', '--name', 'platform', '--expires', '30d', '--data', data])
  expect(made.stdout).toMatch(/^[0-9a-f-]{36}\n$/)
  const listed = await gazette(['token', 'list', '--data', data])
  expect(listed.stdout).toMatch(/read {2}all studies .*never used.*platform/)
  expect(listed.stdout).not.toContain(made.stdout.trim())
  expect(await readFile(join(data, 'tokens.json'), 'utf8')).not.toContain(made.stdout.trim())
  const [id] = listed.stdout.split(' ')
  expect(await gazette(['token', 'revoke', id, '--data', data])).toMatchObject({ code: 0 })
  expect(await gazette(['token', 'revoke', id, '--data', data])).toMatchObject({ code: 1 })
})

test('gazette token link shows a link once, which gazette token lists and revokes', async () => {
  const page = `/studies/${GOLDEN_STUDY}/quality?filter=participant_age+%3E+30`
  const made = await gazette(['token', 'link', `http://127.0.0.1:1${page}`, '--name', 'Prof. Ito', '--data', data])
  expect(made.stdout.replace(/[0-9a-f-]{36}\n$/, '')).toBe(`http://127.0.0.1:1${page}#link=`)
  const { stdout } = await gazette(['token', 'list', '--data', data])
  const [line] = stdout.split('\n').filter((each) => each.includes('Prof. Ito'))
  expect(line).toContain(`link  ${page}  made`)
  expect(await gazette(['token', 'revoke', line.split(' ')[0], '--data', data])).toMatchObject({ code: 0 })
  const typo = await gazette(['token', 'link', page.replace('_age', '_aeg'), '--data', data])
  expect(typo).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/the filter of a link .*aeg/) })
})

test('gazette check finds a damaged job, --repair removes it and says so, and then all is well', async () => {
  const checked = join(dir, 'repaired')
  await gazette(['import', bundle, '--data', checked])
  const plan: Plan = {
    export: 'mouse',
    studyId: GOLDEN_STUDY,
    snapshotId: 'a'.repeat(64),
    parameters: {},
    version: '1',
    formulaGuard: true,
  }
  const request = { parameters: defaultParameters(), samplesTotal: 1, fileName: 'a.csv', tokenId: 'a', now: new Date() }
  const { id } = await requestJob(openJobs(checked), plan, request)
  await writeFile(join(checked, 'exports', id, 'plan.json'), '{"plan": ')
  const damage = `Job ${id}: plan.json is not what was written.`
  const found = await gazette(['check', '--data', checked])
  expect(found).toMatchObject({ code: 1, stdout: `${damage}\n` })
  expect(found.stderr).toMatch(/^Checked \d+ files of snapshots, 1 of jobs, .*\.\ngazette: 1 fault found: .*\n$/)
  expect(await gazette(['check', '--repair', '--data', checked])).toMatchObject({
    code: 0,
    stdout: `${damage} It is removed, and computed anew when it is asked for.\n`,
  })
  expect(await gazette(['check', '--data', checked])).toMatchObject({ code: 0, stdout: '' })
  expect(await readdir(join(checked, 'exports'))).toEqual([])
})
