import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openKeptRows } from '../../../engine/store/kept-rows.ts'
import { type PlainRows, parseSamples } from '../../../engine/store/parse-samples.ts'
import { openPlain } from '../../../engine/store/plain-pieces.ts'
import { beginReading } from '../../../engine/store/read-plain.ts'
import { sampleLines, TEXT_AT } from '../../../engine/store/sample-lines.ts'
import { SAMPLE_LINES_WASM } from '../../../engine/store/sample-lines-wasm.ts'
import type { Manifest } from '../../../engine/study.ts'
import { buildKernel } from '../../../scripts/build-wasm.mjs'
import {
  type Bundle,
  type Lab,
  makeLab,
  type Row,
  SAMPLE_COLUMNS,
  STUDY_ID,
  samplesOf,
  smallBundle,
  test as testRow,
  toCsv,
  uuid,
  writeBundle,
} from './bundles.ts'

let lab: Lab
beforeEach(async () => {
  lab = await makeLab()
})
afterEach(() => lab.remove())

const ORDER = Uint8Array.from(SAMPLE_COLUMNS.keys())

/** Rows of lines with all columns, which are read as in a file. */
function parse(text: string): PlainRows | null {
  sampleLines().bytes.set(Buffer.from(text, 'latin1'), TEXT_AT)
  return parseSamples(TEXT_AT, TEXT_AT + text.length, ORDER)
}

test('the kernel is what its source says', async () => {
  expect(SAMPLE_LINES_WASM).toBe(await buildKernel('store/sample-lines'))
})

