import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gazette, launch, type Running } from './gazette.ts'

let dir: string
let running: Running
let url: string
let token: string
let study: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gazette-start-'))
  running = launch(['start', '--data', dir], { PORT: '0' })
  await running.said(/Ctrl-C stops it all/)
  url = (await running.said(/^listening on (http:\/\/127\.0\.0\.1:\d+)$/m))[1]
  token = (await running.said(/Token\s+([0-9a-f-]{36})/))[1]
  study = (await running.said(/studies\/([0-9a-f-]{36})/))[1]
})
afterAll(async () => {
  running.process.kill('SIGKILL')
  await running.ended
  await rm(dir, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, { headers: { 'X-AUTH-TOKEN': token, ...headers } })

test('gazette start makes a demo study, and the two commands that it prints work', async () => {
  const commands = [...(await running.said(/curl [\s\S]*Ctrl-C/))[0].matchAll(/'(http[^']+)'/g)].map(
    ([, address]) => address,
  )
  expect(commands).toHaveLength(2)
  const csv = await get(new URL(commands[0]).pathname)
  expect(csv.status).toBe(200)
  expect(await csv.text()).toMatch(/^study_id,item_id,[\s\S]*\n[0-9a-f-]{36},/)
  const accepted = await get(new URL(commands[1]).pathname, { Prefer: 'respond-async' })
  expect(accepted.status).toBe(202)
  const job = accepted.headers.get('location')!
  const deadline = Date.now() + 30_000
  let state = ''
  while (state !== 'succeeded' && Date.now() < deadline) {
    state = ((await (await get(job)).json()) as { state: string }).state
    await sleep(100)
  }
  const file = await get(`${job}/file`)
  const direct = await gazette(['export', 'gazes-split', '--study', study, '--data', dir])
  expect(await file.text()).toBe(direct.stdout)
})

test('a second one on the same data says who holds the queue', async () => {
  const second = await gazette(['start', '--data', dir], { PORT: '0' })
  expect(second.code).toBe(1)
  expect(second.stderr).toMatch(/another process/i)
})

test('Ctrl-C stops it with exit code 0, and it starts again on what it left', async () => {
  running.process.kill('SIGINT')
  expect(await running.ended).toMatchObject({ code: 0, signal: null })
  running = launch(['start', '--data', dir], { PORT: '0' })
  url = (await running.said(/^listening on (http:\/\/127\.0\.0\.1:\d+)$/m))[1]
  const jobs = (await (await get('/api2/jobs')).json()) as { jobs: { state: string }[] }
  expect(jobs.jobs.map(({ state }) => state)).toEqual(['succeeded'])
})
