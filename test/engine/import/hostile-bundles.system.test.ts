import { spawnSync } from 'node:child_process'
import { mkdir, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import { SAMPLE_LIMITS, type SampleLimits } from '../../../engine/import/bundle/bundle-limits.ts'
import type { ImportOptions } from '../../../engine/import/import-options.ts'
import { inWorkspace } from '../../../engine/study/workspace.ts'
import {
  type Bundle,
  makeStudyFixture,
  SAMPLE_COLUMNS,
  type StudyFixture,
  smallBundle,
  uuid,
  writeBundle,
} from './bundles.ts'

/** Bundles from somebody who wishes us ill. Each is refused in a sentence, soon, and leaves nothing. */
let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

const PLAIN = 'must be a plain file, not a link, a folder, a device or a pipe'
const FILES = ['study.json', 'participants.csv', 'tests.csv', 'samples.csv']

async function refusalOf(directory: string) {
  const failure = await fixture.importDir(directory).then(
    () => null,
    (error) => error,
  )
  expect(failure).toMatchObject({ code: 'invalid_bundle' })
  expect(await readdir(join(fixture.dataDir, 'studies', smallBundle().study.id)).catch(() => [])).not.toContain(
    'current',
  )
  return failure
}

async function bundleWithout(name: string): Promise<{ directory: string; path: string }> {
  const directory = await writeBundle(fixture.bundleDir(), smallBundle())
  const path = join(directory, name)
  await rm(path)
  return { directory, path }
}

describe('only plain files of a bundle are opened', () => {
  test.each(FILES)('a link in place of %s is refused', async (name) => {
    const { directory, path } = await bundleWithout(name)
    const elsewhere = await writeBundle(fixture.bundleDir(), smallBundle())
    await symlink(join(elsewhere, name), path)
    expect((await refusalOf(directory)).problems).toMatchObject([{ file: name, rule: PLAIN }])
  })

  test.each(FILES)('a device, a pipe and a folder in place of %s are refused', async (name) => {
    const { directory, path } = await bundleWithout(name)
    await symlink('/dev/zero', path)
    expect((await refusalOf(directory)).problems).toMatchObject([{ file: name, rule: PLAIN }])
    await rm(path)
    spawnSync('mkfifo', [path])
    expect((await refusalOf(directory)).problems).toMatchObject([{ file: name, rule: PLAIN }])
    await rm(path)
    await mkdir(path)
    expect((await refusalOf(directory)).problems).toMatchObject([{ file: name, rule: PLAIN }])
  })

  test('a picture that is a link is refused, and so is a linked folder of pictures', async () => {
    const directory = await writeBundle(fixture.bundleDir(), smallBundle())
    const images = join(directory, 'images')
    await mkdir(images)
    await symlink(join(directory, 'tests.csv'), join(images, 'item-1.png'))
    expect((await refusalOf(directory)).problems).toMatchObject([{ file: 'images/item-1.png', rule: PLAIN }])
    await rm(images, { recursive: true })
    await symlink(directory, images)
    expect((await refusalOf(directory)).problems).toMatchObject([
      { file: 'images', rule: 'must be a folder, not a link' },
    ])
  })

  test('a picture without a side, or with one of 2³¹ px, is refused', async () => {
    const directory = await writeBundle(fixture.bundleDir(), smallBundle())
    await mkdir(join(directory, 'images'))
    const png = (sides: string) => Buffer.from(`89504e470d0a1a0a0000000d49484452${sides}0806`, 'hex')
    for (const sides of ['0000000000000000', '8000000000000001']) {
      await writeFile(join(directory, 'images', 'item-1.png'), png(sides))
      expect((await refusalOf(directory)).message).toMatch(
        /^images\/item-1.png is \d+ × \d px: a side has 1 to 100000 px/,
      )
    }
  })

  test('a picture is not larger than 64 MiB', async () => {
    const directory = await writeBundle(fixture.bundleDir(), smallBundle())
    await mkdir(join(directory, 'images'))
    const path = join(directory, 'images', 'item-1.png')
    await writeFile(path, '')
    await truncate(path, 64 * 2 ** 20 + 1)
    expect((await refusalOf(directory)).message).toBe(
      'images/item-1.png must have at most 64 MiB, and nothing was published',
    )
  })
})

describe('study.json is bounded', () => {
  async function problemsOf(change: (bundle: Bundle) => void) {
    const bundle = smallBundle()
    change(bundle)
    return (await refusalOf(await writeBundle(fixture.bundleDir(), bundle))).problems
  }
  const polygon = (n: number) => ({
    areaPoints: { points: Array.from({ length: n }, (_, i) => ({ x: i / n, y: (i * i) / n / n })) },
  })
  const aois = (n: number, parts: object[]) =>
    Array.from({ length: n }, (_, i) => ({ id: uuid('a', i + 1), itemId: uuid('1', 1), name: 'A', parts }))

  test('in bytes, before it is read', async () => {
    const { directory, path } = await bundleWithout('study.json')
    await writeFile(path, '')
    await truncate(path, 2 ** 40)
    expect((await refusalOf(directory)).message).toBe('study.json must have at most 16 MiB, and nothing was published')
  })

  test('in points of a polygon, of all polygons, and in AOIs', async () => {
    const of = (n: number, parts: object[]) => problemsOf(({ study }) => Object.assign(study, { aois: aois(n, parts) }))
    expect(await of(1, [polygon(200_000)])).toMatchObject([{ rule: 'must have at most 1000 points' }])
    expect(await of(101, [polygon(1000)])).toMatchObject([
      { column: 'aois', rule: 'must have at most 100000 points together, not 101000' },
    ])
    expect(await of(10_001, [polygon(3)])).toMatchObject([{ column: 'aois', rule: 'must have at most 10000 AOIs' }])
    expect(await of(1, Array(1001).fill(polygon(3)))).toMatchObject([{ rule: 'must have at most 1000 parts' }])
  })

  test('in values and in depth', async () => {
    const { directory, path } = await bundleWithout('study.json')
    await writeFile(path, `{"steps":[${'{},'.repeat(4_000_000)}{}]}`)
    expect((await refusalOf(directory)).problems).toMatchObject([
      { file: 'study.json', rule: 'must hold at most 1000000 values, objects and lists together' },
    ])
    await writeFile(path, '['.repeat(1_000_000))
    expect((await refusalOf(directory)).problems[0].rule).toMatch(/at most 1000000 values/)
    await writeFile(path, `{"steps":${'['.repeat(200)}${']'.repeat(200)}}`)
    expect((await refusalOf(directory)).problems).toMatchObject([
      { rule: 'must hold no objects and lists more than 64 deep in each other' },
    ])
  })
})

describe('samples are bounded', () => {
  /** A file of so many samples that are all alike, which takes next to no bytes as Parquet. */
  async function bundleOfParquet(rows: number): Promise<string> {
    const { samples: _, ...rest } = smallBundle()
    const directory = await writeBundle(fixture.bundleDir(), rest)
    const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 256 })
    await db.connection.run(
      `COPY (SELECT '${rest.tests[0].test_id}' AS test_id, 1.0::DOUBLE AS t_ms, 2.0::DOUBLE AS gaze_x_px, (range % 1000)::DOUBLE AS gaze_y_px
        FROM range(${rows})) TO $path (FORMAT parquet)`,
      { path: join(directory, 'samples.parquet') },
    )
    db.close()
    return directory
  }
  const refused = (directory: string, limits: SampleLimits, more: Partial<ImportOptions> = {}) =>
    fixture.importDir(directory, { limits, ...more }).then(
      () => 'imported',
      ({ message }) => message,
    )

  test('a Parquet file in rows and in bytes, before it is read', async () => {
    const directory = await bundleOfParquet(100_000)
    expect(await refused(directory, { samplesMax: 99_999, maxBytes: 2 ** 30 })).toBe(
      'samples.parquet must have at most 99999 samples (IMPORT_MAX_SAMPLES), not 100000, and nothing was published',
    )
    expect(await refused(directory, { samplesMax: 1e9, maxBytes: 2 ** 16 })).toBe(
      'samples.parquet must have at most 0.00006103515625 GiB unpacked (IMPORT_MAX_GIB), and nothing was published',
    )
  })

  test('a Parquet file in what it holds for its size', async () => {
    expect(await refused(await bundleOfParquet(20_000_000), SAMPLE_LIMITS)).toMatch(
      /^samples\.parquet unpacks to more than 200 times its size/,
    )
  })

  test('a Parquet file in the texts of its rows, of which a dictionary holds one', async () => {
    const { samples: _, ...rest } = smallBundle()
    const directory = await writeBundle(fixture.bundleDir(), rest)
    const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 512 })
    const write = (columns: string, name: string) =>
      db.connection.run(`COPY (SELECT ${columns} FROM range(1000)) TO $path (FORMAT parquet)`, {
        path: join(directory, name),
      })
    await write(
      "repeat('x', 1000000) AS test_id, 1.0::DOUBLE AS t_ms, 2.0::DOUBLE AS gaze_x_px, 3.0::DOUBLE AS gaze_y_px",
      'samples.parquet',
    )
    expect(await refused(directory, SAMPLE_LIMITS)).toMatch(/^samples\.parquet unpacks to more than 200 times its size/)
    await rm(join(directory, 'samples.parquet'))
    await rm(join(directory, 'events.csv'), { force: true })
    await write("repeat('x', 1000000) AS participant_id, 'a' AS name, 1 AS t_ms", 'events.parquet')
    await writeBundle(directory, smallBundle())
    const rule = expect.stringMatching(/^must have at most \d+ MiB of text in its cells$/)
    expect((await refusalOf(directory)).problems).toMatchObject([{ file: 'events.parquet', rule }])
    db.close()
  })

  test('in the disk that sorting takes, while it does', async () => {
    const spillMaxBytes = 8 * 2 ** 20
    const { signal } = new AbortController()
    const sorting = inWorkspace(
      { studyDir: null, reads: [], threads: 1, memoryMib: 64, spillMaxBytes, signal },
      async ({ writer }) =>
        (await writer()).connection.run(
          'CREATE TABLE samples AS SELECT random() AS x FROM range(8_000_000) ORDER BY x',
        ),
    )
    await expect(sorting).rejects.toThrow('the samples take more disk to be sorted than IMPORT_MAX_GIB allows')
  })

  test('a CSV in rows and in bytes, and a gzip file in what it holds', async () => {
    const directory = await writeBundle(fixture.bundleDir(), smallBundle())
    expect(await refused(directory, { samplesMax: 29, maxBytes: 2 ** 30 })).toMatch(
      /^samples\.csv must have at most 29/,
    )
    const { size } = await stat(join(directory, 'samples.csv'))
    expect(await refused(directory, { samplesMax: 30, maxBytes: size - 1 })).toMatch(
      /^samples\.csv must have at most .* GiB unpacked \(IMPORT_MAX_GIB\)/,
    )
    expect(await refused(directory, { samplesMax: 30, maxBytes: size })).toBe('imported')
    const { directory: packed, path } = await bundleWithout('samples.csv')
    await writeFile(`${path}.gz`, gzipSync(Buffer.from('test_id,t_ms\n'.padEnd(2 ** 21, '\n'))))
    expect(await refused(packed, { samplesMax: 1e9, maxBytes: 2 ** 20 })).toMatch(
      /^samples\.csv\.gz must have at most 0\.0009765625 GiB unpacked/,
    )
  })
})

test('a test may have at most 4,000,000 samples', async () => {
  const directory = await writeBundle(fixture.bundleDir(), { ...smallBundle(), samples: undefined })
  const db = await openDuckDb({ directories: [directory], threads: 2, memoryMib: 512 })
  // Times that differ: what packs as well as equal ones is refused before it is read.
  const given: Record<string, string> = { test_id: `'${uuid('c', 1)}'`, t_ms: 'range / 1000', is_click: 'true' }
  const columns = SAMPLE_COLUMNS.map((name) => `${given[name] ?? '1.5::DOUBLE'} AS ${name}`).join(', ')
  await db.connection.run(`COPY (SELECT ${columns} FROM range(4000001))
    TO '${directory}/samples.parquet' (FORMAT parquet)`)
  db.close()
  const rule = 'must have at most 4000000 samples, not 4000001'
  expect((await refusalOf(directory)).problems).toEqual([
    { file: 'samples.parquet', line: null, column: 'test_id', value: uuid('c', 1), rule },
  ])
})
