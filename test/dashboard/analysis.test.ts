import { readFile } from 'node:fs/promises'
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, keepScreenshot, openWalk, type Walk } from './browser.ts'
import { type DashboardHouse, openDashboardHouse } from './house.ts'

/** The pages that replay and compare, in a real browser: one server, one browser, one study for all of them. */
const DEMO = { participants: 66, items: 2, seconds: 6, hz: 60, seed: 3 }

let house: DashboardHouse
let walk: Walk
let page: Page
let studyPath: string
let itemId: string

beforeAll(async () => {
  if (!hasChromium) return
  house = await openDashboardHouse([DEMO])
  walk = await openWalk(house.url)
  page = walk.page
  studyPath = `/studies/${house.studyIds[0]}`
  const study = (await (await house.get(`/api2${studyPath}`)).json()) as { items: { id: string }[] }
  itemId = study.items[1].id
  await page.goto(`${house.url}/`)
  await page.getByLabel('Access token').fill(house.ops)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
}, 120_000)
afterAll(async () => {
  await walk?.browser.close()
  await house?.close()
})

const open = (path: string) => page.goto(house.url + studyPath + path)

/** Nothing is wider than the window at 390 px, at 1080 px, and at 200 % of a laptop's. */
async function expectNoOverflow(): Promise<void> {
  for (const width of [390, 1080, 640]) {
    await page.setViewportSize({ width, height: 860 })
    await page.waitForTimeout(60)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize({ width: 1280, height: 860 })
}

describe.skipIf(!hasChromium)('replay in Chromium', () => {
  const clock = () => page.locator('.clock').textContent()

  test('does not start by itself where motion is reduced, and says what is looked at', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await open(`/items/${itemId}/replay?t=2000`)
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    expect(await clock()).toMatch(/^2\.000 of /)
    await page.getByText(/^At 2\.000 s, of 50 tests: /).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow()
    await keepScreenshot(page, 'replay', { fullPage: true })
  })

  test('counts who looks into an AOI as the CSV of fixations has it', async () => {
    const { tests } = (await (await house.get(`/api2${studyPath}/charts/fixations?itemId=${itemId}`)).json()) as {
      tests: { testId: string; fixations: number[][] }[]
    }
    const counts = new Map<number, number>()
    for (const { fixations } of tests.slice(0, 50))
      for (const [, , startMs, endMs, , , , ...aois] of fixations)
        if (startMs <= 2000 && 2000 < endMs) for (const a of aois) counts.set(a, (counts.get(a) ?? 0) + 1)
    const told = (await page.locator('.said').textContent()) ?? ''
    const read = [...told.matchAll(/(\d+) in (\d+) /g)].map(([, n, a]) => [Number(a) - 1, Number(n)])
    expect(read).toEqual([...counts].sort(([one], [other]) => one - other))
    expect(read.length).toBeGreaterThan(0)
  })

  test('is played by keys alone: frames, samples, seconds, play and pause', async () => {
    await page.getByRole('button', { name: 'One frame on' }).focus()
    await page.keyboard.press('.')
    expect(await clock()).toMatch(/^2\.017 /)
    await page.keyboard.press(',')
    await page.keyboard.press('l')
    expect(await clock()).toMatch(/^3\.000 /)
    expect(page.url()).toContain('t=3000')
    await page.getByRole('slider', { name: 'Time' }).focus()
    await page.keyboard.press('ArrowLeft')
    expect(await clock()).toMatch(/^2\.983 /)
    await page.keyboard.press('k')
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    expect(Number.parseFloat((await clock()) ?? '')).toBeGreaterThan(2.983)
  })

  test('plays 50 participants at once; the frames it draws stand in the output', async () => {
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await open(`/items/${itemId}/replay`)
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    const { draws, ms } = (await page.evaluate(`(async () => {
      const canvas = document.querySelector('canvas.stage')
      const [before, from] = [Number(canvas.dataset.draws), performance.now()]
      await new Promise((done) => setTimeout(done, 1500))
      return { draws: Number(canvas.dataset.draws) - before, ms: performance.now() - from }
    })()`)) as { draws: number; ms: number }
    console.log(`replay of 50 participants: ${((1000 * draws) / ms).toFixed(1)} frames a second`)
    expect(draws).toBeGreaterThan(0)
  })

  test('saves a video of one participant as WebM and as MP4', async () => {
    const { tests } = (await (await house.get(`/api2${studyPath}/charts/recording?itemId=${itemId}`)).json()) as {
      tests: { participantId: string }[]
    }
    await open(`/items/${itemId}/replay?participant=${tests[0].participantId}&speed=4`)
    for (const [kind, mark] of [
      ['webm', '1a45dfa3'],
      ['mp4', '66747970'],
    ]) {
      await page.getByLabel('Format').selectOption(kind)
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save video' }).click()
      const download = await downloading
      expect(download.suggestedFilename()).toMatch(new RegExp(`^gazette-replay-.*\\.${kind}$`))
      const file = await readFile(await download.path())
      expect(file.subarray(0, 12).toString('hex')).toContain(mark)
      const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS })
      const track = await input.getPrimaryVideoTrack()
      const { packetCount } = await track!.computePacketStats()
      const untilMs = 1000 * Number.parseFloat((await clock())!.split(' of ')[1])
      expect(Math.abs(packetCount - Math.ceil((untilMs / 1000 / 4) * 30))).toBeLessThanOrEqual(1)
      expect(await input.computeDuration()).toBeCloseTo(packetCount / 30, 1)
      input.dispose()
    }
  })

  test('asked no other host, and complained of nothing', () => {
    expect(walk.complaints).toEqual([])
  })
})
