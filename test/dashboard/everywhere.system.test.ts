import { describe, expect, test } from 'vitest'
import { axeFindings, expectNoOverflow, hasChromium, keepPicture, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let study: string
let item: string
let seen: { id: string }

/** Every page accepts the same choices: conditions, a time window, and ignored participants. */
const { service, walk, page } = await walkThrough(
  { demos: [{ participants: 8, items: 2, seconds: 3, hz: 30, seed: 3 }] },
  async ({ service, page }) => {
    study = `/studies/${service.studyIds[0]}`
    const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
    item = items[0].id
    const { participants } = (await (await service.get(`/api2${study}/participants`)).json()) as {
      participants: (typeof seen & { grades: (number | null)[] })[]
    }
    seen = participants.find(({ grades }) => grades.every((grade) => grade !== null && grade >= 3))!
    await signIn(page, service.url, service.write)
  },
)

const GROUPS = 'group1=external_data_condition+%3D+%27free%27&group2=external_data_condition+%3D+%27search%27'
const PAGES: [name: string, path: () => string][] = [
  ['study', () => ''],
  ['item', () => `/items/${item}`],
  ['replay', () => `/items/${item}/replay`],
  ['scanpaths', () => `/items/${item}/scanpaths`],
  ['transitions', () => `/items/${item}/transitions?view=all`],
  ['groups', () => `/groups?${GROUPS}`],
  ['quality', () => '/quality'],
  ['report', () => '/report'],
  ['export', () => '/export'],
]

async function open(path: string): Promise<void> {
  await page.goto(`${service.url}${study}${path}`)
  const fold = page.getByRole('button', { name: 'Show participant and settings' })
  await page.getByText('Advanced: the filter as SQL').first().waitFor({ state: 'attached' })
  if (await fold.isVisible()) await fold.click()
}

describe.skipIf(!hasChromium)('on every page', () => {
  test.each(PAGES)('conditions are chips, and SQL stands under Advanced: %s', async (name, path) => {
    await open(path())
    const adding = page.getByText('Add a condition', { exact: true }).first()
    if ((await adding.count()) > 0) await adding.click()
    await page.getByText('Advanced: the filter as SQL').first().click()
    const field = page.getByLabel(/: only tests for which this is true$/).first()
    await field.fill('age < 30')
    await field.press('Enter')
    await page
      .getByText(/Did you mean participant_age\?$/)
      .first()
      .waitFor()
    await field.fill('participant_age > 20')
    await field.press('Enter')
    await page.getByRole('button', { name: 'Remove age above 20' }).first().waitFor()
    expect([name, await axeFindings(page)]).toEqual([name, []])
    await expectNoOverflow(page, [390, 1280])
    await page.getByRole('button', { name: 'Remove age above 20' }).first().click()
    await page.waitForURL((url) => !url.search.includes('filter='))
  })

  const WHOLE: [name: string, path: () => string, told: RegExp][] = [
    ['replay', () => `/items/${item}/replay`, /^The replay shows whole recordings. .* Time window: 0.5 to 2 s\.$/],
    ['quality', () => '/quality', /^This page describes whole recordings. .* Time window: 0.5 to 2 s\.$/],
    ['report', () => '/report', /^Data quality covers whole recordings; .* Time window: 0.5 to 2 s\.$/],
    [
      'export of fixations',
      () => '/export?export=fixations',
      /^This table covers whole recordings\. .* Time window: 0.5 to 2 s\.$/,
    ],
  ]
  test.each(WHOLE)('what ignores the window of time says so: %s', async (_, path, told) => {
    const given = `${path().includes('?') ? '&' : '?'}fromMs=500&toMs=2000`
    await page.goto(`${service.url}${study}${path()}${given}`)
    await page.getByText(told).waitFor()
    await page.goto(`${service.url}${study}${path()}`)
    await page.waitForLoadState('networkidle')
    expect(await page.locator('.window-note').count()).toBe(0)
  })

  test('a table of AOIs follows the window, so it says nothing', async () => {
    await page.goto(`${service.url}${study}/export?export=aoi-fixations-stats&fromMs=500`)
    await page
      .getByRole('heading', { name: /^The first / })
      .or(page.getByText(/rows/))
      .first()
      .waitFor()
    await page.waitForLoadState('networkidle')
    expect(await page.locator('.window-note').count()).toBe(0)
  })

  const CHARTS: [name: string, path: () => string][] = [
    ['item', () => `/items/${item}?figure=all`],
    ['scanpaths', () => `/items/${item}/scanpaths`],
    ['transitions', () => `/items/${item}/transitions?view=all`],
    ['groups', () => `/groups?${GROUPS}`],
  ]
  test.each(CHARTS)('each chart has the window of time below it: %s', async (name, path) => {
    await page.goto(`${service.url}${study}${path()}`)
    await page.waitForLoadState('networkidle')
    const figures = page.locator('figure.figure')
    await expect
      .poll(() => page.locator('.window-fold').count())
      .toBe((await figures.count()) - (name === 'item' ? 1 : 0))
    const last = page.locator('.window-fold').last()
    await last.getByText('Time window: whole').click()
    await last.getByLabel('From').fill('600')
    await page.waitForURL(/fromMs=600/)
    await page.locator('.window-fold').first().getByText('Time window: from 0.6 s on').waitFor()
    expect([name, await axeFindings(page)]).toEqual([name, []])
  })

  test('a participant who is seen can be ignored', async () => {
    const places: [string, RegExp][] = [
      ['', /^Ignore /],
      [`/items/${item}?participant=${seen.id}`, /^Ignore this participant/],
      [`/items/${item}/replay`, /^Ignore /],
      [`/items/${item}/replay?participant=${seen.id}`, /^Ignore this participant/],
      ['/quality', /^Ignore /],
      [`/quality?participant=${seen.id}`, /^Ignore this participant/],
    ]
    for (const [path, label] of places) {
      await open(path)
      // In a table, the button stands in the row that is pointed at.
      if (path === '' || path === '/quality') await page.locator('section tbody tr').first().hover()
      await page.getByRole('button', { name: label }).first().waitFor()
    }
    await open(`/items/${item}/replay`)
    expect(await axeFindings(page)).toEqual([])
    await page
      .locator('.played')
      .getByRole('button', { name: /^Ignore / })
      .first()
      .click()
    await page.getByRole('region', { name: 'Analysis' }).getByText('1 participant ignored').waitFor()
    await page.getByRole('region', { name: 'Analysis' }).getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('region', { name: 'Analysis' }).getByText('all participants').waitFor()
  })

  test('a participant is ignored from a row of the scarf plot, chosen by a press or from the list', async () => {
    await open(`/items/${item}?figure=scarf`)
    const scarf = page.getByRole('figure', { name: 'Scarf plot' })
    const ignore = scarf.getByRole('button', { name: /^Ignore this participant/ })
    const row = scarf.getByLabel(/^Row(?!s)/)
    await row.waitFor()
    expect(await ignore.count()).toBe(0)
    await row.selectOption({ index: 2 })
    const second = await row.inputValue()
    await ignore.waitFor()
    await scarf.getByRole('img', { name: /^Scarf plot of/ }).click({ position: { x: 300, y: 15 } })
    await expect.poll(() => row.inputValue()).not.toBe(second)
    expect(await axeFindings(page)).toEqual([])
    await ignore.click()
    const strip = page.getByRole('region', { name: 'Analysis' })
    await strip.getByText('1 participant ignored').waitFor()
    await strip.getByRole('button', { name: 'Undo' }).click()
    await strip.getByText('all participants').waitFor()
  })

  test('looks well, light and dark, narrow and wide', async () => {
    for (const [name, path] of PAGES) {
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme })
        await page.goto(`${service.url}${study}${path()}${path().includes('?') ? '&' : '?'}fromMs=500&toMs=2000`)
        await page.waitForLoadState('networkidle')
        await expect.poll(() => page.getByText(/^Loading/).count()).toBe(0)
        await keepPicture(page, `everywhere-${name}-${width}`, { fullPage: true })
        expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width])
      }
    }
    expect(walk.complaints).toEqual([])
  })
})
