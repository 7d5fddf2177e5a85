import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gazette, hasTerminals, launch, NAME, type Running } from './gazette.ts'

let dir: string
let data: string
/** A folder whose name a shell has to be told in quotes. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "gazette-start it's-"))
  data = join(dir, 'data')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Starts on the same data, and waits until it has said all. */
async function startHere(settings: Record<string, string>, options = {}) {
  const running = launch(['start', '--data', data], settings, options)
  const [said] = await running.said(/[\s\S]*Ctrl-C stops it all/)
  return { running, said, url: (await running.said(/^listening on (http:\/\/127\.0\.0\.1:\d+)$/m))[1] }
}

/** The lines to paste: those that are indented more than what is told. */
function pasted(said: string): string[] {
  return said.match(/(?<=\n\n)( {4}.*\n)+/g)!
}

/** Pastes into a shell, in a folder of its own. */
async function paste(lines: string, folder: string): Promise<string> {
  const cwd = await mkdtemp(join(dir, folder))
  const { stdout, stderr, status } = spawnSync('sh', ['-c', lines], { cwd, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

const told = async () => (await gazette(['token', 'list', '--data', data])).stdout

describe.each([
  ['on a terminal', true],
  ['into a log', false],
])('gazette start %s', (_, isTerminal) => {
  describe.skipIf(isTerminal && !hasTerminals)('where it can be', () => {
    let running: Running
    let said: string
    let url: string
    beforeAll(async () => {
      ;({ running, said, url } = await startHere({ PORT: '0' }, { isTerminal }))
    })
    afterAll(async () => {
      running.killNow()
      await running.ended
    })

    test('what is printed gives a table and the file of a job, pasted word for word, and again', async () => {
      const [small, large, ...more] = pasted(said)
      expect(more).toEqual([])
      const study = /studies\/([0-9a-f-]{36})/.exec(small)![1]
      const direct = async (name: string) =>
        (await gazette(['export', name, '--study', study, '--data', data])).stdout.split('\n', 3).join('\n')
      expect(await paste(small, 'small-')).toBe(`${await direct('fixations')}\n`)
      expect(await paste(large, 'large-')).toBe(`${await direct('gazes-split')}\n`)
      expect(await paste(large, 'again-')).toBe(`${await direct('gazes-split')}\n`)
    })

    test('the first line has the address of the dashboard', async () => {
      const [, dashboard] = /^ {2}Dashboard {2}(\S+)$/m.exec(said)!
      expect(dashboard.startsWith(url)).toBe(true)
      expect((await fetch(dashboard)).status).toBe(200)
      expect(said.indexOf('Dashboard')).toBeLessThan(said.indexOf('curl'))
    })

    test('the token is in a file for its owner alone, and in no line', async () => {
      const header = await readFile(join(data, 'start-token'), 'utf8')
      expect((await stat(join(data, 'start-token'))).mode & 0o777).toBe(0o600)
      const [, token] = /^X-AUTH-TOKEN: ([0-9a-f-]{36})\n$/.exec(header)!
      expect(said).not.toContain(token)
      if (!isTerminal) expect(said).not.toContain('#code=')
    })

    test('a second one on the same data says that one runs there', async () => {
      const second = await gazette(['start', '--data', data], { PORT: '0' })
      expect(second.code).toBe(1)
      expect(second.stderr).toContain(`another ${NAME} start (process `)
      expect(second.stderr).toContain(`) runs on the data directory ${data}: stop it`)
    })

    test('Ctrl-C stops it with exit code 0, and ends its token and the file', async () => {
      expect(await told()).toMatch(/gazette start/)
      running.process.kill('SIGINT')
      expect(await running.ended).toMatchObject({ code: 0, signal: null })
      expect(await told()).toBe('')
      await expect(stat(join(data, 'start-token'))).rejects.toThrow('ENOENT')
    })
  })
})

test('the token that a killed one left is revoked by the next', async () => {
  const { running } = await startHere({ PORT: '0' })
  const left = await told()
  running.killNow()
  await running.ended
  const { running: next } = await startHere({ PORT: '0' })
  const lines = (await told()).split('\n').filter((line) => line.includes('gazette start'))
  expect(lines).toHaveLength(1)
  expect(left).not.toContain(lines[0])
  next.process.kill('SIGTERM')
  await next.ended
})

test('where nobody chose a port and 8080 is taken, the next free one is, and is said', async () => {
  const holder = createServer()
  // Whether it is ours or was taken already.
  await new Promise<void>((resolve) => holder.once('error', () => resolve()).listen(8080, '127.0.0.1', resolve))
  const { running, said, url } = await startHere({})
  running.process.kill('SIGTERM')
  await running.ended
  holder.close()
  expect(Number(new URL(url).port)).toBeGreaterThan(8080)
  expect(said).toContain('(port 8080 is taken by another program; PORT chooses one)')
})

test('where a port was chosen and is taken, it is not listened elsewhere', async () => {
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  const { port } = holder.address() as AddressInfo
  const { code, stderr } = await gazette(['start', '--data', data], { PORT: String(port) })
  holder.close()
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      `PORT=${port} is taken by another program: set another PORT, or PORT=0 for any that is free`,
    ),
  ])
})

test('a refused HOST leaves nothing, not even a demo study', async () => {
  const fresh = join(data, 'fresh')
  const { code, stderr } = await gazette(['start', '--data', fresh], { PORT: '0', HOST: '0.0.0.0' })
  expect([code, stderr]).toEqual([2, expect.stringContaining('HOST=0.0.0.0 is reachable from other machines')])
  await expect(stat(fresh)).rejects.toThrow('ENOENT')
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