describe('plain lines', () => {
  const id = uuid('c', 1)

  test('become columns: whole µs, lost eyes and mice without x or y, no scroll 0', () => {
    const lines = [
      `${id},-1.0005,2,-3.25,4,5,6,true`,
      `${id},0.1,2,,,5,NA,0`,
      `${uuid('C', 2)},1e2,nan,7,-0,,,1`,
      `${id},7,NaN,1,0.5e1,1,2,NA`,
    ]
    const rows = parse(lines.map((line) => `${line}\n`).join(''))
    expect(rows?.ids).toEqual([id, uuid('C', 2)])
    expect(rows && [...rows.test]).toEqual([0, 0, 1, 0])
    expect(rows && [...rows.tUs]).toEqual([-1000, 100, 100_000, 7000])
    expect(rows && [...rows.gazeXPx]).toEqual([2, Number.NaN, Number.NaN, Number.NaN])
    expect(rows && [...rows.gazeYPx]).toEqual([-3.25, Number.NaN, Number.NaN, Number.NaN])
    expect(rows && [...rows.scrollYPx]).toEqual([4, 0, -0, 5])
    expect(rows && [...rows.mouseXPx]).toEqual([5, Number.NaN, Number.NaN, 1])
    expect(rows && [...rows.mouseYPx]).toEqual([6, Number.NaN, Number.NaN, 2])
    expect(rows && [...rows.isClick]).toEqual([1, 0, 1, 0])
  })

  test('hold the numbers that JavaScript reads', () => {
    const number = fc.oneof(
      fc
        .double({ min: -1e7, max: 1e7, noNaN: true })
        .map(String)
        .filter((text) => !/e-\d{3}/.test(text)),
      fc.tuple(fc.integer({ min: -9_999_999, max: 9_999_999 }), fc.nat(15)).map(([n, digits]) => n.toFixed(digits)),
      fc.tuple(fc.nat(9_999_999), fc.stringMatching(/^\d{1,20}$/)).map(([whole, fraction]) => `-${whole}.${fraction}`),
      fc.stringMatching(/^0{0,12}\d{1,7}$/),
    )
    fc.assert(
      fc.property(number, (text) => {
        const rows = parse(`${id},0,${text},1,0,0,0,0\n`)
        expect(rows?.gazeXPx[0]).toBe(Number(text))
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['another cell', `${id},1,2,3,4,5,6,true,7\n`],
    ['a cell less', `${id},1,2,3,4,5,6\n`],
    ['a blank line', `${id},1,2,3,4,5,6,true\n\n${id},2,2,3,4,5,6,true\n`],
    ['a blank before a number', `${id},1, 2,3,4,5,6,true\n`],
    ['a plus', `${id},1,+2,3,4,5,6,true\n`],
    ['a point without digits', `${id},1,2.,3,4,5,6,true\n`],
    ['a quote', `${id},1,"2",3,4,5,6,true\n`],
    ['a quoted id', `"${id}",1,2,3,4,5,6,true\n`.replace('000001', '0001')],
    ['another word for true', `${id},1,2,3,4,5,6,TRUE\n`],
    ['a number that begins like a click', `${id},1,2,3,4,5,6,10\n`],
    ['a word after a click', `${id},1,2,3,4,5,6,truely\n`],
    ['a lost time', `${id},,2,3,4,5,6,true\n`],
    ['a time beyond a day', `${id},86400000.1,2,3,4,5,6,true\n`],
    ['a place beyond the bounds', `${id},1,2,-10000000.5,4,5,6,true\n`],
    ['an infinity', `${id},1,2,3,inf,5,6,true\n`],
    ['a huge exponent', `${id},1,2,3,1e-400,5,6,true\n`],
    ['CR inside a line', `${id},1\r,2,3,4,5,6,true\n`],
    ['two CR', `${id},1,2,3,4,5,6,true\r\r\n`],
    ['a short id', `${id.slice(1)},1,2,3,4,5,6,true\n`],
    ['nothing but line ends', '\n'.repeat(60)],
  ])('%s is not plain', (_what, text) => {
    const rows = parse(text)
    // An id that is none is not known to anybody.
    if (rows) expect(rows.ids).not.toContain(id)
    else expect(rows).toBeNull()
  })

  test('of a header that is quoted, has a BOM, another or a doubled name, or is gzipped, are left to DuckDB', async () => {
    const path = join(lab.root, 'samples.csv')
    const isPlain = async (text: string, at = path) => {
      await writeFile(at, text)
      return openPlain(at) !== null
    }
    expect(await isPlain('t_ms,test_id\n')).toBe(true)
    expect(await isPlain('t_ms,test_id,is_click\r\n')).toBe(true)
    expect(await isPlain('"t_ms",test_id\n')).toBe(false)
    expect(await isPlain('\uFEFFt_ms,test_id\n')).toBe(false)
    expect(await isPlain('t_ms,test_id,pupil\n')).toBe(false)
    expect(await isPlain('t_ms,test_id,t_ms\n')).toBe(false)
    expect(await isPlain('t_ms,gaze_x_px\n')).toBe(false)
    expect(await isPlain('t_ms,test_id')).toBe(false)
    expect(await isPlain('t_ms,test_id\n', join(lab.root, 'samples.csv.gz'))).toBe(false)
    expect(beginReading(join(lab.root, 'nowhere.csv'), 1)).toBeNull()
  })
})

test('kept rows are the same from memory and from a file', () => {
  const rows = parse(`${uuid('c', 1)},1,2,3,4,5,6,true\n${uuid('c', 1)},2,12,13,14,15,16,0\n`) as PlainRows
  for (const memoryMib of [0, 1]) {
    const kept = openKeptRows(join(lab.root, 'rows'), memoryMib)
    kept.add(rows)
    kept.add(rows)
    const numbers = new Float64Array(3).fill(-1)
    kept.copy(1, 2, 0, 2, numbers, 1)
    expect([...numbers]).toEqual([-1, 3, 13])
    const flags = new Uint8Array(2).fill(7)
    kept.copy(0, 6, 1, 1, flags, 0)
    expect([...flags]).toEqual([0, 7])
    kept.close()
  }
})

test('a large file is hashed while it is read, by one thread or by several', async () => {
  const path = join(lab.root, 'samples.csv')
  const text = toCsv(samplesOf(uuid('c', 1), 200_000), SAMPLE_COLUMNS)
  await writeFile(path, text)
  for (const bytesPerThread of [1 << 27, 1 << 22]) {
    const reading = beginReading(path, 3, bytesPerThread)
    let n = 0
    for await (const rows of reading!.pieces()) n += rows!.n
    expect(n).toBe(200_000)
    expect(await reading!.sha256).toBe(createHash('sha256').update(text).digest('hex'))
    await reading!.stop()
  }
})

test('a large file that nobody takes, or that is not plain, has no hash once it is let go of', async () => {
  const path = join(lab.root, 'samples.csv')
  const text = toCsv(samplesOf(uuid('c', 1), 200_000), SAMPLE_COLUMNS)
  await writeFile(path, text)
  const untaken = beginReading(path, 1)
  await untaken!.stop()
  expect(await untaken!.sha256).toBeNull()
  await writeFile(path, text.replace('\n', '\n\n'))
  const broken = beginReading(path, 1)
  for await (const rows of broken!.pieces()) expect(rows).toBeNull()
  await broken!.stop()
  expect(await broken!.sha256).toBeNull()
})

/** What a snapshot made of a bundle's samples, but for their hash. */
async function madeOf(directory: string, memoryMib = 256) {
  const dataDir = `${directory}-data`
  const { snapshotId } = await lab.importDir(directory, { dataDir, memoryMib })
  const path = join(dataDir, 'studies', STUDY_ID, snapshotId, 'manifest.json')
  const { sampleFiles, files } = JSON.parse(await readFile(path, 'utf8')) as Manifest
  return { sampleFiles, files }
}

/** The same bundle with plain samples, and with a quoted header, which only DuckDB reads. */
async function bothWays({ samples: _, ...bundle }: Bundle, text: string, memoryMib?: number) {
  const plain = await writeBundle(lab.bundleDir(), bundle)
  const quoted = await writeBundle(lab.bundleDir(), bundle)
  await writeFile(join(plain, 'samples.csv'), text)
  await writeFile(join(quoted, 'samples.csv'), text.replace('test_id', '"test_id"'))
  expect([openPlain(join(plain, 'samples.csv')) !== null, openPlain(join(quoted, 'samples.csv'))]).toEqual([true, null])
  return [await madeOf(plain, memoryMib), await madeOf(quoted, memoryMib)]
}

describe('a snapshot is the same to the byte as DuckDB makes it', () => {
  test('whatever the rows hold', async () => {
    const px = fc.constantFrom(
      '',
      'NA',
      'nan',
      '0',
      '-0',
      '-0.0',
      '7',
      '627.0',
      '-12.345',
      '0.1',
      '1e3',
      '1.5E-3',
      '1e+2',
      '627.3333333333334',
      '9999999.999999999',
      '10000000',
      '0000000000012',
      '123.1234567',
    )
    const row = fc.record({
      test_id: fc.constantFrom(uuid('c', 1), uuid('C', 1), uuid('c', 2), uuid('c', 3)),
      t_ms: fc.constantFrom('0', '-5.5', '16.6665', '0.0004999', '86400000', '1e3', '33.333333333333336', '-0'),
      gaze_x_px: px,
      gaze_y_px: px,
      scroll_y_px: px,
      mouse_x_px: px,
      mouse_y_px: px,
      is_click: fc.constantFrom('', 'true', 'false', '1', '0', 'NA', 'NaN', 'nan'),
    })
    const columns = fc
      .shuffledSubarray(SAMPLE_COLUMNS.slice(2))
      .chain((some) => fc.shuffledSubarray(['test_id', 't_ms', ...some], { minLength: some.length + 2 }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 40 }),
        columns,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        async (rows: Row[], names, eol, hasEnd) => {
          const text = toCsv(rows, names, eol)
          const whole = hasEnd || rows.length === 0 ? text : text.slice(0, -eol.length)
          const [plain, quoted] = await bothWays(smallBundle(), whole)
          expect(plain).toEqual(quoted)
        },
      ),
      { numRuns: 12 },
    )
  })

  test('of many rows, read by threads, whose pieces do not fit into memory', async () => {
    const bundle = smallBundle()
    const numbers = Array.from({ length: 60 }, (_, i) => i + 1)
    bundle.tests = numbers.map((n) =>
      testRow(n, (n % 2) + 1, (n % 3 === 0 ? 1 : 0) + 1, { display_order: String(n % 7) }),
    )
    const lines = numbers.flatMap((n) =>
      samplesOf(uuid('c', n), 6000, (i) => ({
        gaze_x_px: `${((n * i) % 1777) / 8}`,
        mouse_x_px: '1',
        mouse_y_px: `${i}`,
      })),
    )
    const text = toCsv(lines, SAMPLE_COLUMNS)
    expect(text.length).toBeGreaterThan(1 << 24)
    const [plain, quoted] = await bothWays(bundle, text, 64)
    expect(plain.sampleFiles).toHaveLength(2)
    expect(plain).toEqual(quoted)
  })

  test('of tests whose rows alternate', async () => {
    const bundle = smallBundle()
    const lines = Array.from(
      { length: 3000 },
      (_, i) => samplesOf(uuid('c', (i % 3) + 1), 1, () => ({ t_ms: `${i}` }))[0],
    )
    const [plain, quoted] = await bothWays(bundle, toCsv(lines, SAMPLE_COLUMNS))
    expect(plain).toEqual(quoted)
  })

  test('when only the last row of many is not plain', async () => {
    const bundle = smallBundle()
    const lines = samplesOf(uuid('c', 1), 180_000)
    const text = `${toCsv(lines, SAMPLE_COLUMNS)}${uuid('c', 2)},"1",+2, 3,,,,\n`
    expect(text.length).toBeGreaterThan(1 << 23)
    const [plain, quoted] = await bothWays(bundle, text)
    expect(plain).toEqual(quoted)
  })
})

test('what breaks a rule far down a large file is told by line, and an unknown test too', async () => {
  const bundle = smallBundle()
  bundle.samples = samplesOf(uuid('c', 1), 180_000)
  bundle.samples[179_998].gaze_x_px = '10000001'
  bundle.samples[179_999].test_id = uuid('c', 9)
  const refused = await lab.importing(bundle).catch((error) => error)
  expect(refused.problems).toEqual([
    {
      file: 'samples.csv',
      line: 180_000,
      column: 'gaze_x_px',
      value: '10000001',
      rule: 'must be a number from -10000000 to 10000000, or empty',
    },
    {
      file: 'samples.csv',
      line: 180_001,
      column: 'test_id',
      value: uuid('c', 9),
      rule: 'must be the id of a test in tests.csv',
    },
  ])
})
