import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { circles, floorsOf, type Graph, grouped, reached, reduced } from './graph.ts'
import { readSources } from './read-sources.ts'

/**
 * The plan of the house: which room may import which, types too. A room may use the rooms that are named here and all
 * that those may use. A new arrow is a decision: add it here, and run `npm run test:unit -- test/rooms -u` to redraw
 * the chart in docs/design.md.
 */
const MAY_USE: Record<string, string[]> = {
  bin: ['server'],
  server: ['server/operations', 'server/studies', 'server/uploads'],
  'server/operations': ['server/exports'],
  'server/studies': ['engine/live', 'server/exports'],
  'server/exports': ['server/access', 'server/openapi', 'worker'],
  'server/uploads': ['server/access', 'worker'],
  'server/access': ['server/routes'],
  'server/openapi': ['server/routes'],
  'server/routes': ['engine/products', 'engine/uploads', 'server/http'],
  'server/http': ['server/schemas'],
  worker: ['demo', 'engine/access', 'engine/products', 'engine/uploads'],
  'dashboard/shell': ['dashboard/pages'],
  'dashboard/pages': ['dashboard/figures'],
  'dashboard/figures': ['dashboard/ui'],
  'dashboard/ui': ['dashboard/core'],
  'dashboard/core': ['isomorphic'],
  demo: ['engine/import'],
  'engine/live': ['engine/import', 'engine/run'],
  'server/schemas': ['engine/access', 'engine/analysis', 'engine/import'],
  'engine/products': ['engine/analysis'],
  'engine/uploads': ['engine/recordings'],
  'engine/recordings': ['engine/import'],
  'engine/import': ['engine/study'],
  'engine/analysis': ['engine/run'],
  'engine/study': ['engine/jobs', 'engine/snapshot'],
  'engine/jobs': ['engine/formats', 'engine/webhooks'],
  'engine/run': ['engine/exports', 'engine/formats'],
  'engine/exports': ['engine/snapshot', 'engine/text'],
  'engine/webhooks': ['engine/storage'],
  'engine/access': ['engine/filter', 'engine/storage'],
  'engine/snapshot': ['engine/compute', 'engine/filter', 'engine/storage'],
  'engine/filter': ['engine/duckdb'],
  'engine/duckdb': ['engine/model'],
  'engine/storage': ['engine/model'],
  'engine/compute': ['engine/model'],
  'engine/formats': ['engine/model', 'engine/text'],
  'engine/model': ['isomorphic'],
  'engine/text': [],
  isomorphic: [],
}

/** The floors of `engine/recordings`, the largest room: which of its folders may import which, in the same way. */
const FLOORS: Record<string, string[]> = {
  convert: ['bundle', 'platforms', 'trackers'],
  bundle: ['text'],
  platforms: ['any-table'],
  'any-table': ['any-table/evidence', 'reader'],
  'any-table/evidence': ['text'],
  trackers: ['reader'],
  reader: ['text'],
  text: ['draft', 'hdf5'],
  hdf5: ['workbook'],
  workbook: [],
  draft: [],
}

/** Top-level folders whose folders are rooms. */
const PARTED = new Set(['dashboard', 'engine', 'server'])

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = readSources(root, ['bin', 'dashboard', 'demo', 'engine', 'isomorphic', 'server', 'worker'])
const files: Graph = new Map(sources.map(({ path, imports }) => [path, new Set(imports)]))
const folders = grouped(files, (path) => path.slice(0, path.lastIndexOf('/')))
const rooms = grouped(files, roomOf)
const allowed = graphOf(MAY_USE)

function graphOf(plan: Record<string, string[]>): Graph {
  return new Map(Object.entries(plan).map(([node, uses]) => [node, new Set(uses)]))
}

/** Arrows that no longer way stands for. */
function arrowsOf(graph: Graph): string[] {
  return [...reduced(graph)].flatMap(([from, uses]) => [...uses].map((to) => `${from} > ${to}`))
}

/** A room is a top-level folder; in `dashboard`, `engine` and `server`, a folder in it. */
function roomOf(path: string): string {
  const [top, folder, ...rest] = path.split('/')
  return PARTED.has(top) && rest.length > 0 ? `${top}/${folder}` : top
}

function readme(room: string): string {
  return readFileSync(join(root, room, 'README.md'), 'utf8')
}

