// Compares Gazette with the programs that are installed, and on public data, and writes docs/validation.md, and the
// public tables of docs/guesses.md:
//
//     npm run validate [-- <folder with clones of public repositories, each by its own name>]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from '../../scripts/if-changed.mjs'

const [PAGE, GUESSES] = ['validation.md', 'guesses.md'].map((name) => join(root, 'docs', name))
const placeOf = (name) => new RegExp(`(?<=<!-- ${name}: made by npm run validate -->\\n)[\\s\\S]*?(?=<!-- end -->)`)

const [data] = process.argv.slice(2)
if (data !== undefined && !existsSync(data)) throw new Error(`There is no folder ${data}.`)
const notes = mkdtempSync(join(tmpdir(), 'gazette-validation-'))
try {
  run('system', 'against-')
  if (data !== undefined) run('public')
  const agreements = noted('agreements')
  write(PAGE, 'agreements', [onThisDay(), tableOf(agreements)])
  if (data !== undefined) {
    write(PAGE, 'public', publicParts())
    write(GUESSES, 'public', guessParts())
  }
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

function write(page, name, parts) {
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(placeOf(name), () => `${parts.join('\n\n')}\n`),
  )
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

/** Returns how public tables were guessed, with the number of times that values or names decided. */
function guessParts() {
  const guesses = noted('guesses')
  const count = (is) => guesses.filter(is).length
  const [right, bare] = ['named', 'bare'].map((by) => count((one) => one[by] === ''))
  const byNames = count(({ named, bare: alone }) => named === '' && alone === '?')
  const overruled = count((one) => one.overruled !== '')
  const samples = guesses.reduce((sum, one) => sum + one.samples, 0)
  const read = (outcome) => outcome || 'right'
  return [
    onThisDay(),
    `Of ${guesses.length} tables, ${right} are right and ${guesses.length - right} left open, ${samples.toLocaleString('en')} samples in all. By values alone, ${bare} are right and ${guesses.length - bare} left open. Values overruled the names of something else than gaze in ${overruled}, and names decided in ${byNames} what values leave open.`,
    markdown([
      ['recording', 'samples', 'lost', 'read', 'without names', 'reason'],
      ...guesses.map(({ what, samples, lost, named, bare, reason, overruled }) => [
        ...[what, samples, lost, read(named), read(bare), [reason, overruled].filter((each) => each !== '').join('; ')],
      ]),
    ]),
  ]
}

function markdown([header, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)].join('\n')
}
