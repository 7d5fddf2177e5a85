import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createGzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { smallBundle, uuid, writeBundle } from '../engine/import/bundles.ts'
import { keptDirectory } from '../engine/kept.ts'

/** Whatever comes, an import takes no more than a gibibyte of memory, and says what is wrong. */
const MAX_MIB = 1024
const program = fileURLToPath(new URL('../../dist/bin/gazette.cjs', import.meta.url))
const tellPeak = "process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS))"
const root = await keptDirectory()

async function importing(path: string): Promise<{ code: number | null; stderr: string; peakMib: number }> {
  const peak = `data:text/javascript,${encodeURIComponent(tellPeak)}`
  const screen = path.endsWith('.gz') ? ['--screen', '1000x1000'] : []
  const args = ['--import', peak, program, 'import', path, ...screen, '--data', join(root, 'data')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stderr, peakMib: Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024 }
}

/** A bundle in which one file is that many times the same piece, packed. */
async function bundleWith(name: string, head: string, piece: string, times: number): Promise<string> {
  const directory = await writeBundle(await mkdtemp(join(root, 'bundle-')), smallBundle())
  await rm(join(directory, name))
  await writePacked(join(directory, `${name}.gz`), head, piece, times)
  return directory
}

async function writePacked(path: string, head: string, piece: string, times: number): Promise<void> {
  function* pieces() {
    yield head
    for (let i = 0; i < times; i++) yield piece
  }
  await pipeline(Readable.from(pieces()), createGzip({ level: 1 }), createWriteStream(path))
}

const rows = (row: (i: number) => string) => Array.from({ length: 10_000 }, (_, i) => row(i)).join('')
/** More than the bound, if it were all held as text. */
const TIMES = 600

test.each([
  [
    'rows of participants',
    () =>
      bundleWith(
        'participants.csv',
        'participant_id\n',
        rows((i) => `${uuid('b', i)}\n`),
        300,
      ),
    // Every 10,000 rows the ids are the same again.
    /must be unique|at most 100000 rows/,
  ],
  [
    'broken rows',
    () =>
      bundleWith(
        'tests.csv',
        'test_id,participant_id,item_id\n',
        rows(() => 'x,"y"z\n'),
        300,
      ),
    /has a quote/,
  ],
  [
    'a table of one line',
    () => bundleWith('tests.csv', 'test_id', 'x'.repeat(2 ** 20), TIMES),
    /at most 4194304 bytes/,
  ],
  [
    'an open quote in samples',
    () =>
      bundleWith(
        'samples.csv',
        'test_id,t_ms\n"',
        // What packs better than samples ever do is refused before it is read.
        rows((i) => `${(i * 2654435761) % 2 ** 32}${'x'.repeat(400)}\n`),
        TIMES / 4,
      ),
    /has a quote that is not closed/,
  ],
  [
    'a text in each of many rows',
    () =>
      bundleWith(
        'participants.csv',
        'participant_id,notes\n',
        rows((i) => `${uuid('b', i)},"中${'n'.repeat(7000)}"\n`),
        1,
      ),
    /at most 64 MiB unpacked/,
  ],
  [
    'a study.json of values',
    async () => {
      const directory = await writeBundle(await mkdtemp(join(root, 'bundle-')), smallBundle())
      await writeFile(join(directory, 'study.json'), `{"steps":[${'{},'.repeat(490_000)}{}]}`)
      return directory
    },
    /must have at most 10000 steps/,
  ],
  [
    'a line of a recording',
    async () => {
      const path = join(root, 'a.asc')
      await writePacked(path, 'MSG\t1 TRIALID 1\nSTART\t1 LEFT\nMSG\t1 ', 'x'.repeat(2 ** 20), TIMES)
      await rename(path, `${path}.gz`)
      return `${path}.gz`
    },
    /has a line of more than/,
  ],
  [
    'a row of a recording',
    async () => {
      const path = join(root, 'a.csv.gz')
      const head = 'participant_id,type,x_pred,y_pred,time_elapsed\nP1,prediction,1,1,1\nP1,"'
      await writePacked(path, head, 'x'.repeat(2 ** 20), TIMES)
      return path
    },
    /is longer than 64 MiB/,
  ],
])('%s', async (_what, make, sentence) => {
  const path = await make()
  const { code, stderr, peakMib } = await importing(path)
  await rm(path, { recursive: true, force: true })
  expect(stderr).toMatch(sentence)
  expect(code).toBe(1)
  expect(peakMib).toBeLessThan(MAX_MIB)
})
