import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Item, Participant } from '../../dashboard/core/api.ts'
import { participantLabel } from '../../dashboard/core/number-texts.ts'
import { inNaturalOrder } from '../../dashboard/core/people/people-order.ts'
import { axeFindings, countControls, hasChromium, look, openWalk, resize, signIn, type Walk } from './browser.ts'
import { type DashboardServer, openDashboardServer } from './dashboard-server.ts'

/** A study of 500 participants and 100 items, as the server has it. */
const MANY = { participants: 500, items: 100, seconds: 0.1, hz: 20, seed: 6 }

let service: DashboardServer
let walk: Walk
let page: Page
let path: string
let items: Item[]
/** By name, in natural order, as the table begins. */
let people: Participant[]

beforeAll(async () => {
  if (!hasChromium) return
  service = await openDashboardServer([MANY])
  walk = await openWalk(service.url)
  page = walk.page
  path = `/studies/${service.studyIds[0]}`
  items = ((await (await service.get(`/api2${path}`)).json()) as { items: Item[] }).items
  people = inNaturalOrder(await allPeople())
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, service.url, service.read)
}, 300_000)
afterAll(async () => {
  await walk?.browser.close()
  await service?.close()
})

async function allPeople(): Promise<Participant[]> {
  type Answer = { participants: Participant[]; nextCursor: string | null }
  const all: Participant[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = (await (await service.get(`/api2${path}/participants?losses=true${more}`)).json()) as Answer
    all.push(...answer.participants)
    cursor = answer.nextCursor
  }
  return all
}

const box = () => page.locator('.people-scroll')
const names = () => box().locator('tbody .name > bdi').allTextContents()

