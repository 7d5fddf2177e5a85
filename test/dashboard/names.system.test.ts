import { describe, expect, test } from 'vitest'
import { hasChromium, resize, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { longNamesBundle } from './strange-bundles.ts'

let study: string
let item: string

/** Names of 200 characters, from right to left, and of emoji, on every page of a study. */
const { service, page } = await walkThrough({ demos: [], bundles: [longNamesBundle] }, async ({ service, page }) => {
  study = `/studies/${service.studyIds[0]}`
  const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
  item = `${study}/items/${items[0].id}`
  await signIn(page, service.url, service.write)
})

/** Finds buttons and fields that are cut off at the edge of the window, unless what holds them scrolls. */
const CUT = `[...document.querySelectorAll('button, select, input, a.button')]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().width > 0)
  .filter((each) => {
    for (let box = each.parentElement; box !== null; box = box.parentElement)
      if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return false
    const { left, right } = each.getBoundingClientRect()
    return left < -1 || right > innerWidth + 1
  })
  .map((each) => (each.getAttribute('aria-label') ?? each.textContent).slice(0, 40))`

const GROUPS = 'group1=external_data_condition+%3D+%27free%27&group2=external_data_condition+%3D+%27search%27'
const PAGES: [name: string, path: () => string][] = [
  ['studies', () => '/'],
  ['study', () => study],
  ['item', () => `${item}?layers=heatmap.aois&figure=all`],
  ['replay', () => `${item}/replay`],
  ['transitions', () => `${item}/transitions`],
  ['scanpaths', () => `${item}/scanpaths`],
  ['AOIs', () => `${item}/aois`],
  ['groups', () => `${study}/groups?${GROUPS}`],
  ['quality', () => `${study}/quality`],
  ['report', () => `${study}/report`],
  ['export', () => `${study}/export`],
]

describe.skipIf(!hasChromium)('long and odd names', () => {
  test.each(PAGES)('make no page wider than its window and cut off no button: %s', async (_, path) => {
    await page.goto(service.url + path())
    await page.waitForLoadState('networkidle')
    await expect.poll(() => page.locator('.spinner').count()).toBe(0)
    for (const [width, height] of [
      [390, 844],
      [1280, 860],
      [1920, 1080],
    ]) {
      await resize(page, width, height)
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect([width, Math.max(0, wide as number), await page.evaluate(CUT)]).toEqual([width, 0, []])
    }
  })
})