describe('imports', () => {
  test('make no circle of files', () => {
    expect(circles(files)).toEqual([])
  })

  test('make no circle of folders', () => {
    expect(circles(folders)).toEqual([])
  })

  test('make no circle of rooms', () => {
    expect(circles(rooms)).toEqual([])
    expect(circles(allowed)).toEqual([])
  })

  test('go from a room to those that it may use, and to no other', () => {
    expect([...rooms.keys()].sort()).toEqual(Object.keys(MAY_USE).sort())
    const may = reached(allowed)
    const forbidden = sources.flatMap(({ path, imports }) =>
      imports
        .filter((to) => roomOf(to) !== roomOf(path) && !may.get(roomOf(path))?.has(roomOf(to)))
        .map((to) => `${path} imports ${to}: ${roomOf(path)} may not use ${roomOf(to)}`),
    )
    expect(forbidden).toEqual([])
  })

  test('use each arrow of the plan, which names none that a longer way stands for', () => {
    const [seen, planned] = [arrowsOf(rooms), arrowsOf(allowed)]
    expect(seen.filter((arrow) => !planned.includes(arrow))).toEqual([])
    expect(planned.filter((arrow) => !seen.includes(arrow))).toEqual([])
    const named = Object.values(MAY_USE).reduce((sum, uses) => sum + uses.length, 0)
    expect(named).toBe(planned.length)
  })
})

test('a floor of engine/recordings uses those below it, and no other', () => {
  const room = 'engine/recordings/'
  const floorOf = (path: string) => path.slice(room.length, path.lastIndexOf('/'))
  const inside: Graph = new Map(
    [...files]
      .filter(([path]) => path.startsWith(room))
      .map(([path, imports]) => [path, new Set([...imports].filter((to) => to.startsWith(room)))]),
  )
  const floors = grouped(inside, floorOf)
  expect([...floors.keys()].sort()).toEqual(Object.keys(FLOORS).sort())
  const may = reached(graphOf(FLOORS))
  const forbidden = [...inside].flatMap(([path, imports]) =>
    [...imports]
      .filter((to) => floorOf(to) !== floorOf(path) && !may.get(floorOf(path))?.has(floorOf(to)))
      .map((to) => `${path} imports ${to}`),
  )
  expect(forbidden).toEqual([])
  expect(arrowsOf(floors).sort()).toEqual(arrowsOf(graphOf(FLOORS)).sort())
})

describe('docs/design.md', () => {
  const path = join(root, 'docs/design.md')
  const text = readFileSync(path, 'utf8')
  const short = (room: string) => room.replace('engine/', '')

  // With -u it is written, else compared.
  test('draws the chart of the plan, and describes each room by the first sentence of its README', async () => {
    const lines = Object.entries(MAY_USE)
      .filter(([, uses]) => uses.length > 0)
      .map(([room, uses]) => `  ${short(room)} --> ${uses.map(short).join(' & ')}`)
    const chart = `\`\`\`mermaid\nflowchart TD\n${lines.join('\n')}\n\`\`\``
    const rows = Object.keys(MAY_USE).map((room) => {
      const holds = readme(room).split('\n\n')[1].replaceAll('\n', ' ').replaceAll('../../docs/', '')
      return `| [\`${room}\`](../${room}/README.md) | ${holds} |`
    })
    const table = `<!-- rooms: made by test/rooms -->\n| room | holds |\n|---|---|\n${rows.join('\n')}\n<!-- /rooms -->`
    const drawn = text
      .replace(/```mermaid\nflowchart TD\n[\s\S]*?```/, () => chart)
      .replace(/<!-- rooms[\s\S]*?<!-- \/rooms -->/, () => table)
    await expect(drawn).toMatchFileSnapshot(path)
  })
})

test('the README of each room has its name, its purpose, and its entry file', () => {
  const wrong = Object.keys(MAY_USE).filter((room) => {
    const [title, holds, entry] = readme(room).split('\n\n')
    const named = [...(entry ?? '').matchAll(/`([\w/-]+\.c?tsx?)`/g)].map(([, name]) => name)
    const isThere = (name: string) => sources.some(({ path }) => path === `${room}/${name}`)
    return title !== `# ${room}` || !holds || !entry?.startsWith('**Entry:**') || !named.every(isThere)
  })
  expect(wrong).toEqual([])
})

test('the library of DuckDB is loaded by one file, when something is first queried', () => {
  const imported = sources.filter(({ path }) =>
    /^import (?!type\b)(\{[^}]*\}|\w+) from '@duckdb\//m.test(readFileSync(join(root, path), 'utf8')),
  )
  expect(imported.map(({ path }) => path)).toEqual([])
  const required = sources.filter(({ path }) => readFileSync(join(root, path), 'utf8').includes("require('@duckdb/"))
  expect(required.map(({ path }) => path)).toEqual(['engine/duckdb/duckdb.ts'])
})

/** Files of the engine that read a clock. Everything else is given a time, or a clock where a loop needs one. */
const MAY_READ_A_CLOCK: Record<string, string> = {
  'engine/storage/concurrency/intervals.ts': 'intervals within this process, by a clock that only goes on',
  'engine/storage/files/file-age.ts': 'the kernel stamps files by the clock of the machine',
  'engine/jobs/open-jobs.ts': 'the clock of a process that opens jobs and gives none',
  'engine/jobs/bucket/remote-jobs.ts': 'the same in a bucket',
  'engine/storage/objects/s3-retries.ts': 'a store says at what time of day to try again',
  'engine/study/place.ts': 'the clock of a process that changes studies and gives none',
  'engine/study/bucket/bucket-place.ts': 'the same in a bucket',
}

