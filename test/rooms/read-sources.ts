import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'vite'

/** One source file: what it imports of ours (types too), what it exports, how long its functions are. */
export type Source = {
  /** From the root, with forward slashes. */
  path: string
  /** Paths of our own files, each once. */
  imports: string[]
  /** Names that it declares and exports; what it only passes on is left out. */
  exports: string[]
  functions: { name: string; line: number; lines: number }[]
}

/** Reads all TypeScript sources below these folders of the root. */
export function readSources(root: string, folders: readonly string[]): Source[] {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[cm]?tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
      .map((entry) =>
        posix.join(entry.parentPath.slice(root.length).split('\\').join('/'), entry.name).replace(/^\//, ''),
      ),
  )
  const known = new Set(paths)
  return paths.sort().map((path) => readSource(path, readFileSync(join(root, path), 'utf8'), known))
}

function readSource(path: string, text: string, known: ReadonlySet<string>): Source {
  const { program, module, errors } = parseSync(path.replace(/\.[cm]ts$/, '.ts'), text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`)
  const lineAt = lineCounter(text)
  const functions: Source['functions'] = []
  const typeImports: string[] = []
  visit(program as unknown as Node, '', (node, name) => {
    if (node.type === 'TSImportType') typeImports.push(String((node.source as Node).value))
    if (!FUNCTIONS.has(node.type)) return
    const line = lineAt(node.start)
    functions.push({ name: name || '(anonymous)', line, lines: lineAt(node.end - 1) - line + 1 })
  })
  const asked = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '')),
    ...module.dynamicImports.map(({ moduleRequest }) => text.slice(moduleRequest.start + 1, moduleRequest.end - 1)),
    ...typeImports,
  ]
  const imports = asked.flatMap((name) => resolveImport(path, name, known))
  const exports = module.staticExports.flatMap(({ entries }) =>
    entries.filter((entry) => !entry.moduleRequest).map((entry) => entry.exportName.name ?? 'default'),
  )
  return { path, imports: [...new Set(imports)].sort(), exports, functions }
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

function resolveImport(from: string, name: string, known: ReadonlySet<string>): string[] {
  if (!name.startsWith('.')) return []
  const path = posix.join(posix.dirname(from), name)
  return [path, path.replace(/\.js$/, '.ts'), path.replace(/\.cjs$/, '.cts'), path.replace(/\.js$/, '.tsx')]
    .filter((candidate) => known.has(candidate))
    .slice(0, 1)
}

type Node = { type: string; start: number; end: number; [key: string]: unknown }

/** Visits each node with the name that it is declared by, if there is one. */
function visit(node: Node, name: string, each: (node: Node, name: string) => void): void {
  each(node, name)
  const declared = (node.id ?? node.key) as { name?: string } | null | undefined
  const inner = declared?.name ?? ''
  for (const [key, value] of Object.entries(node)) {
    const isValue = key === 'init' || key === 'value'
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue
      const own = (child.id as { name?: string } | null | undefined)?.name
      visit(child, own ?? (isValue ? inner : ''), each)
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** Returns a function from an offset to its line, from 1. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (starts[middle] <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
}
