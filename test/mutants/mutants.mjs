// Breaks single tokens of the engine, chosen by a seed, and says which of them no test of the gate sees:
//
//     npm run test:mutants -- --seed 7 --n 150 [--under engine/formats] [--near] [--anew]
//
// Works in a clone of the last commit. First it notes which lines each test runs, which takes a quarter of an hour. A
// broken line is tried by types; by the unit tests that run it, those that run least else first; then by the few nearest
// service tests, which need a build. A run that only its limit of time ends has seen nothing. With --near, no
// service test is asked.
//
// What was found is kept in test/mutants/out, so that a run that was stopped goes on there, and the next one tries only
// what nothing has seen; --anew forgets it, as is right after larger changes. Each survivor gets a test, or a line in
// harmless.json that says why it changes nothing.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { transformWithOxc } from 'vite'
import { root } from '../../scripts/if-changed.mjs'

const { values: given } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    n: { type: 'string', default: '20' },
    under: { type: 'string', default: 'engine' },
    near: { type: 'boolean', default: false },
    anew: { type: 'boolean', default: false },
  },
})

/** One token and what stands there instead; the first that occurs in a line outside of strings may be chosen. */
const TOKENS = [
  [/ < /, ' <= '],
  [/ <= /, ' < '],
  [/ > /, ' >= '],
  [/ >= /, ' > '],
  [/ === /, ' !== '],
  [/ !== /, ' === '],
  [/ && /, ' || '],
  [/ \|\| /, ' && '],
  [/ \+ /, ' - '],
  [/ - /, ' + '],
  [/ \* /, ' / '],
  [/\+\+/, '--'],
  [/Math\.min\(/, 'Math.max('],
  [/Math\.max\(/, 'Math.min('],
  [/\btrue\b/, 'false'],
  [/\bfalse\b/, 'true'],
  [/\b(\d+)\b/, (digits) => String(Number(digits) + 1)],
  [/\?\? /, '&& '],
]
/** Lines that compute nothing, or only say something. */
const SAYS_NOTHING = /^\s*(\/\/|\/?\*|import |export (type|\{)|type |\| |'|`)|Error\(/

const VITEST = [process.execPath, 'node_modules/vitest/vitest.mjs']
/** Numbers of unit tests that are tried one after the other, as long as none sees it; then, of service tests. */
const UNIT = [1, 2, 4, 8]
const SERVICE = 3
/** Processor time of one process, which a loop without an end uses up, and the time of a whole run, which waits. */
const LIMIT_CPU_S = 180
const LIMIT_S = 900
/** Limits of single tests, as a share of those in the gate. */
const PATIENCE = '0.2'
/** Names of outcomes, as the table at the end has them. */
const OUTCOMES = ['types', 'unit tests', 'service tests', 'out of time', 'harmless', 'survived']

const out = join(root, 'test', 'mutants', 'out')
if (given.anew) rmSync(out, { recursive: true, force: true })
mkdirSync(join(out, 'reached'), { recursive: true })
const outcomesFile = join(out, 'outcomes.jsonl')
const harmless = JSON.parse(readFileSync(new URL('harmless.json', import.meta.url), 'utf8'))
const chosen = choose()
const parent = mkdtempSync(join(tmpdir(), 'gz-mutants-'))
const clone = join(parent, 'clone')
const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]))
try {
  run('git', ['clone', '-q', root, clone], root)
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  cpSync(join(root, 'dist'), join(clone, 'dist'), { recursive: true, verbatimSymlinks: true })
  await (await ofClone()).compileProgram((args) => run(process.execPath, args, clone), { checksTypes: false })
  const untyped = wrongTypes()
  const reached = reachedLines()
  for (const [i, mutant] of chosen.entries()) {
    const { outcome, test } = await outcomeFor(mutant, untyped, reached)
    counts[outcome]++
    const { key, path, line, from, to } = mutant
    if (readOutcomes().get(key)?.outcome !== outcome)
      appendFileSync(outcomesFile, `${JSON.stringify({ key, outcome, ...(test && { test }) })}\n`)
    const by = outcome === 'survived' ? 'SURVIVED' : [outcome, test].filter(Boolean).join(': ')
    console.log(`${i + 1}/${chosen.length} ${by}  ${path}:${line}\n    ${from.trim()}\n    ${to.trim()}`)
  }
} finally {
  rmSync(parent, { recursive: true, force: true })
}
const seen = counts['unit tests'] + counts.types + counts['service tests']
const changing = chosen.length - counts.harmless
console.log(`\n| tried | ${OUTCOMES.join(' | ')} |\n|${'---|'.repeat(OUTCOMES.length + 1)}`)
console.log(`| ${[chosen.length, ...Object.values(counts)].join(' | ')} |`)
console.log(`Seen: ${seen} of the ${changing} that change anything, ${((100 * seen) / changing).toFixed(1)} %`)
process.exitCode = seen < changing ? 1 : 0

/** Returns the mutants with the lowest hashes: the same ones for a seed, whatever else changes in the tree. */
function choose() {
  const rank = ({ key }) => createHash('sha256').update(`${given.seed} ${key}`).digest('hex')
  return filesUnder(given.under)
    .flatMap(mutantsOf)
    .map((mutant) => ({ ...mutant, rank: rank(mutant) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, Number(given.n))
}

function readOutcomes() {
  if (!existsSync(outcomesFile)) return new Map()
  const lines = readFileSync(outcomesFile, 'utf8').split('\n').filter(Boolean)
  return new Map(lines.map((line) => JSON.parse(line)).map((outcome) => [outcome.key, outcome]))
}

async function outcomeFor({ key, path, line, from, to }, untyped, reached) {
  if (harmless[key] !== undefined) return { outcome: 'harmless' }
  const known = readOutcomes().get(key)
  if (known !== undefined && OUTCOMES.indexOf(known.outcome) < OUTCOMES.indexOf('out of time')) return known
  if (untyped.has(key)) return { outcome: 'types' }
  const text = readClone(path)
  const lines = text.split('\n')
  if (lines[line - 1] !== from) throw new Error(`${path} has changes that are not committed`)
  await put(path, lines.toSpliced(line - 1, 1, to).join('\n'))
  try {
    return firstToSee(testsOf(path, line, reached))
  } finally {
    await put(path, text)
  }
}

/** Writes a source, and what is built of it, as all tests do by themselves, only much more slowly. */
async function put(path, text) {
  writeFileSync(join(clone, path), text)
  const { compileProgram } = await ofClone()
  const compile = async () => {
    const { code } = await transformWithOxc(text, path)
    const built = code.replace(/((?:from |import\()(["'])\.[^"']+)\.ts\2/g, '$1.js$2')
    writeFileSync(join(clone, 'dist', path.replace(/\.ts$/, '.js')), built)
  }
  await compileProgram(compile, { checksTypes: true })
}

/** What builds the clone. */
function ofClone() {
  return import(pathToFileURL(join(clone, 'scripts', 'if-changed.mjs')).href)
}

/** Returns what sees it first. */
function firstToSee(tests) {
  const service = given.near ? [] : tests.filter(isService).slice(0, SERVICE)
  const unit = tests.filter((test) => !isService(test))
  const sets = UNIT.map((count) => unit.splice(0, count))
  let outcome = 'survived'
  for (const which of [...sets, service]) {
    const { status, test } = which.length === 0 ? { status: 'passes' } : runOf(which)
    if (status === 'fails') return { outcome: isService(which[0]) ? 'service tests' : 'unit tests', test }
    if (status === 'hangs') outcome = 'out of time'
  }
  return { outcome }
}

function isService(test) {
  return test.endsWith('.service.test.ts')
}

function isAsked(test) {
  return test.endsWith('.test.ts') && !/\.(smoke|system)\.test\.ts$/.test(test)
}

/** Returns, for each test, the lines of the engine that it runs, by path: runs all tests once if nobody has. */
function reachedLines() {
  const folder = join(out, 'reached')
  const names = () => readdirSync(folder)
  for (const project of given.near ? ['unit'] : ['unit', 'service']) {
    const isThere = names().some((name) => isService(read(name).test) === (project === 'service'))
    if (isThere) continue
    console.log(`Noting which lines each ${project} test runs.`)
    const [node, ...args] = [...VITEST, 'run', '--project', project]
    const env = { REACHED_LINES: folder, NODE_V8_COVERAGE: join(parent, 'elsewhere'), VITEST_MAX_WORKERS: '1' }
    const { stdout } = run(node, args, clone, env)
    // A test that is red without any broken line says nothing.
    const red = new Set([...stdout.matchAll(/^FAILED (\S+\.test\.ts)/gm)].map(([, test]) => test))
    for (const name of names()) if (red.has(read(name).test)) rmSync(join(folder, name))
  }
  return names().map(read)

  function read(name) {
    return JSON.parse(readFileSync(join(folder, name), 'utf8'))
  }
}

/**
 * Returns the tests that run a line, or any of its file if none does, as for what runs when a module is loaded: those
 * of its name first, also new ones, then those that run fewest lines.
 */
function testsOf(path, line, reached) {
  const size = ({ lines }) => Object.values(lines).reduce((sum, { length }) => sum + length, 0)
  const named = filesUnder('test').filter(
    (test) => basename(test).startsWith(`${basename(path, '.ts')}.`) && isAsked(test),
  )
  const ofFile = reached.filter(({ lines }) => lines[path]?.length > 0).sort((a, b) => size(a) - size(b))
  const ofLine = ofFile.filter(({ lines }) => lines[path].includes(line))
  return [...new Set([...named, ...(ofLine.length > 0 ? ofLine : ofFile).map(({ test }) => test)])]
}

/** Returns the keys of mutants with a wrong type. All lines are broken at once, since a check takes ten seconds. */
function wrongTypes() {
  const texts = new Map([...new Set(chosen.map(({ path }) => path))].map((path) => [path, readClone(path)]))
  for (const [path, text] of texts) {
    const lines = text.split('\n')
    for (const { line, to } of chosen.filter((mutant) => mutant.path === path)) lines[line - 1] = to
    writeFileSync(join(clone, path), lines.join('\n'))
  }
  const { stdout } = run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.', '--noEmit'], clone)
  for (const [path, text] of texts) writeFileSync(join(clone, path), text)
  // Of two on a line, the last stood there.
  const keys = new Map(chosen.map(({ key, path, line }) => [`${path}:${line}`, key]))
  const places = [...stdout.matchAll(/^(engine\/.*\.ts)\((\d+),\d+\): error/gm)].map(([, ...at]) => at.join(':'))
  return new Set(places.map((place) => keys.get(place)).filter((key) => key !== undefined))
}

/** Runs tests up to the first that fails by what it sees: a test that ran out of time has seen nothing. */
function runOf(tests) {
  const args = ['run', '--bail', '1', '--project', isService(tests[0]) ? 'service' : 'unit', ...tests]
  // A loop without an end is ended with all that it started.
  const limited = ['-c', 'ulimit -t "$0" && exec "$@"', LIMIT_CPU_S, 'timeout', '--kill-after=5', LIMIT_S, ...VITEST]
  const env = { TEST_PATIENCE: PATIENCE, VITEST_MAX_WORKERS: '1' }
  const { status, stdout } = run('sh', [...limited, ...args].map(String), clone, env)
  if (status === 0) return { status: 'passes' }
  const failed = Number(/^\d+ passed, (\d+) failed/m.exec(stdout)?.[1] ?? 0)
  const late = Number(/^(\d+) of these tests ran out of time/m.exec(stdout)?.[1] ?? 0)
  const ended = /^FAILED outside of a test: .*(Worker exited|Timeout)/m.test(stdout)
  const test = /^FAILED (test\/.*)/m.exec(stdout)?.[1]
  if (failed === 0 || ended || failed <= late || test === undefined) return { status: 'hangs' }
  return { status: 'fails', test }
}

/** Returns every way to break a line of a file. */
function mutantsOf(path) {
  const times = new Map()
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .flatMap((from, i) => {
      if (SAYS_NOTHING.test(from)) return []
      const code = from.replace(/'[^']*'|`[^`]*`|\/\/.*|\/[^/ ].*\//g, (quoted) => '\0'.repeat(quoted.length))
      return TOKENS.flatMap(([token, other]) => {
        const found = token.exec(code)
        // A loop that counts down never ends, which no test can see but by its limit.
        if (found === null || (other === '--' && /\bfor \(/.test(code))) return []
        const instead = found[0].replace(token, (...match) => (typeof other === 'string' ? other : other(match[1])))
        const to = from.slice(0, found.index) + instead + from.slice(found.index + found[0].length)
        const change = `${path}: ${from.trim()} → ${to.trim()}`
        const nth = (times.get(change) ?? 0) + 1
        times.set(change, nth)
        return { key: nth === 1 ? change : `${change} (${nth})`, path, line: i + 1, from, to }
      })
    })
}

function readClone(path) {
  return readFileSync(join(clone, path), 'utf8')
}

function filesUnder(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.endsWith('-wasm.ts'))
    .map((name) => `${folder}/${name}`)
    .sort()
}

function run(command, args, cwd, settings = {}) {
  const env = { ...process.env, ...settings }
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 28 })
}
