import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { measureGaze, qualityGrade } from '../../engine/compute/grade.ts'
import { type DuckDb, openDuckDb } from '../../engine/duckdb/duckdb.ts'
import type { Study } from '../../engine/model/study.ts'

const root = mkdtempSync(join(tmpdir(), 'gazette-demo-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const SIZE = { participants: 24, items: 6, seconds: 8, hz: 30, seed: 1, memoryMib: 128 }
let count = 0
async function write(changes: Partial<typeof SIZE> = {}) {
  const directory = join(root, String(count++))
  return { directory, ...(await writeDemoBundle({ directory, ...SIZE, ...changes })) }
}

/** SHA-256 of every file of a bundle, by name. */
function hashes(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).sort()
  const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
  return Object.fromEntries(paths.map((path) => [path.slice(directory.length + 1), hash(path)]))
}

test('The same settings give the same bytes of every file, with any amount of memory', async () => {
  const small = { participants: 5, items: 8, seconds: 3 }
  const [one, two] = [await write(small), await write({ ...small, memoryMib: 256 })]
  expect(two.studyId).toBe(one.studyId)
  expect(hashes(two.directory)).toEqual(hashes(one.directory))
  expect(Object.keys(hashes(one.directory))).toHaveLength(5 + 8)
})

test('Another seed gives another study: only the pictures are the same', async () => {
  const small = { participants: 3, items: 8, seconds: 2 }
  const [one, two] = [await write(small), await write({ ...small, seed: 2 })]
  expect(two.studyId).not.toBe(one.studyId)
  const [ours, theirs] = [hashes(one.directory), hashes(two.directory)]
  expect(Object.keys(theirs)).toEqual(Object.keys(ours))
  for (const [name, hash] of Object.entries(ours)) expect(hash === theirs[name], name).toBe(name.startsWith('images/'))
})

test('A test has the same samples however many participants there are', async () => {
  const gaze = async (directory: string) =>
    rowsOf(`SELECT t_ms, gaze_x_px, mouse_x_px FROM '${join(directory, 'samples.parquet')}' LIMIT 300`)
  expect(await gaze((await write({ participants: 4 })).directory)).toEqual(
    await gaze((await write({ participants: 2 })).directory),
  )
})

test('Settings out of range are refused, all at once', async () => {
  const wrong = write({ participants: 0, hz: Number.NaN, seed: 1.5 })
  await expect(wrong).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(/participants.*hz.*seed/) })
})

test('More tests than a bundle may have are refused before anything is written', async () => {
  await expect(write({ participants: 50_000, items: 6 })).rejects.toMatchObject({
    code: 'usage',
    message: 'participants × items must be at most 250000, got 300000',
  })
})

test('An abort stops the work and says so', async () => {
  const controller = new AbortController()
  const directory = join(root, 'aborted')
  const onProgress = () => controller.abort()
  const work = writeDemoBundle({ directory, ...SIZE, onProgress, signal: controller.signal })
  await expect(work).rejects.toMatchObject({ code: 'canceled' })
})

type Row = Record<string, string | number | boolean | null>
let duckDb: DuckDb
beforeAll(async () => {
  duckDb = await openDuckDb({ directories: [root], threads: 1, memoryMib: 256 })
})
afterAll(() => duckDb.close())
const rowsOf = async (sql: string) => (await duckDb.connection.runAndReadAll(sql)).getRowObjectsJS() as Row[]

