import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import {
  CLIENTS,
  GUARDED_STUDY,
  ITEM,
  type Outside,
  openBadWire,
  openOutside,
  rowCounts,
  transitionsOf,
} from './outside.ts'

const js = join(CLIENTS, 'js')
const tsc = join(CLIENTS, '../node_modules/typescript/bin/tsc')
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const CHROMIUM_ARGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

let outside: Outside
/** The packed package, where Node looks for it, is what is tested. */
beforeAll(async () => {
  outside = await openOutside()
  const source = join(outside.directory, 'source')
  await outside.run(process.execPath, [tsc, '-p', js, '--outDir', join(source, 'dist')])
  for (const name of ['package.json', 'README.md', 'example.mjs']) await cp(join(js, name), join(source, name))
  await outside.run('npm', ['pack', '--silent', '--offline', source])
  const modules = join(outside.directory, 'node_modules')
  await mkdir(modules)
  const rename = '--transform=s,^package,gazette-client,'
  await outside.run('tar', ['-xzf', 'gazette-client-0.2.0.tgz', rename, '-C', modules])
})
afterAll(() => outside.close())

const BEGIN = `import { openGazette, GazetteError } from 'gazette-client'
const { GAZETTE_URL: url, GAZETTE_TOKEN: token, STUDY: study } = process.env
const gazette = openGazette({ url, token })
`

/** Runs a script below a client that is open as `gazette`, and returns what it printed. */
async function node(code: string, begin = BEGIN): Promise<string> {
  await writeFile(join(outside.directory, 'script.mjs'), begin + code)
  return outside.run(process.execPath, ['script.mjs'])
}

test('the first lines of the README give rows', async () => {
  const [, code] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(js, 'README.md'), 'utf8'))!
  expect(code.trim().split('\n')).toHaveLength(3)
  const own = code.replace('http://127.0.0.1:8080', outside.service.url).replace('THE-TOKEN', outside.service.read)
  const printed = await node(`${own}\nconsole.log(fixations.length > 0, Object.keys(fixations[0])[0])`, '')
  expect(printed).toBe('true study_id\n')
})

test('a text that begins as a guarded one comes as it is', async () => {
  const code = `const [first] = await gazette.rows('keyboard-mouse-overall', '${GUARDED_STUDY}')
console.log(first.participant_external_id, first.participant_display_name)`
  expect(await node(code)).toBe("'=x ''-1\n")
})

test('the example ends in a figure', async () => {
  await cp(join(js, 'example.mjs'), join(outside.directory, 'example.mjs'))
  await outside.run(process.execPath, ['example.mjs'])
  expect(await readFile(join(outside.directory, 'dwell.svg'), 'utf8')).toMatch(/<rect .*<\/svg>\n$/)
})

test('the types name exports and parameters, and refuse others', async () => {
  const code = `import { GazetteError, openGazette, type Row } from 'gazette-client'
import { saveExport } from 'gazette-client/node'
const gazette = openGazette({ url: '' })
const study = await gazette.study('x')
export const width: number | null | undefined = study.items[0].widthPx
export const rows: Row[] = await gazette.rows('fixations', study, { parameters: { detector: 'velocity', binMs: 30 } })
export const { isNew }: { isNew: boolean } = await saveExport(gazette, 'fixations', study, 'a.csv')
export const status: number = new GazetteError({ status: 404 }).status
// @ts-expect-error
gazette.rows('fixation', study)
// @ts-expect-error
gazette.rows('fixations', study, { parameters: { bin: 30 } })
`
  await writeFile(join(outside.directory, 'consumer.mts'), code)
  const options = '--noEmit --strict --module nodenext --target es2022 --lib es2022,dom --types'.split(' ')
  await outside.run(process.execPath, [tsc, ...options, '', 'consumer.mts'])
})

test('the rows of every export are those of the NDJSON file', async () => {
  const printed = await node(`
for (const { name } of await gazette.exports()) {
  const rows = await gazette.rows(name, study)
  console.log(name, JSON.stringify(rows) === '[' + new TextDecoder().decode(await gazette.bytes(name, study, 'ndjson')).trimEnd().split('\\n').join(',') + ']', rows.length, Object.keys(rows[0] ?? {}).length)
}`)
  const counts = await rowCounts(outside)
  for (const { name, columns } of EXPORTS) {
    const [, isSame, rows, width] = new RegExp(`^${name} (true|false) (\\d+) (\\d+)$`, 'm').exec(printed) ?? []
    const isWide = Number(width) >= (rows === '0' ? 0 : columns.length)
    expect([isSame, Number(rows), isWide], name).toEqual(['true', counts.get(name), true])
  }
})

test('a large export is waited for and saved; by its tag, it is not downloaded again', async () => {
  outside.statuses()
  const printed = await node(`import { saveExport } from 'gazette-client/node'
const stages = new Set()
const options = { parameters: { movingMedianRangeMs: 153 }, onProgress: (stage) => stages.add(stage) }
const { tag, isNew } = await saveExport(gazette, 'gazes-split', study, 'gazes.csv', options)
console.log(isNew, [...stages].join())
console.log((await saveExport(gazette, 'gazes-split', study, 'gazes.csv', { ...options, knownTag: tag })).isNew)
await saveExport(gazette, 'fixations', study, 'fixations.semicolon.csv', {})`)
  expect(printed).toBe('true computing,downloading\nfalse\n')
  expect(outside.statuses()).toEqual([202, 206, 304, 200])
  const path = `/api2/studies/${GOLDEN_STUDY}/collected-data/eye-tracking/gazes/raw-denoises-normalized-split`
  const expected = await (await outside.service.get(`${path}?movingMedianRangeMs=153`)).text()
  expect(await readFile(join(outside.directory, 'gazes.csv'), 'utf8')).toBe(expected)
  expect(existsSync(join(outside.directory, 'gazes.csv.part'))).toBe(false)
  expect(await readFile(join(outside.directory, 'fixations.semicolon.csv'), 'utf8')).toMatch(/^\uFEFFstudy_id;item_id;/)
})

