import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDuckDb } from '../../../engine/duckdb/duckdb.ts'
import { selectTests } from '../../../engine/snapshot/selection.ts'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { rowsOf } from '../studies.ts'
import {
  type Bundle,
  gzip,
  makeStudyFixture,
  PARTICIPANT_COLUMNS,
  SAMPLE_COLUMNS,
  STUDY_ID,
  type StudyFixture,
  samplesOf,
  smallBundle,
  TEST_COLUMNS,
  test as testRow,
  toCsv,
  trackerBundle,
  uuid,
  writeBundle,
} from './bundles.ts'
import { contentsOf, currentSnapshot } from './contents.ts'

let fixture: StudyFixture
beforeEach(async () => {
  fixture = await makeStudyFixture()
})
afterEach(() => fixture.remove())

describe('a bundle becomes a snapshot', () => {
  test('whose tables are complete and in the order of output', async () => {
    const bundle = smallBundle()
    bundle.participants[0].created_at = '2024-01-03T00:30:00+01:00'
    bundle.participants[1].created_at = '2024-01-02T23:30:00.000001Z'
    const { published, counts } = await fixture.importing(bundle)
    expect(published).toBe(true)
    expect(counts).toEqual({ participants: 2, completed: 2, items: 2, tests: 3, samples: 30 })
    const { participants, tests, study } = await contentsOf(fixture.dataDir, STUDY_ID)
    // 00:30+01:00 is a µs before 23:30.000001Z of the day before.
    expect(participants.map(({ id }) => id)).toEqual([uuid('b', 1), uuid('b', 2)])
    expect(tests.map(({ id }) => id)).toEqual([uuid('c', 1), uuid('c', 3), uuid('c', 2)])
    expect(participants[0]).toEqual({
      id: uuid('b', 1),
      externalId: 'P1',
      createdAt: '2024-01-03T00:30:00+01:00',
      displayName: '',
      age: null,
      gender: null,
      displayGender: '',
      qualityGrade: 6,
      isCompleted: true,
      notes: '',
      tags: [],
      externalData: {},
    })
    expect(tests[0]).toMatchObject({
      itemIndex: 0,
      participantIndex: 0,
      displayOrder: 1,
      durationUs: 150_000,
      clickCount: 0,
      qualityGradeItem: 6,
      display: { leftPx: 0, topPx: 250, widthPx: 1000, heightPx: 500 },
      sampleCount: 10,
    })
    expect(tests[0].samples[1]).toEqual([16_667, 1, 1, 0, null, null, false])
    expect(study.aois[1].parts[0].timeRange).toEqual({ fromMs: 0, toMs: 500 })
  })

  test('whose ids are lower case, whatever they were', async () => {
    const bundle = smallBundle()
    for (const rows of [bundle.participants, bundle.tests, bundle.samples])
      for (const row of rows)
        for (const name of ['participant_id', 'test_id', 'item_id']) if (row[name]) row[name] = row[name].toUpperCase()
    bundle.study.id = bundle.study.id.toUpperCase()
    bundle.study.items[0].id = bundle.study.items[0].id.toUpperCase()
    await fixture.importing(bundle)
    const upper = await contentsOf(fixture.dataDir, STUDY_ID.toUpperCase())
    await fixture.importing(smallBundle())
    expect(upper).toEqual(await contentsOf(fixture.dataDir, STUDY_ID))
  })

  test('with samples as recorded: lost ones NaN, µs rounded half up, scroll 0, clicks', async () => {
    const bundle = smallBundle()
    const rows = [
      ['-0.0005', '1.5', '2.5', '7', '3', '4', '1'],
      ['0.0005', 'NA', '2', '', '3', 'NaN', 'false'],
      ['5', '1', '', 'nan', '', '', 'true'],
      ['3', '-10000000', '1e7', '-1', '', '4', '0'],
      ['3', '', '', '', '', '', ''],
    ]
    const names = SAMPLE_COLUMNS.slice(1)
    bundle.samples = rows.map((cells) => ({
      test_id: uuid('c', 1),
      ...Object.fromEntries(names.map((name, i) => [name, cells[i]])),
    }))
    await fixture.importing(bundle)
    const { tests } = await contentsOf(fixture.dataDir, STUDY_ID)
    expect(tests[0].samples).toEqual([
      [0, 1.5, 2.5, 7, 3, 4, true],
      [1, null, null, 0, null, null, false],
      [5000, null, null, 0, null, null, true],
      [3000, -1e7, 1e7, -1, null, null, false],
      [3000, null, null, 0, null, null, false],
    ])
    expect(tests[0].clickCount).toBe(2)
    expect(tests.map(({ sampleCount }) => sampleCount)).toEqual([5, 0, 0])
  })

  test('of several files, cut only at tests, when samples are many', async () => {
    const bundle = smallBundle()
    bundle.tests = [1, 2, 3, 4].map((n) => testRow(n, 1, 1))
    // Alternating rows, so that recorded order is not the order of output.
    const each = [3, 2, 4, 1].map((n) => samplesOf(uuid('c', n), 60_000))
    bundle.samples = each[0].flatMap((_, i) => each.map((samples) => samples[i]))
    await fixture.importing(bundle)
    const snapshot = await currentSnapshot(fixture.dataDir, STUDY_ID)
    expect(snapshot.manifest.sampleFiles.map(({ rowCount }) => rowCount)).toEqual([120_000, 120_000])
    const { files, ordinals, firstSamples } = await selectTests(snapshot, { itemId: null, gradeMin: 1 })
    expect([...files]).toEqual([0, 0, 1, 1])
    expect([...ordinals]).toEqual([0, 1, 2, 3])
    expect([...firstSamples]).toEqual([0, 60_000, 0, 60_000])
    const contents = await contentsOf(fixture.dataDir, STUDY_ID)
    for (const [i, { samples }] of contents.tests.entries()) {
      expect(samples.length).toBe(60_000)
      expect(samples.every((sample, row) => sample[1] === row && sample[2] === i + 1)).toBe(true)
    }
  })

  test('in recorded order, also when the rows of all tests alternate', async () => {
    const bundle = { ...smallBundle(), tests: [1, 2, 3, 4, 5].map((n) => testRow(n, 1, 1)), samples: [] }
    const directory = await writeBundle(fixture.bundleDir(), bundle)
    const id = `'${uuid('c', 0).slice(0, -1)}' || (5 - range % 5)`
    await toParquet(
      directory,
      `SELECT ${id} AS test_id, 1000 - range AS t_ms, range // 5 AS gaze_x_px, 5 - range % 5 AS gaze_y_px,
        0 AS scroll_y_px, NULL::INTEGER AS mouse_x_px, NULL::INTEGER AS mouse_y_px, false AS is_click FROM range(1000000)`,
    )
    await fixture.importDir(directory)
    const { manifest, directory: published } = await currentSnapshot(fixture.dataDir, STUDY_ID)
    expect(manifest.sampleFiles.map(({ rowCount }) => rowCount)).toEqual([2e5, 2e5, 2e5, 2e5, 2e5])
    const db = await openDuckDb({ directories: [published], threads: 1, memoryMib: 256 })
    try {
      const reader = await db.connection.runAndReadAll(
        `SELECT count(*) FROM read_parquet($1, file_row_number = true)
        WHERE file_row_number = gaze_x_px AND test_ordinal + 1 = gaze_y_px`,
        [join(published, 'samples-*.parquet')],
      )
      expect(reader.getRows()).toEqual([[1_000_000n]])
    } finally {
      db.close()
    }
  })

  test('without any samples at all', async () => {
    await fixture.importing({ ...smallBundle(), samples: [] })
    const snapshot = await currentSnapshot(fixture.dataDir, STUDY_ID)
    const { tests } = await rowsOf(snapshot)
    expect(snapshot.manifest.sampleFiles).toEqual([])
    expect(tests.map(({ sampleCount, qualityGradeItem }) => [sampleCount, qualityGradeItem])).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ])
  })

  test('without any participants or tests', async () => {
    const { counts } = await fixture.importing({ ...smallBundle(), participants: [], tests: [], samples: [] })
    expect(counts).toEqual({ participants: 0, completed: 0, items: 2, tests: 0, samples: 0 })
  })

  test('with the pictures that are some item’s', async () => {
    const directory = await writeBundle(fixture.bundleDir(), smallBundle())
    await mkdir(join(directory, 'images', 'nested'), { recursive: true })
    for (const name of ['item-1.png', 'other.png', 'nested/item-2.png'])
      await writeFile(join(directory, 'images', name), name)
    await fixture.importDir(directory)
    const snapshot = await currentSnapshot(fixture.dataDir, STUDY_ID)
    expect(await readdir(join(snapshot.directory, 'images'))).toEqual(['item-1.png'])
    expect(Object.keys(snapshot.manifest.files)).toContain('images/item-1.png')
  })
})

