import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, signIn, type Walk } from './browser.ts'
import { type DashboardHouse, walkThrough } from './house.ts'

/** 500 participants × 100 items. The pages are the dashboard's; the answers are made here, since a study of that size takes long. */
const PARTICIPANTS = 500
const ITEMS = 100
const PAGE = 100

let house: DashboardHouse
let walk: Walk
let page: Page
let path: string

walkThrough({ demos: [{ participants: 2, items: 1, seconds: 1, hz: 30, seed: 5 }] }, async (opened) => {
  ;({ house, walk, page } = opened)
  path = `/studies/${house.studyIds[0]}`
  await signIn(page, house.url, house.read)
  await answerAsLarge()
})

async function answerAsLarge(): Promise<void> {
  const study = (await (await house.get(`/api2${path}`)).json()) as { items: object[]; aois: object[] }
  const items = Array.from({ length: ITEMS }, (_, i) => ({
    ...study.items[0],
    id: randomUUID(),
    filename: `a long name of item ${i + 1}.svg`,
  }))
  const participants = Array.from({ length: PARTICIPANTS }, (_, p) => ({
    id: randomUUID(),
    externalId: `P${p + 1}`,
    displayName: p % 7 === 0 ? 'Anonymous' : `Person ${p}`,
    age: 18 + (p % 60),
    displayGender: 'unknown',
    qualityGrade: 1 + (p % 6),
    isCompleted: true,
    tags: p % 5 === 0 ? ['pilot'] : [],
    externalData: { condition: p % 2 === 0 ? 'a' : 'b' },
    grades: items.map((_, i) => ((p + i) % 11 === 0 ? null : 1 + ((p + i) % 6))),
  }))
  const counts = {
    total: PARTICIPANTS,
    itemIds: items.map(({ id }) => id),
    hasTags: true,
    externalDataNames: ['condition'],
    participantsByGrade: [0, 0, 0, 0, 0, PARTICIPANTS],
  }
  await walk.context.route(`**/api2${path}`, (route) => route.fulfill({ json: { ...study, items } }))
  await walk.context.route(`**/api2${path}/participants*`, (route) => {
    const start = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
    const rest = {
      testsByGrade: items.map(() => [0, 0, 0, 0, 0, PARTICIPANTS]),
      keptTests: [50_000, 40_000, 30_000, 20_000, 10_000, 5000],
      keptParticipants: [PARTICIPANTS, PARTICIPANTS, PARTICIPANTS, PARTICIPANTS, PARTICIPANTS, PARTICIPANTS],
      participants: participants.slice(start, start + PAGE),
      nextCursor: start + PAGE < PARTICIPANTS ? String(start + PAGE) : null,
    }
    return route.fulfill({ json: { ...counts, ...rest } })
  })
}

const box = () => page.locator('.people-scroll')
const names = () => box().locator('tbody .name').allTextContents()

describe.skipIf(!hasChromium)('the table of 500 participants × 100 items', () => {
  test('draws only what is in sight', async () => {
    await page.goto(house.url + path)
    await page.getByText('500 of 500 participants kept').waitFor()
    await expect.poll(() => page.getByText('loaded so far').count()).toBe(0)
    await box().scrollIntoViewIfNeeded()
    expect(await page.evaluate(`document.querySelectorAll('.people-scroll *').length`)).toBeLessThan(2000)
    expect(await page.evaluate(`document.querySelectorAll('*').length`)).toBeLessThan(6000)
    const list = page.locator('.item-list')
    expect(await list.evaluate((element) => element.scrollHeight > 2 * element.clientHeight)).toBe(true)
    expect(await box().getByRole('grid').getAttribute('aria-rowcount')).toBe('501')
  })

  test('keeps names and item names in sight wherever it is scrolled, down to the last', async () => {
    await box().evaluate((element) => element.scrollTo(element.scrollWidth, element.scrollHeight))
    await box().getByRole('columnheader', { name: 'a long name of item 100.svg' }).waitFor()
    await box().getByRole('rowheader', { name: /^P500/ }).waitFor()
    const frame = (await box().boundingBox())!
    const head = (await box().getByRole('columnheader', { name: 'a long name of item 100.svg' }).boundingBox())!
    const name = (await box().getByRole('rowheader', { name: /^P500/ }).boundingBox())!
    expect(Math.abs(head.y - frame.y)).toBeLessThan(3)
    expect(Math.abs(name.x - frame.x)).toBeLessThan(3)
    const cell = (await box().getByRole('link', { name: 'P500, a long name of item 100.svg: grade' }).boundingBox())!
    expect(cell.x + cell.width).toBeLessThanOrEqual(frame.x + frame.width)
    expect(Math.abs(cell.x + cell.width / 2 - head.x - head.width / 2)).toBeLessThan(3)
    // What the edge of the window cuts in half is a small target.
    await page.evaluate('scrollTo(0, 0)')
    expect(await axeFindings(page)).toEqual([])
  })

  test('sorts by any column, also by the grade on an item, and finds by name', async () => {
    await box().evaluate((element) => element.scrollTo(0, 0))
    await box().getByRole('button', { name: 'Age' }).click()
    await expect
      .poll(() => box().getByRole('columnheader', { name: 'Age' }).getAttribute('aria-sort'))
      .toBe('ascending')
    expect((await names())[0]).toMatch(/^P1 /)
    expect((await names())[1]).toMatch(/^P61 /)
    await box().getByRole('button', { name: 'a long name of item 3.svg' }).click()
    const [first] = await names()
    const person = Number(/^P(\d+)/.exec(first)![1]) - 1
    expect(1 + ((person + 2) % 6)).toBe(6)
    await page.getByLabel('Find a participant').fill('P123')
    await page.getByText(/, 1 found/).waitFor()
    expect((await names()).length).toBe(1)
    await page.getByLabel('Find a participant').fill('nobody at all')
    await page.getByText('No participant is found').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(async () => (await names()).length).toBeGreaterThan(10)
  })

  test('is one tab stop a row, from which arrow keys go on', async () => {
    const stops = await box().evaluate((element) =>
      [...element.querySelectorAll('tr')].map((row) => row.querySelectorAll('[tabindex="0"]').length),
    )
    expect(new Set(stops.filter((n) => n > 0))).toEqual(new Set([1]))
    const untold = await box().evaluate(
      (element) => [...element.querySelectorAll('a, button')].filter((each) => !each.hasAttribute('tabindex')).length,
    )
    expect(untold).toBe(0)
    await box().locator('tbody .name').first().focus()
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key)
    const label = () => page.evaluate('document.activeElement.getAttribute("aria-label")') as Promise<string>
    expect(await label()).toMatch(/: grade \d/)
    for (let i = 0; i < 40; i++) await page.keyboard.press('ArrowRight')
    await expect.poll(label).toMatch(/item (3[5-9]|4\d)\.svg/)
    await page.keyboard.press('Home')
    for (let i = 0; i < 60; i++) await page.keyboard.press('ArrowDown')
    const row = () => page.evaluate('Number(document.activeElement.closest("tr").getAttribute("aria-rowindex"))')
    await expect.poll(row).toBe(63)
  })
})
