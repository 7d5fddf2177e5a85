import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ServiceError } from '../../../engine/model/errors.ts'
import { READERS } from '../../../engine/recordings/convert/readers.ts'
import { cleanUp, convertAndRead, shapeFiles, writeFiles } from './converted.ts'
import { LOOKS, SHAPES, type Shape, WINDOW } from './shapes.ts'
import { tableWorkbook } from './workbooks.ts'

afterEach(cleanUp)

const expected = ({ participantName = (name) => name, itemName = (name) => name }: Shape) =>
  LOOKS.map(({ participant, item, samples }) => ({
    participant: participantName(participant),
    item: itemName(item),
    samples,
  }))

const isTable = ({ files }: Shape) => Object.values(files).some(Array.isArray)

test('every format of text has a shape here; that of HDF5 has a test of its own', () => {
  const ofText = READERS.map(({ name }) => name).filter((name) => name !== 'psychopy')
  expect(new Set(Object.values(SHAPES).map(({ format }) => format))).toEqual(new Set(ofText))
})

test('docs/formats.md has a section on every format', () => {
  const docs = readFileSync(new URL('../../../docs/formats.md', import.meta.url), 'utf8')
  const sections = [...docs.matchAll(/^## .*, `(\w+)`$/gm)].map(([, name]) => name)
  expect(new Set(sections)).toEqual(new Set(READERS.map(({ name }) => name)))
})

describe.each(Object.entries(SHAPES))('a study in the shape of %s', (_name, shape) => {
  // That a bundle can be imported shows once; what is written otherwise has to be the same.
  const convert = (files: Record<string, Buffer>, isImported = false) =>
    convertAndRead([writeFiles(files)], { ...shape.options, isImported })

  test('is the same study when it is read', async () => {
    const { conversion, looks, tests } = await convert(shapeFiles(shape), true)
    expect(conversion.format).toBe(shape.format)
    expect(looks).toEqual(expected(shape))
    for (const { browser_width_px, browser_height_px } of tests) {
      expect([browser_width_px, browser_height_px]).toEqual([String(WINDOW.widthPx), String(WINDOW.heightPx)])
    }
  })

  test('has the same ids and bytes when it is converted again', async () => {
    const path = writeFiles(shapeFiles(shape))
    const options = { ...shape.options, isImported: false }
    const [one, two] = [await convertAndRead([path], options), await convertAndRead([path], options)]
    for (const name of [
      'study.json',
      'participants.csv',
      'tests.csv',
      'samples.parquet',
      'conversion.json',
      'recordings.json',
    ])
      expect(readFileSync(join(one.directory, name)).equals(readFileSync(join(two.directory, name))), name).toBe(true)
  })

  test.each([
    ['CRLF', { lineEnd: '\r\n' }],
    ['a byte order mark', { encode: (text: string) => Buffer.from(`\uFEFF${text}`) }],
    ['UTF-16, low byte first', { encode: (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le') }],
    ['UTF-16, low byte first, without mark', { encode: (text: string) => Buffer.from(text, 'utf16le') }],
    ['UTF-16, high byte first', { encode: (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16() }],
  ])('may be written with %s', async (_what, how) => {
    const { looks } = await convert(shapeFiles(shape, how))
    expect(looks).toEqual(expected(shape))
  })

  if (isTable(shape))
    test('may have its columns in another order', async () => {
      const change = (rows: string[][]) => rows.map((cells) => [...cells].reverse())
      const { looks } = await convert(shapeFiles(shape, { change }))
      expect(looks).toEqual(expected(shape))
    })

  if (isTable(shape))
    test('may have its tables in spreadsheets', async () => {
      const files = Object.entries(shape.files).map(([name, content]) =>
        Array.isArray(content)
          ? [name.replace(/\.\w+$/, '.xlsx'), tableWorkbook(content)]
          : [name, Buffer.from(content)],
      )
      const { conversion, looks } = await convert(Object.fromEntries(files))
      expect(conversion.format).toBe(shape.format)
      expect(looks).toEqual(expected(shape))
    })

  if (isTable(shape))
    test('may have decimal commas, and semicolons between its cells', async () => {
      const change = (rows: string[][]) =>
        rows.map((cells) => cells.map((cell) => (/^-?\d+\.\d+$/.test(cell) ? cell.replace('.', ',') : cell)))
      const { looks } = await convert(shapeFiles(shape, { change, to: ';' }))
      expect(looks).toEqual(expected(shape))
    })

  test('is recognised whatever its files are called, where they stand alone', async () => {
    const files = Object.values(shapeFiles(shape))
    if (files.length > 1) return
    const { conversion } = await convert({ 'a file': files[0] })
    expect(conversion.format).toBe(shape.format)
  })

  test.each([0.3, 0.55, 0.8])(
    'cut at a share of %f of each file is read up to there, or refused in a sentence',
    async (share) => {
      const cut = Object.fromEntries(
        Object.entries(shapeFiles(shape)).map(([name, bytes]) =>
          /\.json$/.test(name) && shape.format !== 'jspsych'
            ? [name, bytes]
            : [name, bytes.subarray(0, bytes.length * share)],
        ),
      )
      try {
        const { looks, conversion } = await convert(cut)
        expect(conversion.left.join() + conversion.assumed.join()).toMatch(/ends|cut/)
        for (const { participant, item, samples } of looks) {
          const whole = expected(shape).find((look) => look.participant === participant && look.item === item)
          if (whole) expect(whole.samples.slice(0, samples.length)).toEqual(samples)
          // Without the rest of its messages or events, an item is called otherwise.
          else expect(['eyelink', 'pupil']).toContain(shape.format)
        }
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        expect(error.message).toMatch(/^[^\n]{20,300}$/)
      }
    },
  )
})