describe('At the default size', () => {
  let study: Study
  let people: Row[]
  let tests: Row[]
  let directory: string
  let samples: number
  beforeAll(async () => {
    ;({ directory, samples } = await write())
    study = JSON.parse(readFileSync(join(directory, 'study.json'), 'utf8'))
    const csv = (name: string) =>
      `SELECT * FROM read_csv('${join(directory, name)}', header = true, all_varchar = true)`
    people = await rowsOf(csv('participants.csv'))
    tests = await rowsOf(csv('tests.csv'))
  })
  const samplesOf = (where: string) => rowsOf(`SELECT * FROM '${join(directory, 'samples.parquet')}' WHERE ${where}`)

  test('there are tens of thousands of samples, in the columns of a bundle', async () => {
    const columns = await rowsOf(`DESCRIBE SELECT * FROM '${join(directory, 'samples.parquet')}'`)
    expect(columns.map(({ column_name, column_type }) => `${column_name} ${column_type}`)).toEqual([
      'test_id VARCHAR',
      't_ms DOUBLE',
      'gaze_x_px DOUBLE',
      'gaze_y_px DOUBLE',
      'scroll_y_px DOUBLE',
      'mouse_x_px DOUBLE',
      'mouse_y_px DOUBLE',
      'is_click BOOLEAN',
    ])
    expect((await samplesOf('true')).length).toBe(samples)
    expect(samples).toBeGreaterThan(20_000)
    expect(samples).toBeLessThan(24 * 6 * 8 * 30 + 500)
    expect(await samplesOf('isnan(gaze_x_px) OR isnan(mouse_x_px) OR isnan(scroll_y_px)')).toEqual([])
  })

  test('ids are unique, and every reference is to something', async () => {
    const ids = [people.map((row) => row.participant_id), tests.map((row) => row.test_id)]
    const studyIds = [study.items.map(({ id }) => id), study.aois.map(({ id }) => id), [study.id]]
    const all = [...ids, ...studyIds].flat()
    expect(new Set(all).size).toBe(all.length)
    for (const row of tests) {
      expect(ids[0]).toContain(row.participant_id)
      expect(studyIds[0]).toContain(row.item_id)
    }
    for (const { itemId } of study.aois) expect(studyIds[0]).toContain(itemId)
    const sampled = await rowsOf(`SELECT DISTINCT test_id FROM '${join(directory, 'samples.parquet')}'`)
    for (const { test_id } of sampled) expect(ids[1]).toContain(test_id)
  })

  test('the grades that follow from the samples include all six, for tests and for participants', async () => {
    const sums = await Promise.all(
      tests.map(async (row) => {
        const list = await samplesOf(`test_id = '${row.test_id}'`)
        const column = (name: string) => Float64Array.from(list, (sample) => (sample[name] ?? Number.NaN) as number)
        const tUs = column('t_ms').map((ms) => Math.floor(ms * 1000 + 0.5))
        const size = { widthPx: Number(row.browser_width_px), heightPx: Number(row.browser_height_px) }
        const window = row.browser_width_px === null ? null : size
        const durationUs = Number(row.duration_ms) * 1000
        return measureGaze(tUs, column('gaze_x_px'), column('gaze_y_px'), 0, list.length, durationUs, window)
      }),
    )
    expect([...new Set(sums.map((sum) => qualityGrade([sum])))].sort()).toEqual([1, 2, 3, 4, 5, 6])
    const theirs = people.map((person) => sums.filter((_, i) => tests[i].participant_id === person.participant_id))
    expect([...new Set(theirs.slice(0, 12).map(qualityGrade))].sort()).toEqual([1, 2, 3, 4, 5, 6])
    expect(sums.some(({ validCount }) => validCount === 0)).toBe(true)
    expect(
      [...people.map((row) => row.quality_grade), ...tests.map((row) => row.quality_grade_item)].every(
        (cell) => cell === null,
      ),
    ).toBe(true)
  })

  test('some leave early and miss the later items, and one never begins', () => {
    const seen = people.map(({ participant_id }) => tests.filter((row) => row.participant_id === participant_id).length)
    for (const [i, person] of people.entries()) expect(person.is_completed).toBe(String(seen[i] === 6))
    expect(seen.filter((n) => n > 0 && n < 6).length).toBeGreaterThan(0)
    expect(seen).toContain(0)
  })

  test('people differ: unknown ages and genders, other scripts, commas, quotes, no mouse, windows of many sizes', async () => {
    const has = (list: Row[], name: string, rule: (cell: string | null) => boolean) =>
      expect(
        list.some((row) => rule(row[name] as string | null)),
        name,
      ).toBe(true)
    has(people, 'age', (cell) => cell === null)
    has(people, 'gender', (cell) => cell === null)
    has(people, 'external_id', (cell) => cell === null)
    for (const sign of [/,/, /"/, /\p{Script=Cyrillic}/u, /\p{Script=Arabic}/u, /\p{Script=Han}/u, /^=/])
      has(people, 'display_name', (cell) => sign.test(cell ?? ''))
    has(people, 'notes', (cell) => cell !== null)
    has(tests, 'notes', (cell) => cell !== null)
    has(tests, 'finished_on_key', (cell) => cell === 'Space')
    has(tests, 'has_finished_on_click', (cell) => cell === 'true')
    has(tests, 'browser_width_px', (cell) => cell === null)
    expect(new Set(tests.map((row) => row.browser_width_px)).size).toBeGreaterThan(4)
    expect((await samplesOf('mouse_x_px IS NULL')).length).toBeGreaterThan(500)
  })

  test('clicks have a mouse position, and a test that ended on a click has one near its end', async () => {
    const clicks = await samplesOf('is_click')
    expect(clicks.length).toBeGreaterThan(20)
    for (const { mouse_x_px } of clicks) expect(mouse_x_px).not.toBeNull()
    for (const row of tests.filter(({ has_finished_on_click }) => has_finished_on_click === 'true')) {
      const last = clicks.filter(({ test_id }) => test_id === row.test_id).map(({ t_ms }) => Number(t_ms))
      expect(Number(row.duration_ms) - Math.max(...last)).toBeLessThan(300)
    }
  })

  test('scrolling items are taller than any window, and their pages move', async () => {
    const steps = study.steps as { stimuli?: { id: string; isScrollingEnabled: boolean } }[]
    const scrolling = steps.filter(({ stimuli }) => stimuli?.isScrollingEnabled).map(({ stimuli }) => stimuli!.id)
    expect(scrolling.length).toBeGreaterThan(0)
    const moved = new Set((await samplesOf('scroll_y_px > 300')).map(({ test_id }) => test_id))
    expect(moved.size).toBeGreaterThan(8)
    for (const row of tests) if (moved.has(row.test_id)) expect(scrolling).toContain(row.item_id)
  })

  test('every item has its picture, and the address of it', () => {
    for (const { filename, cdnUrl, widthPx, heightPx } of study.items) {
      const svg = readFileSync(join(directory, 'images', filename), 'utf8')
      expect(svg).toContain(`viewBox="0 0 ${widthPx} ${heightPx}"`)
      expect(cdnUrl).toBe(`https://cdn.example.org/${filename}`)
    }
  })

  test('the flow has every kind of step, and the questions come after the items they refer to', () => {
    const steps = study.steps as {
      type: string
      stimuli?: { id: string }
      question?: { type: string; refItem: { id: string } }
    }[]
    expect([...new Set(steps.map(({ type }) => type))]).toEqual(['message', 'countdown', 'stimuli', 'question'])
    expect(steps.flatMap(({ stimuli }) => (stimuli ? [stimuli.id] : []))).toEqual(study.items.map(({ id }) => id))
    const kinds = new Set<string>()
    for (const [i, { question }] of steps.entries()) {
      if (!question) continue
      kinds.add(question.type)
      expect(steps.findIndex(({ stimuli }) => stimuli?.id === question.refItem.id)).toBeLessThan(i)
    }
    expect([...kinds].sort()).toEqual(['choice', 'form'])
  })
})
