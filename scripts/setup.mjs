// Makes a fresh clone runnable: installs the dependencies and builds, each only when something changed since the last
// time; then runs `gazette` with the arguments given, if there are any. What prints for people names it `npx gazette`,
// which works when pasted and writes nothing of npm's own. Plain JavaScript, since nothing is there before it.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileProgram, filesUnder, hashPaths, read, root, versions } from './if-changed.mjs'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 15)) fail(`Gazette needs Node 20.15 or newer; this is ${process.version}.`)

// A build for nobody ends. npm and its shell may be killed alone.
const children = new Set()
const endAll = () => {
  for (const child of children) child.kill()
  process.exit(1)
}
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
for (const signal of signals) process.on(signal, endAll)
const parent = process.ppid
const looking = setInterval(() => process.ppid === parent || endAll(), 500).unref()

const isByNpm = ['start', 'gazette'].includes(process.env.npm_lifecycle_event)
const given = process.argv.slice(2)
const args = given.length === 0 && process.env.npm_lifecycle_event === 'gazette' ? ['--help'] : given

// npm calls this as `prepare` when it has installed, and before it packs; without the packages for developing, nothing
// is built.
const isPrepare = process.env.npm_lifecycle_event === 'prepare'
if (!isPrepare) await installIfNeeded()
if (!isPrepare || existsSync(join(root, 'node_modules', 'typescript'))) await buildIfNeeded()

linkProgram()
clearInterval(looking)
for (const signal of signals) process.off(signal, endAll)

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
  if (here !== root && !process.env.GAZETTE_DATA_DIR) process.env.DATA_DIR ||= join(root, 'data')
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

async function installIfNeeded() {
  const stamp = join(root, 'node_modules', '.gazette-installed')
  const wanted = hashPaths([join(root, 'package-lock.json')]) + process.version.split('.')[0]
  if (read(stamp) === wanted) return
  // Exactly what the lock file says, each package compared with its hash. No package of ours needs an install script,
  // so none is run: nothing compiles, nothing else is downloaded.
  console.error('Gazette sets itself up. That takes about a minute, once.')
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // Under `npm start` this is npm's own script, so that it is the same npm, on every system.
  const script = process.env.npm_execpath
  await step('Installing dependencies', script ? [process.execPath, script, ...args] : ['npm', ...args])
  writeFileSync(stamp, wanted)
}

async function buildIfNeeded() {
  const dashboard = join(root, 'dashboard')
  const shared = [join(root, 'clients', 'js', 'src'), join(root, 'isomorphic')]
  const docs = [join(root, 'README.md'), ...filesUnder(join(root, 'docs')).filter((path) => path.endsWith('.md'))]
  const browserSources = [
    ...[dashboard, ...shared].flatMap(filesUnder),
    ...docs,
    ...filesUnder(join(root, 'scripts', 'docs')),
  ]
  const node = process.execPath
  const built = join(root, 'dist', 'dashboard')
  const clients = join(root, 'scripts', 'build-clients.mjs')
  const clientSources = filesUnder(join(root, 'clients')).filter(
    (path) => !/[/\\](dist|node_modules|__pycache__)[/\\]/.test(path),
  )
  const docsPage = join(root, 'scripts', 'build-docs-page.mjs')
  const licenses = join(root, 'scripts', 'build-licenses.mjs')
  // What needs nothing of the rest is built beside it.
  const beside = [
    ifChanged(
      join(built, '.gazette-built'),
      [join(root, 'vite.config.ts'), join(root, 'scripts', 'chunk-groups.ts'), ...versions, ...browserSources],
      () => step('Building the dashboard', [node, join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build']),
    ),
    ifChanged(join(root, 'dist', 'server', 'openapi', '.page-built'), [docsPage, ...versions], () =>
      step('Preparing the page of the API', [node, docsPage]),
    ),
    ifChanged(join(root, 'dist', '.licenses-built'), [licenses, ...versions, ...browserSources], () =>
      step('Gathering the licences', [node, licenses]),
    ),
    // The packages that the server hands out at /clients/, of the languages that are here. They are no reason not to
    // start.
    ifChanged(join(root, 'dist', '.clients-built'), [clients, ...versions, ...clientSources], () =>
      step('Building the clients', [node, clients], 'Gazette runs without them.'),
    ),
  ]
  // Who only runs it need not wait for what the gate has checked.
  await compileProgram((flags, what) => step(what, [node, ...flags]), { checksTypes: args.length === 0 })
  const template = join(root, 'scripts', 'build-queue.mjs')
  const database = join(root, 'worker', 'queue', 'embedded.ts')
  await ifChanged(join(root, 'dist', 'worker', '.template-built'), [template, database, ...versions], () =>
    step('Preparing the embedded queue', [node, template]),
  )
  await Promise.all(beside)
}

/** Builds, unless the stamp, which lies in what was built, holds the hash of what it was built from. */
async function ifChanged(stamp, paths, build) {
  const wanted = hashPaths(paths)
  if (read(stamp) === wanted) return
  if ((await build()) !== false) writeFileSync(stamp, wanted)
}

/**
 * Runs a command quietly, says how long it took, and ends with what it printed when it fails; where Gazette can do
 * without it, says so and returns false.
 */
async function step(what, [command, ...args], without) {
  console.error(`${what} ...`)
  const beganMs = performance.now()
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  const code = await new Promise((resolve) => child.once('close', resolve).once('error', resolve))
  children.delete(child)
  if (code === 0) return console.error(`${what}: ${((performance.now() - beganMs) / 1000).toFixed(1)} s`)
  const text = `${what} failed.\n${said}${code instanceof Error ? code.message : ''}`
  if (without === undefined) fail(text)
  console.error(`${text}\n${without}`)
  return false
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
