import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTokens } from '../../engine/access/tokens.ts'
import { launch, type Running } from '../bin/gazette.ts'
import { importDemo, newDataDir } from '../engine/studies.ts'
import { freePort } from '../free-port.ts'
import { CLIENTS, need } from './outside.ts'

/** Enough for a file that does not fit into the buffers between two processes. */
const SIZE = { participants: 12, items: 6, seconds: 8, hz: 60, seed: 3 }
let dataDir: string
let env: Record<string, string>
let server: Running
const settings = { PORT: '', SYNC_MAX_BYTES: '1000', ENGINE_THREADS: '1', DISK_FLOOR_MIB: '0' }

beforeAll(async () => {
  dataDir = await newDataDir()
  const { study } = await importDemo(dataDir, SIZE)
  settings.PORT = String(await freePort())
  const { token } = await openTokens(dataDir).create({ role: 'read', studies: 'all', expiresAt: null, now: new Date() })
  const url = `http://127.0.0.1:${settings.PORT}`
  env = { GAZETTE_URL: url, GAZETTE_TOKEN: token, STUDY: study.id }
  server = await start()
})
afterAll(async () => {
  server.process.kill()
  await server.ended
  await rm(dataDir, { recursive: true, force: true })
})

async function start(): Promise<Running> {
  const started = launch(['start', '--data', dataDir], settings)
  await started.said(/listening on/)
  return started
}

/**
 * Downloads `gazes-split` to `killed.ndjson`; after its first bytes it says so and waits for a line, and at the end
 * tells how often it went back.
 */
const PYTHON = `
import os, pathlib
from gazette_client import Gazette
seen = []
def progress(stage, done, total):
    if stage != "downloading": return
    if not seen: input(f"{done} of {total}\\n")
    seen.append(done)
Gazette().export("gazes-split", os.environ["STUDY"], pathlib.Path("killed.ndjson"), progress=progress)
print("went back", sum(a > b for a, b in zip(seen, seen[1:])))
`

const R = `
library(gazette)
seen <- numeric()
progress <- function(stage, done, total) {
  if (stage != "downloading") return()
  if (length(seen) == 0) {
    cat(done, "of", total, "\n")
    readLines(file("stdin"), 1)
  }
  seen <<- c(seen, done)
}
gz_export("gazes-split", Sys.getenv("STUDY"), path = "killed.ndjson", progress = progress)
cat("went back", sum(diff(seen) < 0), "\n")
`

/** The package as npm would lay it, in `node_modules` of the directory where it runs. */
const JS = `
import { readSync } from 'node:fs'
import { openGazette } from 'gazette-client'
import { saveExport } from 'gazette-client/node'
const { GAZETTE_URL: url, GAZETTE_TOKEN: token, STUDY } = process.env
const seen = []
function onProgress(stage, done, total) {
  if (stage !== 'downloading') return
  if (seen.length === 0) {
    console.log(done, 'of', total)
    readSync(0, Buffer.alloc(80))
  }
  seen.push(done)
}
await saveExport(openGazette({ url, token }), 'gazes-split', STUDY, 'killed.ndjson', { onProgress })
console.log('went back', seen.filter((done, i) => done < seen[i - 1]).length)
`

test.for([
  {
    language: 'Python',
    program: 'python3',
    has: ['--version'],
    args: ['-c', PYTHON],
    install: () => ({ PYTHONPATH: join(CLIENTS, 'python') }),
  },
  {
    language: 'R',
    program: 'Rscript',
    has: ['-e', 'library(curl); library(jsonlite); library(openssl)'],
    args: ['-e', R],
    install: installR,
  },
  {
    language: 'JavaScript',
    program: process.execPath,
    has: ['--version'],
    args: ['--input-type=module', '-e', JS],
    install: installJs,
  },
])(
  'killed in the middle of a download and started again, the server still gets its file to $language',
  async (client, context) => {
    need(context, client.program, client.has, client.language)
    const own = { ...client.install(), GAZETTE_CACHE: join(dataDir, `cache-${client.language}`) }
    const child = spawn(client.program, client.args, {
      cwd: dataDir,
      env: { ...process.env, ...env, ...own },
    })
    const printed = listen(child)
    const [, done, total] = await printed.said(/(\d+) of (\d+) ?\n/)
    expect(Number(done)).toBeLessThan(Number(total) / 4)
    server.killNow()
    await server.ended
    child.stdin.write('go on\n')
    server = await start()
    await printed.said(/went back 0 ?\n/)
    const jobs = await fetch(`${env.GAZETTE_URL}/api2/jobs`, { headers: { 'X-AUTH-TOKEN': env.GAZETTE_TOKEN } })
    const [{ file }] = ((await jobs.json()) as { jobs: { file: { bytes: number; sha256: string } }[] }).jobs
    const bytes = await readFile(join(dataDir, 'killed.ndjson'))
    expect({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }).toEqual({
      bytes: file.bytes,
      sha256: file.sha256,
    })
  },
)

/** Installs the R package in a library of its own. */
function installR(): Record<string, string> {
  const library = join(dataDir, 'library')
  mkdirSync(library)
  const args = ['CMD', 'INSTALL', '--no-docs', '--no-test-load', `--library=${library}`, join(CLIENTS, 'r')]
  expect(spawnSync('R', args).status).toBe(0)
  return { R_LIBS: library }
}

function installJs(): Record<string, string> {
  const target = join(dataDir, 'node_modules', 'gazette-client')
  const tsc = join(CLIENTS, '../node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', join(CLIENTS, 'js'), '--outDir', join(target, 'dist')]
  expect(spawnSync(process.execPath, args).status).toBe(0)
  cpSync(join(CLIENTS, 'js/package.json'), join(target, 'package.json'))
  return {}
}

function listen(child: ChildProcess): { said: (pattern: RegExp) => Promise<RegExpExecArray> } {
  let printed = ''
  let tell = () => {}
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      tell()
    })
  return {
    said: (pattern) =>
      new Promise((resolve, reject) => {
        tell = () => {
          const match = pattern.exec(printed)
          if (match) resolve(match)
          else if (child.exitCode !== null) reject(new Error(`it ended before it said ${pattern}: ${printed}`))
        }
        child.once('close', () => tell())
        tell()
      }),
  }
}