describe('missing facts are filled', () => {
  const displayOf = async (bundle: Bundle) => {
    await fixture.importing(bundle)
    return (await rowsOf(await currentSnapshot(fixture.dataDir, STUDY_ID))).tests[0].display
  }

  test('the displayed rectangle: beside the window’s left and right when the item is narrower', async () => {
    const bundle = smallBundle()
    bundle.tests[0].browser_width_px = '2000'
    bundle.tests[0].browser_height_px = '500'
    expect(await displayOf(bundle)).toEqual({ leftPx: 500, topPx: 0, widthPx: 1000, heightPx: 500 })
  })

  test('the displayed rectangle: as wide as the window where the item scrolls in any step', async () => {
    const bundle = smallBundle()
    bundle.study.steps.push({ type: 'stimuli', stimuli: { id: uuid('1', 1), isScrollingEnabled: true } })
    bundle.tests[0].browser_width_px = '2000'
    expect(await displayOf(bundle)).toEqual({ leftPx: 0, topPx: 0, widthPx: 2000, heightPx: 1000 })
  })

  test('the displayed rectangle: the whole window where the item’s size is unknown', async () => {
    const bundle = smallBundle()
    for (const name of ['widthPx', 'heightPx']) delete bundle.study.items[0][name]
    bundle.study.aois = []
    expect(await displayOf(bundle)).toEqual({ leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 })
  })

  test('the displayed rectangle: none without cells, window and samples', async () => {
    const bundle = smallBundle()
    bundle.tests[0].browser_width_px = ''
    bundle.samples = bundle.samples.filter(({ test_id }) => test_id !== uuid('c', 1))
    expect(await displayOf(bundle)).toBeNull()
  })

  test('and those that are given win', async () => {
    const bundle = smallBundle()
    Object.assign(bundle.tests[0], {
      click_count: '7',
      quality_grade_item: '2',
      item_display_left_px: '-1.5',
      item_display_top_px: '2',
      item_display_width_px: '3',
      item_display_height_px: '4',
    })
    Object.assign(bundle.participants[0], { quality_grade: '5', gender: '1', display_gender: 'man' })
    bundle.participants[1].gender = '2'
    await fixture.importing(bundle)
    const { tests, participants } = await rowsOf(await currentSnapshot(fixture.dataDir, STUDY_ID))
    expect(tests[0]).toMatchObject({
      clickCount: 7,
      qualityGradeItem: 2,
      display: { leftPx: -1.5, topPx: 2, widthPx: 3, heightPx: 4 },
    })
    expect(participants.map(({ qualityGrade, displayGender }) => [qualityGrade, displayGender])).toEqual([
      [5, 'man'],
      [6, 'other'],
    ])
  })

  test('a participant’s grade is that of all its tests together', async () => {
    const bundle = smallBundle()
    bundle.samples = bundle.samples.filter(({ test_id }) => test_id !== uuid('c', 2))
    await fixture.importing(bundle)
    const { participants } = await rowsOf(await currentSnapshot(fixture.dataDir, STUDY_ID))
    // Half of 300 ms is missing.
    expect(participants.map(({ qualityGrade }) => qualityGrade)).toEqual([2, 6])
  })
})

