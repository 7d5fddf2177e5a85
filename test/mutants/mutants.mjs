// Breaks single tokens of the engine, chosen by a seed, and says which of them no test of the gate sees:
//
//     npm run test:mutants -- --seed 7 --n 150 [--under engine/formats] [--from 40] [--to 80] [--near] [--gate]
//
// Works in a clone beside this one. First it notes which lines each test runs, which takes as long as the gate (with
// --reached FOLDER, they are kept there for the next run); a broken line is tried by the tests that run it, those that
// run least else first. A test that only runs out of time has seen
// nothing, nor has a run that takes longer than --limit-s. With --near, only unit tests are asked; with --gate, the gate
// is asked about each that survives, which takes ten minutes. Each survivor gets a test, or a line in harmless.json that
// says why it changes nothing.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seeded } from '../../dist/isomorphic/random.js'
import { root } from '../../scripts/if-changed.mjs'

const { values: given } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    n: { type: 'string', default: '20' },
    under: { type: 'string', default: 'engine' },
    'limit-s': { type: 'string', default: '900' },
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: 'Infinity' },
    near: { type: 'boolean', default: false },
    gate: { type: 'boolean', default: false },
    reached: { type: 'string' },
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

const UNIT = ['--project', 'unit']
const PROJECTS = [...UNIT, ...(given.near ? [] : ['--project', 'service'])]
const isService = (test) => test.endsWith('.service.test.ts')
const VITEST = [process.execPath, 'node_modules/vitest/vitest.mjs']
/** Only what has changed is looked at again. */
const TYPES = ['-p', '.', '--noEmit', '--incremental', '--tsBuildInfoFile', '../types']
/** Number of tests that are tried before the types. */
const NEAREST = 8
const HANGS = 'only its limit of time'

const random = seeded(Number(given.seed))
const places = filesUnder(given.under).flatMap(mutantsOf)
const chosen = Array.from({ length: Math.min(Number(given.n), places.length) }, () =>
  places.splice(Math.floor(random() * places.length), 1),
).flat()
const harmless = JSON.parse(readFileSync(new URL('harmless.json', import.meta.url), 'utf8'))

const clone = join(mkdtempSync(join(tmpdir(), 'gz-mutants-')), 'clone')
run('git', ['clone', '-q', root, clone], root)
for (const there of ['node_modules', 'dist'])
  cpSync(join(root, there), join(clone, there), { recursive: true, verbatimSymlinks: true })
const reached = reachedLines()
const counts = { seen: 0, hung: 0, survived: 0, harmless: 0 }
try {
  for (const [i, { path, line, from, to }] of chosen.entries()) {
    if (i + 1 < Number(given.from) || i + 1 > Number(given.to)) continue
    const file = join(clone, path)
    const text = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      text
        .split('\n')
        .toSpliced(line - 1, 1, to)
        .join('\n'),
    )
    const by = harmless[`${path}: ${from.trim()} → ${to.trim()}`] === undefined ? seenBy(path, line) : 'harmless'
    writeFileSync(file, text)
    counts[{ [HANGS]: 'hung', harmless: 'harmless' }[by] ?? (by === null ? 'survived' : 'seen')]++
    console.log(`${i + 1}/${chosen.length} ${by ?? 'SURVIVED'}  ${path}:${line}\n    ${from.trim()}\n    ${to.trim()}`)
  }
} finally {
  rmSync(join(clone, '..'), { recursive: true, force: true })
}
console.log(
  `${counts.seen} seen, ${counts.hung} only ran out of time, ${counts.survived} survived, ${counts.harmless} harmless`,
)
process.exitCode = counts.survived > 0 ? 1 : 0

/** Returns what sees it first: a set of tests, or the types; null if nothing does. */
function seenBy(path, line) {
  const { tests, isRun } = testsOf(path, line)
  const service = tests.filter(isService)
  const unit = tests.filter((test) => !isService(test))
  const nearest = unit.slice(0, NEAREST)
  const further = unit.slice(NEAREST)
  // Service tests need a build of what is broken, which takes longer than most unit tests.
  const only = (some) => ['run', ...(some.some(isService) ? PROJECTS : UNIT), ...some]
  const sets = [
    ...(nearest.length > 0 ? [['the nearest tests', only(nearest)]] : []),
    ['types', null],
    ...(further.length > 0 ? [['unit tests that run it', only(further)]] : []),
    ...(service.length > 0 ? [['service tests that run it', only(service)]] : []),
    // What threads run, and what runs when a module is loaded, is not counted.
    ...(isRun ? [] : [['tests that import it', ['related', '--run', ...PROJECTS, path]]]),
    ...(given.gate ? [['the gate', ['run', '--mode', 'gate']]] : []),
  ]
  for (const [name, args] of sets) {
    const outcome = args === null ? outcomeOfTypes() : outcomeOf(args)
    if (outcome !== 'passes') return outcome === 'fails' ? name : outcome
  }
  return null
}

/** Returns, for each test, the lines of the engine that it runs, by path: runs all tests once if nobody has. */
function reachedLines() {
  const folder = given.reached ?? join(clone, '..', 'reached')
  mkdirSync(folder, { recursive: true })
  const [node, ...args] = [...VITEST, 'run', ...PROJECTS]
  if (readdirSync(folder).length === 0) run(node, args, clone, { REACHED_LINES: folder })
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
}

/** Returns the tests that run a line, or its file if none does; those that run fewest lines first. */
function testsOf(path, line) {
  const size = ({ lines }) => Object.values(lines).reduce((sum, { length }) => sum + length, 0)
  const ofFile = reached.filter(({ lines }) => lines[path] !== undefined).sort((a, b) => size(a) - size(b))
  const ofLine = ofFile.filter(({ lines }) => lines[path].includes(line))
  const isRun = ofLine.length > 0
  return { tests: (isRun ? ofLine : ofFile).map(({ test }) => test), isRun }
}

function outcomeOfTypes() {
  const { status } = run(process.execPath, ['node_modules/typescript/bin/tsc', ...TYPES], clone)
  return status === 0 ? 'passes' : 'fails'
}

/** Runs tests up to the first that fails by what it sees: a test that ran out of time has seen nothing. */
function outcomeOf(args) {
  const [command, ...which] = args
  const tests = [...VITEST, command, '--bail', '1', '--passWithNoTests', ...which]
  // A loop without an end is ended with all that it started.
  const { status, stdout } = run('timeout', ['--kill-after=5', given['limit-s'], ...tests], clone)
  if (status === 124 || status === 137) return HANGS
  const failed = Number(/^\d+ passed, (\d+) failed/m.exec(stdout)?.[1] ?? 0)
  const late = Number(/^(\d+) of these tests ran out of time/m.exec(stdout)?.[1] ?? 0)
  return status === 0 ? 'passes' : failed > 0 && failed <= late ? HANGS : 'fails'
}

/** Returns every way to break a line of a file. */
function mutantsOf(path) {
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
        return {
          path,
          line: i + 1,
          from,
          to: from.slice(0, found.index) + instead + from.slice(found.index + found[0].length),
        }
      })
    })
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
