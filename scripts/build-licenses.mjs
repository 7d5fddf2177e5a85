// Writes the licences of all that Gazette ships or has npm install, into one file: the packages that run, and those
// that the dashboard was built with. Only what is installed here has its text; of builds for other systems, the licence
// is named.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
/** Where the browser's code is; what it imports is in the bundle. */
const BROWSER = ['dashboard', 'clients/js/src']
/** Copied into dist by build-docs-page.mjs. */
const COPIED = ['swagger-ui-dist']
const TEXTS = /^(licen[cs]e|copying|notice|copyright)([.-].*)?$/i

/** Returns each package with its version, its licence and the texts of its files about it, by name. */
export function thirdParties(root = ROOT) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const shipped = neededBy([...Object.keys(packages[''].dependencies), ...importedBy(root), ...COPIED], packages)
  return Object.entries(packages)
    .filter(([path]) => shipped.has(path))
    .map(([path, { version, license }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      const directory = join(root, path)
      const author = existsSync(directory) ? authorIn(directory) : null
      return { name, version, license: license ?? 'unknown', author, texts: textsIn(directory) }
    })
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

/** Returns the names of packages that the browser's code imports. */
function importedBy(root) {
  const names = new Set()
  for (const folder of BROWSER)
    for (const file of readdirSync(join(root, folder), { recursive: true })) {
      if (!/\.(ts|tsx|css)$/.test(file)) continue
      const source = readFileSync(join(root, folder, file), 'utf8')
      for (const [, specifier] of source.matchAll(/(?:from|import)\s*\(?\s*['"]([^'".][^'"]*)['"]/g)) {
        const [scope, name] = specifier.split('/')
        names.add(specifier.startsWith('@') ? `${scope}/${name}` : scope)
      }
    }
  return [...names].filter((name) => !name.startsWith('node:'))
}

/** Returns the places in the lock file of packages and of all that they depend on. */
export function neededBy(names, packages) {
  const found = new Set()
  const open = names.map((name) => `node_modules/${name}`)
  while (open.length > 0) {
    const path = open.pop()
    if (found.has(path) || packages[path] === undefined) continue
    found.add(path)
    const { dependencies, optionalDependencies } = packages[path]
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
      open.push(placeOf(name, path, packages))
  }
  return found
}

/** Finds a package as Node does: beside the one that needs it, then further out. */
function placeOf(name, path, packages) {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const place = `${at}/node_modules/${name}`
    if (packages[place] !== undefined) return place
  }
  return `node_modules/${name}`
}

function authorIn(directory) {
  const { author, contributors = [] } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  const first = author ?? contributors[0]
  return (typeof first === 'string' ? first : first?.name) ?? null
}

function textsIn(directory) {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && TEXTS.test(entry.name))
    .map(({ name }) => readFileSync(join(directory, name), 'utf8').replace(/\r\n/g, '\n').trim())
    .sort()
}

/** Prints packages with the same texts together. */
export function licensesText(parties) {
  const groups = new Map()
  for (const { name, version, license, author, texts } of parties) {
    const key = JSON.stringify([license, texts, texts.length > 0 ? null : author])
    groups.set(key, [...(groups.get(key) ?? []), `${name} ${version}`])
  }
  const sections = [...groups].map(([key, names]) => {
    const [license, texts, author] = JSON.parse(key)
    const nobody = `The package has no file with the text of its licence.${author ? ` Author: ${author}` : ''}`
    const said = texts.length > 0 ? texts : [nobody]
    return [`${names.join('\n')}\n\nLicence: ${license}`, ...said].join('\n\n')
  })
  const line = '='.repeat(80)
  const head = 'Gazette is licensed under the MIT licence. It contains, or runs with, the packages below.'
  return `${[head, ...sections].join(`\n\n${line}\n\n`)}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  writeFileSync(join(ROOT, 'dist', 'THIRD-PARTY-LICENSES.txt'), licensesText(thirdParties()))
}
