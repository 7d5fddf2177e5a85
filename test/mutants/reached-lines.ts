// Loaded before each file of tests if REACHED_LINES names a folder: writes there which lines of the engine this file
// of tests runs, by what V8 counts: here, and in the threads and processes that ended meanwhile, which write what they
// counted to the folder NODE_V8_COVERAGE.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { SourceMap } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'

type Counted = { scriptId: string; url: string; functions: { ranges: Range[] }[] }
type Range = { startOffset: number; endOffset: number; count: number }

const root = fileURLToPath(new URL('../../', import.meta.url))
const session = new Session()
type Place = [offset: number, line: number]

/** Where threads and processes write, which may be nowhere. */
const elsewhere = process.env.NODE_V8_COVERAGE ?? ''
/** For each script, or file of the build, where lines of its source begin in what was run: offset and line, from 1. */
const placesOf = new Map<string, Place[]>()

beforeAll(async () => {
  takeElsewhere()
  session.connect()
  await ask('Debugger.enable')
  await ask('Profiler.enable')
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
})

afterAll(async () => {
  const { result } = await ask<{ result: Counted[] }>('Profiler.takePreciseCoverage')
  const lines: Record<string, Set<number>> = {}
  const add = (path: string, script: Counted, places: Place[]) => {
    lines[path] ??= new Set()
    for (const line of linesOf(script, places)) lines[path].add(line)
  }
  for (const script of result) {
    const path = relative(root, script.url.replace(/^file:\/\//, '').replace(/\?.*/, ''))
    if (path.startsWith('engine/')) add(path, script, await placesOfScript(script.scriptId))
  }
  session.disconnect()
  for (const script of takeElsewhere()) {
    const path = relative(join(root, 'dist'), script.url.replace(/^file:\/\//, ''))
    if (path.startsWith('engine/')) add(path.replace(/\.js$/, '.ts'), script, placesOfBuilt(path))
  }
  const test = relative(root, expect.getState().testPath!)
  const name = createHash('sha256').update(test).digest('hex')
  const listed = Object.fromEntries(Object.entries(lines).map(([path, of]) => [path, [...of].sort((a, b) => a - b)]))
  writeFileSync(join(process.env.REACHED_LINES!, `${name}.json`), JSON.stringify({ test, lines: listed }))
})

/** Returns what threads and processes counted since it was last called. */
function takeElsewhere(): Counted[] {
  if (!existsSync(elsewhere)) return []
  return readdirSync(elsewhere).flatMap((name) => {
    const text = readFileSync(join(elsewhere, name), 'utf8')
    rmSync(join(elsewhere, name))
    return text.endsWith('}') ? (JSON.parse(text) as { result: Counted[] }).result : []
  })
}

/** Returns the lines of its source that ran; those of the module itself ran when it was loaded, by whichever test. */
function linesOf({ functions }: Counted, places: Place[]): number[] {
  const ran = new Uint8Array(places.length)
  // Ranges come with what they are within before them.
  const inModule = functions.filter(({ ranges: [whole] }) => whole.startOffset > places[0]?.[0] && whole.count > 0)
  for (const { ranges } of inModule)
    for (const { startOffset, endOffset, count } of ranges)
      for (let i = 0; i < places.length; i++)
        if (places[i][0] >= startOffset && places[i][0] < endOffset) ran[i] = count > 0 ? 1 : 0
  return [...new Set(places.filter((_, i) => ran[i] === 1).map(([, line]) => line))]
}

async function placesOfScript(scriptId: string): Promise<Place[]> {
  const known = placesOf.get(scriptId)
  if (known !== undefined) return known
  const { scriptSource } = await ask<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId })
  const encoded = /sourceMappingURL=data:application\/json[^,]*;base64,([\w+/=]+)/.exec(scriptSource)?.[1]
  const places = encoded === undefined ? [] : readPlaces(scriptSource, Buffer.from(encoded, 'base64').toString())
  placesOf.set(scriptId, places)
  return places
}

/** @param path below `dist` */
function placesOfBuilt(path: string): Place[] {
  const file = join(root, 'dist', path)
  const places = placesOf.get(path) ?? readPlaces(readFileSync(file, 'utf8'), readFileSync(`${file}.map`, 'utf8'))
  placesOf.set(path, places)
  return places
}

function readPlaces(script: string, mapJson: string): Place[] {
  const map = new SourceMap(JSON.parse(mapJson))
  const places: Place[] = []
  let offset = 0
  for (const [row, text] of script.split('\n').entries()) {
    for (let column = 0; column < text.length; column++) {
      const entry = map.findEntry(row, column)
      if ('originalLine' in entry && entry.generatedLine === row && entry.generatedColumn === column)
        places.push([offset + column, entry.originalLine + 1])
    }
    offset += text.length + 1
  }
  return places
}

function ask<T = unknown>(method: string, params: object = {}): Promise<T> {
  return new Promise((resolve, reject) =>
    session.post(method, params, (error, answer) => (error ? reject(error) : resolve(answer as T))),
  )
}
