import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import {
  axeFindings,
  expectNoOverflow,
  hasChromium,
  keepScreenshot,
  showsBriefly,
  signIn,
  WITHIN_MS,
} from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

/**
 * Sharing from the dashboard: links, the report, copies and packages, in a real browser with one server and one study.
 */
const DEMO = { participants: 12, items: 2, seconds: 4, hz: 60, seed: 5 }
let studyPath: string
let itemPath: string

const { service, walk, page } = await walkThrough({ demos: [DEMO] }, async ({ service, page }) => {
  studyPath = `/studies/${service.studyIds[0]}`
  const study = (await (await service.get(`/api2${studyPath}`)).json()) as { items: { id: string }[] }
  itemPath = `${studyPath}/items/${study.items[1].id}`
  await signIn(page, service.url, service.ops)
})

const open = (path: string) => page.goto(service.url + path)

const WIDTHS = [390, 768, 1280]

/** Opens a link where nobody is signed in, and collects what it asked for. */
async function asStranger(
  url: string,
  look: (stranger: Page, seen: { asked: string[]; refused: string[] }) => Promise<void>,
): Promise<void> {
  const context: BrowserContext = await walk.browser.newContext({ viewport: { width: 1280, height: 860 } })
  context.setDefaultTimeout(WITHIN_MS)
  const stranger = await context.newPage()
  const [asked, refused]: string[][] = [[], []]
  stranger.on('response', (response) => response.status() >= 400 && refused.push(response.url()))
  stranger.on('request', (request) => asked.push(request.url(), request.headers().referer ?? ''))
  await stranger.goto(url)
  await stranger.locator('.link-bar').waitFor()
  await look(stranger, { asked, refused })
  await context.close()
}

const copied = (of: Page) => of.evaluate('navigator.clipboard.readText()') as Promise<string>

