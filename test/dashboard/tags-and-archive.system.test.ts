import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Aoi } from '../../engine/model/study.ts'
import { axeFindings, hasChromium, signIn, type Walk } from './browser.ts'
import { type DashboardServer, walkThrough } from './dashboard-server.ts'

/** AOIs are copied to all items with their tags, the study's page draws the tags, and the study goes to the archive. */
let service: DashboardServer
let walk: Walk
let page: Page
let study: string
let items: { id: string }[]

const details = async () =>
  (await (await service.get(`/api2/studies/${study}`)).json()) as { items: { id: string }[]; aois: Aoi[] }

await walkThrough({ demos: [{ participants: 6, items: 3, seconds: 4, hz: 30, seed: 3 }] }, async (opened) => {
  ;({ service, walk, page } = opened)
  study = service.studyIds[0]
  items = (await details()).items
  for (const { id } of items) {
    const headers = { 'x-auth-token': service.write, 'if-match': '*', 'content-type': 'application/json' }
    const path = `${service.url}/api2/studies/${study}/items/${id}/aois`
    expect((await fetch(path, { method: 'PUT', headers, body: '[]' })).status).toBe(200)
  }
  await signIn(page, service.url, service.write)
})

const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')

describe.skipIf(!hasChromium)('AOIs with a tag', () => {
  test('are copied to all items, and not once more', async () => {
    await page.goto(`${service.url}/studies/${study}/items/${items[0].id}/aois`)
    const board = page.locator('svg.board')
    await board.waitFor()
    await page.getByRole('toolbar').getByRole('button', { name: 'Rectangle', exact: true }).click()
    await board.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await board.boundingBox())!
    await page.mouse.move(x + 0.2 * width, y + 0.2 * height)
    await page.mouse.down()
    await page.mouse.move(x + 0.8 * width, y + 0.8 * height, { steps: 6 })
    await page.mouse.up()
    await page.getByLabel('Name').fill('logo')
    await page.getByLabel('Tags, separated by commas').fill('brand, middle')
    await page.keyboard.press('Enter')
    await button('Save …').click()
    await dialog().getByRole('button', { name: 'Save' }).click()
    await page.getByText('All saved').waitFor()
    for (const isAgain of [false, true]) {
      await button('Copy all to other items …').click()
      await dialog().getByRole('button', { name: 'All items' }).click()
      if (isAgain) await dialog().getByText('already has 1 AOI of these names').first().waitFor()
      else expect(await axeFindings(page)).toEqual([])
      await dialog().getByRole('button', { name: 'Copy to 2 items' }).click()
      await dialog().getByRole('button', { name: 'Done' }).click()
      const { aois } = await details()
      expect(aois.map(({ itemId, name, tags }) => [itemId, name, tags])).toEqual(
        items.map(({ id }) => [id, 'logo', ['brand', 'middle']]),
      )
    }
  })

  test('are drawn on the page of the study, with the numbers of the analysis', async () => {
    await page.goto(`${service.url}/studies/${study}?part=tags`)
    const figure = page.getByRole('figure', { name: 'Tags of AOIs' })
    await figure.getByRole('img', { name: /^Means of 2 tags of AOIs/ }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await figure.getByRole('button', { name: 'Numbers' }).click()
    const rows = await figure
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
    const { tags, measures } = (await (await service.get(`/api2/studies/${study}/analysis/tags`)).json()) as {
      tags: { tag: string; described: { mean: number | null }[] }[]
      measures: string[]
    }
    const expected = tags.flatMap(({ tag, described }) =>
      measures.map((measure, m) => [tag, measure, String(described[m].mean ?? '')]),
    )
    expect(rows.map((row) => [row[0], row[4], row[6]])).toEqual(expected)
    expect(tags.map(({ tag }) => tag)).toEqual(['brand', 'middle'])
    expect(tags[0].described[measures.indexOf('tag_dwell_per_test_ms')].mean).toBeGreaterThan(0)
  })
})

describe.skipIf(!hasChromium)('the archive', () => {
  test('takes a study out of the list, which shows it when asked, and gives it back', async () => {
    await page.goto(`${service.url}/studies/${study}?part=corrections`)
    await button('Archive the study').click()
    await button('Restore from the archive').waitFor()
    await page.goto(service.url)
    await page.getByText('All studies are archived').waitFor()
    await page.getByRole('checkbox', { name: 'Show 1 archived study' }).check()
    await page.getByText('Archived. Changed').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('link', { name: /^Demo study/ }).click()
    await page.getByRole('radio', { name: 'Corrections' }).check()
    await button('Restore from the archive').click()
    await button('Archive the study').waitFor()
    await page.goto(service.url)
    await page.getByRole('link', { name: /^Demo study/ }).waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(walk.complaints).toEqual([])
  })
})
