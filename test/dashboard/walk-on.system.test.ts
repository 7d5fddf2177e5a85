import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { trackerBundle, writeBundle } from '../engine/import/bundles.ts'
import { until } from '../server/test-server.ts'
import { axeFindings, hasChromium, keepScreenshot, openMenu, showsBriefly, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

/**
 * Goes on where walk.smoke.test.ts ends: other formats, filters, a large export as a job, operations, a tablet, and a
 * tracker's recording of gaze alone.
 */
const SMALL = { participants: 24, items: 6, seconds: 8, hz: 30, seed: 1 }
const LARGE = { participants: 60, items: 4, seconds: 60, hz: 200, seed: 7 }
let small: string
let large: string

const recording = async () => writeBundle(await mkdtemp(join(tmpdir(), 'gazette-walk-')), trackerBundle(10))
const { service, walk, page } = await walkThrough(
  { demos: [SMALL, LARGE], settings: { SYNC_MAX_SAMPLES: '100000' }, bundles: [recording] },
  async ({ service, page }) => {
    ;[small, large] = service.studyIds
    await signIn(page, service.url, service.ops)
  },
)

/** Set by hand, since a drag of the mouse depends on the width of the window. */
async function slide(name: string, value: number): Promise<void> {
  const slider = page.getByRole('slider', { name })
  await slider.evaluate(
    (input, to) =>
      Object.assign(input, { value: String(to) }) && input.dispatchEvent(new Event('input', { bubbles: true })),
    value,
  )
}

type JobLook = { state: string; progress: { percent: number; etaSeconds: number | null } }

/** Without the number of the defaults that may stand under it. */
const fixationCount = () =>
  page
    .locator('.summary > div', { hasText: 'Fixations' })
    .locator('dd')
    .first()
    .evaluate((dd) => dd.firstChild?.textContent ?? '')

describe.skipIf(!hasChromium)('the dashboard in Chromium', () => {
  test('downloads an item in another format, whose lines read it', async () => {
    const { items } = (await (await service.get(`/api2/studies/${small}`)).json()) as { items: { id: string }[] }
    await page.goto(`${service.url}/studies/${small}/export?export=fixations&itemId=${items[0].id}`)
    await page.getByRole('radio', { name: 'R', exact: true }).check()
    await page.getByLabel('File format').selectOption('parquet')
    const button = page.getByRole('button', { name: 'Download Parquet' })
    await button.waitFor()
    await page.locator('pre').getByText('.parquet').waitFor()
    const lines = (await page.locator('pre').textContent()) ?? ''
    expect(lines).toContain("table <- arrow::read_parquet('fixations.parquet')")
    const address = /'(http[^']+)'/.exec(lines)?.[1] ?? ''
    expect(address).toContain('format=parquet')
    const downloading = page.waitForEvent('download')
    await button.click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/-fixations\.parquet$/)
    const answer = await service.get(address.slice(service.url.length))
    expect(answer.headers.get('content-type')).toBe('application/vnd.apache.parquet')
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect((await readFile(await download.path())).equals(bytes)).toBe(true)
    // After a download, too, a job is a job.
    await page.getByRole('button', { name: 'Start a job' }).click()
    await page
      .locator('.job')
      .getByText(/^Parquet, one item, /)
      .waitFor()
    await page.getByLabel('File format').selectOption('ndjson')
    await page.getByRole('button', { name: 'Start a job' }).and(page.locator(':enabled')).click()
    const job = page.locator('.job')
    await job.getByText(/^NDJSON, one item, /).waitFor()
    await job.getByRole('link', { name: 'Repeat with these settings' }).click()
    await page.getByRole('button', { name: 'Download NDJSON' }).waitFor()
    expect(await page.getByLabel('File format').inputValue()).toBe('ndjson')
    await page.getByRole('button', { name: 'Create the package' }).click()
    const packed = page.locator('.job').filter({ hasText: 'Package' })
    await packed.getByText(/^one item, /).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await packed.getByRole('button', { name: 'Cancel' }).click()
    await packed.getByText('Canceled').waitFor()
  })

  test('chooses tests by a filter and fixations by a detector: in the address, in the notes, in the job', async () => {
    const field = page.getByRole('textbox', { name: /^Filter/ })
    const type = async (condition: string) => {
      await field.fill(condition)
      await field.press('Enter')
    }
    await page.goto(`${service.url}/studies/${small}/export?export=quality-stats`)
    await page.getByText(/^130 of 130 tests kept/).waitFor()
    await page.getByText('Add a condition').click()
    await page.getByText('Advanced: the filter as SQL').click()
    await type("external_data_conditon = 'search'")
    await page.getByText(/at character 1\. Did you mean external_data_condition\?$/).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await axeFindings(page)).toEqual([])
    const filter = "external_data_condition = 'search'"
    await type(filter)
    await page.getByLabel('Detector').selectOption('dispersion')
    await slide('Dispersion threshold', 4.5)
    await page.waitForURL((url) => url.searchParams.get('dispersionThresholdPercent') === '4.5')
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ filter, detector: 'dispersion' })
    expect(await page.getByRole('slider', { name: 'Velocity threshold' }).count()).toBe(0)
    await page.locator('td[title*="dispersionThresholdPercent = 4.5;"]').waitFor({ state: 'attached' })
    await page.getByText(/^\d+ of 130 tests kept, of 11 participants$/).waitFor()
    await page.reload()
    await page.getByText(/^\d+ of 130 tests kept, of 11 participants$/).waitFor()
    await page.getByText('Add a condition').click()
    await page.getByText('Advanced: the filter as SQL').click()
    expect(await field.inputValue()).toBe(filter)
    await page.getByRole('button', { name: 'Start a job' }).and(page.locator(':enabled')).click()
    await page.locator('.job').getByText(`Detector dispersion, Dispersion threshold 4.5 %, Filter ${filter}`).waitFor()
    const { jobs } = (await (await service.get('/api2/jobs?limit=1')).json()) as { jobs: { parameters: object }[] }
    expect(jobs[0].parameters).toMatchObject({ filter, detector: 'dispersion', dispersionThresholdPercent: 4.5 })
  })

  test('writes the methods of those tests, to be copied', async () => {
    await page.getByRole('link', { name: 'Methods section' }).click()
    await page.getByRole('button', { name: 'Write it' }).click()
    const paragraph = await page.locator('.paragraph').innerText()
    expect(paragraph).toMatch(/condition “external_data_condition = 'search'” is true.* of 11 participants\./)
    expect(paragraph).toContain('stayed within 4.5 % of the displayed item')
    await showsBriefly(page, 'Copied', () => page.getByRole('button', { name: 'Copy the paragraph' }).click())
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(paragraph)
    expect(await axeFindings(page)).toEqual([])
  })

  test('starts a large export as a job, cancels it, starts it again, shows its progress, and downloads it whole', async () => {
    await page.goto(`${service.url}/studies/${large}/export?export=gazes-split`)
    await page.getByText('a job computes it').waitFor()
    expect(await page.getByRole('button', { name: 'Download CSV' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Start a job' }).click()
    await page.getByText('Waiting for a worker').waitFor()
    await page.getByRole('link', { name: 'All jobs' }).click()
    const job = page.locator('.job').first()
    await job.getByRole('button', { name: 'Cancel' }).click()
    await job.getByText('Canceled').waitFor()
    await job.getByRole('button', { name: 'Start again' }).click()
    await job.getByText('Waiting for a worker').waitFor()
    await service.startWorker()
    // The job may be over between two looks of the page: it is shown an answer that was true a moment ago.
    const answer = await until(async () => {
      const text = await (await service.get('/api2/jobs?limit=50')).text()
      const [{ state, progress }] = (JSON.parse(text) as { jobs: JobLook[] }).jobs
      return state === 'running' && progress.percent > 0 && progress.etaSeconds !== null ? text : null
    }, 300_000)
    await walk.context.route('**/api2/jobs?*', (route) =>
      route.fulfill({ body: answer, contentType: 'application/json' }),
    )
    await job.getByText(/[1-9]\d* % · .* samples · .* left/).waitFor()
    await keepScreenshot(page, 'jobs')
    await walk.context.unroute('**/api2/jobs?*')
    await job.getByText('Ready').waitFor({ timeout: 200_000 })
    expect(await axeFindings(page)).toEqual([])
    const downloading = page.waitForEvent('download')
    await job.getByRole('link', { name: 'Download' }).click()
    const { size } = await stat(await (await downloading).path())
    const { jobs } = (await (await service.get('/api2/jobs')).json()) as { jobs: { file: { bytes: number } }[] }
    expect(size).toBe(jobs[0].file.bytes)
    await job.getByRole('link', { name: 'Repeat with these settings' }).click()
    await page.getByRole('radio', { name: /Gazes, raw denoised/ }).waitFor()
    expect(await page.getByRole('radio', { name: /Gazes, raw denoised/ }).isChecked()).toBe(true)
  }, 600_000)

  test('shows operators the queue, the workers and the disk', async () => {
    await openMenu(page)
    await page.getByRole('link', { name: 'Operations' }).click()
    await page.getByText('embedded in this process').waitFor()
    expect(await axeFindings(page)).toEqual([])
    const board = await walk.context.newPage()
    expect((await board.goto(`${service.url}/ops/queues`))?.status()).toBe(200)
    await board.close()
  })

  test('fits a tablet: the page of an item is not wider than the window', async () => {
    await page.setViewportSize({ width: 768, height: 1024 })
    const { items } = (await (await service.get(`/api2/studies/${small}`)).json()) as { items: { id: string }[] }
    await page.goto(`${service.url}/studies/${small}/items/${items[0].id}`)
    await page.waitForLoadState('networkidle')
    const [inner, scroll] = (await page.evaluate(
      '[document.documentElement.clientWidth, document.documentElement.scrollWidth]',
    )) as [number, number]
    expect(scroll).toBe(inner)
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'item-tablet')
    await page.setViewportSize({ width: 1280, height: 860 })
  })

  test('shows a recording of gaze alone as it shows the demo', async () => {
    const recording = service.studyIds[2]
    await page.goto(`${service.url}/studies/${recording}`)
    await page.locator('.item-card a').first().click()
    await page.getByRole('radio', { name: 'All', exact: true }).check()
    await page.getByRole('img', { name: /^Gaze over time/ }).waitFor()
    await page.getByRole('combobox', { name: 'Participant' }).selectOption({ index: 1 })
    await page.getByRole('img', { name: /with \d+ fixations/ }).waitFor()
    const before = await fixationCount()
    await slide('Velocity threshold', 30)
    await expect.poll(fixationCount).not.toBe(before)
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'item-recording', { fullPage: true })
  })

  test('asked no other host for anything, broke no policy and logged no error on the whole way', () => {
    expect(walk.complaints).toEqual([])
  })
})