describe.skipIf(!hasChromium)('handing on, in Chromium', () => {
  let link: string

  test('a link to a view is made by keys alone, shown once and copied', async () => {
    await open(`${itemPath}?filter=participant_age+%3E+0&layers=heatmap.aois`)
    await page.getByRole('button', { name: 'Menu' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Share' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Share by a link' })
    await dialog.getByText('No links yet').waitFor()
    await dialog.getByText('all but age above 0').waitFor()
    await dialog.getByLabel('Recipient or purpose').fill('Prof. Ito')
    await page.keyboard.press('Enter')
    link = await dialog.getByLabel('Copy the link now').inputValue()
    expect(link).toMatch(/\/items\/[0-9a-f-]+\?.*#link=[0-9a-f-]{36}$/)
    await showsBriefly(page, 'Copied', () => dialog.getByRole('button', { name: 'Copy the link' }).click())
    expect(await copied(page)).toBe(link)
    await dialog.getByText('never opened').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, WIDTHS)
    await keepScreenshot(page, 'share')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })

  test('whoever has it sees the view and nothing else, and the secret is in no address', async () => {
    await asStranger(link, async (stranger, { asked }) => {
      await stranger.getByRole('figure', { name: 'Stimulus' }).locator('svg[role=img]').first().waitFor()
      await stranger.getByText(/of \d+ tests kept/).waitFor()
      const secret = link.split('#link=')[1]
      expect(stranger.url()).not.toContain(secret)
      expect(asked.filter((address) => address.includes(secret))).toEqual([])
      expect(await stranger.evaluate('history.length')).toBeLessThanOrEqual(2)
      for (const name of ['Studies', 'Jobs', 'Replay', 'Export with these settings'])
        expect(await stranger.getByRole('link', { name }).count()).toBe(0)
      expect(await stranger.getByLabel(/^Filter/).count()).toBe(0)
      expect(await axeFindings(stranger)).toEqual([])
      await expectNoOverflow(stranger, WIDTHS)
      // A slider stays within the view.
      await stranger.getByRole('slider', { name: 'Velocity threshold' }).fill('90')
      await stranger.waitForURL(/gazeVelocityThreshold=90/)
      await stranger.locator('.redrawn', { hasText: /^Redrawn: / }).waitFor()
      expect(await stranger.getByRole('alert').count()).toBe(0)
      await stranger.goto(`${service.url}${studyPath}/quality`)
      await stranger.getByRole('heading', { name: 'This page is not part of the link' }).waitFor()
      await keepScreenshot(stranger, 'link-other')
    })
  })

  test('whoever may read the study sees it as themselves', async () => {
    await open(link.replace(service.url, ''))
    await page.waitForURL((url) => url.hash === '')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('button', { name: 'Share' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('figure', { name: 'Stimulus' }).waitFor()
    expect(page.url()).not.toContain('#link')
  })

  test('each kind of page opens whole by its link', async () => {
    const groups = `&group1=participant_age+%3C+30&group2=participant_age+%3E%3D+30&item=${itemPath.split('/').at(-1)}`
    const pages: [part: string, more?: string][] = [
      ['/replay'],
      ['/transitions', '&view=all'],
      ['/groups'],
      ['/groups', `${groups}&view=all`],
      ['/quality'],
      ['/report'],
      ['/report', `${groups}&sections=items.groups&parts=transitions.survival&view=all`],
      [''],
    ]
    for (const [part, more = ''] of pages) {
      const isOfItem = ['/replay', '/transitions', ''].includes(part)
      const path = `${isOfItem ? itemPath : studyPath}${part}?filter=participant_age+%3E+0${more}`
      const made = await fetch(`${service.url}/api2${studyPath}/links`, {
        method: 'POST',
        headers: { 'x-auth-token': service.write, 'content-type': 'application/json' },
        body: JSON.stringify({ path, hasDownloads: part === '' }),
      })
      const { url } = (await made.json()) as { url: string }
      await asStranger(service.url + url, async (stranger, { refused }) => {
        await stranger.getByRole('heading', { level: 1 }).waitFor()
        await stranger.waitForLoadState('networkidle')
        await expect.poll(() => stranger.getByText(/^Loading/).count()).toBe(0)
        // Pictures of the demo's items are there.
        expect([part, refused]).toEqual([part, []])
        expect([part, await stranger.getByRole('alert').allTextContents()]).toEqual([part, []])
        if (part !== '') return
        await stranger.getByRole('link', { name: 'Downloads' }).click()
        await stranger.getByRole('button', { name: 'Download CSV' }).waitFor()
        const coming = stranger.waitForEvent('download')
        await stranger.getByRole('button', { name: 'Download CSV' }).click()
        expect((await coming).suggestedFilename()).toMatch(/\.csv$/)
      })
    }
  })

  test('a link that was revoked says so, and what was open ends', async () => {
    await asStranger(link, async (stranger) => {
      await stranger.getByRole('figure', { name: 'Stimulus' }).waitFor()
      await page.getByRole('button', { name: 'Menu' }).click()
      await page.getByRole('button', { name: 'Share' }).click()
      const dialog = page.getByRole('dialog', { name: 'Share by a link' })
      await dialog.getByText('last opened').first().waitFor()
      await dialog.getByRole('button', { name: 'Revoke An item for Prof. Ito' }).click()
      await dialog.getByText('Prof. Ito').waitFor({ state: 'hidden' })
      await page.keyboard.press('Escape')
      await stranger.waitForTimeout(500)
      await stranger.goto(link)
      await stranger.getByText('This link does not work.').waitFor()
      expect(await axeFindings(stranger)).toEqual([])
    })
  })

  test('figures and tables are copied as pictures, CSV and Markdown, by keys', async () => {
    await open(`${itemPath}?figure=all`)
    const menu = page.getByRole('figure', { name: 'Areas of interest' }).locator('.dropdown')
    const summary = menu.locator('summary')
    for (const kind of ['PNG', 'SVG', 'CSV', 'Markdown']) {
      await summary.focus()
      await page.keyboard.press('Enter')
      await menu.getByRole('group', { name: /^Copy/ }).getByRole('button', { name: kind }).focus()
      await showsBriefly(page, `Copied ${kind}`, () => page.keyboard.press('Enter'))
      const types = (await page.evaluate(
        'navigator.clipboard.read().then((items) => items.flatMap(({ types }) => types))',
      )) as string[]
      if (kind === 'PNG') {
        expect(types).toEqual(['image/png'])
        continue
      }
      const text = await copied(page)
      if (kind === 'SVG') expect(text).toMatch(/^<svg [\s\S]*Areas of interest[\s\S]*<\/svg>$/)
      if (kind === 'CSV') {
        expect(types.sort()).toEqual(['text/html', 'text/plain'])
        expect(text.split('\n')[0]).toMatch(/^aoi_name,/)
      }
      if (kind === 'Markdown')
        expect(text).toMatch(/^\| aoi\\_name \|.*\|\n\| --- \|[\s\S]*\nAreas of interest\. aoi-overall-stats/)
    }
    await open(`${studyPath}/quality`)
    const table = page.locator('.data-table').first()
    await table.locator('summary').click()
    await showsBriefly(page, 'Copied CSV', () => table.getByRole('button', { name: 'CSV' }).click())
    const lines = (await copied(page)).trim().split('\n')
    expect(lines).toHaveLength(1 + 12)
    expect(lines[0]).toMatch(/^Participant,Excluded tests,"Samples without gaze, %"/)
    // The page has one digit after the point, the copy all of them.
    expect(lines.slice(1).some((line) => /,\d+\.\d{3,},/.test(line))).toBe(true)
    await keepScreenshot(page, 'copy')
    await open(studyPath)
    const people = page.locator('.dropdown', { hasText: 'Copy Participants as' })
    await people.locator('summary').click()
    await showsBriefly(page, 'Copied CSV', () => people.getByRole('button', { name: 'CSV' }).click())
    expect((await copied(page)).trim().split('\n')).toHaveLength(1 + 12)
    expect(await axeFindings(page)).toEqual([])
  })

  test('the report tells who was left out and why, as the exports have it', async () => {
    const namesIn = async (more: URLSearchParams) => {
      const path = `/api2${studyPath}/collected-data/keyboard-and-mouse/overall-per-participant?${more}&format=ndjson`
      const rows = (await (await service.get(path)).text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      return rows.map((row): string => row.participant_external_id || row.participant_display_name)
    }
    const grade = { participantQualityGradeItemMin: '3' }
    const [one] = await namesIn(new URLSearchParams({ filter: 'participant_age > 25', ...grade }))
    const filter = `participant_age > 25 AND participant_external_id <> '${one}'`
    const query = new URLSearchParams({ filter, ...grade })
    await open(`${studyPath}/report?${query}`)
    await page.getByRole('button', { name: 'Print or save as PDF' }).waitFor()
    await page.locator('.report[aria-busy=false]').waitFor()
    const [all, kept] = [await namesIn(new URLSearchParams()), await namesIn(query)]
    const left = [...new Set(all)].filter((name) => !kept.includes(name)).sort()
    expect(left.length).toBeGreaterThan(1)
    const table = page.getByRole('region', { name: 'Excluded participants' })
    await table.waitFor()
    expect((await table.locator('tbody th bdi').allTextContents()).sort()).toEqual(left)
    const reason = `no test for which participant_external_id <> '${one}'`
    expect(
      await table
        .locator('tr', { has: page.locator('th bdi', { hasText: one }) })
        .locator('td')
        .allTextContents(),
    ).toEqual([reason])
    const last = page.getByRole('region', { name: 'Exclusions, in order' }).locator('tbody tr').last()
    expect(await last.locator('td').allTextContents()).toEqual([String(kept.length), String(new Set(kept).size)])
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, WIDTHS)
    await keepScreenshot(page, 'report', { fullPage: true })
  })

  test('and is printed on pages: light, whole, with captions, without controls', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true })
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? []
    // Method, people and quality, two items, sources: none for a heading alone.
    expect(pages.length).toBeGreaterThanOrEqual(4)
    expect(pages.length).toBeLessThanOrEqual(8)
    if (process.env.SCREENSHOTS_DIR) await page.pdf({ path: `${process.env.SCREENSHOTS_DIR}/report.pdf`, format: 'A4' })
    await page.emulateMedia({ media: 'print', colorScheme: 'light' })
    await page.setViewportSize({ width: 700, height: 990 })
    const tooWide = `[...document.querySelectorAll('.report *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML.slice(0, 120))`
    expect(await page.evaluate(tooWide)).toEqual([])
    expect(await page.locator('.report button:visible, .header:visible, .report select:visible').count()).toBe(0)
    expect(await page.locator('.report figcaption p:visible').count()).toBeGreaterThanOrEqual(5)
    // Their settings too, which a screen shows on demand; of items once, since they are those of each item.
    const captions = await page.locator('.report figcaption').count()
    const ofLaterItems = await page.locator('.report-item ~ .report-item figcaption').count()
    expect(ofLaterItems).toBeGreaterThan(0)
    expect(await page.locator('.caption-more:visible').count()).toBe(captions - ofLaterItems)
    expect(await page.getByRole('button', { name: 'Method and settings' }).count()).toBe(0)
    expect(await page.locator('.report .paragraph').isVisible()).toBe(true)
    // A4 without its margins: each figure fits with its caption, that of an item with the heading before it too.
    await page.setViewportSize({ width: Math.round((182 / 25.4) * 96), height: 990 })
    const pagePx = (265 / 25.4) * 96
    const tall = `[...document.querySelectorAll('.report .figure')].map((figure) => {
      const first = figure.parentElement.querySelector('.figure') === figure ? figure.parentElement : figure
      return figure.getBoundingClientRect().bottom - (figure.closest('.report-item') ? first : figure).getBoundingClientRect().top
    })`
    for (const heightPx of (await page.evaluate(tall)) as number[]) expect(heightPx).toBeLessThan(pagePx)
    const headsRepeat = `[...document.querySelectorAll('.report thead')].every((head) => getComputedStyle(head).display === 'table-header-group')`
    expect(await page.evaluate(headsRepeat)).toBe(true)
    await keepScreenshot(page, 'report-print', { fullPage: true })
  })

  test('drawings for paper are light while they are printed, and dark again afterwards', async () => {
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' })
    await page.setViewportSize({ width: 1280, height: 860 })
    const ink = () => page.evaluate("document.querySelector('.report svg[role=img] text').getAttribute('fill')")
    const dark = '#e9eef2'
    await expect.poll(ink).toBe(dark)
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(await ink()).not.toBe(dark)
    await page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(await ink()).toBe(dark)
    await page.emulateMedia({ colorScheme: 'light' })
  })

  test('a package holds the tables that were chosen, with their settings', async () => {
    await service.startWorker()
    await open(`${studyPath}/export`)
    const panel = page.getByRole('region', { name: 'Several tables as one package' })
    await panel.getByText('Every table with rows, and their settings').click()
    await page.getByLabel('Selected tables').check()
    expect(await panel.getByRole('button', { name: 'Create the package' }).isDisabled()).toBe(true)
    await panel.getByLabel('Fixations', { exact: true }).check()
    await panel.getByRole('slider', { name: 'Velocity threshold' }).fill('90')
    await page.waitForURL(/gazeVelocityThreshold=90/)
    expect(await axeFindings(page)).toEqual([])
    const asked = page.waitForRequest((request) => request.url().includes('/package?'))
    await panel.getByRole('button', { name: 'Create the package' }).click()
    const query = new URL((await asked).url()).searchParams
    expect([query.get('exports'), query.get('gazeVelocityThreshold')]).toEqual(['fixations', '90'])
    await panel.getByText('Package of 1 table').waitFor()
    await panel.getByRole('link', { name: 'Download' }).waitFor()
  })

  test('nothing complained on the way', () => {
    expect(walk.complaints).toEqual([])
  })
})
