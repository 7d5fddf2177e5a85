import { describe, expect, test } from 'vitest'
import { axeFindings, expectNoOverflow, hasChromium, keepPicture, openMenu, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let study: string
let item: string

/** Help inside the dashboard: the documentation with its search, and the "?" at measures and settings. */
const { service, walk, page } = await walkThrough(
  { demos: [{ participants: 4, items: 2, seconds: 3, hz: 30, seed: 5 }] },
  async ({ service, page }) => {
    study = `/studies/${service.studyIds[0]}`
    const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
    item = `${study}/items/${items[0].id}`
    await signIn(page, service.url, service.write)
  },
)

const open = (path: string) => page.goto(service.url + path)
const question = (name: string) => page.getByRole('button', { name: `What is ${name}?`, exact: true }).first()
const note = (name: string) => page.getByRole('dialog', { name, exact: true })

describe.skipIf(!hasChromium)('help inside the dashboard', () => {
  test('the documentation is a page of the dashboard, and its links lead from page to page', async () => {
    await openMenu(page)
    await page.getByRole('link', { name: 'Help', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
    await page.getByRole('link', { name: 'Metrics', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Metrics' }).waitFor()
    await page.getByRole('link', { name: 'signal.md' }).first().click()
    await page.getByRole('heading', { level: 1, name: /^From samples|Signal/i }).waitFor()
    await open('/help/metrics#quality-grades')
    const heading = page.getByRole('heading', { name: 'Quality grades' })
    await heading.waitFor()
    await expect.poll(async () => ((await heading.boundingBox())?.y ?? -1) < 300).toBe(true)
    await open('/help/nothing')
    await page.getByRole('heading', { name: 'The documentation has no page “nothing”' }).waitFor()
  })

  test('a page that is a section of another now is found by its name', async () => {
    await open('/help/sign-in')
    const found = page.getByRole('region', { name: 'Found in the documentation' })
    await found.getByRole('link', { name: /Sign-in for teams/ }).click()
    await page.getByRole('heading', { name: 'Sign-in for teams' }).waitFor()
  })

  test('the search finds sections by keyboard, and says when it finds none', async () => {
    await open('/help')
    await page.getByLabel('Search the documentation').focus()
    await page.keyboard.type('quality grades')
    const found = page.getByRole('region', { name: 'Found in the documentation' })
    const first = found.getByRole('link').first()
    await expect.poll(() => first.getAttribute('href')).toBe('/help/metrics#quality-grades')
    await keepPicture(page, 'help-search')
    expect(await axeFindings(page)).toEqual([])
    await first.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Metrics' }).waitFor()
    await open('/help?find=xylophone')
    await page.getByText('Nothing contains “xylophone”.').waitFor()
  })

  test('pages of the documentation are no wider than the window, and axe finds nothing', async () => {
    for (const path of ['/help', '/help/glossary', '/help/dashboard', '/help/readme']) {
      await open(path)
      await page.locator('article.docs h1').waitFor()
      await expectNoOverflow(page, [390, 1280])
      expect([path, await axeFindings(page)]).toEqual([path, []])
    }
  })

  test('"?" says what a measure is, its formula, its export and its source; Escape gives the focus back', async () => {
    await open(`${item}?figure=aois`)
    const button = question('Dwell time')
    await button.focus()
    await page.keyboard.press('Enter')
    const open_ = note('Dwell time')
    await open_.getByText('aoi_fixation_average_total_time_spent_ms').first().waitFor()
    const text = await open_.innerText()
    for (const part of [
      'What it is',
      'total time spent',
      'Formula',
      'Σ duration',
      'Export and column',
      'aoi-overall-stats',
    ])
      expect(text).toContain(part)
    const schema = (await (await service.get('/api2/exports/aoi-fixations-stats/schema')).json()) as {
      fields: { name: string; description: string }[]
    }
    const field = schema.fields.find(({ name }) => name === 'aoi_fixation_average_total_time_spent_ms')!
    await expect.poll(() => open_.innerText()).toContain(field.description)
    await keepPicture(page, 'help-measure')
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await open_.waitFor({ state: 'hidden' })
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('What is Dwell time?')
  })

  test('"?" at a setting has the words of the server, at a detector its source', async () => {
    await open(item)
    await question('Velocity threshold').click()
    const { parameters } = (await (await service.get('/api2/exports')).json()) as {
      parameters: { name: string; meaning: string }[]
    }
    const { meaning } = parameters.find(({ name }) => name === 'gazeVelocityThreshold')!
    await note('Velocity threshold').getByText(meaning).waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Detector', { exact: true }).selectOption('i2mc')
    await question('2-means clustering (I2MC)').click()
    await note('2-means clustering (I2MC)')
      .getByText(/Hessels/)
      .waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    await note('2-means clustering (I2MC)').waitFor({ state: 'hidden' })
  })

  test('on a phone, a note lies within the window', async () => {
    await page.setViewportSize({ width: 390, height: 780 })
    await open(`${item}?figure=aois`)
    await question('Revisits').click()
    const box = (await note('Revisits').boundingBox())!
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(390)
    expect(box.y).toBeGreaterThanOrEqual(0)
    expect(box.y + box.height).toBeLessThanOrEqual(780)
    await keepPicture(page, 'help-measure-phone')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 860 })
  })

  test('each page with measures has a "?" for them', async () => {
    for (const [path, name] of [
      [`${study}?told=grade`, 'Quality grade'],
      [`${study}/quality`, 'Precision (RMS-S2S)'],
      [`${study}/groups?item=${item.split('/').at(-1)}`, 'Dwell time'],
      [`${study}/report`, 'Samples without gaze'],
      [`${item}/transitions?view=first`, 'Survival curve'],
      [`${item}/aois`, 'Hit ratio'],
    ] as const) {
      await open(path)
      if (path.endsWith('/report')) await page.getByLabel('Tools of figures and tables').check()
      if (path.endsWith('/aois')) await page.locator('.aoi-list').getByRole('button').first().click()
      if (path.includes('/groups'))
        await page
          .getByRole('button', { name: /gender/i })
          .first()
          .click()
      await question(name).waitFor()
    }
    expect(walk.complaints).toEqual([])
  })
})
