import { describe, expect, test } from 'vitest'
import { hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { ITEM_ID, LOOKERS, pictureSvg, twoSides, unsizedBundle } from './two-sides.ts'

/** A bundle may bring a picture of another shape than what was shown: no page draws gaze on it. */
const { service, walk, page } = await walkThrough(
  { demos: [], bundles: [() => unsizedBundle(pictureSvg(1000, 500))] },
  ({ service, page }) => signIn(page, service.url, service.write),
)

const open = (path: string) => page.goto(`${service.url}/studies/${service.studyIds[0]}${path}`)
const groups = new URLSearchParams({ item: ITEM_ID, group1: 'participant_age < 40', group2: 'participant_age >= 40' })
const MISFIT = /tests show it in 1000 × 1000 px, where the picture, 1000 × 500 px, has another shape/
const pictures = (name: string) =>
  page.getByRole('figure', { name, exact: true }).locator(`.drawing image[href*="/items/${ITEM_ID}/image"]`)
const widthByHeight = (name: string) =>
  page
    .getByRole('figure', { name, exact: true })
    .locator('.drawing svg')
    .evaluate((svg) => Number(svg.getAttribute('width')) / Number(svg.getAttribute('height')))

describe.skipIf(!hasChromium)('a picture of another shape than what was shown', () => {
  test('is not drawn, and in its place stands why', async () => {
    await open(`/items/${ITEM_ID}`)
    const drawing = page.getByRole('figure', { name: 'Stimulus' }).locator('.drawing svg')
    await drawing.getByText('The item has no size in the study').waitFor()
    expect((await drawing.textContent())?.replace(/\s+/g, ' ')).toMatch(MISFIT)
    expect(await pictures('Stimulus').count()).toBe(0)
    expect(await widthByHeight('Stimulus')).toBeCloseTo(1, 2)
    await open(`/groups?${groups}`)
    await page.getByRole('figure', { name: 'Heatmaps' }).locator('.drawing svg').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await pictures('Heatmaps').count()).toBe(0)
    await open(`/items/${ITEM_ID}/aois`)
    await page.locator('svg.board').getByText('The item has no size in the study').waitFor()
  })

  test('is drawn once the item has its size', async () => {
    const { study } = twoSides(LOOKERS)
    const items = [{ ...study.items[0], filename: 'item-1.svg' }]
    const answer = await fetch(`${service.url}/api2/studies/${service.studyIds[0]}`, {
      method: 'PUT',
      headers: { 'x-auth-token': service.write, 'content-type': 'application/json', 'if-match': '*' },
      body: JSON.stringify({ ...study, items }),
    })
    expect(answer.status).toBe(200)
    await open(`/items/${ITEM_ID}`)
    await pictures('Stimulus').waitFor()
    expect(await widthByHeight('Stimulus')).toBeCloseTo(2, 2)
    await open(`/groups?${groups}`)
    await expect.poll(() => pictures('Heatmaps').count()).toBe(3)
    expect(walk.complaints).toEqual([])
  })
})
