import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import type { SampleLimits } from '../../../engine/import/bundle/bundle-limits.ts'
import { convertFiles } from '../../../engine/recordings/convert/convert-recordings.ts'
import { findSourceFiles } from '../../../engine/recordings/text/source-files.ts'
import { cleanUp, scratch, writeFiles } from './converted.ts'

afterAll(cleanUp)

function converting(path: string, limits?: SampleLimits, onProgress?: () => void) {
  const options = { screen: { widthPx: 1000, heightPx: 1000 } }
  return convertFiles({
    paths: [path],
    directory: join(scratch(), 'bundle'),
    options,
    memoryMib: 128,
    limits,
    onProgress,
  })
}

const GORILLA = 'participant_id,spreadsheet_row,screen_index,type,x_pred,y_pred,time_elapsed'
const gorilla = (n: number) =>
  `${GORILLA}\n${Array.from({ length: n }, (_, i) => `P1,1,1,prediction,${i % 900},5,${i * 16}\n`).join('')}`

describe('only plain files of the folder are opened', () => {
  test('a link out of the folder, and one to a folder, are refused', async () => {
    const outside = writeFiles({ 'gaze.csv': gorilla(3) })
    const directory = scratch()
    symlinkSync(join(outside, 'gaze.csv'), join(directory, 'gaze.csv'))
    await expect(converting(directory)).rejects.toMatchObject({
      code: 'usage',
      message: /is a link that leads to no file/,
    })
    const other = writeFiles({ 'a/gaze.csv': gorilla(3) })
    symlinkSync(join(other, 'a'), join(other, 'b'))
    await expect(converting(other)).rejects.toMatchObject({ code: 'usage', message: /is a link that leads to no file/ })
  })

  test('a link within the folder, as DataLad makes them, and one that was given are followed', async () => {
    const directory = writeFiles({ '.git/annex/gaze': gorilla(3) })
    mkdirSync(join(directory, 'sub'))
    symlinkSync('../.git/annex/gaze', join(directory, 'sub', 'gaze.csv'))
    expect((await converting(directory)).counts.samples).toBe(3)
    const given = join(scratch(), 'given')
    symlinkSync(directory, given)
    expect((await converting(given)).counts.samples).toBe(3)
  })

  test('a pipe and a device are refused', async () => {
    const directory = scratch()
    spawnSync('mkfifo', [join(directory, 'gaze.csv')])
    await expect(converting(directory)).rejects.toMatchObject({
      code: 'usage',
      message: /is neither a file nor a folder/,
    })
    await expect(converting('/dev/zero')).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('a damaged or changing file is not taken for a whole one', () => {
  test.each([
    ['gaze.csv', (bytes: Buffer) => bytes],
    ['gaze.csv.gz', (bytes: Buffer) => gzipSync(bytes)],
  ])('%s whose second half is zeros is refused', async (name, pack) => {
    const whole = Buffer.from(gorilla(100_000))
    whole.fill(0, whole.length >> 1)
    await expect(converting(writeFiles({ [name]: pack(whole) }))).rejects.toMatchObject({
      code: 'invalid_bundle',
      message: /holds zero bytes in place of text, so it is damaged: copy it again$/,
    })
  })

  test('one that ends in a broken row says so', async () => {
    const { counts, left } = await converting(writeFiles({ 'gaze.csv': gorilla(100).slice(0, -12) }))
    expect(counts.samples).toBe(99)
    expect(left.join()).toContain('where the file ends in the middle of it')
  })

  test('one that changes while it is read is refused', async () => {
    const directory = writeFiles({ 'gaze.csv': gorilla(500_000) })
    // At its first samples, when most of it has still to be read.
    let change = () => writeFileSync(join(directory, 'gaze.csv'), gorilla(500_001))
    const work = converting(directory, undefined, () => {
      change()
      change = () => {}
    })
    await expect(work).rejects.toMatchObject({ code: 'invalid_bundle' })
  })
})

/** Input of each reader, repeated so many times; at the beginning of a file, no more than the reader buffers. */
type Growing = { files: (n: number) => Record<string, string>; most?: number }
const HEAD = 60_000

const GROWING: Record<string, Growing> = {
  'EyeLink: coordinates before endless blanks': ofAsc((n) => `DISPLAY_COORDS${' '.repeat(n)}x`),
  'EyeLink: a picture in pieces': ofAsc((n) => `!V IMGLOAD FILL${' 1'.repeat(n)}\u2028`),
  'EyeLink: a variable': ofAsc((n) => `!V TRIAL_VAR image${' '.repeat(n)}`),
  'EyeLink: a message of blanks and digits': ofAsc((n) => `${'1 '.repeat(n)}\u2028`),
  'EyeLink: the file it was made of': {
    files: (n) => ({ 'a.asc': `SAMPLES GAZE\n** CONVERTED FROM ${' '.repeat(n)}x\n${asc('TRIALID 1')}` }),
    most: HEAD,
  },
  'jsPsych: tags that do not end': ofTrial((n) => ({ stimulus: '<img '.repeat(n) })),
  'jsPsych: brackets that do not end': ofTrial((n) => ({ stimulus: '<'.repeat(n) })),
  'jsPsych: a tag of many attributes': ofTrial((n) => ({ stimulus: `<img ${' src '.repeat(n)}>` })),
  'jsPsych: many fields in one of a long name': ofTrial((n) => ({
    ['w'.repeat(n)]: Object.fromEntries(Array.from({ length: n >> 4 }, (_, i) => [i, 1])),
  })),
  'a table: digits in a cell': ofTable((n) => `P1,1,1,prediction,${'1'.repeat(Math.min(n, HEAD))}x,5,16\n`),
  'a table: quotes in a cell': ofTable((n) => `P1,1,1,x,"${'""'.repeat(n)}",5,16\n`),
  'a table: blank lines': ofTable((n) => '\n'.repeat(n)),
  'a table: brackets in its header': {
    files: (n) => ({ 'a.csv': `${GORILLA},${'['.repeat(n)}\nP1,1,1,prediction,1,5,16,\n` }),
    most: HEAD,
  },
  'Pupil: events': {
    files: (n) => ({
      'gaze.csv': 'timestamp [ns],gaze x [px],gaze y [px]\n1,1,1\n',
      'events.csv': `timestamp [ns],name\n${Array.from({ length: n }, (_, i) => `${i},e\n`).join('')}`,
    }),
  },
}

function ofAsc(message: (n: number) => string): Growing {
  return { files: (n) => ({ 'a.asc': asc(message(n)) }) }
}

function ofTrial(fields: (n: number) => object): Growing {
  return { files: (n) => ({ 'a.json': trial(fields(n)) }) }
}

function ofTable(row: (n: number) => string): Growing {
  return { files: (n) => ({ 'a.csv': gorilla(1) + row(n) }) }
}

function asc(message: string): string {
  const samples = [1, 2, 3].map((t) => `${t}\t1.0\t2.0\t3.0\n`).join('')
  return `MSG\t1 DISPLAY_COORDS 0 0 999 999\nMSG\t1 TRIALID 1\nSTART\t1 LEFT SAMPLES\nMSG\t1 ${message}\n${samples}END\t4\n`
}

function trial(more: object): string {
  return JSON.stringify([{ trial_type: 'image', trial_index: 0, webgazer_data: [{ x: 1, y: 1, t: 0 }], ...more }])
}

describe('time grows with what comes, and no faster', () => {
  const [SMALL, LARGE] = [2 ** 13, 2 ** 18]
  /** So many times as long may take three times so many times the time; a square would take 32 times that. */
  const SLACK = 3
  /** Shorter times are noise. */
  const NOISE_MS = 20

  async function timeOf(files: Record<string, string>): Promise<number> {
    const directory = writeFiles(files)
    const start = performance.now()
    await converting(directory).catch((error) => {
      // Refused for what it holds, not for being of no known format.
      if (error.code !== 'invalid_bundle') throw error
    })
    return performance.now() - start
  }

  test.each(Object.entries(GROWING))('%s', async (_what, { files, most = LARGE }) => {
    const bound = (most / SMALL) * SLACK
    let ratio = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 3 && ratio > bound; tries++) {
      const small = await timeOf(files(SMALL))
      ratio = (await timeOf(files(most))) / Math.max(small, NOISE_MS)
    }
    expect(ratio).toBeLessThanOrEqual(bound)
  })
})

describe('endless input is bounded', () => {
  test('a line of an EyeLink file', async () => {
    await expect(converting(writeFiles({ 'a.asc': asc('x'.repeat(3 << 20)) }))).rejects.toMatchObject({
      code: 'invalid_bundle',
      message: /a\.asc has a line of more than 1048576 bytes$/,
    })
  })

  test('a row, and a text, of a table', async () => {
    await expect(
      converting(writeFiles({ 'a.csv': `${gorilla(1)}P1,"${'\n'.repeat(80 << 20)}` })),
    ).rejects.toMatchObject({
      message: /a\.csv, line 3: has a quote that is not closed$/,
    })
    await expect(converting(writeFiles({ 'a.csv': gorilla(1) + 'x'.repeat(80 << 20) }))).rejects.toMatchObject({
      message: /a\.csv, line 3: is longer than 64 MiB$/,
    })
    await expect(
      converting(writeFiles({ 'a.csv': gorilla(1).replaceAll('P1', 'P'.repeat(70_000)) })),
    ).rejects.toMatchObject({
      message: /a\.csv, line 2: has a text of more than 65536 bytes in a cell$/,
    })
  })

  test('an object of a jsPsych file, in bytes and in values', async () => {
    const rule = /a\.json has an object that is too large to be read/
    for (const more of [{ a: 'x'.repeat(70 << 20) }, { a: Array(6_000_000).fill(1) }])
      await expect(converting(writeFiles({ 'a.json': trial(more) }))).rejects.toMatchObject({ message: rule })
  })

  test('the names of participants', async () => {
    const people = Array.from({ length: 100_001 }, (_, i) => `P${i},1,1,prediction,1,5,0\n`).join('')
    await expect(converting(writeFiles({ 'a.csv': `${GORILLA}\n${people}` }))).rejects.toMatchObject({
      code: 'invalid_bundle',
      message: 'the recordings have more than 100000 participants',
    })
  })

  test('the samples of all, in number and on disk, and what a packed file holds', async () => {
    const directory = writeFiles({
      'a.csv': gorilla(2000),
      'b.csv.gz': gzipSync(gorilla(3000).replaceAll('P1', 'P2').replaceAll(',5,', ',6,')),
    })
    expect((await converting(directory)).counts.samples).toBe(5000)
    const refused = (limits: SampleLimits) => converting(directory, limits).catch(({ message }) => message)
    expect(await refused({ samplesMax: 4999, maxBytes: 2 ** 30 })).toMatch(
      /^the recordings must have at most 4999 samples \(IMPORT_MAX_SAMPLES\), and .*b\.csv\.gz brings more$/,
    )
    expect(await refused({ samplesMax: 1e9, maxBytes: 2 ** 17 })).toMatch(
      /^the recordings must have samples of at most 0\.0001220703125 GiB on disk \(IMPORT_MAX_GIB\), and .*b\.csv\.gz brings more$/,
    )
    const packed = writeFiles({ 'b.csv.gz': gzipSync(gorilla(20_000)) })
    await expect(converting(packed, { samplesMax: 1e9, maxBytes: 2 ** 18 })).rejects.toMatchObject({
      code: 'invalid_bundle',
      message: /b\.csv\.gz must have at most 0\.000244140625 GiB unpacked \(IMPORT_MAX_GIB\)$/,
    })
  })

  test('the number of files', async () => {
    const directory = scratch()
    for (let i = 0; i < 20_001; i++) writeFileSync(join(directory, `${i}.csv`), '')
    await expect(findSourceFiles([directory])).rejects.toMatchObject({
      code: 'usage',
      message: /more than 20000 files/,
    })
  })
})
