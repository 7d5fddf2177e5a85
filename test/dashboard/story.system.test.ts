import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { quantile } from '../../engine/analysis/statistics/descriptive.ts'
import { mannWhitney } from '../../engine/analysis/statistics/mann-whitney.ts'
import { cleanUp, writeFiles } from '../engine/recordings/converted.ts'
import { dropFiles, hasChromium, keepPicture } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { rowsOf, viewedRowsOf } from './rows.ts'

/**
 * A person's way from a file to a report, filmed as pictures in test/dashboard/out: each number that is met is the
 * CSV's. What each page can do besides is tried in tests of its own.
 */
const OVERALL = 'eye-tracking/aois-all/overall-stats'
/** The demo, whose recordings are the file that is brought in. */
let demo: string
let study: string
let item: string
/** The filter that the exclusion is written down as. */
let exclusion: string

const { service, walk, page } = await walkThrough(
  { demos: [{ participants: 20, items: 2, seconds: 5, hz: 60, seed: 3 }] },
  async ({ service }) => {
    demo = service.studyIds[0]
    await service.startWorker()
  },
)
afterAll(cleanUp)

const open = (path: string) => page.goto(`${service.url}/studies/${study}${path}`)
const csv = (path: string) => rowsOf(service, study, path)
/** Meaning of each column of the table. */
const MEANINGS = {
  who: 'participant',
  condition: 'external',
  picture: 'item',
  t_ms: 'time',
  x: 'x',
  y: 'y',
  scrolled: 'scroll',
  mouse_x: 'mouseX',
  mouse_y: 'mouseY',
  clicked: 'click',
}
/** The recordings of the demo as a table of no known format, a row per sample. */
const tableOf = (tests: Record<string, string>[]) => {
  const lines = tests.flatMap((test) =>
    (JSON.parse(test.test_raw_data) as (number | boolean | null)[][]).map(
      ([x, y, tMs, scroll, mouseX, mouseY, click]) =>
        [
          test.participant_id,
          test.external_data_condition,
          test.item_filename,
          ...[tMs, x, y, scroll, mouseX, mouseY, click ? 1 : 0],
        ].join(','),
    ),
  )
  return { text: `${[Object.keys(MEANINGS).join(','), ...lines].join('\n')}\n`, samples: lines.length }
}
const one = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })
const numbersOf = (rows: Record<string, string>[], column: string) => rows.map((row) => Number(row[column]))
const cellsOf = (label: string) =>
  page
    .getByRole('region', { name: label })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))

