import { type ExecFileException, execFile, spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { GOLDEN_STUDY, importGolden, importInto } from '../engine/studies.ts'
import { openTestServer, type TestServer } from '../server/test-server.ts'

export const CLIENTS = fileURLToPath(new URL('../../clients', import.meta.url))

/** Environment of a client: a server with the golden study, and a directory of its own. */
export type Outside = {
  service: TestServer
  directory: string
  /**
   * Runs a program with the server's address and a token in its environment, until it ends; returns what it printed.
   */
  run: (file: string, args: string[], env?: Record<string, string>) => Promise<string>
  /** Returns the answers to requests for exports since the last call, as their status. */
  statuses: () => number[]
  close: () => Promise<void>
}

/** The item of the golden study that has AOIs, and what all clients are asked to compute of it. */
export const ITEM = 'a0000000-0000-4000-8000-00000000000a'

/** Returns the transitions between its AOIs, as the server counts them. */
export async function transitionsOf({ service }: Outside): Promise<number[]> {
  const answer = await service.get(`/api2/studies/${GOLDEN_STUDY}/analysis/transitions?itemId=${ITEM}`)
  return ((await answer.json()) as { transitions: { counts: number[][] } }).transitions.counts.flat()
}

/** Counts the rows of each export of the golden study; some are empty. */
export async function rowCounts({ service }: Outside): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { name, path, variant } of EXPORTS) {
    const query = `format=ndjson${variant === null ? '' : `&variant=${variant}`}`
    const at = `/api2/studies/${GOLDEN_STUDY}/collected-data/${path}?${query}`
    const answer = await service.get(at, { Prefer: 'wait=60' })
    counts.set(name, (await answer.text()).split('\n').length - 1)
  }
  return counts
}

/** A study whose texts look as if they had the guard of CSV, or hold what it looks for. */
export const GUARDED_STUDY = '90000000-0000-4000-8000-0000000000aa'

async function importGuarded(dataDir: string): Promise<void> {
  const bundle = await mkdtemp(join(tmpdir(), 'gazette-guarded-'))
  await cp(fileURLToPath(new URL('../golden/bundle', import.meta.url)), bundle, { recursive: true })
  const edit = async (name: string, change: (text: string) => string) => {
    const text = await readFile(join(bundle, name), 'utf8')
    const changed = change(text)
    if (changed === text) throw new Error(`nothing to change in ${name}`)
    await writeFile(join(bundle, name), changed)
  }
  await edit('study.json', (text) => text.replace(GOLDEN_STUDY, GUARDED_STUDY))
  await edit('participants.csv', (text) => text.replace('=cmd|x', "'=x").replace('"O\'Brien, ""Bob"""', "''-1"))
  await importInto(dataDir, bundle)
  await rm(bundle, { recursive: true, force: true })
}

/** Everything above 60 kB is a job here, and no answer waits for one. */
export async function openOutside(): Promise<Outside> {
  const service = await openTestServer({ SYNC_MAX_BYTES: '60000', HOLD_SECONDS: '0' }, { hasWorker: true })
  await importGolden(service.dataDir)
  await importGuarded(service.dataDir)
  const directory = await mkdtemp(join(tmpdir(), 'gazette-clients-'))
  const own = {
    PATH: process.env.PATH,
    HOME: directory,
    GAZETTE_URL: service.url,
    GAZETTE_TOKEN: service.read,
    STUDY: GOLDEN_STUDY,
  }
  return {
    service,
    directory,
    run: (file, args, env = {}) =>
      new Promise((resolve, reject) => {
        const done = (error: ExecFileException | null, stdout: string, stderr: string) =>
          error ? reject(new Error(`${file} failed: ${stderr}${stdout}`)) : resolve(stdout)
        execFile(file, args, { cwd: directory, env: { ...own, ...env }, maxBuffer: 1 << 26 }, done)
      }),
    statuses: () => {
      type Line = { req?: { path: string }; res: { statusCode: number } }
      const lines = service.logged.splice(0).map((line) => JSON.parse(line) as Line)
      return lines.filter(({ req }) => req?.path.includes('/collected-data/')).map(({ res }) => res.statusCode)
    },
    close: async () => {
      await service.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Skips a test, and says why, where a program or its packages are missing. */
export function need(context: TestContext, file: string, args: string[], what: string): void {
  if (spawnSync(file, args).status !== 0) context.skip(`skipped: ${what} is not installed here`)
}

/** A wire to a server that flips a bit in the body of the first so many exports that pass. */
export async function openBadWire(to: string, damaged: number): Promise<{ url: string; close: () => Promise<void> }> {
  const wire: Server = createServer((req, res) => {
    const passOn = (answer: IncomingMessage) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      const isDamaged = req.url?.includes('/collected-data/') && answer.statusCode === 200 && damaged-- > 0
      answer.on('data', (block: Buffer) => {
        if (isDamaged) block[block.length >> 1] ^= 1
        res.write(block)
      })
      answer.once('end', () => res.end())
    }
    req.pipe(request(to + req.url, { method: req.method, headers: req.headers }, passOn))
  })
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(wire.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => wire.close(() => resolve())),
  }
}
