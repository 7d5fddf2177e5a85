// Makes the package for npm: what `npm pack` takes, with the lock of the packages that run, so that an installation
// from a registry, or `npm ci` where it is unpacked, runs the versions that were tested (npm leaves out the lock file
// itself, and heeds no `overrides`), and without the scripts and packages for developing. Prints the name of its file in the folder given.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { extract } from 'tar'
import { neededBy } from './build-licenses.mjs'
import { CHUNKS, CURRENT_CHUNKS } from './if-changed.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const LOCK = 'npm-shrinkwrap.json'

const out = resolve(process.argv[2] ?? root)
mkdirSync(out, { recursive: true })
const aside = mkdtempSync(join(tmpdir(), 'gazette-pack-'))
try {
  await extract({ file: join(aside, pack(root, aside)), cwd: aside })
  const { devDependencies: _, scripts: _scripts, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json')))
  const made = join(aside, 'package')
  const current = readFileSync(join(CHUNKS, CURRENT_CHUNKS), 'utf8').split('\n')
  const chunks = join(made, relative(root, CHUNKS))
  for (const name of readdirSync(chunks)) if (!current.includes(name)) rmSync(join(chunks, name))
  write(join(made, 'package.json'), { ...manifest, files: [...manifest.files, LOCK] })
  write(join(made, LOCK), runtimeLock())
  console.log(pack(made, out))
} finally {
  rmSync(aside, { recursive: true, force: true })
}

/** Returns the lock file with what the program needs: npm also marks as needed what a package merely can use. */
function runtimeLock() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json')))
  const { devDependencies: _, ...own } = lock.packages['']
  const needed = neededBy(Object.keys(own.dependencies), lock.packages)
  const packages = Object.entries(lock.packages).filter(([path]) => needed.has(path))
  return { ...lock, packages: { '': own, ...Object.fromEntries(packages) } }
}

/** Packs a folder. Returns the name of the file. */
function pack(folder, into) {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', into]
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`)
  return stdout.trim()
}

function write(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
