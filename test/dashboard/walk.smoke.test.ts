import { readFile } from 'node:fs/promises'
import type { Download } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openSessions } from '../../engine/access/sessions.ts'
import { axeFindings, faded, hasChromium, keepScreenshot, signOut } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

/** Walks the way that a user goes, in a real browser, on a demo study; walk-on.system.test.ts goes on from there. */
const SMALL = { participants: 24, items: 6, seconds: 8, hz: 30, seed: 1 }
const OTHER = { participants: 2, items: 1, seconds: 2, hz: 30, seed: 7 }
let small: string

const { service, walk, page } = await walkThrough({ demos: [SMALL, OTHER] }, async ({ service }) => {
  ;[small] = service.studyIds
})

async function textOf(download: Download): Promise<string> {
  return readFile(await download.path(), 'utf8')
}

async function csv(path: string): Promise<string> {
  const response = await service.get(path)
  expect(response.status).toBe(200)
  return response.text()
}

/** Set by hand, since a drag of the mouse depends on the width of the window. */
async function slide(name: string, value: number): Promise<void> {
  const slider = page.getByRole('slider', { name })
  await slider.evaluate(
    (input, to) =>
      Object.assign(input, { value: String(to) }) && input.dispatchEvent(new Event('input', { bubbles: true })),
    value,
  )
}

/** Without the number of the defaults that may stand under it. */
const fixationCount = () =>
  page
    .locator('.summary > div', { hasText: 'Fixations' })
    .locator('dd')
    .first()
    .evaluate((dd) => dd.firstChild?.textContent ?? '')

