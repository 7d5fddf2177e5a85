import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import { canRun } from '../programs.ts'
import { gazette } from './gazette.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const golden = fileURLToPath(new URL('../golden/bundle', import.meta.url))
/** Packages that ours needs come from the registry of npm, or from its cache once they were there. */
const hasPackages = canRun('npm', 'ping', '--silent')

type Lock = { packages: Record<string, { version: string; dev?: boolean; optional?: boolean; devOptional?: boolean }> }

let dir: string
/** An empty folder into which the package was installed, as somebody does who has no clone. */
let home: string
let tarball: string
beforeAll(async () => {
  if (!hasPackages) return
  dir = await mkdtemp(join(tmpdir(), 'gazette-installed-'))
  home = await mkdtemp(join(dir, 'home-'))
  tarball = join(dir, run(process.execPath, ['scripts/pack.mjs', dir], root).stdout.trim())
  run('npm', ['install', '--silent', '--prefer-offline', '--no-audit', '--no-fund', tarball])
})
afterAll(() => dir && rm(dir, { recursive: true, force: true }))
beforeEach((context) => {
  if (!hasPackages) context.skip('skipped: the registry of npm cannot be reached from here')
})

const env = () => ({ PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0' })

function run(command: string, args: string[], cwd = home) {
  const ended = spawnSync(command, args, { cwd, env: env(), encoding: 'utf8', maxBuffer: 1 << 26 })
  if (ended.status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${ended.stderr}${ended.stdout}`)
  return ended
}

test('the package holds what runs, each module once, and neither sources nor maps nor the unpacked queue', () => {
  const names = run('tar', ['-tzf', tarball]).stdout.trim().split('\n')
  expect(names).toEqual(
    expect.arrayContaining(['package/dist/bin/gazette.cjs', 'package/dist/worker/queue/template.tgz']),
  )
  expect(names.filter((name) => /\.(ts|tsx|map)$|\/\.|template\//.test(name))).toEqual([])
  expect(
    names.filter((name) => /dist\/(bin|engine|server|worker)\/.*\.js$/.test(name) && !name.includes('/swagger-ui/')),
  ).toHaveLength(8)
})

test('it is a small download, and installs no compiler and nothing that reports home', async () => {
  expect((await stat(tarball)).size).toBeLessThan(8e6)
  const names = await readdir(join(home, 'node_modules'))
  expect(names.filter((name) => ['typescript', '@scarf', 'swagger-ui-dist'].includes(name))).toEqual([])
})

// npm reads the lock of a package that comes from a registry, or that is unpacked, not of one in a file.
test('unpacked, it installs the versions of the lock file, no more and no less', async () => {
  const unpacked = await mkdtemp(join(dir, 'unpacked-'))
  run('tar', ['-xzf', tarball, '--strip-components=1'], unpacked)
  run('npm', ['ci', '--silent', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], unpacked)
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const installed = JSON.parse(readFileSync(join(unpacked, 'node_modules/.package-lock.json'), 'utf8')) as Lock
  const found = Object.entries(installed.packages).map(([path, { version }]) => [path, version])
  const isNeeded = ({ dev, optional, devOptional }: Lock['packages'][string]) => !(dev || optional || devOptional)
  const needed = Object.entries(packages).filter(([path, each]) => path !== '' && isNeeded(each))
  expect(found).toEqual(expect.arrayContaining(needed.map(([path, { version }]) => [path, version])))
  expect(found.filter(([path, version]) => packages[path]?.version !== version)).toEqual([])
})

test('a study is imported and exported, as in a clone', async () => {
  expect(run('npx', ['gazette', 'import', golden]).stderr).toContain(GOLDEN_STUDY)
  const { stdout } = run('npx', ['gazette', 'export', 'fixations', '--study', GOLDEN_STUDY])
  const data = join(home, 'data')
  expect(stdout).toBe((await gazette(['export', 'fixations', '--study', GOLDEN_STUDY, '--data', data])).stdout)
})

test('it starts without a word on standard error, and what it prints works, pasted', async () => {
  const child = spawn(join(home, 'node_modules/.bin/gazette'), ['start'], { cwd: home, env: env() })
  let [said, wrong] = ['', '']
  child.stderr.on('data', (text) => {
    wrong += text
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes('Ctrl-C stops it all.')) resolve()
    })
    void ended.then(() => reject(new Error(`it ended: ${said}${wrong}`)))
  })
  try {
    for (const lines of said.match(/(?<=\n\n)( {4}.*\n)+/g)!)
      expect(run('sh', ['-c', lines]).stdout).toMatch(/^(study|participant)_id,.*\n.*\n/)
    const [, url] = /Dashboard {2}(\S+)/.exec(said)!
    for (const path of ['/', '/docs', '/api2/openapi.json']) expect((await fetch(url + path)).status, path).toBe(200)
    const [ui] = /\/docs\/ui-[^"]+\.js/.exec(await (await fetch(`${url}/docs`)).text())!
    expect((await fetch(url + ui)).status).toBe(200)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  expect(await ended).toBe(0)
  expect(wrong.split('\n').filter((line) => line !== '' && !line.startsWith('{"level":30,'))).toEqual([])
  expect(existsSync(join(home, 'data', 'start-token'))).toBe(false)
})
