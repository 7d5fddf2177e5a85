import { describe, expect, test } from 'vitest'
import { hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { ITEM_ID, twoSidesBundle } from './two-sides.ts'

const { service, walk, page } = await walkThrough({ demos: [], bundles: [twoSidesBundle] }, ({ service, page }) =>
  signIn(page, service.url, service.read),
)

/** Returns the state of the only job that the page shows. */
const state = () => page.locator('li.job').getAttribute('data-state')

describe.skipIf(!hasChromium)('a job', () => {
  test('starts also when the browser has the file from a download, and again when its file is there', async () => {
    await page.goto(`${service.url}/studies/${service.studyIds[0]}/export?export=fixations&itemId=${ITEM_ID}`)
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    expect((await downloading).suggestedFilename()).toMatch(/\.csv$/)
    await page.getByRole('button', { name: 'Start a job' }).click()
    await page.locator('li.job').waitFor()
    expect(await state()).toBe('queued')
    await service.startWorker()
    await expect.poll(state).toBe('succeeded')
    const id = await page.locator('li.job').getAttribute('data-job')
    await page.reload()
    await page.getByRole('button', { name: 'Start a job' }).click()
    await page.locator(`li.job[data-job="${id}"]`).waitFor()
    expect(await state()).toBe('succeeded')
  })

  test('that was deleted starts again from the list of jobs', async () => {
    await page.goto(`${service.url}/jobs`)
    await page.getByRole('button', { name: 'Delete file' }).click()
    await page.getByRole('button', { name: 'Start again' }).click()
    await expect.poll(state).toBe('succeeded')
    expect(walk.complaints).toEqual([])
  })
})
