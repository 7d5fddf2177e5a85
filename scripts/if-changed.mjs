// Builds what has changed: what was built holds a stamp with the hash of its sources. Plain JavaScript without
// packages, since setup.mjs runs in a fresh clone.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Decides what a build of several depends on. */
export const versions = [join(root, 'package.json'), join(root, 'package-lock.json')]

/** What `tsc -p .` compiles into dist/, where what Node starts is then replaced by bundles. */
const PROGRAM = ['bin', 'demo', 'engine', 'isomorphic', 'server', 'worker']
/** What bundles share, and the name of the file beside it that lists those of the last build. */
export const CHUNKS = join(root, 'dist', 'program')
export const CURRENT_CHUNKS = '.current'
const BUNDLE = join(root, 'scripts', 'bundle-program.mjs')
const PROGRAM_STAMP = join(root, 'dist', '.gazette-built')
const UNCHECKED = 'types not checked '

/**
 * Compiles and bundles the program if a source has changed.
 *
 * @param compile called with the arguments of `node` and what that does, and waited for; throws or ends the process if
 *   it fails
 * @param checksTypes whether the build fails for a wrong type; without, it takes a fraction of the time
 */
export async function compileProgram(compile, { checksTypes }) {
  const sources = [
    join(root, 'tsconfig.json'),
    BUNDLE,
    ...versions,
    ...PROGRAM.flatMap((room) => filesUnder(join(root, room))),
  ]
  const wanted = hashPaths(sources)
  const there = read(PROGRAM_STAMP)
  if (there === wanted || (!checksTypes && there === UNCHECKED + wanted)) return
  // A build that is killed leaves files of two versions.
  rmSync(PROGRAM_STAMP, { force: true })
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  await compile([tsc, '-p', root, ...(checksTypes ? [] : ['--noCheck'])], 'Compiling')
  await compile([BUNDLE], 'Bundling')
  rmSync(join(root, 'dist', '.compile-cache'), { recursive: true, force: true })
  writeFileSync(PROGRAM_STAMP, checksTypes ? wanted : UNCHECKED + wanted)
}

export function filesUnder(directory) {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((path) => statSync(path).isFile())
    .sort()
}

export function hashPaths(paths) {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

export function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
