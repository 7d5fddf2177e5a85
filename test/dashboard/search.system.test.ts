import { describe, expect, test } from 'vitest'
import { axeFindings, expectNoOverflow, hasChromium, keepPicture, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { writtenText } from './text-bundle.ts'

/** One search over studies, items, AOIs, participants and the documentation. */
const DEMO = { participants: 6, items: 3, seconds: 2, hz: 30, seed: 2 }
let demo: string
let text: string

const { service, walk, page } = await walkThrough(
  { demos: [DEMO], bundles: [writtenText] },
  async ({ service, page }) => {
    ;[demo, text] = service.studyIds
    await signIn(page, service.url, service.read)
  },
)

const field = () => page.getByRole('searchbox', { name: 'Studies, items, areas, participants, help' })
const links = (kind: string) => page.getByRole('dialog').getByRole('region', { name: kind }).getByRole('link')

async function search(words: string): Promise<void> {
  await page.keyboard.press('/')
  await field().waitFor()
  await expect.poll(() => field().evaluate((input) => input === document.activeElement)).toBe(true)
  await page.keyboard.type(words)
}

describe.skipIf(!hasChromium)('one search', () => {
  test('finds areas, items and participants by keys alone, and keeps tests and settings within the study', async () => {
    await page.goto(`${service.url}/studies/${text}?gazeVelocityThreshold=100`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await search('FOX')
    await expect.poll(() => links('Areas of interest').allTextContents()).toEqual(['1.3 fox'])
    await expect.poll(() => page.locator('.found-names[aria-busy=true]').count()).toBe(0)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/items\/[^?]+\?.*gazeVelocityThreshold=100/)
    expect(new URL(page.url()).pathname).toContain(text)
    await search('p2')
    await expect.poll(() => links('Participants of this study').allTextContents()).toEqual(['P2'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/quality\?.*participant=/)
  })

  test('finds studies and help from everywhere, and says when nothing fits', async () => {
    await page.goto(`${service.url}/jobs`)
    await page.getByRole('button', { name: 'Search' }).click()
    await field().fill('zzzz qqqq')
    await page.getByText('No name contains all of these words.').waitFor()
    await field().fill('demo')
    await links('Studies').first().waitFor()
    await field().fill('go-past')
    await page.getByRole('region', { name: 'Found in the documentation' }).getByRole('link').first().waitFor()
    await field().fill('demo')
    await links('Studies').first().waitFor()
    expect(await axeFindings(page)).toEqual([])
    await keepPicture(page, 'search')
    await links('Studies').first().click()
    await page.waitForURL(new RegExp(`/studies/${demo}$`))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectNoOverflow(page, [390, 1280])
    expect(walk.complaints).toEqual([])
  })
})