describe.skipIf(!hasChromium)('the dashboard in Chromium', () => {
  test('asks for a token before anything else, says what is wrong with a wrong one, and passes axe', async () => {
    await page.goto(`${service.url}/studies/${small}`)
    await page.getByLabel('Access token').fill('6b1f3a52-0000-4000-8000-000000000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('The token is unknown, expired or revoked').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByLabel('Access token').fill(service.ops)
    await keepScreenshot(page, 'sign-in')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Demo study, seed 1' }).waitFor()
    const cookies = await walk.context.cookies()
    expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
      { httpOnly: true, sameSite: 'Strict' },
    ])
    expect(JSON.stringify(cookies)).not.toContain(service.ops)
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(service.ops)
  })

  test('signs in once by the address that start prints, which then is gone from the address bar', async () => {
    const record = (await service.parts.tokens.list()).find(({ role }) => role === 'ops')
    const code = await openSessions(service.parts.config.dataDir).createCode(record!.id, new Date())
    await signOut(page)
    await page.getByLabel('Access token').waitFor()
    await page.goto('about:blank')
    await page.goto(`${service.url}/sign-in#code=${code}`)
    await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
    expect(page.url()).toBe(`${service.url}/`)
    await signOut(page)
    await page.getByLabel('Access token').waitFor()
    await page.goto('about:blank')
    await page.goto(`${service.url}/sign-in#code=${code}`)
    await page.getByRole('alert').getByText('was used before').waitFor()
    await page.getByLabel('Access token').fill(service.ops)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
  })

  test('finds a study by its name', async () => {
    await page.getByText('Dropped out').first().waitFor()
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'studies')
    await page.getByLabel('Find a study').fill('nothing of that name')
    await page.getByText('No study found for').waitFor()
    await page.getByLabel('Find a study').fill('seed 1')
    await page.getByText(/^1 of \d studies$/).waitFor()
    await page.getByRole('link', { name: 'Demo study, seed 1' }).click()
    await page.getByRole('heading', { level: 2, name: 'Participants' }).waitFor()
  })

  test('draws items with their pictures, the flow as a line of steps, and drop-out, each when it is chosen', async () => {
    const { steps } = (await (await service.get(`/api2/studies/${small}/flow`)).json()) as { steps: unknown[] }
    await page.locator('.item-card').nth(5).scrollIntoViewIfNeeded()
    const sizes = () =>
      page
        .locator('.item-card img')
        .evaluateAll((images) => images.map((image) => Number(Reflect.get(image, 'naturalWidth'))))
    await expect.poll(async () => (await sizes()).filter((width) => width > 0).length).toBe(6)
    expect((await sizes()).length).toBe(6)
    expect(await axeFindings(page)).toEqual([])
    await page.evaluate('scrollTo(0, 0)')
    await keepScreenshot(page, 'study', { fullPage: true })
    await page.getByRole('radio', { name: 'Description' }).check()
    await expect.poll(() => page.locator('.flow li').count()).toBe(steps.length)
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('radio', { name: 'Drop-out' }).check()
    await page.getByRole('img', { name: /^Drop-out: Started 24,.*Completed \d+$/ }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('radio', { name: 'Items and people' }).check()
  })

  test('says how many a filter of grades keeps, as the export does', async () => {
    await page.getByRole('radio', { name: 'Grade', exact: true }).check()
    await page.getByLabel('Minimum quality grade').selectOption('5')
    const kept = page.locator('section[aria-labelledby=people] .kept')
    await kept.getByText(/^\d+ of 24 participants kept/).waitFor()
    const { keptTests } = (await (await service.get(`/api2/studies/${small}/participants`)).json()) as {
      keptTests: number[]
    }
    await expect.poll(() => kept.textContent()).toContain(`${keptTests[4]} of ${keptTests[0]} tests kept`)
    const overall = await csv(
      `/api2/studies/${small}/collected-data/keyboard-and-mouse/overall-per-participant?participantQualityGradeItemMin=5`,
    )
    expect(overall.trim().split('\n').length - 1).toBe(keptTests[4])
    expect(page.url()).toContain('participantQualityGradeItemMin=5')
    await page.getByLabel('Minimum quality grade').selectOption('1')
    await page.getByRole('radio', { name: 'Samples lost, %' }).check()
  })

  test('shows an item with a heatmap of all, a scarf plot, AOI bars and gaze over time', async () => {
    await page.locator('.item-card').getByRole('link', { name: 'advert-01.svg' }).click()
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    await page.getByRole('radio', { name: 'All', exact: true }).check()
    await page.getByRole('img', { name: /^Scarf plot of 21 tests/ }).waitFor()
    await page.getByRole('img', { name: /^Bars of 9 areas of interest/ }).waitFor()
    await page.getByRole('img', { name: /^Gaze over time/ }).waitFor()
    await page.getByText(/^Heatmap of each participant’s share of viewing time, of \d+ participants, in/).waitFor()
    await page.getByRole('img', { name: /^Colours from 0 to [\d.,]+ % of viewing time per cell/ }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'item-heatmap', { fullPage: true })
    await page.emulateMedia({ colorScheme: 'dark' })
    await faded(page)
    await keepScreenshot(page, 'item-heatmap-dark', { fullPage: true })
    await page.emulateMedia({ colorScheme: 'light' })
  })

  test('redraws one participant when a slider moves, as the CSV has it, and goes back to defaults', async () => {
    await page.getByRole('combobox', { name: 'Participant' }).selectOption({ index: 1 })
    await page.getByRole('img', { name: /with \d+ fixations/ }).waitFor()
    await page.getByRole('checkbox', { name: 'AOIs' }).check()
    const before = await fixationCount()
    await slide('Velocity threshold', 60)
    await expect.poll(fixationCount).not.toBe(before)
    const now = await fixationCount()
    await page.waitForURL(/gazeVelocityThreshold=60/)
    const { searchParams, pathname } = new URL(page.url())
    const itemId = pathname.split('/').at(-1)
    const file = await csv(
      `/api2/studies/${small}/collected-data/eye-tracking/fixations?itemId=${itemId}&gazeVelocityThreshold=60`,
    )
    const participantId = searchParams.get('participant') ?? ''
    const own = file.split('\n').filter((line) => line.includes(participantId))
    expect(now).toBe(String(own.length))
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'item-scanpath', { fullPage: true })

    const linked = await walk.context.newPage()
    await linked.goto(page.url())
    const same = linked.locator('.summary dd').first()
    await same.waitFor()
    expect(await same.evaluate((dd) => dd.firstChild?.textContent)).toBe(now)
    await linked.close()

    await page.getByRole('button', { name: 'Back to defaults' }).click()
    await page.waitForURL((url) => !url.search.includes('gazeVelocityThreshold'))
    await expect.poll(fixationCount).toBe(before)
  })

  test('refuses to hide that a link holds a value out of range', async () => {
    await page.goto(`${page.url()}&movingMedianRangeMs=5000`)
    await page.getByRole('alert').getByText('movingMedianRangeMs').waitFor()
    await page.goBack()
  })

  test('moves sliders and layers by keyboard alone', async () => {
    await page.getByRole('img', { name: /with \d+ fixations/ }).waitFor()
    await page.getByText(/more, all default/).click()
    await page.getByRole('slider', { name: 'Moving-median window' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/movingMedianRangeMs=201/)
    await page.getByLabel('Gaze points').focus()
    await page.keyboard.press('Space')
    await page.getByRole('img', { name: /gaze points/ }).waitFor()
    await page.getByRole('button', { name: 'Back to defaults' }).click()
    await page.waitForURL((url) => !url.search.includes('movingMedianRangeMs'))
    await expect.poll(() => page.locator('.stale').count()).toBe(0)
  })

  test('saves a chart as SVG and PNG with its caption, and its numbers, which are those of the CSV', async () => {
    const figure = page.getByRole('figure', { name: 'Areas of interest' })
    const save = async (name: string) => {
      const downloading = page.waitForEvent('download')
      if (name.endsWith('G')) await figure.locator('.dropdown summary').click()
      await figure.getByRole('button', { name }).click()
      return downloading
    }
    const svg = await textOf(await save('Save Areas of interest as SVG'))
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/)
    expect(svg).toMatch(/aoi-fixations-stats · advert-01.svg, @sam_k · n = 1 participant, 1 test/)
    expect(svg).toContain('Gazette v')
    expect(svg.replaceAll('http://www.w3.org/', '')).not.toMatch(/https?:\/\//)
    const png = await readFile(await (await save('Save Areas of interest as PNG')).path())
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    await figure.getByRole('button', { name: 'Numbers' }).click()
    const table = await textOf(await save('Save these numbers (CSV)'))
    const [header, ...rows] = table
      .trim()
      .split('\n')
      .map((line) => line.split(','))
    const { searchParams, pathname } = new URL(page.url())
    const path = `/api2/studies/${small}/collected-data/eye-tracking/aois-all/fixations-stats?itemId=${pathname.split('/').at(-1)}`
    const lines = (await csv(path)).split('\n').filter((line) => line.includes(searchParams.get('participant') ?? '?'))
    expect(rows.length).toBe(lines.length)
    const from = header.indexOf('aoi_fixation_total_count')
    for (const [i, row] of rows.entries()) {
      const cells = row.slice(from).join(',')
      expect(lines[i]).toContain(`,${cells},`)
    }
    const stimulus = page.getByRole('figure', { name: 'Stimulus' })
    const downloading = page.waitForEvent('download')
    await stimulus.locator('.dropdown summary').click()
    await stimulus.getByRole('button', { name: 'Save Stimulus as SVG' }).click()
    const picture = await textOf(await downloading)
    expect(picture).toContain('data:image/svg+xml;base64,')
  })

  test('downloads a small export at once, the very bytes that the API gives', async () => {
    await page.getByRole('link', { name: 'Export with these settings' }).click()
    await page.getByRole('heading', { name: 'First rows' }).waitFor()
    await page.getByRole('heading', { name: 'Columns' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'export', { fullPage: true })
    const line = await page.locator('pre').textContent()
    const address = /'(http[^']+)'/.exec(line ?? '')?.[1] ?? ''
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^study-demo-study-seed-1-.*-fixations\.csv$/)
    expect(await textOf(download)).toBe(await csv(address.slice(service.url.length)))
    for (const [language, means] of [
      ['Python', 'pandas.read_csv('],
      ['R', 'read.csv('],
    ]) {
      await page.getByRole('radio', { name: language, exact: true }).check()
      await page.locator('pre', { hasText: means }).waitFor()
      expect(await page.locator('pre').textContent()).toContain(address)
    }
  })

  test('says what to do when the server is away, and when there is nothing', async () => {
    const studies = /\/api2\/studies$/
    await walk.context.route(studies, (route) => route.abort())
    await page.goto(service.url)
    await page.getByText('No connection to Gazette').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await walk.context.unroute(studies)
    await page.getByRole('link', { name: 'Demo study, seed 1' }).waitFor()
    await page.goto(`${service.url}/studies/00000000-0000-4000-8000-000000000000`)
    await page.getByText('This study is not there').waitFor()
    await page.getByRole('link', { name: 'Go to the studies' }).waitFor()
  })

  test('signs out, and shows nothing any more', async () => {
    await signOut(page)
    await page.getByLabel('Access token').waitFor()
    await page.goto(`${service.url}/studies/${small}`)
    await page.getByLabel('Access token').waitFor()
    expect(await page.getByText('Demo study').count()).toBe(0)
  })

  test('asked no other host for anything, broke no policy and logged no error on the whole way', () => {
    expect(walk.complaints).toEqual([])
  })
})
