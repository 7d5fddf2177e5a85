import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/** The lock file holds the packages of every system, so that `npm ci` installs the same bytes everywhere. */
type Needs = Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string> | undefined>
type Locked = Partial<Needs> & {
  version?: string
  resolved?: string
  integrity?: string
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))
const declared: Needs = read('package.json')
const locked: Record<string, Locked> = read('package-lock.json').packages

describe('the lock file', () => {
  test('holds each package that a locked one needs, of whatever system', () => {
    const missing = Object.entries(locked).flatMap(([path, { dependencies, optionalDependencies, ...peers }]) => {
      const isOptional = (name: string) => peers.peerDependenciesMeta?.[name]?.optional === true
      const peerNames = Object.keys(peers.peerDependencies ?? {}).filter((name) => !isOptional(name))
      const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peerNames]
      return names.filter((name) => !isLocked(path, name)).map((name) => `${path} needs ${name}`)
    })
    expect(missing).toEqual([])
  })

  test('holds a hash of each package, and no address', () => {
    const packages = Object.entries(locked).filter(([path]) => path !== '')
    expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([])
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved"|registry/)
  })

  test('agrees with package.json', () => {
    const { dependencies, devDependencies } = locked['']
    expect({ dependencies, devDependencies }).toEqual({
      dependencies: declared.dependencies,
      devDependencies: declared.devDependencies,
    })
    const pinned = Object.entries({ ...dependencies, ...devDependencies }).filter(([, range]) => /^\d/.test(range))
    for (const [name, version] of pinned) expect(locked[`node_modules/${name}`].version, name).toBe(version)
  })

  test('is what setup and the image install from', () => {
    for (const name of ['scripts/setup.mjs', 'Dockerfile']) {
      const text = readFileSync(join(root, name), 'utf8')
      expect(text, name).toMatch(/npm ci|'ci'/)
      expect(text, name).not.toMatch(/npm install|'install'/)
    }
  })
})

describe('package.json', () => {
  const program = ['bin', 'dashboard', 'demo', 'engine', 'server', 'worker'].flatMap((room) => importsUnder(room))
  const around = ['scripts', 'test'].flatMap((room) => importsUnder(room))
  const configs = ['vite.config.ts', 'vitest.config.ts'].flatMap(importsOf)
  // What the browser runs is built in; types are gone when it runs.
  const isInBrowser = ({ path }: Import) => path.startsWith('dashboard/')
  const namesOf = (imports: Import[]) => [...new Set(imports.map(({ name }) => name))].sort()
  const running = program.filter((one) => !isInBrowser(one) && !one.isType)

  test('declares what the program imports as a dependency, and nothing else', () => {
    expect(Object.keys(declared.dependencies ?? {}).sort()).toEqual(namesOf(running))
  })

  test('declares whatever else is imported', () => {
    const all = { ...declared.dependencies, ...declared.devDependencies, [read('clients/js/package.json').name]: 'own' }
    expect(namesOf([...program, ...around, ...configs]).filter((name) => !(name in all))).toEqual([])
  })

  test('declares no package for development that nothing uses', () => {
    const used = new Set(namesOf([...program, ...around, ...configs]))
    // Run by name, found by the test runner, or types of something that is used.
    const tools = ['@biomejs/biome', '@vitest/coverage-v8', 'typescript']
    const unused = Object.keys(declared.devDependencies ?? {}).filter((name) => {
      const typed = name.startsWith('@types/') ? name.slice('@types/'.length) : null
      return !used.has(name) && !tools.includes(name) && !(typed === 'node' || (typed && used.has(typed)))
    })
    expect(unused).toEqual([])
  })
})

/** A package that a source names, and whether only types are taken from it. */
type Import = { path: string; name: string; isType: boolean }

function importsUnder(room: string): Import[] {
  const names = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.(ts|tsx|mts|cts|mjs)$/.test(name)).flatMap((name) => importsOf(join(room, name)))
}

const STATIC = /^(?:import|export)(?<type> type)?\b(?:[^'"`;]*?\bfrom)? '(?<from>[^']+)'/gm
const CALLED = /(?:\b(?:import|require)|\burl\)(?:\.resolve)?)\('(?<from>[^']+)'\)/g

function importsOf(path: string): Import[] {
  const source = readFileSync(join(root, path), 'utf8')
  const found = [...source.matchAll(STATIC), ...source.matchAll(CALLED)]
  return found
    .map(({ groups, 0: text, index }) => ({
      path,
      from: groups!.from,
      isType:
        groups!.type !== undefined ||
        /typeof\s+$/.test(source.slice(0, index)) ||
        /^import \{(\s*type [^,}]+,?)+\s*\}/.test(text),
    }))
    .filter(({ from }) => /^[a-z@]/.test(from) && !isBuiltin(from) && !/^(@\/|virtual:)/.test(from))
    .map(({ from, ...rest }) => ({
      ...rest,
      name: from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/'),
    }))
}

/** Returns whether a package's dependency is installed where Node would look: in its own folder or in one above. */
function isLocked(path: string, name: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (join(at, 'node_modules', name) in locked) return true
    if (at === '') return false
  }
}
