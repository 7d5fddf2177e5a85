import { describe, expect, test } from 'vitest'
import { hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { ITEM_ID, LEFT, LOOKERS, RIGHT, twoSidesBundle } from './two-sides.ts'

const people = [{ age: 19, left: 'none' as const }, ...LOOKERS, { age: 61, left: 'lost' as const }]

/**
 * Tests without gaze are missing on every page, and each says how many are left out. Four people look; two have no
 * gaze.
 */
const { service, walk, page } = await walkThrough(
  { demos: [], bundles: [() => twoSidesBundle(people)] },
  ({ service, page }) => signIn(page, service.url, service.read),
)

const open = (path: string) => page.goto(`${service.url}/studies/${service.studyIds[0]}${path}`)
const captionOf = (name: string) => page.getByRole('figure', { name, exact: true }).locator('figcaption > p').first()
const cellsOf = (label: string) =>
  page
    .getByRole('region', { name: label })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
const LEFT_OUT = 'of 4 participants, in 4 of 6 tests. 2 tests without valid gaze are left out.'

describe.skipIf(!hasChromium)('tests without gaze', () => {
  test('are missing in the charts of an item, which say so', async () => {
    await open(`/items/${ITEM_ID}?figure=all`)
    for (const name of ['Stimulus', 'Scarf plot', 'Areas of interest', 'Gaze over time'])
      await captionOf(name).filter({ hasText: LEFT_OUT }).waitFor()
    await page.getByText('6 of 6 tests kept. 2 tests without valid gaze are left out.').waitFor()
    await page.getByRole('img', { name: /^Scarf plot of 4 tests/ }).waitFor()
  })

  test('are no participants of a group', async () => {
    const query = new URLSearchParams({ item: ITEM_ID, group1: LEFT, name1: 'Young', group2: RIGHT, name2: 'Old' })
    await open(`/groups?${query}`)
    const tests = 'Tests of the groups in each area of interest'
    await page.getByRole('region', { name: tests }).waitFor()
    expect((await cellsOf(tests)).map((row) => row.slice(2, 4))).toEqual([
      ['3', '1'],
      ['3', '1'],
    ])
    await page.getByText('n = 3 participants, 3 tests. 1 test without valid gaze is left out.').waitFor()
    await page.getByText('n = 1 participant, 1 test. 1 test without valid gaze is left out.').waitFor()
    for (const name of ['Heatmaps', 'Areas of interest'])
      await captionOf(name)
        .filter({ hasText: 'of 3 participants in Young, 1 participant in Old.' })
        .filter({ hasText: 'gaze is left out in Young. 1 test without valid gaze is left out in Old.' })
        .waitFor()
  })

  test('are nobody who never looked, and not in the share of those who visit', async () => {
    await open(`/items/${ITEM_ID}/transitions?view=all`)
    const looks = 'Time to first fixation of each area of interest'
    await page.getByRole('region', { name: looks }).waitFor()
    // Everybody sees both sides.
    expect((await cellsOf(looks)).map((row) => row.slice(1, 4))).toEqual([
      ['4', '4', '0'],
      ['4', '4', '0'],
    ])
    const visits = page.getByRole('figure', { name: 'Visits over time' })
    await visits.getByRole('button', { name: 'Numbers' }).click()
    expect((await cellsOf('Visits over time, numbers'))[1]).toEqual(['50', '4', '100', '0'])
    for (const name of ['Transitions', 'Visits over time', 'Time to first fixation'])
      await captionOf(name).filter({ hasText: LEFT_OUT }).waitFor()
  })

  test('are played, but are none of those who might look at an AOI', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await open(`/items/${ITEM_ID}/replay?t=100`)
    await page.getByText('At 0.100 s, of 4 tests with gaze: 4 in 1 Left half.').waitFor()
  })

  test('are said to be left out of the report', async () => {
    await open('/report')
    await page.locator('.report[aria-busy=false]').waitFor()
    await page.getByText(/^4 of 6 tests, of 4 participants: .*2 tests without valid gaze are left out\.$/).waitFor()
    expect(walk.complaints).toEqual([])
  })

  test('say, of one participant, that there is no gaze to draw', async () => {
    const { participants } = (await (
      await service.get(`/api2/studies/${service.studyIds[0]}/participants`)
    ).json()) as {
      participants: { id: string; age: number }[]
    }
    const { id } = participants.find(({ age }) => age === 19)!
    await open(`/items/${ITEM_ID}?participant=${id}`)
    await page.getByText('There is no gaze to draw').first().waitFor()
  })

  test.each(['quality', 'report', 'groups'])('say that an item is not in the study: %s', async (name) => {
    await open(`/${name}?item=00000000-0000-4000-8000-000000000000&participant=00000000-0000-4000-8000-000000000001`)
    const alert = page.getByRole('alert').filter({ hasText: 'This link has values that cannot be used' })
    await alert.getByText('item must be an item of the study').waitFor()
    if (name === 'quality') await alert.getByText('participant must be in the study').waitFor()
  })

  test.each(['', '/replay'])('say that a participant is not in the study, and lead to all: items%s', async (end) => {
    await open(`/items/${ITEM_ID}${end}?participant=00000000-0000-4000-8000-000000000000`)
    await page.getByText('This participant is not in the study').waitFor()
    expect(await page.getByRole('button', { name: /^Ignore/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show all participants' }).click()
    await page.getByText('6 of 6 tests kept').first().waitFor()
    expect(new URL(page.url()).searchParams.has('participant')).toBe(false)
  })
})
