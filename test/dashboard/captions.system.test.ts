import { describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { ITEM_ID, LEFT, nestedBundle, RIGHT } from './two-sides.ts'

/**
 * Each number says of whom it is, each chart of how many, and what is missing. Of four tests, three end after 667 ms of
 * 1,000.
 */
const { service, walk, page } = await walkThrough({ demos: [], bundles: [nestedBundle] }, ({ service, page }) =>
  signIn(page, service.url, service.read),
)

const open = (path: string) => page.goto(`${service.url}/studies/${service.studyIds[0]}${path}`)
const figure = (name: string) => page.getByRole('figure', { name, exact: true })
const captionOf = (name: string) => figure(name).locator('figcaption > p').first()
const CUT = 'Fixations are split at 400 ms (maxFixationDurationMs).'

describe.skipIf(!hasChromium)('captions and labels', () => {
  test('say that means of AOIs are over lookers, and at which length fixations are cut', async () => {
    await open(`/items/${ITEM_ID}?figure=all`)
    await captionOf('Areas of interest')
      .filter({ hasText: 'means of those who looked at it (lookers), of 4 participants' })
      .filter({ hasText: CUT })
      .waitFor()
    const bars = await figure('Areas of interest').locator('.drawing text').allTextContents()
    expect(bars.filter((text) => text.includes('lookers'))).toEqual([
      'ms, mean of lookers',
      'ms, mean of lookers',
      'mean of lookers',
    ])
    expect(bars).toContain('% of viewers')
    await page.locator('.summary').getByText(CUT).waitFor()
    // No other detector cuts them.
    await open(`/items/${ITEM_ID}?detector=dispersion&figure=all`)
    await captionOf('Areas of interest').waitFor()
    expect(await page.getByText('Fixations are split').count()).toBe(0)
    await open(`/report?maxFixationDurationMs=300`)
    await page.locator('.report[aria-busy=false]').waitFor()
    await page.getByText(/fixations, .* ms on average; .*Fixations are split at 300 ms/).waitFor()
    const heads = await page
      .getByRole('region', { name: /in numbers$/ })
      .locator('thead th')
      .allTextContents()
    expect(heads.filter((head) => head.includes('mean of lookers')).length).toBe(3)
  })

  test('name measures of groups by whom they are of', async () => {
    const query = new URLSearchParams({ item: ITEM_ID, group1: LEFT, name1: 'L', group2: RIGHT, name2: 'R' })
    await open(`/groups?${query}`)
    await captionOf('Areas of interest')
      .filter({ hasText: /^Dwell time, of viewers by AOI/ })
      .filter({ hasText: CUT })
      .waitFor()
    const choices = await page.getByLabel('Measure').locator('option').allTextContents()
    expect(choices.every((choice) => /, of (viewers|lookers)$/.test(choice))).toBe(true)
    expect(new Set(choices).size).toBe(choices.length)
  })

  test('of gaze over time have their n over time', async () => {
    await open(`/items/${ITEM_ID}?figure=all`)
    const row = figure('Gaze over time').locator('.counts-below text')
    await row.first().waitFor()
    const [label, ...counts] = await row.allTextContents()
    expect(label).toBe('Participants in the bin')
    // No bin begins at the end of the axis.
    expect([counts[0], counts.at(-1)]).toEqual(['4', '1'])
  })

  test('of visits over time have how many tests are not over', async () => {
    await open(`/items/${ITEM_ID}/transitions?view=visits`)
    const row = figure('Visits over time').locator('.counts-below text')
    await row.first().waitFor()
    const [label, ...counts] = await row.allTextContents()
    expect([label, counts[0], counts.at(-2)]).toEqual(['n', '4', '1'])
  })

  test('tell which AOI is hidden by another, and the smallest may come first', async () => {
    await open(`/items/${ITEM_ID}?figure=all`)
    const scarf = figure('Scarf plot')
    await captionOf('Scarf plot').filter({ hasText: 'in an AOI that comes first: 3 Spot.' }).waitFor()
    expect(await scarf.locator('path[data-aoi="3"]').count()).toBe(0)
    await scarf.getByLabel('A fixation in several AOIs belongs to').selectOption('smallest')
    await scarf.locator('path[data-aoi="3"]').waitFor()
    expect(await scarf.locator('path[data-aoi="1"]').count()).toBe(0)
    await captionOf('Scarf plot').filter({ hasText: 'comes first: 1 Left half.' }).waitFor()
    expect(page.url()).toContain('nested=smallest')
    expect(await axeFindings(page)).toEqual([])
    // The choice goes along to transitions, where the spot is what is left for the right half.
    await open(`/items/${ITEM_ID}/transitions?view=all`)
    await captionOf('Transitions').filter({ hasText: 'comes first: 3 Spot.' }).waitFor()
    await captionOf('Transitions over the item').filter({ hasText: 'comes first: 3 Spot.' }).waitFor()
    await open(`/items/${ITEM_ID}/transitions?nested=smallest`)
    await captionOf('Transitions').filter({ hasText: 'comes first: 1 Left half.' }).waitFor()
    await figure('Transitions').getByText('3 Spot to 2 Right half: 2').waitFor({ state: 'attached' })
    expect(walk.complaints).toEqual([])
  })
})
