// Loaded before each file of tests if REACHED_LINES names a folder: writes there which lines of the engine this file
// of tests runs, by what V8 counts.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { SourceMap } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'

type Counted = { scriptId: string; url: string; functions: { ranges: Range[] }[] }
type Range = { startOffset: number; endOffset: number; count: number }

const root = fileURLToPath(new URL('../../', import.meta.url))
const session = new Session()
/** For each script, where the lines of its source begin in what was run: offset and line, from 1. */
const placesOf = new Map<string, [offset: number, line: number][]>()

beforeAll(async () => {
  session.connect()
  await ask('Debugger.enable')
  await ask('Profiler.enable')
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
})

afterAll(async () => {
  const { result } = await ask<{ result: Counted[] }>('Profiler.takePreciseCoverage')
  const lines: Record<string, number[]> = {}
  for (const script of result) {
    const path = relative(root, script.url.replace(/^file:\/\//, '').replace(/\?.*/, ''))
    if (path.startsWith('engine/')) lines[path] = await linesOf(script)
  }
  session.disconnect()
  const test = relative(root, expect.getState().testPath!)
  const name = createHash('sha256').update(test).digest('hex')
  writeFileSync(join(process.env.REACHED_LINES!, `${name}.json`), JSON.stringify({ test, lines }))
})

/** Returns the lines of its source that ran; those of the module itself ran when it was loaded, by whichever test. */
async function linesOf({ scriptId, functions }: Counted): Promise<number[]> {
  const places = placesOf.get(scriptId) ?? (await readPlaces(scriptId))
  placesOf.set(scriptId, places)
  const ran = new Uint8Array(places.length)
  // Ranges come with what they are within before them.
  const inModule = functions.filter(({ ranges: [whole] }) => whole.startOffset > places[0]?.[0] && whole.count > 0)
  for (const { ranges } of inModule)
    for (const { startOffset, endOffset, count } of ranges)
      for (let i = 0; i < places.length; i++)
        if (places[i][0] >= startOffset && places[i][0] < endOffset) ran[i] = count > 0 ? 1 : 0
  return [...new Set(places.filter((_, i) => ran[i] === 1).map(([, line]) => line))]
}

async function readPlaces(scriptId: string): Promise<[number, number][]> {
  const { scriptSource } = await ask<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId })
  const encoded = /sourceMappingURL=data:application\/json[^,]*;base64,([\w+/=]+)/.exec(scriptSource)?.[1]
  if (encoded === undefined) return []
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()))
  const places: [number, number][] = []
  let offset = 0
  for (const [row, text] of scriptSource.split('\n').entries()) {
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
