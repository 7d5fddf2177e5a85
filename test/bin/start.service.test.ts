import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gazette, hasTerminals, launch, type Running } from './gazette.ts'

let dir: string
let running: Running
let url: string
let token: string
let study: string
// Its token is for terminals alone.
describe.skipIf(!hasTerminals)('gazette start', () => {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gazette-start-'))
    running = launch(['start', '--data', dir], { PORT: '0' }, { isTerminal: true })
    await running.said(/Ctrl-C stops it all/)
    url = (await running.said(/^listening on (http:\/\/127\.0\.0\.1:\d+)$/m))[1]
    token = (await running.said(/Token\s+([0-9a-f-]{36})/))[1]
    study = (await running.said(/studies\/([0-9a-f-]{36})/))[1]
  })
  afterAll(async () => {
    running.killNow()
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

  const told = async () => (await gazette(['token', 'list', '--data', dir])).stdout

  test('Ctrl-C stops it with exit code 0 and revokes its token, and it starts again on what it left', async () => {
    expect(await told()).toMatch(/gazette start/)
    running.process.kill('SIGINT')
    expect(await running.ended).toMatchObject({ code: 0, signal: null })
    expect(await told()).toBe('')
    token = (await gazette(['token', 'create', '--data', dir])).stdout.trim()
    running = launch(['start', '--data', dir], { PORT: '0' })
    url = (await running.said(/^listening on (http:\/\/127\.0\.0\.1:\d+)$/m))[1]
    const jobs = (await (await get('/api2/jobs')).json()) as { jobs: { state: string }[] }
    expect(jobs.jobs.map(({ state }) => state)).toEqual(['succeeded'])
  })

  test('where it is told to a log, it makes no token and tells none', async () => {
    await running.said(/No token is made here/)
    expect(await told()).not.toMatch(/gazette start/)
    running.process.kill('SIGTERM')
    expect((await running.ended).stdout).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|#code=/)
  })

  test('a token that a killed one left is revoked by the next', async () => {
    running = launch(['start', '--data', dir], { PORT: '0' }, { isTerminal: true })
    const [, pid] = await running.said(/Token\s+([0-9a-f-]{36})/)
    expect(pid).not.toBe('')
    const left = await told()
    running.killNow()
    await running.ended
    running = launch(['start', '--data', dir], { PORT: '0' }, { isTerminal: true })
    await running.said(/Ctrl-C stops it all/)
    const lines = (await told()).split('\n').filter((line) => line.includes('gazette start'))
    expect(lines).toHaveLength(1)
    expect(left).not.toContain(lines[0])
  })
})

test('a program whose thread cannot load its code says so and ends', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'gazette-broken-'))
  const root = fileURLToPath(new URL('../../', import.meta.url))
  try {
    for (const name of ['dist', 'demo', 'package.json'])
      await cp(join(root, name), join(copy, name), { recursive: true })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    await writeFile(join(copy, 'dist/engine/run/pool/export-thread.js'), "import './there-is-no-such-file.js'\n")
    const env = { PATH: process.env.PATH, PORT: '0' }
    const args = [join(copy, 'dist/bin/gazette.cjs'), 'start', '--data', join(copy, 'data')]
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8', timeout: 50_000 })
    expect(stderr).toMatch(/^gazette: a thread cannot load its code: Cannot find module .*: install it again$/m)
    expect(status).toBe(1)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
})
