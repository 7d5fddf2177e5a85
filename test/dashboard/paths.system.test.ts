import { describe, expect, test } from 'vitest'
import type { MicrosaccadesData, ScanpathsData } from '../../dashboard/core/api.ts'
import { BINOCULAR_ITEM, binocularBundle } from './binocular-bundle.ts'
import { axeFindings, expectNoOverflow, hasChromium, keepPicture, resize, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { rowsOf } from './rows.ts'

/** Pages of scanpaths and of microsaccades: numbers are those of the exports, and drawings those of the numbers. */
const DEMO = { participants: 9, items: 1, seconds: 4, hz: 60, seed: 6 }
let study: string
let itemId: string

const { service, walk, page } = await walkThrough(
  { demos: [DEMO], bundles: [binocularBundle] },
  async ({ service, page }) => {
    study = service.studyIds[0]
    const answer = await service.get(`/api2/studies/${study}`)
    itemId = ((await answer.json()) as { items: { id: string }[] }).items[0].id
    await signIn(page, service.url, service.read)
  },
)

const openItem = (of: string, item: string, rest: string) =>
  page.goto(`${service.url}/studies/${of}/items/${item}${rest}`)
const open = (of: string, item: string, part: string) => openItem(of, item, `/${part}`)
const answerOf = async <T>(of: string, path: string) =>
  (await (await service.get(`/api2/studies/${of}/analysis/${path}`)).json()) as T
const controls = () =>
  page.locator('a[href]:visible, button:visible, input:visible, select:visible, summary:visible').count()
const figure = (name: string) => page.getByRole('figure', { name, exact: true })

/** Opens the numbers of a figure. @returns its cells by row */
async function numbersOf(name: string): Promise<string[][]> {
  await figure(name).getByRole('button', { name: 'Numbers' }).click()
  const rows = page.getByRole('region', { name: `${name}, numbers` }).locator('tbody tr')
  await rows.first().waitFor()
  return rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
}

/** Edits between two AOI strings, by the recursion of the definition. */
function editsOf(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j))
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      table[i][j] = Math.min(
        table[i - 1][j] + 1,
        table[i][j - 1] + 1,
        table[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1),
      )
  return table[a.length][b.length]
}

describe.skipIf(!hasChromium)('the page of scanpaths', () => {
  test('has the distances of the AOI strings of the export, a cell for each pair', async () => {
    await open(study, itemId, 'scanpaths')
    await figure('Similarity of scanpaths').locator('svg.scanpath-pairs .pair').first().waitFor()
    const rows = await rowsOf(service, study, `eye-tracking/scanpaths?itemId=${itemId}`)
    const nameOf = ({ participant_external_id: own, participant_display_name: shown }: Record<string, string>) =>
      own || shown
    const letters = new Map(rows.map((row) => [nameOf(row), row.aoi_string]))
    const cells = await numbersOf('Similarity of scanpaths')
    expect(await figure('Similarity of scanpaths').locator('.pair').count()).toBe(cells.length)
    for (const [one, other, , , first, second, distance, similarity] of cells) {
      expect([first, second]).toEqual([letters.get(one), letters.get(other)])
      expect(Number(distance)).toBe(editsOf(first, second))
      expect(Number(similarity)).toBeCloseTo(1 - editsOf(first, second) / Math.max(first.length, second.length), 6)
    }
    expect(cells.length).toBeGreaterThan(20)
  })

  test('draws the value of each pair in its cell, in the order that the address keeps', async () => {
    const { scanpaths, pairs } = await answerOf<ScanpathsData>(study, `scanpaths?itemId=${itemId}`)
    const titles = () =>
      figure('Similarity of scanpaths')
        .locator('.pair title')
        .evaluateAll((all) => all.map((title) => Number(title.textContent?.split(': ')[1])))
    const drawn = (await titles()).sort()
    const expected = pairs.map(({ levenshteinSimilarity }) => levenshteinSimilarity ?? Number.NaN).sort()
    for (const [i, value] of expected.entries()) expect(drawn[i]).toBeCloseTo(value, 2)
    // The first two rows are the scanpaths that are most like the others.
    const [most, next] = scanpaths
      .map(({ means }, s) => ({ s, mean: means.levenshteinSimilarity as number }))
      .sort((one, other) => other.mean - one.mean)
    const pair = pairs.find(
      ({ first, second }) => [first, second].includes(most.s) && [first, second].includes(next.s),
    )!
    expect((await titles())[0]).toBeCloseTo(pair.levenshteinSimilarity!, 2)
    await figure('Similarity of scanpaths')
      .getByRole('combobox', { name: /^Order by/ })
      .selectOption({ label: 'name' })
    await page.waitForURL(/order=name/)
    await figure('Similarity of scanpaths')
      .getByRole('combobox', { name: /^Similarity/ })
      .selectOption({ label: 'MultiMatch: shape' })
    await page.waitForURL(/similarity=vector/)
    await figure('Similarity of scanpaths')
      .getByText(/^MultiMatch: shape of/)
      .waitFor()
  })

  test('has a strip of dots for each measure of the export', async () => {
    const rows = await rowsOf(service, study, `eye-tracking/scanpaths?itemId=${itemId}`)
    for (const column of ['transition_entropy_bits', 'recurrence_percents', 'coefficient_k']) {
      const known = rows.filter((row) => row[column] !== '')
      const strip = figure('Measures of scanpaths').locator(`[data-measure="${column}"]`)
      expect(await strip.locator('circle').count()).toBe(known.length)
      expect(await strip.textContent()).toContain(`n = ${known.length}`)
    }
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
    await keepPicture(page, 'scanpaths', { fullPage: true })
    expect(await controls()).toBeLessThanOrEqual(60)
  })

  test('says why there is no pair', async () => {
    await page.goto(`${service.url}/studies/${study}/items/${itemId}/scanpaths?filter=participant_age+%3C+0`)
    await page.getByText(/None of \d+ tests is kept/).waitFor()
  })
})