describe('the same data in another form is the same snapshot’s content', () => {
  const forms: Record<string, (directory: string, bundle: Bundle) => Promise<void>> = {
    'gzipped CSV': async (directory, bundle) => {
      await writeFile(join(directory, 'participants.csv.gz'), gzip(toCsv(bundle.participants, PARTICIPANT_COLUMNS)))
      await writeFile(join(directory, 'tests.csv.gz'), gzip(toCsv(bundle.tests, TEST_COLUMNS)))
      await writeFile(join(directory, 'samples.csv.gz'), gzip(toCsv(bundle.samples, SAMPLE_COLUMNS)))
    },
    'CRLF with BOM': async (directory, bundle) => {
      const text = (rows: Bundle['samples'], columns: string[]) => `\uFEFF${toCsv(rows, columns, '\r\n')}`
      await writeFile(join(directory, 'participants.csv'), text(bundle.participants, PARTICIPANT_COLUMNS))
      await writeFile(join(directory, 'tests.csv'), text(bundle.tests, TEST_COLUMNS))
      await writeFile(join(directory, 'samples.csv'), text(bundle.samples, SAMPLE_COLUMNS))
    },
    'another order of columns, all quoted': async (directory, bundle) => {
      const text = (rows: Bundle['samples'], columns: string[]) => toCsv(rows, columns.toReversed(), '\n', /^/)
      await writeFile(join(directory, 'participants.csv'), text(bundle.participants, PARTICIPANT_COLUMNS))
      await writeFile(join(directory, 'tests.csv'), text(bundle.tests, TEST_COLUMNS))
      await writeFile(join(directory, 'samples.csv'), text(bundle.samples, SAMPLE_COLUMNS))
    },
    'a mix of LF and CRLF, with empty lines': async (directory, bundle) => {
      const text = (rows: Bundle['samples'], columns: string[]) => toCsv(rows, columns).replace('\n', '\r\n\r\n')
      await writeFile(join(directory, 'participants.csv'), text(bundle.participants, PARTICIPANT_COLUMNS))
      await writeFile(join(directory, 'tests.csv'), text(bundle.tests, TEST_COLUMNS))
      await writeFile(join(directory, 'samples.csv'), text(bundle.samples, SAMPLE_COLUMNS))
    },
    Parquet: async (directory, bundle) => {
      await writeBundle(directory, bundle)
      await toParquet(directory, 'SELECT * FROM samples')
    },
    'Parquet with other types': async (directory, bundle) => {
      await writeBundle(directory, bundle)
      await toParquet(
        directory,
        `SELECT test_id::UUID AS test_id, is_click::INTEGER AS is_click, gaze_x_px::INTEGER AS gaze_x_px,
          coalesce(gaze_y_px, 'NaN'::FLOAT)::FLOAT AS gaze_y_px, t_ms::DECIMAL(12, 3) AS t_ms, mouse_x_px, mouse_y_px, scroll_y_px
        FROM samples`,
      )
    },
  }

  test.each(Object.entries(forms))('%s', async (_name, write) => {
    const bundle = smallBundle()
    bundle.participants[0].notes = 'two\nlines, "quoted"'
    bundle.samples[3] = { ...bundle.samples[3], gaze_y_px: '', mouse_x_px: '1.5', mouse_y_px: '2', is_click: 'true' }
    await fixture.importing(bundle)
    const expected = await contentsOf(fixture.dataDir, STUDY_ID)
    const directory = await writeBundle(fixture.bundleDir(), { study: bundle.study })
    await write(directory, bundle)
    await fixture.importDir(directory, { dataDir: join(fixture.root, 'other') })
    expect(await contentsOf(join(fixture.root, 'other'), STUDY_ID)).toEqual(expected)
  })
})

