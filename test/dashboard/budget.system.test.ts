import { describe, expect, test } from 'vitest'
import { hasChromium } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

/** Budgets of the pages apart from times, which the bench measures. */
const WITHIN = { timeout: 30_000, interval: 20 }
let item: string
let itemId: string

const { service, walk } = await walkThrough(
  { demos: [{ participants: 6, items: 1, seconds: 2, hz: 60, seed: 4 }] },
  async ({ service, walk }) => {
    const study = service.studyIds[0]
    itemId = ((await (await service.get(`/api2/studies/${study}`)).json()) as { items: { id: string }[] }).items[0].id
    item = `/studies/${study}/items/${itemId}`
    await walk.page.goto(`${service.url}/sign-in`)
    await walk.page.getByLabel('Access token').fill(service.read)
    await walk.page.getByRole('button', { name: 'Sign in' }).click()
    await walk.page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
  },
)

const SHIFTS = `window.shifted = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifted += value })
    .observe({ type: 'layout-shift', buffered: true })`

/**
 * Counts the requests of fixations with another threshold that are under way at once, in the page: outside of it, an
 * abort is seen later than the request that follows it.
 */
const COUNT_CHARTS = `window.charts = { asked: 0, underWay: 0, atOnce: 0 }
  const send = window.fetch
  window.fetch = (path, init) => {
    const answer = send(path, init)
    if (!String(path).includes('/charts/fixations?') || !String(path).includes('gazeVelocityThreshold')) return answer
    window.charts.asked++
    window.charts.atOnce = Math.max(window.charts.atOnce, ++window.charts.underWay)
    let isOver = false
    const end = () => {
      if (!isOver) window.charts.underWay--
      isOver = true
    }
    init.signal.addEventListener('abort', end)
    return answer.finally(end)
  }`

describe.skipIf(!hasChromium)('a page in Chromium', () => {
  test('moves by less than 0.1 (cumulative layout shift) while what it draws comes', async () => {
    const { page } = walk
    await page.addInitScript(SHIFTS)
    for (const path of ['/', item.split('/items')[0], item]) {
      await page.goto(service.url + path)
      await page.waitForLoadState('networkidle')
      expect(await page.evaluate('window.shifted'), path).toBeLessThan(0.1)
    }
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    expect(walk.complaints).toEqual([])
  })

  test('draws all participants anew while a slider is held, one request of a chart at a time, and ends with its last value', async () => {
    const { page } = walk
    await page.addInitScript(COUNT_CHARTS)
    await page.goto(service.url + item)
    await page.locator('figure[aria-busy=false]').first().waitFor()
    const counted = () =>
      page
        .locator('.summary dd')
        .first()
        .evaluate((cell) => cell.firstChild?.textContent)
    const before = await counted()
    const slider = page.getByRole('slider', { name: 'Velocity threshold' })
    const { x, y, width, height } = (await slider.boundingBox())!
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + 20, y + height / 2, { steps: 20 })
    await expect.poll(counted, WITHIN).not.toBe(before)
    await page.mouse.move(x + 40, y + height / 2, { steps: 20 })
    await page.waitForURL(/gazeVelocityThreshold=/)
    const value = await slider.inputValue()
    const last = (await (
      await service.get(
        `/api2${item.split('/items')[0]}/charts/fixations?itemId=${itemId}&gazeVelocityThreshold=${value}`,
      )
    ).json()) as { fixationCount: number }
    await expect.poll(counted, WITHIN).toBe(String(last.fixationCount))
    await page.mouse.up()
    const { asked, atOnce } = (await page.evaluate('window.charts')) as { asked: number; atOnce: number }
    expect(asked).toBeGreaterThan(1)
    expect(atOnce).toBe(1)
  })
})