test('an export in parts is waited for, and its rows are those of the one file', async () => {
  const printed = await node(`
const options = { parameters: { movingMedianRangeMs: 154 } }
const rows = await gazette.rows('fixations', study, { ...options, output: 'parts' })
console.log(rows.length > 0, JSON.stringify(rows) === JSON.stringify(await gazette.rows('fixations', study, options)))
const parts = await gazette.parts('fixations', study, 'csv', options)
console.log(parts.map(({ number, rows, name }) => [number, rows, /-fixations-1-of-1.csv$/.test(name)].join()).join(), rows.length)`)
  expect(printed).toMatch(/^true true\n1,(\d+),true \1\n$/)
})

test('refusals have the message of the server; other errors are one sentence', async () => {
  const printed = await node(`import { saveExport } from 'gazette-client/node'
const told = (work) => work().then(() => console.log('nothing'), (error) => console.log(error.name, error.status, error.message))
await told(() => gazette.rows('fixations', study, { parameters: { movingMedianRange: 150, binMs: 1 } }))
await told(() => gazette.rows('fixation', study))
await told(() => saveExport(gazette, 'fixations', study, 'a.txt'))
await told(() => gazette.study('nobody'))
await told(() => openGazette({ url: 'http://127.0.0.1:9' }).studies())
await told(async () => openGazette({ url: 'http://gazette.example', token }))
const stop = AbortSignal.abort()
await told(() => gazette.rows('fixations', study, { signal: stop }))`)
  expect(printed.split('\n')).toEqual([
    'GazetteError 400 Invalid parameter: movingMedianRange is not a parameter of this export, got "150" (did you mean movingMedianRangeMs?); binMs must be a whole number from 10 to 10000, got "1"',
    'GazetteError 404 Not found: There is no such export (did you mean fixations?); GET /api2/exports lists them.',
    'GazetteError 400 Invalid parameter: format must be one of csv, ndjson, arrow, parquet, xlsx, csv-semicolon, got "txt"',
    'GazetteError 404 Not found: The resource does not exist, or this token may not read it.',
    expect.stringMatching(/^GazetteError 0 Gazette does not answer: The server at http:\/\/127.0.0.1:9 /),
    expect.stringMatching(/^TypeError undefined http:\/\/gazette.example must begin with https:\/\//),
    'AbortError undefined This operation was aborted',
    '',
  ])
  expect(existsSync(join(outside.directory, 'a.txt'))).toBe(false)
})

test('damaged bytes are noticed by the digest and downloaded once more; damaged twice is an error', async () => {
  for (const damaged of [1, 2]) {
    const wire = await openBadWire(outside.service.url, damaged)
    const asked = node(
      `console.log((await openGazette({ url: '${wire.url}', token }).rows('fixations', study)).length)`,
    )
    if (damaged === 1) expect(await asked).toMatch(/^\d+\n$/)
    else await expect(asked).rejects.toThrow('The download is damaged')
    await wire.close()
  }
})

test("a page of the server's own reads exports with it, small and large, with and without rows", async (context) => {
  if (!existsSync(CHROMIUM)) context.skip('skipped: Chromium is not installed here')
  const entry = join(outside.directory, 'node_modules/gazette-client/dist/gazette.js')
  const lib = { entry, name: 'client', formats: ['iife' as const] }
  const built = await build({ configFile: false, logLevel: 'error', build: { lib, write: false } })
  const { code } = (Array.isArray(built) ? built[0] : (built as never)).output[0]
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS.split(' ') })
  try {
    const page = await browser.newPage()
    await page.goto(`${outside.service.url}/docs`)
    const counts = await page.evaluate(`(async () => {
      ${code}
      const gazette = client.openGazette({ url: '', token: '${outside.service.read}' })
      const count = async (name, parameters) => (await gazette.rows(name, '${GOLDEN_STUDY}', { parameters })).length
      return [await count('fixations'), await count('gazes-split'), await count('fixations', { filter: 'participant_age = 99' })]
    })()`)
    expect(counts).toEqual([expect.any(Number), 217, 0])
  } finally {
    await browser.close()
  }
})

test('an analysis is what the server computes', async () => {
  const code = `const { transitions } = await gazette.analyse('transitions', study, { itemId: '${ITEM}' })
console.log(JSON.stringify(transitions.counts.flat()), (await gazette.analyses(study)).length)`
  expect(await node(code)).toBe(`${JSON.stringify(await transitionsOf(outside))} 0\n`)
})

test('pupils over time are what the server computes; a study without eyes refuses a choice of them', async () => {
  const code = `const { groups, binStartsMs } = await gazette.analyse('pupils', study, { pupilBinMs: 100 })
const refused = await gazette.analyse('pupils', study, { eye: 'left' }).catch(({ detail }) => detail)
console.log(groups[0].participants, binStartsMs.length, refused)`
  expect(await node(code)).toContain('0 55 eye must be left out, since the study has no pupils')
})
