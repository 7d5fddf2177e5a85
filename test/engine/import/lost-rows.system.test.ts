import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import { changeStudy } from '../../../engine/study/change-study.ts'
import { removal } from '../../../engine/study/changes/removal.ts'
import {
  makeStudyFixture,
  PARTICIPANT_COLUMNS,
  SAMPLE_COLUMNS,
  STUDY_ID,
  type StudyFixture,
  samplesOf,
  smallBundle,
  toCsv,
  writeBundle,
} from './bundles.ts'
import { contentsOf } from './contents.ts'

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

/** The small bundle with so many samples of its first test, and whatever is put in place of samples.csv. */
async function bundleWith(n: number, samplesFile: (csv: string) => [name: string, bytes: Buffer]): Promise<string> {
  const { samples: _, ...rest } = smallBundle()
  const directory = await writeBundle(fixture.bundleDir(), rest)
  const csv = toCsv(samplesOf(rest.tests[0].test_id, n), SAMPLE_COLUMNS)
  const [name, bytes] = samplesFile(csv)
  await writeFile(join(directory, name), bytes)
  return directory
}

/** Zeros in place of everything from a byte on, as a disk leaves them that lost power. */
function zeroed(csv: string, from: number): Buffer {
  return Buffer.concat([Buffer.from(csv.slice(0, from)), Buffer.alloc(csv.length - from)])
}

describe('samples are never published short', () => {
  test.each([
    ['samples.csv', (bytes: Buffer) => bytes],
    ['samples.csv.gz', (bytes: Buffer) => gzipSync(bytes)],
  ])('a %s whose second half is zeros is refused, with the line', async (name, pack) => {
    const directory = await bundleWith(400_000, (csv) => [name, pack(zeroed(csv, csv.length / 2))])
    const failure = await fixture.importDir(directory).catch((error) => error)
    expect(failure.code).toBe('invalid_bundle')
    expect(failure.problems[0]).toMatchObject({ file: name })
    expect(failure.problems[0].line).toBeGreaterThan(100_000)
  })

  test.each([
    ['an empty cell', ','],
    ['NA', ',NA'],
    ['several', ',,nan,'],
    ['a quoted empty cell', ',""'],
  ])('a row that is longer than the header by %s is refused, with its line', async (_, more) => {
    for (const [name, pack] of [
      ['samples.csv', (text: string) => Buffer.from(text)],
      ['samples.csv.gz', (text: string) => gzipSync(text)],
    ] as const) {
      const directory = await bundleWith(1000, (csv) => {
        const lines = csv.split('\n')
        lines[700] += more
        return [name, pack(lines.join('\n'))]
      })
      const failure = await fixture.importDir(directory).catch((error) => error)
      expect(failure.code).toBe('invalid_bundle')
      const rule = `must have 8 cells, as the header has, not ${7 + more.split(',').length}`
      expect(failure.problems).toMatchObject([{ file: name, line: 701, rule }])
    }
  })

  test('a row with a cell in front of its own, whose last one is empty, is not read shifted', async () => {
    const directory = await bundleWith(1000, (csv) => {
      const lines = csv.split('\n')
      const [id, t, x, y] = lines[5].split(',')
      lines[5] = `${id},${t},0,${x},${y},,,,`
      return ['samples.csv', Buffer.from(lines.join('\n'))]
    })
    await expect(fixture.importDir(directory)).rejects.toMatchObject({ code: 'invalid_bundle' })
  })

  test('quotes, CRLF, blank lines and a mark at the start change no count of cells', async () => {
    const plain = (csv: string) => csv.replaceAll('\n', '\r\n').replace(/\r\n/, '\r\n\r\n')
    const quoted = (csv: string) => `\uFEFF${csv.replace(/^([^,\n]*),/gm, '"$1",')}`
    for (const change of [plain, quoted]) {
      const directory = await bundleWith(1000, (csv) => ['samples.csv', Buffer.from(change(csv))])
      expect((await fixture.importDir(directory)).counts.samples).toBe(1000)
    }
  })

  test('a junk tail is refused', async () => {
    const directory = await bundleWith(1000, (csv) => ['samples.csv', Buffer.from(`${csv}\x00\x01junk\x02`)])
    await expect(fixture.importDir(directory)).rejects.toMatchObject({ code: 'invalid_bundle' })
  })

  test('a last line without its end counts, and so does none', async () => {
    const whole = await bundleWith(1000, (csv) => ['samples.csv', Buffer.from(csv)])
    const unended = await bundleWith(1000, (csv) => ['samples.csv', Buffer.from(csv.slice(0, -1))])
    const blank = await bundleWith(1000, (csv) => ['samples.csv', Buffer.from(`${csv}\n\r\n\n`)])
    for (const directory of [whole, unended, blank])
      expect((await fixture.importDir(directory)).counts.samples).toBe(1000)
  })
})

