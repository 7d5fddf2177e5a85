import { describe, expect, test } from 'vitest'
import { hasChromium, type Walk } from './browser.ts'
import { type DashboardServer, walkThrough } from './dashboard-server.ts'

/** Budgets of the pages apart from times, which the bench measures. */
const WITHIN = { timeout: 30_000, interval: 20 }

let service: DashboardServer
let walk: Walk
let item: string
let itemId: string

walkThrough({ demos: [{ participants: 6, items: 1, seconds: 2, hz: 60, seed: 4 }] }, async (opened) => {
  ;({ service, walk } = opened)
  const study = service.studyIds[0]
  itemId = ((await (await service.get(`/api2/studies/${study}`)).json()) as { items: { id: string }[] }).items[0].id
  item = `/studies/${study}/items/${itemId}`
  await walk.page.goto(`${service.url}/sign-in`)
  await walk.page.getByLabel('Access token').fill(service.read)
  await walk.page.getByRole('button', { name: 'Sign in' }).click()
  await walk.page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
})

const SHIFTS = `window.shifted = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifted += value })
    .observe({ type: 'layout-shift', buffered: true })`

/** Times of each request of fixations with another threshold, as the page sees them, to its answer or its abort. */
const CHART_TIMES = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.includes('/charts/fixations?') && name.includes('gazeVelocityThreshold'))
  .map(({ startTime, responseEnd }) => ({ from: startTime, to: responseEnd }))
  .sort((a, b) => a.from - b.from)`

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
    const answered = (await page.evaluate(CHART_TIMES)) as { from: number; to: number }[]
    expect(answered.length).toBeGreaterThan(1)
    expect(answered.filter(({ from }, i) => i > 0 && from < answered[i - 1].to)).toEqual([])
  })
})
