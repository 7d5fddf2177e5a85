import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, resize, signIn, signOut, type Walk } from './browser.ts'
import { type DashboardServer, walkThrough } from './dashboard-server.ts'
import { emptyBundle, FORMULA, HEBREW, strangeBundle } from './strange-bundles.ts'

/** Hard use: bad links, bad values, lost answers, odd names, small screens, empty studies. */

let service: DashboardServer
let walk: Walk
let page: Page
let demo: string
let strange: string
let empty: string
let items: { id: string; filename: string }[]

const enter = () => signIn(page, service.url, service.read)

await walkThrough(
  { demos: [{ participants: 8, items: 2, seconds: 4, hz: 30, seed: 5 }], bundles: [strangeBundle, emptyBundle] },
  async (opened) => {
    ;({ service, walk, page } = opened)
    ;[demo, strange, empty] = service.studyIds
    items = ((await (await service.get(`/api2/studies/${demo}`)).json()) as { items: typeof items }).items
    await enter()
  },
)

const itemPath = (item = 0) => `/studies/${demo}/items/${items[item].id}`
const open = async (path: string) => {
  await page.goto(service.url + path)
  await page.waitForLoadState('networkidle')
}
const figure = (name: string) => page.getByRole('figure', { name })
const saved = async (name: string, button: string) => {
  const downloading = page.waitForEvent('download')
  await figure(name).locator('.dropdown summary').click()
  await figure(name).getByRole('button', { name: button }).click()
  return readFile(await (await downloading).path(), 'utf8')
}
const widthsOf = () =>
  page.evaluate('[document.documentElement.scrollWidth, document.documentElement.clientWidth]') as Promise<number[]>
/** Tests whether all of an element's middle can be pressed: nothing lies over it, and nothing cuts it off. */
const isAtop = (element: Locator) =>
  element.evaluate((own) => {
    const { left, right, top, bottom } = own.getBoundingClientRect()
    return own.ownerDocument.elementFromPoint((left + right) / 2, (top + bottom) / 2) === own
  })