/** Replaces samples.csv by samples.parquet, from a query on `samples`. */
async function toParquet(directory: string, sql: string): Promise<void> {
  const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 256 })
  try {
    const types = SAMPLE_COLUMNS.map((name) =>
      name === 'test_id' ? 'VARCHAR' : name === 'is_click' ? 'BOOLEAN' : 'DOUBLE',
    )
    const columns = SAMPLE_COLUMNS.map((name, i) => `'${name}': '${types[i]}'`).join(', ')
    const csv = join(directory, 'samples.csv')
    await db.connection.run(
      `CREATE TABLE samples AS SELECT * FROM read_csv($1, header = true, auto_detect = false, columns = {${columns}})`,
      [csv],
    )
    await db.connection.run(`COPY (${sql}) TO '${join(directory, 'samples.parquet')}' (FORMAT parquet)`)
  } finally {
    db.close()
  }
  await rm(join(directory, 'samples.csv'))
}

describe('publishing', () => {
  test('equal data again publishes nothing, in whatever packing', async () => {
    const bundle = smallBundle()
    const first = await fixture.importing(bundle)
    expect(await fixture.importing(bundle)).toEqual({ ...first, published: false })
    const directory = await writeBundle(fixture.bundleDir(), { ...bundle, samples: undefined })
    await writeFile(join(directory, 'samples.csv.gz'), gzip(toCsv(bundle.samples, SAMPLE_COLUMNS)))
    expect(await fixture.importDir(directory)).toEqual({ ...first, published: false })
  })

  test('other data becomes current, and the snapshot before stays until it is swept', async () => {
    const bundle = smallBundle()
    const first = await fixture.importing(bundle)
    bundle.participants[0].age = '30'
    const second = await fixture.importing(bundle)
    const studies = openStudies(fixture.dataDir)
    expect(await studies.currentId(STUDY_ID)).toBe(second.snapshotId)
    expect((await rowsOf(await studies.load(STUDY_ID, first.snapshotId))).participants[0].age).toBeNull()
  })

  test('a dry run says what would be and leaves no trace', async () => {
    const dry = await fixture.importing(smallBundle(), { dryRun: true })
    expect(existsSync(fixture.dataDir)).toBe(false)
    expect(await fixture.importing(smallBundle())).toEqual({ ...dry, published: true })
  })

  test('leaves nothing but snapshots and the current one’s name', async () => {
    const { snapshotId } = await fixture.importing(smallBundle())
    const directory = join(fixture.dataDir, 'studies', STUDY_ID)
    expect((await readdir(directory)).sort()).toEqual([snapshotId, 'current'].sort())
    expect((await readdir(join(directory, snapshotId))).sort()).toEqual([
      'manifest.json',
      'participants.parquet',
      'samples-00000.parquet',
      'study.json',
      'tests.parquet',
    ])
  })

  test('a stop leaves the study as it was', async () => {
    const bundle = smallBundle()
    const { snapshotId } = await fixture.importing(bundle)
    bundle.samples.pop()
    const stopped = fixture.importing(bundle, { signal: AbortSignal.abort() })
    await expect(stopped).rejects.toMatchObject({ code: 'canceled' })
    expect(await openStudies(fixture.dataDir).currentId(STUDY_ID)).toBe(snapshotId)
    expect((await readdir(join(fixture.dataDir, 'studies', STUDY_ID))).sort()).toEqual([snapshotId, 'current'].sort())
  })

  test('progress ends with all samples', async () => {
    const seen: [number, number][] = []
    await fixture.importing(smallBundle(), { onProgress: (done, total) => seen.push([done, total]) })
    expect(seen.at(-1)).toEqual([30, 30])
  })
})

