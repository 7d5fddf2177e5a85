import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endJob } from '../../engine/jobs/end-job.ts'
import { listJobs } from '../../engine/jobs/list-jobs.ts'
import { axeFindings, hasChromium, keepPicture, keepScreenshot, openMenu, openWalk, type Walk } from './browser.ts'
import { type DashboardServer, openDashboardServer } from './dashboard-server.ts'

describe.skipIf(!hasChromium)('the page for operators', () => {
  let service: DashboardServer
  let walk: Walk
  beforeAll(async () => {
    service = await openDashboardServer([{ participants: 3, items: 1, seconds: 3, hz: 60, seed: 1 }], {
      SYNC_MAX_BYTES: '0',
    })
    walk = await openWalk(service.url)
  })
  afterAll(async () => {
    await walk?.browser.close()
    await service?.close()
  })
  const row = (state: string) => walk.page.locator(`tr[data-state="${state}"]`)

  test('shows who asked for what, pages through many jobs, and tries again what failed', async () => {
    const { page } = walk
    const path = `/api2/studies/${service.studyIds[0]}/collected-data/eye-tracking/fixations?movingMedianRangeMs=`
    for (let median = 100; median < 130; median++)
      expect((await service.get(path + median, { prefer: 'respond-async' })).status).toBe(202)
    const { jobs } = service.parts
    const [{ id }] = await listJobs(jobs)
    const now = new Date().toISOString()
    const error = { code: 'disk_full', message: 'There is no space left on the disk' } as const
    await endJob(jobs, id, 1, { state: 'failed', startedAt: now, finishedAt: now, expiresAt: null, file: null, error })
    await page.goto(`${service.url}/sign-in`)
    await page.getByLabel('Access token').fill(service.ops)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await openMenu(page)
    await page.getByRole('link', { name: 'Operations' }).click()
    await row('failed').getByText('Disk full').waitFor()
    expect(await page.locator('tr[data-job]').count()).toBe(25)
    expect(await row('queued').first().locator('.asker').textContent()).toMatch(/^token /)
    await page.getByRole('button', { name: 'Older' }).click()
    await expect.poll(() => page.locator('tr[data-job]').count()).toBe(5)
    await page.getByRole('button', { name: 'Newer' }).click()
    await page.getByRole('combobox', { name: 'State' }).selectOption('failed')
    await expect.poll(() => page.locator('tr[data-job]').count()).toBe(1)
    expect(page.url()).toMatch(/state=failed$/)
    await page.mouse.wheel(0, -9999)
    await page.waitForFunction('scrollY === 0')
    await keepScreenshot(page, 'operations', { fullPage: true })
    expect(await axeFindings(page)).toEqual([])
    await row('failed')
      .getByRole('button', { name: /^Try again/ })
      .click()
    await page.getByText('No such job').waitFor()
    await page.getByRole('combobox', { name: 'State' }).selectOption('queued')
    await expect
      .poll(async () => (await row('queued').first().locator('td.number').last().textContent())?.trim())
      .toBe('2')
  })

  test('pauses and resumes the queue, and drains it once that is confirmed', async () => {
    const { page } = walk
    const tile = page.locator('.tile', { has: page.getByRole('heading', { name: 'Queue' }) })
    await tile.getByRole('button', { name: 'Pause' }).click()
    await tile.getByText('The queue is paused').waitFor()
    await page.getByRole('button', { name: /^Drain/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Drain the queue' })
    await dialog.getByText('Waiting imports stay').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Keep the queue' }).click()
    await page.getByRole('button', { name: /^Drain/ }).click()
    await dialog.getByRole('button', { name: /^Cancel all waiting jobs \(3\d\)$/ }).click()
    await tile.getByText('30 jobs canceled.').waitFor()
    await page.getByText('No such job').waitFor()
    await tile.getByRole('button', { name: 'Resume' }).click()
    await tile.getByText('Resumed.', { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'State' }).selectOption('canceled')
    await row('canceled').first().waitFor()
  })

  test('fits from 390 to 1280 px', async () => {
    const { page } = walk
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 860 })
      await page.reload()
      await row('canceled').first().waitFor()
      await page.getByRole('img', { name: /^Jobs that ended in the last hour: .* canceled 30/ }).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(await axeFindings(page)).toEqual([])
      await keepPicture(page, `operations-${width}`, { fullPage: true })
    }
    expect(walk.complaints).toEqual([])
  })
})