describe.skipIf(!hasChromium)('the dashboard in hard use', () => {
  test('names each part of a link that it cannot show, on every page that reads links', async () => {
    const notice = page.getByRole('alert').filter({ hasText: 'This link has values that cannot be used' })
    await open(`${itemPath()}?layers=nonsense&kernel=99&saccadeMaxDurationMs=5`)
    for (const part of ['layers must be', '“nonsense”', 'kernel must be a number from 1 to 8', 'from 20 to 300 ms'])
      await notice.getByText(part).waitFor()
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    await open(`/studies/${demo}/export?export=nothing&format=xls&itemId=x&movingMedianRangeMs=1`)
    for (const name of ['export', 'format', 'itemId', 'movingMedianRangeMs'])
      await notice.locator('code', { hasText: new RegExp(`^${name}$`) }).waitFor()
    await open(`/studies/${demo}?participantQualityGradeItemMin=9`)
    await notice.getByText('must be a whole number from 1 to 6').waitFor()
    expect(await axeFindings(page)).toEqual([])
  })

  test('refuses a typed setting in its field, by name, rule and value, and says what is still shown', async () => {
    await open(itemPath())
    await page.getByText(/more, all default/).click()
    const field = page.getByRole('spinbutton', { name: 'Moving-median window, exact value in ms' })
    await field.fill('5000')
    await page
      .getByText(
        'Moving-median window must be a whole number from 20 to 1000 ms. 5000 is not valid; the charts still show 200 ms.',
      )
      .waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await axeFindings(page)).toEqual([])
    expect(page.url()).not.toContain('movingMedianRangeMs')
    await field.fill('120')
    await page.waitForURL(/movingMedianRangeMs=120/)
    expect(await page.locator('.refused').count()).toBe(0)
    await field.fill('')
    await page.getByText('Nothing is not used').or(page.getByText('still show 120 ms')).first().waitFor()
    await page.getByRole('button', { name: 'Back to defaults' }).click()
    await page.getByText(/more, all default/).click()
    await expect.poll(() => field.inputValue()).toBe('200')
    expect(await page.locator('.refused').count()).toBe(0)
  })

  test('puts a problem where the picture was and marks the picture as old, until it comes anew', async () => {
    await open(`${itemPath()}?figure=all`)
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    await page.getByText(/more, all default/).click()
    const problem = { status: 503, title: 'Too busy', detail: 'Try again in a moment.', type: '/docs/problems/busy' }
    const charts = /\/charts\//
    await walk.context.route(charts, (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    )
    await page.getByRole('spinbutton', { name: 'Moving-median window, exact value in ms' }).fill('300')
    for (const name of ['Stimulus', 'Scarf plot', 'Areas of interest', 'Gaze over time']) {
      await figure(name).getByText('Outdated: picture from the previous answer, not the latest').waitFor()
      expect(await figure(name).locator('.dropdown button', { hasText: 'SVG' }).count()).toBe(0)
    }
    // Once a page.
    expect(await page.getByText('Too busy').count()).toBe(1)
    expect(await page.getByText(/^Loading/).count()).toBe(0)
    expect(await axeFindings(page)).toEqual([])
    await walk.context.unroute(charts)
    // It comes by itself.
    await expect.poll(() => figure('Stimulus').locator('.old').count()).toBe(0)

    // A list of participants that lacks some says so.
    const participants = /\/participants/
    await walk.context.route(participants, (route) => route.abort())
    await open(itemPath())
    await page.getByText('No connection to Gazette').waitFor()
    await walk.context.unroute(participants)

    await walk.context.route(charts, (route) => route.abort())
    await open(itemPath(1))
    await page.getByText('No connection to Gazette').waitFor()
    await expect.poll(() => page.getByText(/^Loading/).count()).toBe(0)
    await walk.context.unroute(charts)
  })

  test('tells those who hear the page what a change of settings led to', async () => {
    await open(itemPath())
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    expect(await page.locator('.redrawn').textContent()).toBe('')
    await page.getByRole('spinbutton', { name: 'Velocity threshold, exact value' }).fill('60')
    await page
      .locator('.redrawn')
      .getByText(/^Redrawn: \d+ fixations, 8 tests kept/)
      .waitFor()
  })

  test('draws a scarf plot with numbers, tells of a bar that is pointed at, and brings out an AOI', async () => {
    await open(`${itemPath()}?figure=all`)
    const scarf = page.getByRole('img', { name: /^Scarf plot/ })
    await scarf.waitFor()
    const bars = scarf.locator('path[data-aoi]')
    for (const a of await bars.evaluateAll((paths) =>
      paths.map((path) => Reflect.get(path, 'dataset').aoi as string),
    )) {
      const mark = scarf.locator(`text[data-mark="${a}"]`)
      const places = ((await mark.getAttribute('x')) ?? '').split(' ')
      // One digit a bar, at most one for each bar.
      expect(await mark.textContent()).toBe(a.repeat(places.length))
      const drawn = (await scarf.locator(`path[data-aoi="${a}"]`).getAttribute('d'))!.match(/M/g)!
      expect(places.length).toBeLessThanOrEqual(drawn.length)
      expect(places.length).toBeGreaterThan(drawn.length / 2)
    }
    const bar = scarf.locator('path[data-aoi]').first()
    const [x, y] = ((await bar.getAttribute('d')) ?? '').match(/\d+(\.\d+)?/g)!.map(Number)
    await scarf.hover({ position: { x: x + 4, y: y + 5 } })
    const tip = scarf.locator('.tip')
    await tip.getByText(/, fixation \d+$/).waitFor()
    await tip.getByText(/^[\d,]+ to [\d,]+ ms \(\d+ ms\)$/).waitFor()
    const entry = figure('Scarf plot').getByRole('button', { name: 'Headline', exact: true })
    await entry.click()
    const opacities = () =>
      scarf.locator('path[data-aoi]').evaluateAll((paths) => paths.map((path) => path.getAttribute('fill-opacity')))
    await expect.poll(async () => (await opacities()).filter((value) => value === '1').length).toBe(1)
    await entry.click()
    await expect.poll(async () => (await opacities()).every((value) => value === '1')).toBe(true)

    await figure('Scarf plot')
      .getByText(/^Colours: 8 of 9 AOIs/)
      .click()
    const chips = figure('Scarf plot').locator('.chooser')
    const logo = chips.getByLabel('Colour of Logo')
    const ink = await scarf.locator('path[data-aoi="1"]').first().getAttribute('fill')
    await chips.getByLabel('Colour of Small print').selectOption(await logo.inputValue())
    await page.waitForURL(/aois=2\.3\.4\.5\.6\.7\.8\.9/)
    expect(await logo.inputValue()).toBe('grey')
    await expect.poll(() => chips.locator('li').nth(8).locator('rect').getAttribute('fill')).toBe(ink)
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('link', { name: /^Next item/ }).click()
    await page.waitForURL((url) => !url.search.includes('aois'))
  })

  test('saves a heatmap with its colour bar, its item and all of its caption, which is short on the page', async () => {
    await open(itemPath())
    await page.getByRole('img', { name: /^Colours from 0 to .* % of viewing time per cell/ }).waitFor()
    const short = await figure('Stimulus').locator('figcaption > p').textContent()
    expect(short?.length).toBeLessThan(160)
    // Its settings on demand, by keyboard too.
    const more = figure('Stimulus').getByRole('button', { name: 'Method and settings' })
    const setting = figure('Stimulus').locator('.caption-more dt', { hasText: 'movingMedianRangeMs' })
    expect(await setting.isVisible()).toBe(false)
    await more.press('Enter')
    expect(await more.getAttribute('aria-expanded')).toBe('true')
    expect(await setting.locator('+ dd').textContent()).toBe('200')
    expect(await setting.isVisible()).toBe(true)
    const picture = await saved('Stimulus', 'Save Stimulus as SVG')
    expect(picture).toContain(`Stimulus: ${items[0].filename}, all participants</title>`)
    expect(picture).toContain('class="color-bar"')
    expect(picture.match(/% of viewing time per cell of/g)?.length).toBeGreaterThan(0)
    expect(picture.replace(/<\/text><text[^>]*>/g, ' ')).toContain(
      "σ = 2.5 % of the item's mean side √(width × height)",
    )
    const own = await page.locator('.color-bar text').allTextContents()
    await page.getByText('Colours, scale, smoothing, opacity').click()
    await page.getByRole('combobox', { name: 'Scale' }).selectOption('same')
    await page.waitForURL(/max=/)
    await page.getByRole('combobox', { name: 'Colours' }).selectOption('glow')
    await page.getByRole('slider', { name: 'Smoothing σ' }).fill('6')
    await page.waitForURL(/kernel=6/)
    // A flatter heatmap on the same scale.
    expect((await page.locator('.color-bar text').allTextContents())[2]).toBe(own[2])
    expect(await axeFindings(page)).toEqual([])
  })

  test('puts the number of an AOI on each of its parts, and shields saved numbers from spreadsheets', async () => {
    const study = (await (await service.get(`/api2/studies/${strange}`)).json()) as { items: typeof items }
    await open(`/studies/${strange}/items/${study.items[0].id}?layers=aois&figure=all`)
    const tags = page.locator('.aoi-tag')
    await tags.first().waitFor()
    expect(await tags.allTextContents()).toEqual(['1', '1', '2'])
    await figure('Areas of interest').getByRole('button', { name: 'Numbers' }).click()
    const numbers = await saved('Areas of interest', 'Save these numbers (CSV)')
    expect(numbers).toContain(`"'${FORMULA.replaceAll('"', '""')}"`)
    await figure('Scarf plot').getByRole('button', { name: 'Numbers' }).click()
    const fixations = await saved('Scarf plot', 'Save these numbers (CSV)')
    const risky = fixations.split('\n').filter((line) => /^"?[=+\-@]/.test(line))
    expect(risky).toEqual([])
    expect(fixations).toContain("'=2+3")
  })

  test('keeps the direction of a name to itself', async () => {
    await open('/')
    await page.getByRole('link', { name: HEBREW }).waitFor()
    await open(`/studies/${strange}`)
    const loose = await page.evaluate(
      `[...document.querySelectorAll('body *')].filter((element) => element.tagName !== 'BDI' && element.tagName !== 'OPTION' &&
        [...element.childNodes].some((node) => node.nodeType === 3 && /[\\u0590-\\u05ff]/.test(node.data) && !node.data.includes('\\u2068')))
        .map((element) => element.outerHTML.slice(0, 120))`,
    )
    expect(loose).toEqual([])
    await expect.poll(() => page.title()).toMatch(/^\u2068.*\u2069 · Gazette$/)
  })

  test('shows a picture that is none as none, in the flow, on the card and on its page', async () => {
    await open(`/studies/${strange}`)
    await page.locator('.item-card').nth(1).scrollIntoViewIfNeeded()
    await page.locator('.item-card').nth(1).getByText('no picture').waitFor()
    await page.getByRole('radio', { name: 'Description' }).check()
    await page.locator('.flow').scrollIntoViewIfNeeded()
    await page.locator('.flow').getByText('no picture').waitFor()
    const study = (await (await service.get(`/api2/studies/${strange}`)).json()) as { items: typeof items }
    await open(`/studies/${strange}/items/${study.items[1].id}`)
    await page
      .getByText('The picture of broken.png is damaged, or its format is not supported by this browser')
      .waitFor()
  })

  test('says of a study without participants that there are none, and how they come in', async () => {
    await open(`/studies/${empty}`)
    await page.getByText('This study has no participants yet').waitFor()
    await page.getByText('npx gazette import --append DIR').waitFor()
    await page.getByRole('radio', { name: 'Drop-out' }).check()
    await page.getByText('Nobody has started yet').waitFor()
    expect(await axeFindings(page)).toEqual([])
    const study = (await (await service.get(`/api2/studies/${empty}`)).json()) as { items: typeof items }
    await open(`/studies/${empty}/items/${study.items[0].id}`)
    await page.getByText('This study has no participants yet').waitFor()
    await walk.context.route(/charts\/fixations/, async (route) => {
      const body = (await (await route.fetch()).json()) as { kept: object }
      await route.fulfill({
        json: {
          ...body,
          tests: [],
          testCount: 0,
          kept: { ...body.kept, tests: 0 },
          counted: { tests: 0, participants: 0 },
        },
      })
    })
    await open(`${itemPath()}?participantQualityGradeItemMin=6`)
    await page.getByText('None of 8 tests is kept').waitFor()
    await page
      .getByText('No test has at least quality grade 6 (Perfect). Choose a lower minimum quality grade.')
      .waitFor()
    await walk.context.unroute(/charts\/fixations/)
  })

  test('keeps the settings in sight while the picture redraws, and no page is wider than a narrow or zoomed window', async () => {
    // 640 × 360 is what 1280 × 720 has at a zoom of 200 %.
    const sizes = [
      [390, 844],
      [640, 360],
      [768, 1024],
      [1080, 800],
    ]
    for (const path of [
      '/',
      `/studies/${demo}`,
      `/studies/${strange}`,
      `/studies/${demo}/export`,
      '/jobs',
      itemPath(),
    ]) {
      await open(path)
      for (const [width, height] of sizes) {
        await resize(page, width, height)
        const [content, window] = await widthsOf()
        expect([path, width, content]).toEqual([path, width, window])
      }
    }
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height })
      await open(itemPath())
      const drawing = figure('Stimulus').getByRole('img').first()
      await drawing.waitFor()
      const fold = page.getByRole('button', { name: 'Show participant and settings' })
      if (await fold.isVisible()) await fold.click()
      await drawing.evaluate((svg) => svg.scrollIntoView({ block: 'start' }))
      const panel = await page.locator('.item-side').boundingBox()
      const picture = await drawing.boundingBox()
      expect(panel!.y + panel!.height).toBeLessThanOrEqual(height + 1)
      // What is between the top of the window, or the header over it, and the panel shows the picture.
      expect(panel!.y - Math.max(picture!.y, 0)).toBeGreaterThan(100)
      await page.getByRole('slider', { name: 'Velocity threshold' }).scrollIntoViewIfNeeded()
      const slider = await page.getByRole('slider', { name: 'Velocity threshold' }).boundingBox()
      const after = await drawing.boundingBox()
      expect(slider!.y).toBeGreaterThan(panel!.y - 1)
      expect(slider!.y + slider!.height).toBeLessThan(height + 1)
      expect(Math.abs(after!.y - picture!.y)).toBeLessThan(2)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await axeFindings(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 860 })
  })

  test('shows on a phone what a button of a title unfolds, and the figure that is chosen', async () => {
    await open(`${itemPath()}?figure=time`)
    await figure('Gaze over time').getByRole('img').first().waitFor()
    await resize(page, 390, 844)
    await expect.poll(() => isAtop(page.getByRole('radio', { name: 'Over time' }))).toBe(true)
    await page.getByText('More pages').click()
    expect(await isAtop(page.getByRole('link', { name: 'Scanpaths' }))).toBe(true)
    await resize(page, 1280, 860)
  })

  test('says that a session has ended, and goes on where it was', async () => {
    await open(itemPath())
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    await walk.context.clearCookies()
    await page.getByRole('spinbutton', { name: 'Velocity threshold, exact value' }).fill('77')
    await page.getByRole('alert').getByText('Your session has ended.').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByLabel('Access token').fill(service.read)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: items[0].filename }).waitFor()
    // Also to who comes back on another day.
    await walk.context.clearCookies()
    await open(itemPath())
    await page.getByRole('alert').getByText('Your session has ended.').waitFor()
    await page.getByLabel('Access token').fill(service.read)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: items[0].filename }).waitFor()
    await signOut(page)
    await page.getByLabel('Access token').waitFor()
    expect(await page.getByText('Your session has ended.').count()).toBe(0)
    await open('/')
    await page.getByLabel('Access token').waitFor()
    expect(await page.getByText('Your session has ended.').count()).toBe(0)
    await enter()
  })

  test('answers an address within it that it does not know with a page', async () => {
    await open('/jobs')
    await page.evaluate(`history.pushState(null, '', '/jobs/none'); dispatchEvent(new PopStateEvent('popstate'))`)
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor()
    await page.getByText('/jobs/none').waitFor()
    expect(await page.title()).toBe('No such page · Gazette')
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('link', { name: 'Go to the studies' }).click()
    await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
  })

  test('asked no other host for anything, broke no policy and logged no error on the whole way', () => {
    expect(walk.complaints).toEqual([])
  })
})
