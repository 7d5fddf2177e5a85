import type { Page, Response } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { axeFindings, expectNoOverflow, hasChromium, keepPicture, signIn, WITHIN_MS } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { TEXT_ITEM, writtenText } from './text-bundle.ts'

let report: string

/** A board for a client: figures, kept in an analysis, shared by a link, and read and saved by whoever has it. */
const { walk, page } = await walkThrough({ demos: [], bundles: [writtenText] }, async ({ service, page }) => {
  report = `${service.url}/studies/${service.studyIds[0]}/report`
  await signIn(page, service.url, service.write)
})

const LONG = 'ü'.repeat(700)
const loaded = (of: Page) => of.locator('article.report[aria-busy=false]').waitFor()
const answered = (of: Response) => `${of.status()} ${new URL(of.url()).pathname.replace(/^\/api2\/studies\/[^/]+/, '')}`
const entries = (of: Page) => of.locator('.board-entry')
const share = async () => {
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share by a link' })
  await dialog.getByLabel('Recipient or purpose').fill('Client')
  await dialog.getByRole('button', { name: 'Create a link' }).click()
  return dialog
}

describe.skipIf(!hasChromium)('a board for a client', () => {
  let link: string

  test('has words and visits beside the other figures; an item without words is told', async () => {
    await page.goto(`${report}?sections=text.board&title=For+the+client&text=${encodeURIComponent(LONG)}`)
    await loaded(page)
    await page.getByText('Contents, own text and logo', { exact: true }).click()
    const editor = page.getByRole('group', { name: 'Board' })
    const add = async (figure: string, item: number) => {
      await editor.getByRole('combobox', { name: /^Figure/ }).selectOption({ label: figure })
      await editor.getByRole('combobox', { name: /^Item/ }).selectOption({ index: item })
      await editor.getByRole('button', { name: 'Put on the board' }).click()
    }
    await add('Words by reading measure', 1)
    await entries(page).getByText('The item has no words.', { exact: true }).waitFor()
    await editor.getByRole('button', { name: /^Remove Words/ }).click()
    await add('Words by reading measure', 0)
    await add('Visits over time', 0)
    await add('Heatmap', 0)
    await expect.poll(() => entries(page).locator('figure svg[role=img]').count()).toBeGreaterThanOrEqual(3)
    await loaded(page)
    expect(await entries(page).locator('h3').allTextContents()).toEqual([
      expect.stringMatching(/^Words of /),
      expect.stringMatching(/^Visits over time of /),
      expect.stringMatching(/^Heatmap of /),
    ])
    // Tags over the heatmap are numbers, whose names stand below it.
    const key = entries(page).nth(2).getByRole('list', { name: 'Areas of interest' })
    expect((await key.getByRole('listitem').allInnerTexts()).length).toBeGreaterThan(0)
    await page.getByText('Contents, own text and logo', { exact: true }).click()
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
  })

  test('is too long for a link until the analysis keeps it', async () => {
    const dialog = await share()
    await dialog.getByText(/must have at most 4000 characters/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Contents, own text and logo', { exact: true }).click()
    await page.getByRole('button', { name: 'Keep these contents in the analysis “default”' }).click()
    await page.waitForURL(/analysis=default/)
    const again = await share()
    link = await again.getByLabel('Copy the link now').inputValue()
    expect(link).toMatch(/\/report\?analysis=default\S*#link=[0-9a-f-]{36}$/)
    await page.keyboard.press('Escape')
  })

  test('is what whoever has the link sees, prints and saves, and cannot change', async () => {
    const context = await walk.browser.newContext({ viewport: { width: 1280, height: 860 } })
    context.setDefaultTimeout(WITHIN_MS)
    const client = await context.newPage()
    const refused: string[] = []
    client.on('response', (response) => response.status() >= 400 && refused.push(answered(response)))
    await client.goto(link)
    await client.getByRole('heading', { level: 1, name: 'For the client' }).waitFor()
    await expect.poll(() => entries(client).locator('figure svg[role=img]').count()).toBeGreaterThanOrEqual(3)
    await loaded(client)
    await client.getByText(LONG).waitFor()
    expect(await client.getByRole('button', { name: /^Keep these contents/ }).count()).toBe(0)
    expect(await client.getByRole('button', { name: 'Print or save as PDF' }).isEnabled()).toBe(true)
    expect(await axeFindings(client)).toEqual([])
    await expectNoOverflow(client, [390, 1280])
    await keepPicture(client, 'board-shared', { fullPage: true })
    for (const [kind, ending] of [
      ['Word (DOCX)', /\.docx$/],
      ['PowerPoint (PPTX)', /\.pptx$/],
    ] as const) {
      const download = client.waitForEvent('download')
      await client.getByLabel('Save the report', { exact: true }).click()
      await client.getByRole('button', { name: kind }).click()
      expect((await download).suggestedFilename()).toMatch(ending)
    }
    // The item is a text without a picture.
    expect([...new Set(refused)]).toEqual([`404 /items/${TEXT_ITEM}/image`])
    await context.close()
  })

  test('keeps what the link was made of when the board changes, and a board of 25 says what it leaves out', async () => {
    await page.goto(`${report}?analysis=default`)
    await expect.poll(() => entries(page).count()).toBe(3)
    await page.getByText('Contents, own text and logo', { exact: true }).click()
    await page.getByRole('button', { name: /^Remove Heatmap/ }).click()
    await page.getByRole('button', { name: 'Keep these contents in the analysis “default”' }).click()
    await page.getByRole('button', { name: /^Keep these contents/ }).waitFor({ state: 'hidden' })
    const context = await walk.browser.newContext()
    const client = await context.newPage()
    await client.goto(link)
    await expect.poll(() => entries(client).count()).toBe(3)
    await context.close()
    const many = new Array(25).fill(`heatmap.${TEXT_ITEM}`).join('_')
    await page.goto(`${report}?sections=board&board=${many}`)
    await page.getByText(/must have at most 24/).waitFor()
    await expect.poll(() => entries(page).count()).toBe(24)
    expect(walk.complaints).toEqual([])
  })
})
