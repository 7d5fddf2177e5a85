import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Aoi } from '../../engine/model/study.ts'
import { axeFindings, hasChromium, keepScreenshot, openWalk, type Walk } from './browser.ts'
import { type DashboardHouse, openDashboardHouse } from './house.ts'

/** AOIs are drawn, saved, merged and brought back in a real browser; what is shown is what the exports then say. */
const WITHIN = { timeout: 15_000, interval: 50 }

let house: DashboardHouse
let walk: Walk
let page: Page
let study: string
let items: { id: string; filename: string; widthPx: number; heightPx: number }[]

beforeAll(async () => {
  if (!hasChromium) return
  house = await openDashboardHouse([{ participants: 12, items: 3, seconds: 8, hz: 30, seed: 3 }])
  study = house.studyIds[0]
  items = ((await (await house.get(`/api2/studies/${study}`)).json()) as { items: typeof items }).items
  walk = await openWalk(house.url)
  page = walk.page
}, 120_000)
afterAll(async () => {
  await walk?.browser.close()
  await house?.close()
})

const itemPath = (item = 0) => `/studies/${study}/items/${items[item].id}`
const signIn = async (token: string) => {
  await page.goto(`${house.url}/sign-in`)
  await page.getByLabel('Access token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
}
const openEditor = async (item = 0) => {
  await page.goto(`${house.url}${itemPath(item)}/aois`)
  await board().waitFor()
}
const board = () => page.locator('svg.board')
const tool = (name: string) => page.getByRole('toolbar').getByRole('button', { name, exact: true }).click()
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const dialog = () => page.getByRole('dialog')

type XY = [x: number, y: number]
/** Presses at the first place of the item, drags over the others, and lets go. In fractions of the item. */
async function drag(...places: XY[]): Promise<void> {
  await board().scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await board().boundingBox())!
  const [from, ...rest] = places.map(([left, top]): XY => [x + left * width, y + top * height])
  await page.mouse.move(...from)
  await page.mouse.down()
  for (const to of rest) await page.mouse.move(...to, { steps: 8 })
  await page.mouse.up()
}
const aoisOf = async (item = 0): Promise<Aoi[]> => {
  const { aois } = (await (await house.get(`/api2/studies/${study}`)).json()) as { aois: Aoi[] }
  return aois.filter(({ itemId }) => itemId === items[item].id)
}
const put = async (aois: object[], item = 0) => {
  const headers = { 'x-auth-token': house.write, 'if-match': '*', 'content-type': 'application/json' }
  const path = `${house.url}/api2/studies/${study}/items/${items[item].id}/aois`
  expect((await fetch(path, { method: 'PUT', headers, body: JSON.stringify(aois) })).status).toBe(200)
}
const save = async () => {
  await button('Save …').click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await page.getByText('All saved').waitFor()
}
/** The numbers shown beside the board, by column, once they are of what is drawn. */
const shown = async (): Promise<Record<string, string>> => {
  await page.locator('.drawn-numbers[data-is-fresh="true"]').waitFor()
  return Object.fromEntries(
    (await page
      .locator('.drawn-numbers tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [row.getAttribute('data-column'), row.children[1].getAttribute('data-value')]),
      )) as [string, string][],
  )
}
/** A row of the export of AOIs, by column. */
const exported = async (name: string, item = 0): Promise<Record<string, string>> => {
  const path = `/api2/studies/${study}/collected-data/eye-tracking/aois-all/overall-stats?itemId=${items[item].id}`
  const [head, ...rows] = (await (await house.get(path)).text())
    .trim()
    .split('\n')
    .map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/))
  const row = rows.find((cells) => cells[head.indexOf('aoi_name')] === name) ?? []
  return Object.fromEntries(head.map((column, c) => [column, row[c]]))
}
const names = () => page.locator('.aoi-list bdi').allTextContents()

describe.skipIf(!hasChromium)('the AOI editor in Chromium', () => {
  test('is not offered to a token that only reads, whose address says why', async () => {
    await signIn(house.read)
    await page.goto(house.url + itemPath())
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    expect(await page.getByRole('link', { name: /AOIs/ }).count()).toBe(0)
    await page.goto(`${house.url}${itemPath()}/aois`)
    await page.getByText('This token may look at AOIs, not change them').waitFor()
    expect(await board().count()).toBe(0)
    expect(await axeFindings(page)).toEqual([])
    await button('Sign out').click()
    await page.getByLabel('Access token').waitFor()
  })

  test('draws two AOIs by mouse and one by keys, with numbers while one drags', async () => {
    await put([])
    await signIn(house.write)
    await page.goto(house.url + itemPath())
    await page.getByRole('link', { name: 'Draw AOIs' }).click()
    await board().waitFor()
    await tool('Rectangle')
    await drag([0.1, 0.1], [0.42, 0.48])
    await page.getByLabel('Name').fill('left')
    await tool('Ellipse')
    await drag([0.55, 0.2], [0.9, 0.7])
    await page.getByLabel('Name').fill('right')
    await board().focus()
    await page.keyboard.press('p')
    for (const [keys, times] of [
      ['ArrowLeft', 3],
      ['Enter', 1],
      ['ArrowRight', 6],
      ['Enter', 1],
      ['ArrowDown', 4],
      ['Enter', 1],
    ] as const)
      for (let i = 0; i < times; i++) await page.keyboard.press(keys === 'Enter' ? keys : `Control+${keys}`)
    await page.keyboard.press('Enter')
    await page.getByLabel('Name').fill('by keys')
    expect(await names()).toEqual(['left', 'right', 'by keys'])
    expect((await shown()).aoi_fixation_total_count).toMatch(/^\d+$/)
    await keepScreenshot(page, 'aoi-editor', { fullPage: true })
    expect(await axeFindings(page)).toEqual([])
  })
})
