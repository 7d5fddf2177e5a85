import { describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let study: string
let item: string
let person: string

/** Drift is corrected beside a replay, and kept in the analysis. */
const { service, page } = await walkThrough(
  { demos: [{ participants: 2, items: 2, seconds: 3, hz: 30, seed: 3 }] },
  async ({ service, page }) => {
    study = `/studies/${service.studyIds[0]}`
    const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
    item = items[0].id
    const listed = (await (await service.get(`/api2${study}/participants`)).json()) as {
      participants: { id: string }[]
    }
    person = listed.participants[0].id
    await signIn(page, service.url, service.write)
  },
)

const drift = () => page.getByRole('region', { name: 'Drift' })
const offsets = async () => {
  const stored = await (await service.get(`/api2${study}/analyses/default`)).json()
  return (stored as { analysis: { offsets?: object[] } }).analysis.offsets
}

describe.skipIf(!hasChromium)('drift', () => {
  test('is corrected by an offset, shown on the picture, saved in the analysis, and removed', async () => {
    await page.goto(`${service.url}${study}/items/${item}/replay?participant=${person}`)
    const group = drift().locator('svg g').first()
    expect(await group.getAttribute('transform')).toBe('translate(0 0)')
    await drift().getByLabel('To the right, px').fill('40')
    await drift().getByLabel('Down, px').fill('-25')
    await drift().getByLabel('Down, px').press('Tab')
    await expect.poll(() => group.getAttribute('transform')).toMatch(/^translate\([1-9].* -/)
    expect(await axeFindings(page)).toEqual([])
    await drift().getByRole('button', { name: 'Save the offset' }).click()
    await page.getByText('gaze of 1 participant moved').waitFor()
    expect(await offsets()).toEqual([{ participantId: person, dxPx: 40, dyPx: -25, source: 'hand' }])
    await drift().getByRole('button', { name: 'Remove the offset' }).click()
    await page.getByText('All participants, default settings').waitFor()
    expect(await offsets()).toBeUndefined()
  })

  test('is dragged by the pointer, and suggestions tell how many clicks and targets there are', async () => {
    await page.goto(`${service.url}${study}/items/${item}/replay?participant=${person}`)
    await drift().locator('svg').scrollIntoViewIfNeeded()
    const box = (await drift().locator('svg').boundingBox())!
    await page.mouse.move(box.x + 50, box.y + 50)
    await page.mouse.down()
    await page.mouse.move(box.x + 90, box.y + 50)
    await page.mouse.up()
    await expect.poll(() => drift().getByLabel('To the right, px').inputValue().then(Number)).toBeGreaterThan(5)
    expect(await drift().getByLabel('Down, px').inputValue()).toBe('0')
    await drift().getByRole('button', { name: 'Suggest an offset from clicks and validations' }).click()
    await drift()
      .getByText(/click.*(px to the right|too few)/)
      .waitFor()
    await drift()
      .getByText(/target.*(px to the right|too few)/)
      .waitFor()
  })
})
