import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasChromium, signIn, type Walk } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { film } from './film.ts'

/** A walk through a study of 500 participants and 40 items, from its page to a comparison in a report. */
let walk: Walk
let page: Page

await walkThrough({ demos: [{ participants: 500, items: 40, seconds: 0.5, hz: 30, seed: 6 }] }, async (opened) => {
  ;({ walk, page } = opened)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, opened.service.url, opened.service.write)
})

const button = (name: string) => page.getByRole('button', { name, exact: true })
const link = (name: string) => page.getByRole('link', { name, exact: true })

describe.skipIf(!hasChromium)('a person with 500 participants and 40 items', () => {
  test('reaches a comparison of two conditions without the worst tests, over three mistakes', async () => {
    const { click, choose, type, decide, counted } = film(walk, 'walk-500-40')
    await click(page.getByRole('link', { name: /^Demo study/ }))
    await page.getByText('500 of 500 participants kept').waitFor()
    await decide('study')
    // A name is mistyped.
    await type(page.getByLabel('Find an item'), 'postre')
    await page.getByText('No item found').waitFor()
    await type(page.getByLabel('Find an item'), 'poster-12')
    await click(link('poster-12.svg'))
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    await decide('item')
    await click(link('Quality'))
    const loss = page.getByLabel('Samples without gaze, at most (%)')
    await loss.waitFor()
    await decide('quality')
    // A limit is a tenth of what was meant, and a quarter falls out.
    await type(loss, '3')
    await loss.press('Tab')
    const excluded = async () => Number.parseInt((await page.locator('.kept').textContent())!.replace(',', ''), 10)
    await expect.poll(excluded).toBeGreaterThan(4000)
    await type(loss, '30')
    await loss.press('Tab')
    await expect.poll(excluded).toBeLessThan(4000)
    await decide('excluded')
    await click(button('Use this filter'))
    await click(link('Groups'))
    // The page begins with the first item, which is not the one.
    await button('condition').waitFor()
    await decide('item of the groups')
    await choose(page.getByRole('combobox', { name: 'Item', exact: true }), { label: 'poster-12.svg' })
    await click(button('condition'))
    await page.getByRole('region', { name: 'Tests of the groups in each area of interest' }).waitFor()
    await page
      .getByText(/1 condition|more than 30 % lost|at most 30/)
      .first()
      .waitFor()
    await decide('compared')
    // Means were wanted, not medians: the test is another.
    await choose(page.getByRole('combobox', { name: 'Test', exact: true }), 'permutation')
    await page.waitForURL(/test=/)
    await click(link('Put in report'))
    await page.getByRole('heading', { name: 'Groups', exact: true }).waitFor()
    await page.locator('article[aria-busy=false]').waitFor()
    await decide('report')
    expect(counted()).toEqual({ clicks: 13, decisions: 7, controlsAtMost: 59 })
    expect(walk.complaints).toEqual([])
  })
})
