import { describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let study: string
let item: string
let participant: string

/** Choices of tests and settings on one page carry over to all others, by any link. */
const { service, walk, page } = await walkThrough(
  { demos: [{ participants: 8, items: 2, seconds: 3, hz: 30, seed: 3 }] },
  async ({ service, page }) => {
    study = `/studies/${service.studyIds[0]}`
    const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
    item = items[1].id
    const { participants } = (await (await service.get(`/api2${study}/participants`)).json()) as {
      participants: { id: string; grades: (number | null)[] }[]
    }
    participant = participants.find(({ grades }) => grades.every((grade) => grade !== null && grade >= 3))!.id
    await signIn(page, service.url, service.write)
  },
)

const DECIDED = {
  filter: "participant_age > 20 AND participant_external_id <> 'x, y'",
  participantQualityGradeItemMin: '2',
  movingMedianRangeMs: '120',
  gazeVelocityThreshold: '90',
}
const query = new URLSearchParams(DECIDED).toString()

/** Returns the links of the page to pages of the study. */
async function linksOfStudy(): Promise<URL[]> {
  const all = await page.locator('a[href]').evaluateAll((links) => links.map((link) => (link as unknown as URL).href))
  return all.map((href) => new URL(href)).filter(({ pathname, hash }) => pathname.startsWith(study) && hash === '')
}

describe.skipIf(!hasChromium)('tests and settings', () => {
  const pages: [name: string, path: () => string, links: number][] = [
    ['study', () => '', 6],
    ['flow of the study', () => '?part=about', 6],
    ['item', () => `/items/${item}`, 5],
    ['item of one participant', () => `/items/${item}?participant=${participant}`, 5],
    ['AOI editor', () => `/items/${item}/aois`, 2],
    ['replay', () => `/items/${item}/replay`, 2],
    ['transitions', () => `/items/${item}/transitions`, 2],
    ['groups', () => '/groups', 1],
    ['quality', () => '/quality', 4],
    ['quality of one participant', () => `/quality?participant=${participant}`, 2],
    ['report', () => '/report', 1],
    ['export', () => `/export?export=mouse`, 2],
    ['item that is none', () => '/items/00000000-0000-4000-8000-000000000000', 1],
  ]
  test.each(pages)('are carried by every link of the page: %s', async (_, path, links) => {
    const address = `${service.url}${study}${path()}`
    await page.goto(`${address}${address.includes('?') ? '&' : '?'}${query}`)
    await expect.poll(async () => (await linksOfStudy()).length).toBeGreaterThanOrEqual(links)
    await page.waitForLoadState('networkidle')
    for (const { pathname, searchParams } of await linksOfStudy())
      expect([
        pathname,
        Object.fromEntries(Object.keys(DECIDED).map((name) => [name, searchParams.get(name)])),
      ]).toEqual([pathname, DECIDED])
  })

  test('are those of the address, when they were changed on the page', async () => {
    await page.goto(`${service.url}${study}?filter=participant_age+%3E+20`)
    await page.getByRole('button', { name: 'Remove age above 20' }).click()
    await expect.poll(async () => (await linksOfStudy()).some(({ search }) => search.includes('filter'))).toBe(false)
    await page.getByRole('radio', { name: 'Grade', exact: true }).check()
    await page.getByLabel('Minimum quality grade').selectOption('3')
    await expect
      .poll(async () =>
        (await linksOfStudy()).every(({ search }) => search.includes('participantQualityGradeItemMin=3')),
      )
      .toBe(true)
  })

  test.each(['/groups', '/report', '/quality'])('are chosen on the page %s, and go on to the next', async (path) => {
    await page.goto(`${service.url}${study}${path}?filter=participant_age+%3E+20`)
    await page.getByText('Settings: defaults').click()
    const slider = page.getByRole('slider', { name: 'Velocity threshold' })
    await slider.fill('80')
    await page.waitForURL(/gazeVelocityThreshold=80/)
    await page.getByText('Settings: 1 change from the defaults').waitFor()
    expect(await axeFindings(page)).toEqual([])
    const crumb = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').last()
    expect(new URL((await crumb.getAttribute('href'))!, service.url).search).toBe(
      '?filter=participant_age+%3E+20&gazeVelocityThreshold=80',
    )
    // The tests are not of the settings.
    await page.getByRole('button', { name: 'Back to defaults' }).click()
    await page.waitForURL((url) => url.search === '?filter=participant_age+%3E+20')
    expect(await slider.inputValue()).not.toBe('80')
  })

  test('of the report may be any: it tells who was left out, as with the default settings', async () => {
    const table = page.getByRole('region', { name: 'Excluded participants' })
    const told: string[][] = []
    const { filter, participantQualityGradeItemMin } = DECIDED
    for (const asked of [
      { filter, participantQualityGradeItemMin },
      DECIDED,
      { ...DECIDED, detector: 'adaptive', fromMs: '500', toMs: '2000' },
    ]) {
      await page.goto(`${service.url}${study}/report?${new URLSearchParams(asked)}`)
      await page.locator('.report[aria-busy=false]').waitFor()
      await table.or(page.getByText('Invalid parameter')).waitFor()
      told.push(await table.locator('tbody tr').allTextContents())
    }
    expect(told[0].length).toBeGreaterThan(0)
    expect(told).toEqual([told[0], told[0], told[0]])
  })

  test('of transitions and replay are moved where they are drawn', async () => {
    for (const view of ['transitions', 'replay']) {
      await page.goto(`${service.url}${study}/items/${item}/${view}`)
      const fold = page.getByRole('button', { name: 'Show participant and settings' })
      if (await fold.isVisible()) await fold.click()
      await page.getByRole('slider', { name: 'Velocity threshold' }).fill('80')
      await page.waitForURL(/gazeVelocityThreshold=80/)
    }
    expect(walk.complaints).toEqual([])
  })
})
