// Makes a fresh clone runnable: installs the dependencies and builds, each only when something changed since the last
// time; then runs `gazette` with the arguments given, if there are any. What prints for people names it `npx gazette`,
// which works when pasted and writes nothing of npm's own. Plain JavaScript, since nothing is there before it.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileProgram, filesUnder, hashOf, read, root, versions } from './if-changed.mjs'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 15)) fail(`Gazette needs Node 20.15 or newer; this is ${process.version}.`)

// npm calls this as `prepare` when it has installed, and before it packs; without the packages for developing, nothing
// is built.
const isPrepare = process.env.npm_lifecycle_event === 'prepare'
if (!isPrepare) installIfNeeded()
if (!isPrepare || existsSync(join(root, 'node_modules', 'typescript'))) await buildIfNeeded()

linkProgram()

const isByNpm = ['start', 'gazette'].includes(process.env.npm_lifecycle_event)
const given = process.argv.slice(2)
const args = given.length === 0 && process.env.npm_lifecycle_event === 'gazette' ? ['--help'] : given
if (args.length > 0) {
  if (isByNpm) goWhereTheUserIs()
  process.argv = [process.argv[0], fileURLToPath(import.meta.url), ...args]
  await import('../dist/bin/gazette.cjs')
}

/**
 * npm runs a script in the folder of its package. Paths mean the folder where one stands; the data stay in the clone.
 */
function goWhereTheUserIs() {
  const here = process.env.INIT_CWD ?? root
  if (here !== root) process.env.DATA_DIR ??= join(root, 'data')
  process.chdir(here)
}

/** `npx gazette` would otherwise make such a link for each call, in seconds. On Windows, it does. */
function linkProgram() {
  const link = join(root, 'node_modules', '.bin', 'gazette')
  if (process.platform === 'win32') return
  if (!existsSync(link)) {
    rmSync(link, { force: true })
    symlinkSync(join('..', '..', 'dist', 'bin', 'gazette.cjs'), link)
  }
  // A build that makes it anew does not make it a program.
  chmodSync(link, 0o755)
}

function installIfNeeded() {
  const stamp = join(root, 'node_modules', '.gazette-installed')
  const wanted = hashOf([join(root, 'package-lock.json')]) + process.version.split('.')[0]
  if (read(stamp) === wanted) return
  // Exactly what the lock file says, each package compared with its hash. No package of ours needs an install script,
  // so none is run: nothing compiles, nothing else is downloaded.
  npm('Installing dependencies', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(stamp, wanted)
}

async function buildIfNeeded() {
  const dashboard = join(root, 'dashboard')
  const shared = [join(root, 'clients', 'js', 'src'), join(root, 'shared')]
  const docs = [join(root, 'README.md'), ...filesUnder(join(root, 'docs')).filter((path) => path.endsWith('.md'))]
  const browserSources = [
    ...[dashboard, ...shared].flatMap(filesUnder),
    ...docs,
    ...filesUnder(join(root, 'scripts', 'docs')),
  ]
  // What needs nothing of the rest is built beside it.
  const built = join(root, 'dist', 'dashboard')
  const beside = [
    startIfChanged(join(built, '.gazette-built'), [join(root, 'vite.config.ts'), ...versions, ...browserSources], {
      what: 'Building the dashboard',
      args: [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build'],
      onFailure: fail,
    }),
    startClients(),
  ]
  compileProgram((args) => run('Building', process.execPath, args), { checksTypes: true })
  const template = join(root, 'scripts', 'build-queue.mjs')
  const database = join(root, 'worker', 'queue', 'embedded.ts')
  ifChanged(join(root, 'dist', 'worker', '.template-built'), [template, database, ...versions], () =>
    run('Preparing the embedded queue', process.execPath, [template]),
  )
  const docsPage = join(root, 'scripts', 'build-docs-page.mjs')
  ifChanged(join(root, 'dist', 'server', 'openapi', '.page-built'), [docsPage, ...versions], () =>
    run('Preparing the page of the API', process.execPath, [docsPage]),
  )
  const licenses = join(root, 'scripts', 'build-licenses.mjs')
  ifChanged(join(root, 'dist', '.licenses-built'), [licenses, ...versions, ...browserSources], () =>
    run('Gathering the licences', process.execPath, [licenses]),
  )
  for (const ended of beside) await ended()
}

/**
 * Builds the packages that the server hands out at /clients/, of the languages that are here. They are no reason not to
 * start.
 */
function startClients() {
  const script = join(root, 'scripts', 'build-clients.mjs')
  const all = filesUnder(join(root, 'clients'))
  const sources = all.filter((path) => !/[/\\](dist|node_modules|__pycache__)[/\\]/.test(path))
  return startIfChanged(join(root, 'dist', '.clients-built'), [script, ...versions, ...sources], {
    what: 'Building the clients',
    args: [script],
    onFailure: (text) => console.error(`${text}\nGazette runs without them.`),
  })
}

/** As `ifChanged`, by a process beside this one. Returns what waits for its end. */
function startIfChanged(stamp, paths, { what, args, onFailure }) {
  const wanted = hashOf(paths)
  if (read(stamp) === wanted) return async () => {}
  console.error(`${what} ...`)
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  const ending = new Promise((resolve) => child.once('close', resolve).once('error', resolve))
  return async () => {
    const code = await ending
    if (code === 0) writeFileSync(stamp, wanted)
    else onFailure(`${what} failed.\n${said}${code instanceof Error ? code.message : ''}`)
  }
}

/** The stamp lies in what was built, and holds the hash of what it was built from. */
function ifChanged(stamp, paths, build) {
  const wanted = hashOf(paths)
  if (read(stamp) === wanted) return
  build()
  writeFileSync(stamp, wanted)
}

function npm(what, args) {
  // Under `npm start` this is npm's own script, so that it is the same npm, on every system.
  const script = process.env.npm_execpath
  if (script) run(what, process.execPath, [script, ...args])
  else run(what, 'npm', args)
}

/** Runs a command quietly, and stops with what it printed when it fails. */
function run(what, command, args) {
  console.error(`${what} ...`)
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (result.status === 0) return
  fail(`${what} failed.\n${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
