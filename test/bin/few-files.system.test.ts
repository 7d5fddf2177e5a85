import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { keptDirectory } from '../engine/kept.ts'
import { BIN } from './gazette.ts'

const data = await keptDirectory()

/** Starts the program with so few files. */
function startWith(files: number) {
  const line = `ulimit -n ${files}; exec "$0" "$1" start --data "$2"`
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0' }
  const child = spawn('sh', ['-c', line, process.execPath, BIN, data], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text
  })
  return { child, said }
}

test.each([64, 128, 255])('with %i files it says in a sentence what is needed', { timeout: 60_000 }, async (files) => {
  const { child, said } = startWith(files)
  const [code] = await once(child, 'close')
  expect(code).toBe(1)
  expect(said.err).toBe(`gazette: the process may open ${files} files, too few: at least 256 are needed (ulimit -n)\n`)
})

test('with 256 files, 512 silent connections leave others their turn', { timeout: 120_000 }, async () => {
  const { child, said } = startWith(256)
  const silent: Socket[] = []
  try {
    while (!/listening on/.test(said.out)) await once(child.stdout, 'data')
    const { hostname, port, origin } = new URL(/http:\S+/.exec(said.out)![0])
    for (let i = 0; i < 512; i++) {
      const socket = connect(Number(port), hostname).on('error', () => {})
      silent.push(socket)
      await once(socket, 'connect')
    }
    for (let i = 0; i < 5; i++) expect((await fetch(`${origin}/healthz`)).status).toBe(200)
  } finally {
    for (const socket of silent) socket.destroy()
    child.kill('SIGKILL')
    await once(child, 'close')
  }
})
