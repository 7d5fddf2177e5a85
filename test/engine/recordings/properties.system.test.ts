import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { ServiceError } from '../../../engine/model/errors.ts'
import { cleanUp, convertAndRead, shapeFiles, writeFiles } from './converted.ts'
import { LOOKS, SHAPES, tableText, WINDOW } from './shapes.ts'
import { tableWorkbook } from './workbooks.ts'

afterEach(cleanUp)

const HEADER = ['subject', 'image', 'time', 'x', 'y']
const mapping = {
  ...{ gazetteMapping: 1, participant: 'subject', item: 'image', trial: null, screen: WINDOW },
  ...{ time: { column: 'time', unit: 'ms', origin: 'item' }, gaze: [{ x: 'x', y: 'y', unit: 'px' }] },
}
type Look = { who: string; what: string; samples: [number, number | null][] }

const texts = (column: number, { who, what, samples }: Look): string[][] =>
  samples.map(([t, x]) => [who, what, String(t), x === null ? '' : String(x), x === null ? '' : String(x + column)])

/** Ways in which a table may be written, of which all say the same. */
const ENCODINGS: ((rows: string[][]) => [ending: string, bytes: Buffer])[] = [
  (rows) => ['csv', Buffer.from(tableText(rows, ','))],
  (rows) => ['tsv', Buffer.from(tableText(rows, '\t', '\r\n'))],
  (rows) => [
    'csv',
    Buffer.from(
      `\uFEFF${tableText(
        rows.map((cells) => cells.map((cell) => cell.replace('.', ','))),
        ';',
      )}`,
    ),
  ],
  (rows) => ['txt', Buffer.from(`\uFEFF${tableText(rows, '\t')}`, 'utf16le')],
  (rows) => ['csv.gz', gzipSync(tableText(rows, ','))],
  (rows) => ['xlsx', tableWorkbook(rows)],
]

const look = (who: string, what: string) =>
  fc
    .array(
      fc.option(
        fc.integer({ min: 0, max: 3000 }).map((x) => x / 2),
        { freq: 5 },
      ),
      { minLength: 3, maxLength: 12 },
    )
    .map((xs): Look => ({ who, what, samples: xs.map((x, i) => [i * 16.5, x]) }))

/** Placement of each recording: in which of a few files, folder, encoding, and order. */
const study = fc
  .tuple(...['Ada', 'Bo', 'Cy'].flatMap((who) => ['cat', 'dog'].map((what) => look(who, what))))
  .chain((looks) =>
    fc.record({
      order: fc.shuffledSubarray(looks, { minLength: looks.length, maxLength: looks.length }),
      fileOf: fc.array(fc.nat({ max: 3 }), { minLength: looks.length, maxLength: looks.length }),
      encodings: fc.array(fc.constantFrom(...ENCODINGS), { minLength: 4, maxLength: 4 }),
      folders: fc.array(fc.constantFrom('', 'north/', 'south/deep/'), { minLength: 4, maxLength: 4 }),
      columns: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5, maxLength: 5 }),
    }),
  )

/**
 * Returns the parts of a study that do not depend on how its recordings were written: everything except orders that
 * files give.
 */
async function contentOf(files: Record<string, Buffer>): Promise<string[]> {
  const { looks } = await convertAndRead([writeFiles(files)], { mapping, isImported: false })
  return looks.map((one) => JSON.stringify(one)).sort()
}

test('any recording split into files, folders, orders and encodings gives the same study', async () => {
  await fc.assert(
    fc.asyncProperty(study, async ({ order, fileOf, encodings, folders, columns }) => {
      const rowsOf = (list: Look[]) =>
        [HEADER, ...list.flatMap((one) => texts(1, one))].map((cells) => columns.map((column) => cells[column]))
      const whole = await contentOf({ 'all.csv': Buffer.from(tableText(rowsOf(order))) })
      const files = [0, 1, 2, 3].flatMap((n): [string, Buffer][] => {
        const own = order.filter((_, i) => fileOf[i] === n)
        if (own.length === 0) return []
        const [ending, bytes] = encodings[n](rowsOf(own))
        return [[`${folders[n]}gaze-${n}.${ending}`, bytes]]
      })
      expect(await contentOf(Object.fromEntries(files))).toEqual(whole)
    }),
    { numRuns: 15, seed: 16 },
  )
})

/** Everybody's gazes, none of which is another's. */
const GAZES = Object.fromEntries(
  ['Ada', 'Bo'].map((person) => {
    const own = LOOKS.filter((one) => one.participant === person).flatMap(({ samples }) => samples)
    return [person, new Set(own.filter(([, x]) => x !== null).map(([, x, y]) => `${x} ${y}`))]
  }),
)

const damage = fc.record({
  shape: fc.constantFrom(...Object.keys(SHAPES)),
  edits: fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      how: fc.constantFrom('drop', 'repeat', 'noise', 'cut'),
      length: fc.integer({ min: 1, max: 300 }),
      byte: fc.integer({ min: 1, max: 255 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
})

test('random damage is refused, or told of, or changes some values; it never merges two people', async () => {
  await fc.assert(
    fc.asyncProperty(damage, async ({ shape: name, edits }) => {
      const shape = SHAPES[name]
      const files = Object.entries(shapeFiles(shape))
      const [which, whole] = files.reduce((a, b) => (a[1].length >= b[1].length ? a : b))
      let bytes: Buffer = whole
      for (const { at, how, length, byte } of edits) {
        const start = Math.floor(at * bytes.length)
        const end = Math.min(bytes.length, start + length)
        const own = bytes.subarray(start, end)
        const put = how === 'repeat' ? Buffer.concat([own, own]) : Buffer.alloc(how === 'noise' ? own.length : 0, byte)
        bytes = Buffer.concat([bytes.subarray(0, start), put, how === 'cut' ? Buffer.alloc(0) : bytes.subarray(end)])
      }
      const path = writeFiles({ ...Object.fromEntries(files), [which]: bytes })
      try {
        const { looks, conversion } = await convertAndRead([path], { ...shape.options, isImported: false })
        const isTold = conversion.doubts.join().includes('times run backwards')
        for (const { participant, samples } of looks) {
          const [ada, bo] = ['Ada', 'Bo'].map((person) => samples.filter(([, x, y]) => GAZES[person].has(`${x} ${y}`)))
          // Where a piece is cut out between two people, their halves of a row become one, which nobody can tell.
          expect(Math.min(ada.length, bo.length) <= 1 || isTold, `${name}: ${participant}`).toBe(true)
        }
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        expect(error.message).toMatch(/^[^\n]{15,600}$/)
      }
    }),
    { numRuns: 60, seed: 16 },
  )
})

test('the same recordings are the same tests in any order of their files', async () => {
  const path = writeFiles(shapeFiles(SHAPES.Gazepoint))
  const names = Object.keys(shapeFiles(SHAPES.Gazepoint)).map((name) => join(path, name))
  const options = { ...SHAPES.Gazepoint.options, isImported: false }
  const [one, two] = [await convertAndRead(names, options), await convertAndRead([...names].reverse(), options)]
  for (const name of ['tests.csv', 'samples.parquet'])
    expect(readFileSync(join(one.directory, name)).equals(readFileSync(join(two.directory, name))), name).toBe(true)
})
