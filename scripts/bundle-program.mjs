// Joins the modules of the program, of its threads and of its processes into few files, each in the place of the
// compiled one: finding, opening and compiling hundreds of small modules took a third of a small export. After the
// TypeScript is compiled, since tests and builds load single modules. Packages stay outside, except for those of many
// small modules that need nothing beside them.
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { rolldown } from 'rolldown'
import { CHUNKS, CURRENT_CHUNKS, read, root } from './if-changed.mjs'

const { files } = JSON.parse(read(join(root, 'package.json')))
/** What Node starts, and so what the package has besides the chunks: the program, and each thread and process. */
const ENTRIES = files.filter((path) => path.endsWith('.js')).map((path) => path.replace(/^dist\/(.*)\.js$/, '$1'))
const JOINED = /^(@duckdb\/node-api|apache-arrow|flatbuffers|hyparquet|hyparquet-writer|tslib|zod)(\/|$)/
const DAY_MS = 86_400_000
const MARK = '__placeOf'
const MARKED = new RegExp(`${MARK}\\(["'](.*?)["']\\)`, 'g')

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(ENTRIES.map((entry) => [entry, join(root, `${entry}.ts`)])),
  platform: 'node',
  external: (id) => /^[@a-z]/.test(id) && !JOINED.test(id),
  plugins: [{ name: 'own-places', transform: markPlaces, renderChunk: namePlaces }],
  // Said of modules that one command loads at once and another late.
  checks: { ineffectiveDynamicImport: false },
})
const { output } = await bundle.write({
  dir: join(root, 'dist'),
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'program/[name]-[hash].js',
  // Without groups, each set of commands that share a module has a file of its own.
  codeSplitting: {
    groups: [
      groupOf('start', /\/bin\/command-line\.ts$/),
      groupOf('thread', /\/export-thread\.ts$/),
      groupOf('export', /\/bin\/commands\/export\.ts$/),
    ],
  },
})
await bundle.close()
removeOlder(output.map(({ fileName }) => basename(fileName)))

/** Removes the chunks of earlier builds, but for a day: programs that run may still load them. */
function removeOlder(current) {
  writeFileSync(join(CHUNKS, CURRENT_CHUNKS), current.join('\n'))
  for (const name of readdirSync(CHUNKS)) {
    const path = join(CHUNKS, name)
    const isKept = name === CURRENT_CHUNKS || current.includes(name) || Date.now() - statSync(path).mtimeMs < DAY_MS
    if (!isKept) rmSync(path)
  }
}

/** Groups what a module needs before it runs, unless something loads it late, or an earlier group has it. */
function groupOf(name, importer) {
  const has = (id, modules) => {
    const { isEntry, dynamicImporters } = modules.getModuleInfo(id)
    if (isEntry || dynamicImporters.length > 0) return false
    const found = new Set([id])
    // Grows while it is walked.
    for (const each of found) {
      if (importer.test(each)) return true
      for (const further of modules.getModuleInfo(each)?.importers ?? []) found.add(further)
    }
    return false
  }
  return { debugName: name, name: (id, modules) => (has(id, modules) ? name : null) }
}

/**
 * Marks what means the place of a module; and lets its own `require` be that of CommonJS, of which the bundle loads
 * what is required when it is called, as without a bundle. Lines stay, so the source map does.
 */
function markPlaces(code, id) {
  const path = relative(root, id).split(sep).join('/')
  if (!isAbsolute(id) || path.startsWith('..') || path.includes('node_modules/') || !code.includes('import.meta.url'))
    return null
  const marked = code
    .replace(/^const require = createRequire\(import\.meta\.url\)$/m, '')
    .replaceAll('import.meta.url', `${MARK}('${path.replace(/\.ts$/, '.js')}')`)
  return { code: marked, map: null }
}

/** Names the place where a module was compiled to, as seen from the file that it is in. */
function namePlaces(code, { fileName }) {
  if (!code.includes(MARK)) return null
  const named = code.replaceAll(MARKED, (_, compiled) => {
    const path = relative(dirname(fileName), compiled).split(sep).join('/')
    return `new URL('${path.startsWith('.') ? path : `./${path}`}', import.meta.url).href`
  })
  return { code: named, map: null }
}
