// Compares Gazette with the programs that are installed, and on public data, and writes docs/validation.md:
//
//     npm run validate [-- <folder with clones of public repositories, each by its own name>]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from '../../scripts/if-changed.mjs'

const PAGE = join(root, 'docs', 'validation.md')
const placeOf = (name) => new RegExp(`(?<=<!-- ${name}: made by npm run validate -->\\n)[\\s\\S]*?(?=<!-- end -->)`)

const [data] = process.argv.slice(2)
if (data !== undefined && !existsSync(data)) throw new Error(`There is no folder ${data}.`)
const notes = mkdtempSync(join(tmpdir(), 'gazette-validation-'))
try {
  run('system', 'against-')
  if (data !== undefined) run('public')
  const agreements = noted('agreements')
  write('agreements', [onThisDay(), tableOf(agreements)])
  if (data !== undefined) write('public', publicParts())
  console.log(`${agreements.length} comparisons with programs are in docs/validation.md.`)
} finally {
  rmSync(notes, { recursive: true, force: true })
}

function run(project, ...files) {
  const env = {
    ...process.env,
    VALIDATION_DIR: notes,
    ...(data === undefined ? {} : { VALIDATION_DATA: resolve(data) }),
  }
  const vitest = ['vitest', 'run', '--project', project, ...files]
  const { status } = spawnSync('npx', vitest, { cwd: root, stdio: 'inherit', env })
  if (status !== 0) throw new Error('Something differs: docs/validation.md stays as it was.')
}

/** Returns what was noted, in the order of what is compared. */
function noted(kind) {
  const path = join(notes, `${kind}.ndjson`)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line)).sort((a, b) => (a.what < b.what ? -1 : a.what > b.what ? 1 : 0))
}

function write(name, parts) {
  writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(placeOf(name), `${parts.join('\n\n')}\n`))
}

function onThisDay() {
  return `On ${new Date().toISOString().slice(0, 10)}, Node ${process.version}:`
}

function tableOf(rows) {
  const cells = rows.map(({ what, page, data: of, reference, n, largest }) => [
    `[${what}](${page})`,
    of,
    reference,
    n,
    largest === 0 ? '0' : largest.toExponential(0),
  ])
  return markdown([['what', 'data', 'compared with', 'numbers', 'largest difference'], ...cells])
}

function publicParts() {
  const rows = noted('results').map((each) => [`[${each.what}](${each.page})`, each.data, each.reference, each.result])
  const missing = noted('missing').map(({ what, needs }) => `- ${what}: ${needs} was not there.`)
  return [
    onThisDay(),
    ...(rows.length > 0 ? [markdown([['what', 'data', 'compared with', 'result'], ...rows])] : []),
    ...noted('tables').flatMap(({ about, rows }) => [about, markdown(rows)]),
    ...(missing.length > 0 ? [`Left out:\n\n${missing.join('\n')}`] : []),
  ]
}

function markdown([header, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)].join('\n')
}
