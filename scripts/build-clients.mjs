// Builds what others install, without a network, into dist/clients: wheel and source archive of Python, the package of
// R, the tarball of npm. What needs a program that is not here is left out, and said so.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { create } from 'tar'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const out = join(root, 'dist', 'clients')
mkdirSync(out, { recursive: true })
for (const name of readdirSync(out)) rmSync(join(out, name), { recursive: true })

const js = join(root, 'clients', 'js')
rmSync(join(js, 'dist'), { recursive: true, force: true })
run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', js])
run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], js)
if (has('python3', ['--version'])) run('python3', [join(root, 'clients', 'python', 'build_backend.py'), out])
else console.error('Left out: the package of Python, since there is no python3 here.')
if (has('R', ['--version'])) {
  const canKnit = has('Rscript', ['-e', 'library(knitr); library(markdown)'])
  if (!canKnit) console.error('Left out: the vignette of R, since knitr and markdown are not installed here.')
  run('R', ['CMD', 'build', ...(canKnit ? [] : ['--no-build-vignettes']), join(root, 'clients', 'r')])
} else {
  console.error('Left out: the vignette of R, since there is no R here.')
  await packR(join(root, 'clients', 'r'))
}
console.log(readdirSync(out).sort().join('\n'))

/**
 * Packs the sources of the package of R, which R installs as well as those that it built itself. The same sources give
 * the same bytes.
 */
async function packR(directory) {
  const description = readFileSync(join(directory, 'DESCRIPTION'), 'utf8')
  const [name, version] = ['Package', 'Version'].map(
    (field) => new RegExp(`^${field}: (\\S+)$`, 'm').exec(description)[1],
  )
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter((path) => !path.startsWith('vignettes'))
    .sort()
  const file = join(out, `${name}_${version}.tar.gz`)
  await create({ file, cwd: directory, gzip: true, portable: true, mtime: new Date(0), prefix: name }, paths)
}

function has(command, args) {
  return spawnSync(command, args).status === 0
}

function run(command, args, cwd = out) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status === 0) return
  console.error(`${command} failed.\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`)
  process.exit(1)
}
