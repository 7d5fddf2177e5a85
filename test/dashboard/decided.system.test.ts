import { describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let study: string
let item: string
let participants: { id: string; grades: (number | null)[] }[]

/** The analysis of a study is on every page of it: its settings, its window and whom it ignores. */
const { service, walk, page } = await walkThrough(
  { demos: [{ participants: 8, items: 2, seconds: 3, hz: 30, seed: 3 }] },
  async ({ service, page }) => {
    study = `/studies/${service.studyIds[0]}`
    const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
    item = items[0].id
    ;({ participants } = (await (await service.get(`/api2${study}/participants`)).json()) as {
      participants: typeof participants
    })
    await signIn(page, service.url, service.write)
  },
)

type Stored = { reference: string; analysis: { settings?: object; ignored?: { participantId: string }[] } }
const stored = async (name = 'default') =>
  (await (await service.get(`/api2${study}/analyses/${name}`)).json()) as Stored
const strip = () => page.getByRole('region', { name: 'Analysis' })

describe.skipIf(!hasChromium)('the analysis of a study', () => {
  test('takes up the settings of the address by one click', async () => {
    await page.goto(`${service.url}${study}/items/${item}?gazeVelocityThreshold=90&toMs=2000`)
    await strip().getByText('velocity threshold 90 %/s · 0 to 2 s · not saved').waitFor()
    await strip().getByRole('button', { name: 'Save', exact: true }).click()
    await strip().getByText('velocity threshold 90 %/s · 0 to 2 s · saved as “default”').waitFor()
    await page.waitForURL((url) => url.search === '?analysis=default')
    expect((await stored()).analysis).toMatchObject({ settings: { gazeVelocityThreshold: 90 }, toMs: 2000 })
    expect(await page.getByLabel('Velocity threshold, exact value').inputValue()).toBe('90')
    expect(await axeFindings(page)).toEqual([])
  })

  test('leaves out a participant where one is seen, and takes that back', async () => {
    const [gone] = participants.filter(({ grades }) => grades.every((grade) => grade !== null))
    await page.goto(`${service.url}${study}/items/${item}?analysis=default&participant=${gone.id}`)
    await page.getByRole('button', { name: /^Ignore / }).click()
    await strip()
      .getByText(/tests excluded: 1 participant ignored · velocity/)
      .waitFor()
    expect((await stored()).analysis.ignored?.map(({ participantId }) => participantId)).toEqual([gone.id])
    await strip().getByRole('button', { name: 'Undo' }).click()
    await strip()
      .getByText(/^velocity threshold 90/)
      .waitFor()
    expect((await stored()).analysis.ignored).toBeUndefined()
    await page.goto(`${service.url}${study}`)
    await page.locator('table.people tbody tr').first().hover()
    await page
      .getByRole('button', { name: /^Ignore / })
      .first()
      .click()
    await strip()
      .getByText(/tests excluded: 1 participant ignored/)
      .waitFor()
    await strip().getByRole('button', { name: 'Save as …' }).click()
    expect(await axeFindings(page)).toEqual([])
    await strip().getByLabel('Reason').fill('asleep')
    await page.keyboard.press('Tab')
    await expect.poll(async () => (await stored()).analysis.ignored).toMatchObject([{ reason: 'asleep' }])
  })

  test('is as it was by one click, also on the next page, unless somebody else has changed it since', async () => {
    await page.goto(`${service.url}${study}/items/${item}?analysis=default&minFixationDurationMs=100&toMs=1500`)
    const before = await stored()
    await strip().getByRole('button', { name: 'Save', exact: true }).click()
    await strip().getByText('0 to 1.5 s · saved as').waitFor()
    const changed = await stored()
    expect(changed.analysis).toMatchObject({ toMs: 1500, settings: { minFixationDurationMs: 100 } })
    await page.getByText('More pages').click()
    await page.getByRole('link', { name: 'Transitions' }).click()
    await page.waitForURL(/transitions/)
    await strip().getByRole('button', { name: 'Undo' }).click()
    await page.waitForURL((url) => url.search.includes('minFixationDurationMs=100') && url.search.includes('toMs=1500'))
    expect(await stored()).toEqual({ ...before, changedAt: expect.anything() })
    expect(await strip().getByRole('button', { name: 'Undo' }).count()).toBe(0)
    // Once more, and then somebody else's.
    await strip().getByRole('button', { name: 'Save', exact: true }).click()
    await strip().getByRole('button', { name: 'Undo' }).waitFor()
    const path = `${service.url}/api2${study}/analyses/default`
    const put = await fetch(path, {
      method: 'PUT',
      headers: { 'x-auth-token': service.write, 'content-type': 'application/json', 'if-match': '*' },
      body: JSON.stringify(before.analysis),
    })
    expect(put.status).toBe(200)
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').last().click()
    await page.waitForURL((url) => !url.pathname.includes('transitions'))
    await strip()
      .getByText(/velocity threshold 90/)
      .waitFor()
    expect(await strip().getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  const PAGES: [name: string, path: () => string][] = [
    ['item', () => `/items/${item}`],
    ['replay', () => `/items/${item}/replay`],
    ['transitions', () => `/items/${item}/transitions`],
    ['scanpaths', () => `/items/${item}/scanpaths`],
    ['groups', () => '/groups?by=x'],
    ['quality', () => '/quality'],
    ['report', () => '/report'],
    ['export', () => '/export'],
  ]
  test.each(PAGES)(
    'is on the page %s, also where the address names none, and every request has it',
    async (_, path) => {
      const { reference } = await stored()
      const asked: string[] = []
      const listen = (request: { url: () => string }) => {
        const { pathname, searchParams } = new URL(request.url())
        // Who took part, not who counts.
        if (pathname.endsWith('/analysis/participants')) return
        if (/\/(charts|analysis|previews|methods)(\/|$)/.test(pathname)) asked.push(`${searchParams.get('analysis')}`)
      }
      page.on('request', listen)
      await page.goto(`${service.url}${study}${path()}`)
      await strip()
        .getByText(/tests excluded: 1 participant ignored/)
        .waitFor()
      await page.waitForURL(/analysis=default/)
      await page.waitForLoadState('networkidle')
      page.off('request', listen)
      expect([...new Set(asked)].filter((each) => each !== reference)).toEqual([])
      if (!['/groups?by=x'].includes(path())) expect(asked.length).toBeGreaterThan(0)
      const links = await page
        .locator('main a[href]')
        .evaluateAll((all) => all.map((link) => (link as unknown as URL).href))
      for (const href of links.map((each) => new URL(each))) {
        if (!href.pathname.startsWith(study) || href.hash !== '') continue
        expect([href.pathname, href.searchParams.get('analysis')]).toEqual([href.pathname, 'default'])
      }
    },
  )

  test('is in the report: whom it leaves out, and why', async () => {
    const loss = 'test_data_loss_percents <= 20'
    await page.goto(`${service.url}${study}/report?analysis=default&filter=${encodeURIComponent(loss)}`)
    await page.locator('.report[aria-busy=false]').waitFor()
    const table = page.getByRole('region', { name: 'Excluded participants' })
    await table.getByText('ignored: asleep').waitFor()
    const steps = page.getByRole('region', { name: 'Exclusions, in order' })
    await steps.getByText(/without 1 participant, as the analysis default@[0-9a-f]{12} says/).waitFor()
    await steps.getByText(/without tests with more than 20 % of samples lost.* \(\d+ of \d+\)/).waitFor()
  })

  test('is none where none is chosen, on this page and the next', async () => {
    await page.goto(`${service.url}${study}/items/${item}`)
    await strip().getByRole('combobox', { name: 'Analysis' }).selectOption('')
    await strip().getByText('All participants, default settings').waitFor()
    expect(await page.getByLabel('Velocity threshold, exact value').inputValue()).toBe('150')
    await page.getByText('More pages').click()
    await page.getByRole('link', { name: 'Transitions' }).click()
    await page.waitForURL(/transitions/)
    await strip().getByText('All participants, default settings').waitFor()
  })

  test('goes back to the defaults by one click, and "change" leads to the settings', async () => {
    await page.goto(`${service.url}${study}/items/${item}?analysis=%40&gazeVelocityThreshold=90`)
    await strip().getByText('velocity threshold 90 %/s · not saved').waitFor()
    await strip().getByRole('button', { name: 'Reset' }).click()
    await strip().getByText('All participants, default settings').waitFor()
    await expect.poll(() => page.getByLabel('Velocity threshold, exact value').inputValue()).toBe('150')
    await strip().getByRole('button', { name: 'change' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.closest("[data-settings]") !== null')).toBe(true)
  })

  test('has a window of time that sliders set', async () => {
    await page.goto(`${service.url}${study}/items/${item}?analysis=%40`)
    await page.getByRole('group', { name: 'Time window' }).getByLabel('From').fill('1500')
    await page.waitForURL(/fromMs=1500/)
    await page.getByText('Only fixations that begin between 1500 and 3000 ms').waitFor()
    await page.getByRole('button', { name: 'Whole time' }).click()
    await page.waitForURL((url) => !url.search.includes('fromMs'))
    expect(walk.complaints).toEqual([])
  })
})