test('the engine reads a clock in few places, each for a reason', () => {
  const reading = sources
    .map(({ path }) => path)
    .filter((path) => path.startsWith('engine/'))
    .filter((path) =>
      /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bhrtime\b/.test(readFileSync(join(root, path), 'utf8')),
    )
  expect(reading.sort()).toEqual(Object.keys(MAY_READ_A_CLOCK).sort())
})

test('folders are made by makeDirectory, which tells a read-only disk from a missing folder', () => {
  const making = sources
    .map(({ path }) => path)
    .filter((path) => /\bmkdir\(.*recursive: true/.test(readFileSync(join(root, path), 'utf8')))
  expect(making).toEqual(['engine/storage/files/durable.ts'])
})

test('no page makes a button by hand: dashboard/ui has one', () => {
  const isFound = ({ path }: { path: string }) =>
    path.startsWith('dashboard/') &&
    !path.startsWith('dashboard/ui/') &&
    /<button\b/.test(readFileSync(join(root, path), 'utf8'))
  expect(sources.filter(isFound).map(({ path }) => path)).toEqual([])
})

test('no file of the dashboard is above 300 lines', () => {
  const long = sources
    .filter(({ path }) => path.startsWith('dashboard/') && path !== 'dashboard/core/answers.ts')
    .map(({ path }) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > 300)
  expect(long).toEqual([])
})

/** Exported names that stay in two files, by the reason: each is one thing on both sides. */
const SHARED: Record<string, string[]> = {
  'a record of the engine, and the schema of the answer that holds it': [
    'About',
    'Aoi',
    'AoiPart',
    'Author',
    'Exclusion',
    'Fault',
    'ImportReport',
    'Item',
    'Job',
    'KeptTests',
    'MethodsFacts',
    'Participant',
    'Polygon',
    'Recording',
    'Rectangle',
    'SuggestedOffset',
    'TestResult',
    'TimeRange',
    'Webhook',
  ],
  'the same, as a client has it: the package for scripts, the dashboard': [
    'Comparison',
    'Parameters',
    'Problem',
    'StudyAnalysis',
    'TestKind',
  ],
  'an export, and the analysis of the same name, each an entry of its table': [
    'microsaccades',
    'pupils',
    'reading',
    'scanpaths',
  ],
}

/** Types that are made from schemas and lists of the server and the engine, under their names. */
const MADE = ['clients/js/src/types.ts', 'dashboard/core/answers.ts']

test('an exported name is of one file, except for things that both sides have', () => {
  const files = new Map<string, string[]>()
  for (const { path, exports } of [...sources, ...readSources(root, ['clients/js/src', 'scripts'])])
    for (const name of new Set(exports)) files.set(name, [...(files.get(name) ?? []), path])
  const twice = [...files].flatMap(([name, all]) => {
    const paths = all.filter((path) => !MADE.includes(path))
    return paths.length > 1 ? [{ name, paths }] : []
  })
  const shared = Object.values(SHARED).flat()
  expect(files.size).toBeGreaterThan(3000)
  expect(twice.filter(({ name }) => !shared.includes(name))).toEqual([])
  expect(shared.filter((name) => !twice.some((each) => each.name === name))).toEqual([])
})

test('the numbers of the house', () => {
  const exported = new Map<string, number>()
  for (const name of sources.flatMap((source) => [...new Set(source.exports)]))
    exported.set(name, (exported.get(name) ?? 0) + 1)
  const engine: Graph = new Map([...rooms].filter(([room]) => room.startsWith('engine/')))
  const functions = sources.flatMap((source) => source.functions)
  const arrows = (graph: Graph) => [...graph.values()].reduce((sum, uses) => sum + uses.size, 0)
  const numbers = {
    'source files': sources.length,
    rooms: rooms.size,
    'rooms of the engine': engine.size,
    floors: floorsOf(rooms),
    'arrows between rooms': arrows(rooms),
    'circles of folders': circles(folders).length,
    'functions above 60 lines': functions.filter(({ lines }) => lines > 60).length,
    functions: functions.length,
    'exported names in two files or more': [...exported.values()].filter((count) => count > 1).length,
    'exported names': exported.size,
  }
  expect(numbers.floors).toBeLessThanOrEqual(16)
  console.log(
    Object.entries(numbers)
      .map(([name, number]) => `${name}: ${number}`)
      .join('\n'),
  )
  for (const number of Object.values(numbers)) expect(Number.isInteger(number)).toBe(true)
})