describe('study.json alone', () => {
  test('changes flow, names and AOIs over the same samples, which are not copied', async () => {
    const bundle = smallBundle()
    await fixture.importing(bundle)
    const before = await currentSnapshot(fixture.dataDir, STUDY_ID)
    const { study } = smallBundle()
    study.name = 'Renamed'
    study.steps.unshift({ type: 'stimuli', stimuli: { id: uuid('1', 2), isScrollingEnabled: true } })
    study.items.reverse()
    study.aois.pop()
    const { published } = await fixture.importing({ study })
    expect(published).toBe(true)
    const after = await currentSnapshot(fixture.dataDir, STUDY_ID)
    const inode = async (directory: string) => (await stat(join(directory, 'samples-00000.parquet'))).ino
    expect(await inode(after.directory)).toBe(await inode(before.directory))
    const relinked = await contentsOf(fixture.dataDir, STUDY_ID)

    await fixture.importing({ ...bundle, study }, { dataDir: join(fixture.root, 'other') })
    expect(relinked).toEqual(await contentsOf(join(fixture.root, 'other'), STUDY_ID))
    // And so the whole bundle again is equal data.
    expect((await fixture.importing({ ...bundle, study })).published).toBe(false)
  })

  test('equal again publishes nothing', async () => {
    const { study } = smallBundle()
    const { snapshotId } = await fixture.importing(smallBundle())
    expect(await fixture.importing({ study })).toMatchObject({ snapshotId, published: false })
  })

  test('of an unknown study is an incomplete bundle', async () => {
    const { study } = smallBundle()
    await expect(fixture.importing({ study })).rejects.toMatchObject({
      code: 'invalid_bundle',
      problems: [
        { file: 'participants.csv', rule: 'is missing' },
        { file: 'tests.csv', rule: 'is missing' },
        { file: 'samples.csv', rule: 'is missing, and so is samples.parquet' },
      ],
    })
  })

  test('may not drop an item that tests show', async () => {
    await fixture.importing(smallBundle())
    const { study } = smallBundle()
    study.items.pop()
    study.aois.pop()
    await expect(fixture.importing({ study })).rejects.toMatchObject({
      problems: [
        { column: 'items', value: uuid('1', 2), rule: 'must hold every item that tests show, and 1 show this one' },
      ],
    })
  })
})

describe('every sample of a bundle is in its snapshot', () => {
  const golden = fileURLToPath(new URL('../../golden/bundle', import.meta.url))
  test.each([
    ['the golden study', async () => golden],
    ['a tracker at 300 Hz', () => writeBundle(fixture.bundleDir(), trackerBundle(20))],
  ])('of %s', async (_name, bundleOf) => {
    const directory = await bundleOf()
    const { counts, studyId } = await fixture.importDir(directory)
    const lines = (await readFile(join(directory, 'samples.csv'), 'utf8')).trimEnd().split('\n').length
    expect(counts.samples).toBe(lines - 1)
    const { tests } = await contentsOf(fixture.dataDir, studyId)
    expect(tests.reduce((total, { samples }) => total + samples.length, 0)).toBe(lines - 1)
  })
})