describe.skipIf(!hasChromium)('the table of 500 participants × 100 items', () => {
  test('draws only what is in sight', async () => {
    await page.goto(service.url + path)
    await page.getByText('500 of 500 participants kept').waitFor()
    await expect.poll(() => page.getByText('loaded so far').count()).toBe(0)
    await box().scrollIntoViewIfNeeded()
    expect(await page.evaluate(`document.querySelectorAll('.people-scroll *').length`)).toBeLessThan(2000)
    expect(await page.evaluate(`document.querySelectorAll('*').length`)).toBeLessThan(6000)
    const list = page.locator('.item-list')
    expect(await list.locator('li').count()).toBe(12)
    expect(await countControls(page)).toBeLessThanOrEqual(60)
    await page.getByRole('button', { name: 'Show all 100', exact: true }).click()
    await expect.poll(() => list.locator('li').count()).toBe(100)
    expect(await list.evaluate((element) => element.scrollHeight > 2 * element.clientHeight)).toBe(true)
    expect(await box().getByRole('grid').getAttribute('aria-rowcount')).toBe('501')
  })

  test('has a report whose wide window lists twelve items until one asks for all', async () => {
    await resize(page, 1920, 1080)
    await page.goto(`${service.url}${path}/report?sections=methods.items.sources&parts=none`)
    const outline = page.getByRole('navigation', { name: 'Sections of the report' })
    // What the page of the study showed stays shown.
    await expect.poll(() => outline.getByRole('link').count()).toBe(102)
    await outline.getByRole('button', { name: 'Show the first 12 items' }).click()
    await expect.poll(() => outline.getByRole('link').count()).toBe(14)
    await page.locator('article.report[aria-busy=false]').waitFor()
    expect(await countControls(page)).toBeLessThanOrEqual(60)
    await outline.getByRole('button', { name: 'Show all 100 items' }).click()
    await expect.poll(() => outline.getByRole('link').count()).toBe(102)
    await resize(page, 1280, 860)
    await page.goto(service.url + path)
    await page.getByText('500 of 500 participants kept').waitFor()
    await expect.poll(() => page.getByText('loaded so far').count()).toBe(0)
  })

  test('keeps names and item names in sight wherever it is scrolled, down to the last', async () => {
    const [lastItem, last] = [items[items.length - 1].filename, participantLabel(people[people.length - 1])]
    const lastRow = box().locator('tr', { has: page.locator(`.name[title*="${last}"]`) })
    await box().evaluate((element) => element.scrollTo(element.scrollWidth, element.scrollHeight))
    await box().getByRole('columnheader', { name: lastItem }).waitFor()
    await lastRow.waitFor()
    const frame = (await box().boundingBox())!
    const head = (await box().getByRole('columnheader', { name: lastItem }).boundingBox())!
    const name = (await lastRow.locator('.name').boundingBox())!
    expect(Math.abs(head.y - frame.y)).toBeLessThan(3)
    expect(Math.abs(name.x - frame.x)).toBeLessThan(3)
    const cell = (await lastRow.locator('td.item').last().boundingBox())!
    expect(cell.x + cell.width).toBeLessThanOrEqual(frame.x + frame.width)
    expect(Math.abs(cell.x + cell.width / 2 - head.x - head.width / 2)).toBeLessThan(3)
    // What the edge of the window cuts in half is a small target.
    await page.evaluate('scrollTo(0, 0)')
    expect(await axeFindings(page)).toEqual([])
  })

  test('sorts by any column, also by the samples lost on an item, and finds by name', async () => {
    await box().evaluate((element) => element.scrollTo(0, 0))
    await box().getByRole('button', { name: 'Age' }).click()
    await expect
      .poll(() => box().getByRole('columnheader', { name: 'Age' }).getAttribute('aria-sort'))
      .toBe('ascending')
    const byAge = people.toSorted((one, other) => (one.age ?? 999) - (other.age ?? 999))
    await expect.poll(async () => (await names()).slice(0, 5)).toEqual(byAge.slice(0, 5).map(participantLabel))
    await box().getByRole('button', { name: items[2].filename, exact: true }).click()
    const lostOf = (person: Participant) => person.loss!.ofItems[2] ?? -1
    const byThird = people.toSorted((one, other) => lostOf(other) - lostOf(one))
    await expect.poll(async () => (await names()).slice(0, 5)).toEqual(byThird.slice(0, 5).map(participantLabel))
    const wanted = people.find(({ externalId }) => externalId !== '')!
    await page.getByLabel('Find a participant').fill(wanted.externalId)
    await page.getByText(/, 1 found/).waitFor()
    expect(await names()).toEqual([participantLabel(wanted)])
    await page.getByLabel('Find a participant').fill('nobody at all')
    await page.getByText('No participant found').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    // In the order that was chosen before.
    await expect.poll(async () => (await names()).slice(0, 5)).toEqual(byThird.slice(0, 5).map(participantLabel))
  })

  test('is one tab stop, from which arrow keys go on', async () => {
    await page.reload()
    await page.getByText('500 of 500 participants kept').waitFor()
    await box().locator('tbody .name').first().waitFor()
    expect(await box().evaluate((element) => element.querySelectorAll('[tabindex="0"]').length)).toBe(1)
    const untold = await box().evaluate(
      (element) => [...element.querySelectorAll('a, button')].filter((each) => !each.hasAttribute('tabindex')).length,
    )
    expect(untold).toBe(0)
    const press = async (key: string, times = 1) => {
      for (let i = 0; i < times; i++) await page.keyboard.press(key)
    }
    // The cell tells the loss; whose it is, and of which item, its row and column do.
    const told = `(() => {
      const cell = document.activeElement.closest('td')
      const column = document.querySelector('.people thead [aria-colindex="' + cell?.ariaColIndex + '"] bdi')
      return [cell?.closest('tr').querySelector('th bdi'), column].map((head) => head?.textContent).join(', ') + ': ' + cell?.ariaLabel
    })()`
    const cell = (person: Participant, place: number) => {
      const lost = person.loss!.ofItems[place]
      return `${participantLabel(person)}, ${items[place].filename}: ${lost === null ? 'a test without samples' : `${Math.round(lost)} % of samples lost`}`
    }
    // Who has not seen an item has no stop there.
    const seen = ({ grades }: Participant) => items.map((_, place) => place).filter((place) => grades[place] !== null)
    const [first, second] = people
    const place = seen(first).find((each) => each > 0 && second.grades[each] !== null)!
    await box().locator('tbody .name').first().focus()
    await press('ArrowRight', seen(first).indexOf(place) + 1)
    await press('ArrowDown')
    const plain = () => page.evaluate(told)
    await expect.poll(plain).toBe(cell(second, place))
    await press('ArrowRight', 40)
    await expect.poll(plain).toBe(cell(second, seen(second)[seen(second).indexOf(place) + 40]))
    await press('Home')
    await press('ArrowDown', 60)
    const row = () => page.evaluate('Number(document.activeElement.closest("tr").getAttribute("aria-rowindex"))')
    await expect.poll(row).toBe(63)
  })

  test('and its page look well, wide, and narrow in the dark', async () => {
    await look(walk, service, 'many', path)
    expect(await page.getByText('500 of 500 participants kept').count()).toBe(1)
    await look(walk, service, 'many-phone-dark', path, { width: 390, height: 844, isDark: true })
    expect(walk.complaints).toEqual([])
  }, 120_000)
})

describe.skipIf(!hasChromium)('the replay of 500 participants', () => {
  test('plays the first 300 at once, says how many and why, and plays all of a filter that keeps fewer', async () => {
    // On a phone, too, where the choice of tests is folded.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${service.url}${path}/items/${items[0].id}/replay`)
    await page
      .getByText(
        /^The first 300 of \d+ tests are played: more than 300 would not play smoothly\. Use a filter to choose others\.$/,
      )
      .waitFor()
    await page.setViewportSize({ width: 1280, height: 860 })
    await page.getByText('Played: 300 of 300').waitFor()
    await page.getByText(/^Gaze of \d+ of 300 tests at this time$/).waitFor()
    const colors = page.getByRole('combobox', { name: 'Colours of gaze' })
    expect(await colors.locator('option').first().textContent()).toBe('48 in turn')
    expect(await countControls(page)).toBeLessThanOrEqual(60)
    // Time is drawn without an element for each test: a step adds none.
    const elements = () => page.evaluate(`document.querySelectorAll('*').length`)
    const before = await elements()
    await page.keyboard.press('l')
    await page.getByText(/^Gaze of \d+ of 300 tests at this time$/).waitFor()
    expect(await elements()).toBe(before)
    await page.goto(`${service.url}${path}/items/${items[0].id}/replay?filter=participant_age+%3C+30`)
    await page.getByText(/^Gaze of \d+ of \d+ tests at this time$/).waitFor()
    expect(await page.getByText('are played:').count()).toBe(0)
  })
})