test('no path takes the place of a column, of a bundle or of a data directory', async () => {
  const names = fc.constantFrom('gaze_x_px=1', 'is_click=true', "o'clock", 'a[b]c', 'star*', 'line\nbreak', 'test_id=é')
  await fc.assert(
    fc.asyncProperty(names, fc.constantFrom('csv', 'csv.gz', 'parquet'), async (name, kind) => {
      const { samples, ...rest } = smallBundle()
      const directory = join(fixture.bundleDir(), name)
      const dataDir = join(fixture.bundleDir(), name)
      await mkdir(directory, { recursive: true })
      await writeBundle(directory, rest)
      await writeSamplesAs(kind, directory, toCsv(samples, SAMPLE_COLUMNS))
      await fixture.importDir(directory, { dataDir })
      const xOfTests = async () => {
        const { tests } = await contentsOf(dataDir, STUDY_ID)
        return tests.map(({ samples: rows }) => rows.map(([, x]) => x))
      }
      const expected = Array.from({ length: 10 }, (_, i) => i)
      expect(await xOfTests()).toEqual([expected, expected, expected])
      const options = { dataDir, studyId: STUDY_ID, now: new Date(), threads: 1, memoryMib: 256 }
      await changeStudy(options, null, removal(smallBundle().participants[0].participant_id))
      expect(await xOfTests()).toEqual([expected])
    }),
    { numRuns: 21, seed: 23 },
  )
})

async function writeSamplesAs(kind: string, directory: string, csv: string): Promise<void> {
  if (kind === 'csv.gz') return writeFile(join(directory, 'samples.csv.gz'), gzipSync(csv))
  if (kind === 'csv') return writeFile(join(directory, 'samples.csv'), csv)
  const from = join(fixture.bundleDir(), 'plain.csv')
  const to = join(fixture.root, 'plain.parquet')
  await mkdir(dirname(from), { recursive: true })
  await writeFile(from, csv)
  const db = await openDuckDb({ directories: [fixture.root], threads: 1, memoryMib: 128 })
  await db.connection.run(
    `COPY (SELECT test_id, t_ms::DOUBLE AS t_ms, gaze_x_px::DOUBLE AS gaze_x_px, gaze_y_px::DOUBLE AS gaze_y_px FROM read_csv($from)) TO $to (FORMAT parquet)`,
    { from, to },
  )
  db.close()
  await copyFile(to, join(directory, 'samples.parquet'))
}

test.each([
  ['other rows', smallBundle().participants.map((row) => ({ ...row, display_name: 'Somebody else' }))],
  ['half of it', smallBundle().participants.slice(1)],
])('a file that changes while it is imported is refused: %s', async (_, others) => {
  const directory = await bundleWith(200_000, (csv) => ['samples.csv.gz', gzipSync(csv, { level: 1 })])
  const importing = fixture.importDir(directory)
  let isOver = false
  const over = () => {
    isOver = true
  }
  importing.then(over, over)
  // Once it has seen the files, it makes room for temporary ones; then it takes a while to read the samples.
  const study = join(fixture.dataDir, 'studies', STUDY_ID)
  while (!isOver && (await readdir(study).catch(() => [])).every((name) => !/^\.scratch/.test(name)))
    await setTimeout(1)
  await writeFile(join(directory, 'participants.csv'), toCsv(others, PARTICIPANT_COLUMNS))
  await expect(importing).rejects.toMatchObject({
    code: 'invalid_bundle',
    message: 'participants.csv must not change while it is imported, and nothing was published',
  })
})

test('texts of clicks in Parquet mean what they mean in CSV: empty and NA are none', async () => {
  const { samples: _, ...rest } = smallBundle()
  const clicks = ['true', '', 'NA', 'nan', 'NaN', 'false', '1', '0', null]
  const write = async (texts: (string | null)[]) => {
    const directory = await writeBundle(fixture.bundleDir(), rest)
    const rows = texts.map((text, i) => `('${rest.tests[0].test_id}', ${i}, ${text === null ? 'NULL' : `'${text}'`})`)
    const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 128 })
    await db.connection.run(
      `COPY (SELECT * FROM (VALUES ${rows}) t(test_id, t_ms, is_click)) TO '${join(directory, 'samples.parquet')}' (FORMAT parquet)`,
    )
    db.close()
    return directory
  }
  await fixture.importDir(await write(clicks))
  const { tests } = await contentsOf(fixture.dataDir, STUDY_ID)
  const isClick = tests.flatMap(({ samples: rows }) => rows.map((row) => row.at(-1)))
  expect(isClick.map(Boolean)).toEqual([true, false, false, false, false, false, true, false, false])
  const failure = await fixture.importDir(await write([...clicks, 'no', 'n/a'])).catch((error) => error)
  expect(failure.problems).toMatchObject([
    { line: 10, column: 'is_click', value: 'no' },
    { line: 11, column: 'is_click', value: 'n/a' },
  ])
})
