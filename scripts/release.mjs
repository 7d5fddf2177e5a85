// Makes what a release consists of in dist/release: the package for npm, the clients, a bill of materials (CycloneDX),
// the licences of all that is shipped, and the SHA-256 of each. Refuses a version that is not everywhere the same, and
// a tree that is not committed. Then it tags; with --dry-run it makes the same and tags nothing. Publishing is left to
// whoever has the rights: it prints the line.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { extract } from 'tar'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const out = join(root, 'dist', 'release')
const isDryRun = process.argv.includes('--dry-run')
const { name, version } = JSON.parse(read('package.json'))

refuse(faults())
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
run(process.execPath, ['scripts/setup.mjs'])
// Into the package as well, which serves them.
run(process.execPath, ['scripts/build-clients.mjs'])
for (const file of readdirSync(join(root, 'dist', 'clients')))
  copyFileSync(join(root, 'dist', 'clients', file), join(out, file))
copyFileSync(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), join(out, 'THIRD-PARTY-LICENSES.txt'))
const packed = run(process.execPath, ['scripts/pack.mjs', out])
writeFileSync(join(out, `${name}-${version}.cdx.json`), billOfMaterials(join(out, packed)))
const sums = readdirSync(out)
  .sort()
  .map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(out, file)))
        .digest('hex')}  ${file}`,
  )
writeFileSync(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`)
console.log(sums.join('\n'))
if (!isDryRun) run('git', ['tag', '-a', `v${version}`, '-m', `Gazette ${version}`])
console.log(`${isDryRun ? 'Dry run: nothing was tagged.' : `Tagged v${version}.`} To publish:`)
console.log(`  git push origin v${version} && npm publish dist/release/${name}-${version}.tgz`)

/** Returns what keeps this tree from being released. A dry run only warns of it. */
function faults() {
  const places = {
    'CITATION.cff': /^version: (\S+)$/m,
    'clients/python/pyproject.toml': /^version = "(\S+)"$/m,
    'clients/python/gazette_client/__init__.py': /^__version__ = "(\S+)"$/m,
    'clients/r/DESCRIPTION': /^Version: (\S+)$/m,
    'clients/js/package.json': /"version": "(\S+)"/,
    'CHANGELOG.md': /^## (\S+) \(\d{4}-\d{2}-\d{2}\)$/m,
  }
  const others = Object.entries(places)
    .map(([file, pattern]) => [file, pattern.exec(read(file))?.[1]])
    .filter(([, found]) => found !== version)
    .map(([file, found]) => `${file} says ${found ?? 'no version with a date'}, package.json ${version}`)
  const changed = run('git', ['status', '--porcelain']) === '' ? [] : ['there is what is not committed']
  const tagged = run('git', ['tag', '--list', `v${version}`]) === '' ? [] : [`v${version} is tagged already`]
  return [...others, ...changed, ...tagged]
}

function refuse(sentences) {
  for (const sentence of sentences) console.error(`${isDryRun ? 'Would be refused' : 'Refused'}: ${sentence}.`)
  if (sentences.length > 0 && !isDryRun) process.exit(1)
}

/**
 * Returns what npm lists of the packed package: in the clone, it leaves out what the packages for developing need, too.
 */
function billOfMaterials(packed) {
  const aside = mkdtempSync(join(tmpdir(), 'gazette-bill-'))
  try {
    extract({ file: packed, cwd: aside, sync: true })
    const listed = run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], join(aside, 'package'))
    const bill = JSON.parse(listed)
    // npm gives it the name of the folder.
    bill.metadata.component.name = name
    return `${JSON.stringify(bill, null, 2)}\n`
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

function read(file) {
  return readFileSync(join(root, file), 'utf8')
}

function run(command, args, cwd = root) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (status === 0) return stdout.trim()
  console.error(`${command} ${args.join(' ')} failed.\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`)
  process.exit(1)
}