describe.skipIf(!hasChromium)('the page of microsaccades', () => {
  test('draws rates that are the numbers of the analysis, and a dot for each row of the export', async () => {
    const of = service.studyIds[1]
    await open(of, BINOCULAR_ITEM, 'microsaccades')
    await figure('Rate of microsaccades')
      .getByText(/10 microsaccades of 4 participants \(4 tests\)/)
      .waitFor()
    const { groups } = await answerOf<MicrosaccadesData>(of, `microsaccades?itemId=${BINOCULAR_ITEM}`)
    // Microsaccades begin at 120, 320, 520 and 720 ms, in 4, 3, 2 and 1 of 4 tests: 0.1 s with one is 10 a second.
    const [rate] = groups.map((group) => group.rate)
    expect(rate.mean).toEqual([0, 10, 0, 7.5, 0, 5, 0, 2.5, 0, 0])
    const d = (await page.locator('.microsaccade-rates path.mean').first().getAttribute('d')) ?? ''
    const drawn = [...d.matchAll(/[ML][-\d.]+[ ,]([-\d.]+)/g)].map(([, y]) => Number(y))
    const pxPerUnit = (drawn[0] - drawn[1]) / 10
    for (const [bin, mean] of rate.mean.entries())
      expect((drawn[0] - drawn[bin]) / pxPerUnit).toBeCloseTo(mean as number, 1)
    const rows = await rowsOf(service, of, `eye-tracking/microsaccades?itemId=${BINOCULAR_ITEM}`)
    expect(rows).toHaveLength(10)
    expect(await page.locator('.main-sequence circle').count()).toBe(10)
    const cells = await numbersOf('Main sequence')
    expect(cells.map(([, amplitude]) => Number(amplitude))).toEqual(
      rows.map((row) => Number(row.microsaccade_amplitude_deg)),
    )
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
    await resize(page, 390, 860)
    const beyond = await page.locator('.microsaccade-rates').evaluate((svg) => {
      const edge = svg.getBoundingClientRect().right + 1
      return [...svg.querySelectorAll('text')]
        .filter((text) => text.getBoundingClientRect().right > edge)
        .map(({ textContent }) => textContent)
    })
    expect(beyond).toEqual([])
    await resize(page, 1280, 860)
    await keepPicture(page, 'microsaccades', { fullPage: true })
    expect(await controls()).toBeLessThanOrEqual(60)
  })

  test('compares groups, and says so where there is nothing', async () => {
    const of = service.studyIds[1]
    const query = new URLSearchParams({ group1: 'participant_age = 20', group2: 'participant_age = 99' })
    await open(of, BINOCULAR_ITEM, `microsaccades?${query}&name1=Young&name2=Nobody`)
    await figure('Rate of microsaccades')
      .getByText(/of 2 participants \(2 tests\) in Young, 0 microsaccades/)
      .waitFor()
    expect(await page.locator('.microsaccade-rates path.mean').count()).toBe(2)
    // Microsaccades are those of both eyes; other figures say whose gaze they draw.
    const strip = page.getByRole('region', { name: 'Analysis' })
    await strip.getByText('All participants, default settings', { exact: true }).waitFor()
    await openItem(of, BINOCULAR_ITEM, '')
    await strip
      .getByText('All participants, default settings · gaze as recorded, no eye chosen', {
        exact: true,
      })
      .waitFor()
    await openItem(of, BINOCULAR_ITEM, '?eye=left')
    await strip.getByText('left eye · not saved', { exact: true }).waitFor()
    await openItem(study, itemId, '')
    await strip.getByText('All participants, default settings', { exact: true }).waitFor()
    await open(of, BINOCULAR_ITEM, 'microsaccades?filter=participant_age+%3D+99')
    await page.getByText('No test has microsaccades to find').waitFor()
    await open(study, itemId, 'microsaccades')
    await page.getByText('This study has no gaze of both eyes').waitFor()
  })

  test('a replay has its rows in the order of the scarf plot, by name', async () => {
    const names = () => page.locator('main svg text[text-anchor=end]').allTextContents()
    const rows = async () => (await names()).filter((name) => /[a-z]/i.test(name) && !name.startsWith('Time from'))
    await openItem(study, itemId, '?figure=scarf')
    await figure('Scarf plot').getByRole('img').waitFor()
    const ordered = await rows()
    expect(ordered.length).toBeGreaterThan(5)
    await openItem(study, itemId, '/replay?t=100')
    await page.locator('.timeline svg').waitFor()
    await expect.poll(rows).toEqual(ordered)
  })

  test('nothing complained on the way', () => {
    expect(walk.complaints).toEqual([])
  })
})