describe.skipIf(!hasChromium)("a person's way through a study", () => {
  test('1: a file is dropped, its columns are told what they are, and the study has all of its samples', async () => {
    await page.goto(`${service.url}/`)
    await page.getByLabel('Access token').fill(service.write)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Import data' }).waitFor()
    // A test without samples has no rows in such a table.
    const tests = (await rowsOf(service, demo, 'eye-tracking/gazes/raw')).filter((row) => row.test_raw_data !== '[]')
    const { text, samples } = tableOf(tests)
    await dropFiles(walk, join(writeFiles({ 'lab.csv': text }), 'lab.csv'))
    await page.getByText('The format is unknown.').waitFor()
    for (const [column, meaning] of Object.entries(MEANINGS))
      await page.getByLabel(`${column} is`, { exact: true }).selectOption(meaning)
    await page.getByLabel('Gaze is in').selectOption('px')
    await page.getByLabel('Width of the screen, px').fill('1440')
    await page.getByLabel('Height, px').fill('900')
    await page.getByLabel('Name of the study').fill('From the lab')
    await keepPicture(page, 'story-1-mapping', { fullPage: true })
    await page.getByText('Ready to import.').waitFor()
    const numberOf = new Intl.NumberFormat('en')
    expect(await page.locator('.facts dd').allTextContents()).toEqual(
      [20, 2, tests.length, samples].map((n) => numberOf.format(n)),
    )
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    const link = page.getByRole('link', { name: 'Open the study' })
    study = (await link.getAttribute('href'))!.split('/')[2]
    await link.click()
    await page.getByRole('heading', { level: 1, name: 'From the lab' }).waitFor()
    await page.getByRole('radio', { name: 'Drop-out' }).check()
    await page.getByRole('img', { name: /^Drop-out: Started 20,/ }).waitFor()
    await page.getByRole('radio', { name: 'Items and people' }).check()
    const people = new Set((await csv('keyboard-and-mouse/overall-per-participant')).map((row) => row.participant_id))
    expect(people.size).toBe(20)
    const points = (rows: Record<string, string>[]) =>
      rows.map((row) => `${row.item_filename} ${row.test_raw_data}`).sort()
    expect(points(await csv('eye-tracking/gazes/raw'))).toEqual(points(tests))
    const { items } = (await (await service.get(`/api2/studies/${study}`)).json()) as { items: { id: string }[] }
    item = items[1].id
    await keepPicture(page, 'story-1-study')
  })

  test('2: two AOIs are drawn, and have the numbers of the export', async () => {
    const headers = { 'x-auth-token': service.write, 'if-match': '*', 'content-type': 'application/json' }
    const path = `${service.url}/api2/studies/${study}/items/${item}/aois`
    expect((await fetch(path, { method: 'PUT', headers, body: '[]' })).status).toBe(200)
    await open(`/items/${item}`)
    await page.getByRole('link', { name: 'Draw AOIs' }).click()
    const board = page.locator('svg.board')
    for (const [name, from, to] of [
      ['left', 0.08, 0.48],
      ['right', 0.52, 0.92],
    ] as const) {
      await page.getByRole('toolbar').getByRole('button', { name: 'Rectangle', exact: true }).click()
      await board.scrollIntoViewIfNeeded()
      const { x, y, width, height } = (await board.boundingBox())!
      await page.mouse.move(x + from * width, y + 0.1 * height)
      await page.mouse.down()
      await page.mouse.move(x + to * width, y + 0.9 * height, { steps: 6 })
      await page.mouse.up()
      await page.getByLabel('Name').fill(name)
    }
    await page.getByRole('button', { name: 'Save …' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('All saved').waitFor()
    await page.locator('.drawn-numbers[data-is-fresh="true"]').waitFor()
    await keepPicture(page, 'story-2-aois')
    const row = (await csv(`${OVERALL}?itemId=${item}`)).find(({ aoi_name }) => aoi_name === 'right')!
    const shown = await page
      .locator('.drawn-numbers tbody tr')
      .evaluateAll((rows) =>
        rows.map((each) => [each.getAttribute('data-column') ?? '', each.children[1].getAttribute('data-value') ?? '']),
      )
    expect(shown.length).toBeGreaterThan(3)
    for (const [column, value] of shown) expect([column, Number(value)]).toEqual([column, Number(row[column])])
  })

  test('3: the replay counts who looks where as the fixations do', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await open(`/items/${item}/replay?t=1500`)
    await page.getByText(/^At 1\.500 s, of \d+ tests: /).waitFor()
    const said = (await page.locator('.said').textContent()) ?? ''
    const at = (await csv(`eye-tracking/fixations-aois?itemId=${item}`)).filter(
      (row) => Number(row.fixation_starts_at_ms) <= 1500 && 1500 < Number(row.fixation_ends_at_ms),
    )
    for (const [i, name] of ['left', 'right'].entries()) {
      const n = at.filter(({ aoi_names }) => aoi_names.includes(name)).length
      expect(Number(new RegExp(`(\\d+) in ${i + 1} `).exec(said)?.[1] ?? 0)).toBe(n)
    }
    expect(at.length).toBeGreaterThan(0)
    await keepPicture(page, 'story-3-replay')
  })

  test('4: who falls out at a threshold is who has more loss in the CSV, and what that changes is the CSV without them', async () => {
    const rows = await csv(`eye-tracking/quality-stats?itemId=${item}`)
    const losses = numbersOf(rows, 'data_loss_percents').sort((a, b) => a - b)
    const limit = losses[losses.length - 3]
    await open(`/quality?item=${item}`)
    await page.getByRole('img', { name: new RegExp(`^Quality of ${rows.length} tests`) }).waitFor()
    await page.getByLabel('Samples without gaze, at most').fill(String(limit))
    await page.keyboard.press('Enter')
    const out = rows.filter((row) => Number(row.data_loss_percents) > limit || row.valid_sample_count === '0').length
    await page.getByText(`${out} of ${rows.length} tests excluded`).waitFor()
    const label = 'Results with all tests, and without the excluded ones'
    await page.getByRole('region', { name: label }).waitFor()
    exclusion = (await page.locator('.panel code.address').textContent()) ?? ''
    const more = `&filter=${encodeURIComponent(exclusion)}`
    const [all, after] = [await csv(`${OVERALL}?itemId=${item}`), await csv(`${OVERALL}?itemId=${item}${more}`)]
    const text = (cell: string) => (cell === '' ? '–' : one.format(Number(cell)))
    const column = 'aoi_fixation_average_total_time_spent_ms'
    for (const [r, cells] of (await cellsOf(label)).entries())
      expect(cells[2].startsWith(`${text(all[r][column])} → ${text(after[r][column])} `)).toBe(true)
    await keepPicture(page, 'story-4-exclusion', { fullPage: true })
    await page.getByRole('button', { name: 'Use this filter' }).click()
    await page.waitForURL(/filter=/)
  })

  test('5: two groups of those who are kept are compared, with n, medians and U of the CSV', async () => {
    await open(`/groups?item=${item}&filter=${encodeURIComponent(exclusion)}`)
    await page.getByRole('button', { name: 'condition', exact: true }).click()
    const label = 'Tests of the groups in each area of interest'
    await page.getByRole('region', { name: label }).waitFor()
    await expect.poll(async () => (await cellsOf(label)).flat().includes('…')).toBe(false)
    const groups = await Promise.all(
      ['free', 'search'].map((condition) =>
        viewedRowsOf(
          service,
          study,
          `eye-tracking/aois-all/fixations-stats?itemId=${item}&filter=${encodeURIComponent(`(${exclusion}) AND external_data_condition = '${condition}'`)}`,
        ),
      ),
    )
    for (const [i, name] of ['left', 'right'].entries()) {
      const own = groups.map((rows) =>
        numbersOf(
          rows.filter(({ aoi_name }) => aoi_name === name),
          'aoi_fixation_average_total_time_spent_ms',
        ),
      )
      expect((await cellsOf(label))[i].slice(2, 7)).toEqual([
        ...own.map(({ length }) => String(length)),
        ...own.map((values) => whole.format(quantile(values, 0.5))),
        whole.format(mannWhitney(own[0], own[1]).statistic),
      ])
    }
    await keepPicture(page, 'story-5-groups', { fullPage: true })
  })

  test('6: the report has who was excluded, and how many tests and participants are left', async () => {
    await open(`/report?filter=${encodeURIComponent(exclusion)}`)
    await page.locator('.report[aria-busy=false]').waitFor()
    const kept = await csv(`keyboard-and-mouse/overall-per-participant?filter=${encodeURIComponent(exclusion)}`)
    const people = new Set(kept.map((row) => row.participant_id))
    const rows = await cellsOf('Exclusions, in order')
    expect(rows.at(-1)?.slice(-2)).toEqual([String(kept.length), String(people.size)])
    await keepPicture(page, 'story-6-report', { fullPage: true })
    expect(walk.complaints).toEqual([])
  })
})
