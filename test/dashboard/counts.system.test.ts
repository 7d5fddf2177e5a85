import { describe, expect, test } from 'vitest'
import { axeFindings, countControls, hasChromium, keepPicture, resize, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let study: string
let item: string

/** How much each page shows until something is unfolded: controls, stops, screens; and its single keys. */
const { service, walk, page } = await walkThrough(
  { demos: [{ participants: 24, items: 6, seconds: 4, hz: 30, seed: 1 }] },
  async ({ service, page }) => {
    study = `/studies/${service.studyIds[0]}`
    const { items } = (await (await service.get(`/api2${study}`)).json()) as { items: { id: string }[] }
    item = `${study}/items/${items[0].id}`
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await signIn(page, service.url, service.write)
  },
)

const HEIGHT = 'document.documentElement.scrollHeight'
const SCREEN_PX = 860

const GROUPS = 'group1=external_data_condition+%3D+%27free%27&group2=external_data_condition+%3D+%27search%27'

/** Pages, and at most how many screens each has; null for those that grow with their study. */
const PAGES: [name: string, path: () => string, screens: number | null][] = [
  ['study', () => study, 3],
  ['description', () => `${study}?part=about`, 3],
  ['methods', () => `${study}?part=methods`, 3],
  ['drop-out', () => `${study}?part=drop-out`, 3],
  ['corrections', () => `${study}?part=corrections`, 3],
  ['item', () => item, 3],
  ['scarf plot', () => `${item}?figure=scarf`, 3],
  ['over time', () => `${item}?figure=time`, 3],
  ...['matrix', 'arrows', 'visits', 'first'].map((view): (typeof PAGES)[number] => [
    `transitions ${view}`,
    () => `${item}/transitions?view=${view}`,
    3,
  ]),
  ['AOI editor', () => `${item}/aois`, 3],
  ['replay', () => `${item}/replay`, 3],
  ['scanpaths', () => `${item}/scanpaths`, 3],
  ['import', () => '/bring-in', 3],
  ['jobs', () => '/jobs', 3],
  ['groups', () => `${study}/groups?${GROUPS}`, null],
  ['looks of groups', () => `${study}/groups?${GROUPS}&view=time`, 3],
  ['quality', () => `${study}/quality`, null],
  ['export', () => `${study}/export`, 3],
  ['report', () => `${study}/report`, null],
]

async function open(path: string): Promise<void> {
  await page.goto(service.url + path)
  await page.waitForLoadState('networkidle')
  await expect.poll(() => page.locator('.spinner, [aria-busy=true]').count()).toBe(0)
}

/** Presses Tab until a control of some name has the focus. @returns how often */
async function stopsUntil(name: string): Promise<number> {
  const told =
    'document.activeElement.ariaLabel ?? (document.activeElement.labels?.[0] ?? document.activeElement).textContent'
  for (let stops = 1; stops < 100; stops++) {
    await page.keyboard.press('Tab')
    if (String(await page.evaluate(told)).startsWith(name)) return stops
  }
  return Number.POSITIVE_INFINITY
}

type Lost = { id: string; externalData: Record<string, string>; grades: unknown[]; loss: { ofItems: number[] } }

/** Looks at the groups and the losses in the lists beside an item, the first of the study. */
async function showsGroupsAndLosses(): Promise<void> {
  const { participants } = (await (await service.get(`/api2${study}/participants?losses=true`)).json()) as {
    participants: Lost[]
  }
  const told = (await page
    .locator('.place-people option[data-beside]')
    .evaluateAll((options) =>
      options.map((option) => [(option as HTMLOptionElement).value, option.getAttribute('data-beside')]),
    )) as [string, string][]
  const shown = participants.filter(({ grades }) => grades[0] !== null)
  expect(new Map(told)).toEqual(new Map(shown.map(({ id, loss }) => [id, loss.ofItems[0]?.toFixed(1) ?? '–'])))
  const free = shown.filter(({ externalData }) => externalData.condition === 'free').length
  const group = page.getByLabel('Group', { exact: true })
  expect(await group.locator('option').evaluateAll((options) => options.map((option) => option.ariaLabel))).toEqual([
    'Everyone, 23',
    `free, ${free}`,
    `search, ${23 - free}`,
  ])
  await group.selectOption('free')
  await page.waitForURL((url) => url.searchParams.get('filter') === "external_data_condition = 'free'")
  await page.getByText(`${free} of 23 tests kept`).waitFor()
  await group.selectOption('Everyone')
  await page.waitForURL((url) => !url.searchParams.has('filter'))
}

describe.skipIf(!hasChromium)('until something is unfolded', () => {
  test.each(PAGES)('a page has at most 60 controls, and few screens: %s', async (name, path, screens) => {
    await resize(page, 1280, SCREEN_PX)
    await open(path())
    await keepPicture(page, `counts-${name}`, { fullPage: true })
    const [controls, height] = [await countControls(page), Number(await page.evaluate(HEIGHT))]
    if (process.env.COUNTS) console.log(name, controls, height)
    expect(controls).toBeLessThanOrEqual(60)
    expect(height).toBeLessThanOrEqual((screens ?? Number.POSITIVE_INFINITY) * SCREEN_PX)
  })

  test('a wide window lists items and participants left of the figure, and has as few controls and stops', async () => {
    await resize(page, 1920, 1080)
    for (const path of [item, `${item}/replay`, `${item}/transitions`, `${study}/groups?${GROUPS}`]) {
      await open(path)
      await page
        .getByRole('navigation', { name: 'Items' })
        .getByRole('link', { name: 'shop-02.svg 23 tests' })
        .waitFor()
      const controls = await countControls(page)
      if (process.env.COUNTS) console.log(path, controls)
      expect([path, controls <= 60]).toEqual([path, true])
    }
    await open(item)
    const [list, figure, side] = await Promise.all(
      ['.place-lists', '.item-main', '.item-side'].map(async (place) => (await page.locator(place).boundingBox())!),
    )
    expect(list.x + list.width).toBeLessThan(figure.x)
    expect(figure.x + figure.width).toBeLessThan(side.x)
    expect(await stopsUntil('Velocity threshold')).toBeLessThanOrEqual(20)
    expect(await axeFindings(page)).toEqual([])
    await showsGroupsAndLosses()
    // An item keeps the participant, and a participant the item.
    const people = page.locator('.place-people select')
    await people.selectOption({ index: 3 })
    await page.waitForURL(/participant=/)
    // In a field, keys are letters.
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('j')
    await page.waitForURL((url) => url.pathname !== item && url.searchParams.has('participant'))
    await page.locator('[aria-keyshortcuts=K]').waitFor()
    expect(await people.evaluate((select) => (select as HTMLSelectElement).selectedIndex)).toBe(3)
    await resize(page, 1280, SCREEN_PX)
    await page.locator('.who-panel select[aria-label=Participant]').waitFor()
    expect(await page.locator('.place-lists').count()).toBe(0)
  })

  test.each([
    [1280, 860],
    [390, 844],
    [640, 430],
  ])('the figure of an item is in the first screen: %i × %i px', async (width, height) => {
    await resize(page, width, height)
    await open(item)
    const box = (await page.locator('.item-main .drawing svg').first().boundingBox())!
    if (process.env.COUNTS)
      console.log(width, height, Math.round(box.y), Math.round(Math.min(height - box.y, box.height)))
    expect(Math.min(height - box.y, box.height)).toBeGreaterThanOrEqual(Math.min(Math.floor(box.height), 0.45 * height))
  })

  test('a list is one stop, within which arrows move, and the velocity threshold is near', async () => {
    await resize(page, 1280, SCREEN_PX)
    await open(study)
    const stopsIn = (list: string) =>
      page
        .locator(list)
        .evaluate(
          (box) => box.querySelectorAll('a:not([tabindex="-1"]), button:not([tabindex="-1"]), [tabindex="0"]').length,
        )
    expect(await stopsIn('.item-list')).toBe(1)
    expect(await stopsIn('.people-scroll')).toBe(1)
    await page.locator('.item-list a').first().focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('End')
    expect(
      await page.evaluate('document.activeElement === [...document.querySelectorAll(".item-list a")].at(-1)'),
    ).toBe(true)
    expect(await stopsIn('.item-list')).toBe(1)
    await open(`${item}?layers=heatmap.aois`)
    expect(await stopsIn('.legend')).toBe(1)
    await open(item)
    expect(await stopsUntil('Velocity threshold')).toBeLessThanOrEqual(20)
    await open(item)
    const skipped = await stopsUntil('Skip to settings')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.closest("[data-settings]") !== null')).toBe(true)
    expect(skipped + (await stopsUntil('Velocity threshold'))).toBeLessThanOrEqual(8)
  })

  test('a cell of the participants opens the test by Enter or a press', async () => {
    await open(study)
    const cell = page.locator('.people td[data-href]').first()
    const path = new URL((await cell.getAttribute('data-href'))!, service.url)
    await cell.click()
    await page.waitForURL(path.href)
    await page.goBack()
    await cell.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(path.href)
  })
})

describe.skipIf(!hasChromium)('single keys', () => {
  const press = (keys: string) => page.keyboard.press(keys)
  const here = () => new URL(page.url())

  test('show figures, items, participants and pages; “?” lists them and switches them off', async () => {
    await resize(page, 1280, SCREEN_PX)
    await open(item)
    await press('2')
    await page.waitForURL(/figure=scarf/)
    await press('1')
    await page.waitForURL((url) => !url.searchParams.has('figure'))
    await press('j')
    await page.waitForURL((url) => url.pathname !== item && url.pathname.startsWith(`${study}/items/`))
    await page.locator('[aria-keyshortcuts=K]').waitFor()
    await press('k')
    await page.waitForURL((url) => url.pathname === item)
    await page.locator('[aria-keyshortcuts=N]:enabled').and(page.locator(':visible')).waitFor()
    await press('n')
    await page.waitForURL(/participant=/)
    const first = here().searchParams.get('participant')
    await press('n')
    await page.waitForURL((url) => url.searchParams.get('participant') !== first)
    await press('j')
    await page.waitForURL((url) => url.pathname !== item)
    await page.locator('[aria-keyshortcuts=K]').waitFor()
    await press('t')
    expect(await page.evaluate('document.activeElement.type')).toBe('range')
    const end = async () => Number(await page.evaluate('document.activeElement.value'))
    const last = await end()
    await press('Shift+ArrowLeft')
    await page.waitForURL((url) => url.searchParams.get('toMs') === String(last - 1000))
    await press('Shift+ArrowRight')
    await page.waitForURL((url) => !url.searchParams.has('toMs'))
    await press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys of this page' })
    await dialog.waitFor()
    const listed = await dialog.locator('kbd').allTextContents()
    expect([...'JKNP12345TERSCL]?'].filter((key) => !listed.includes(key))).toEqual([])
    await keepPicture(page, 'keys')
    await dialog.getByLabel('Single keys work in this browser').uncheck()
    await page.keyboard.press('Escape')
    const before = here().href
    await press('r')
    await press('1')
    expect(here().href).toBe(before)
    await page.getByRole('button', { name: 'Keys' }).click()
    await dialog.getByLabel('Single keys work in this browser').check()
    await page.keyboard.press('Escape')
    await press('r')
    await page.waitForURL(/\/replay/)
  })

  test('fold the places beside the figure, on all pages, and copy the picture from where one is', async () => {
    await resize(page, 1920, 1080)
    await open(item)
    const width = async () => (await page.locator('.item-main').boundingBox())!.width
    const before = await width()
    await press('[')
    await page.locator('.place-lists ul').waitFor({ state: 'detached' })
    await press(']')
    await expect.poll(() => page.locator('.side-panels').isVisible()).toBe(false)
    expect(await width()).toBeGreaterThan(before + 400)
    // What the lists had is beside the title, and among the settings.
    await press('j')
    await page.waitForURL((url) => url.pathname !== item)
    await open(`${item}/transitions`)
    expect(await page.locator('.place-lists ul, .side-panels:visible').count()).toBe(0)
    expect(await axeFindings(page)).toEqual([])
    // The strip unfolds the settings to which it leads.
    await page.getByRole('button', { name: 'change', exact: true }).click()
    await page.locator('.side-panels').waitFor()
    await press('Escape')
    await page.evaluate('document.activeElement.blur()')
    await press('[')
    await page.locator('.place-lists ul').first().waitFor()
    await open(item)
    await press('c')
    await page.getByText('Copied PNG').waitFor()
    expect(await page.evaluate('navigator.clipboard.read().then(([copied]) => copied.types)')).toEqual(['image/png'])
    expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
    await resize(page, 1280, SCREEN_PX)
  })

  test('are letters while one types', async () => {
    await open(study)
    await press('/')
    await page.keyboard.type('r/?')
    expect(await page.getByLabel('Studies, items, areas, participants, help').inputValue()).toBe('r/?')
    expect(here().pathname).toBe(study)
    expect(walk.complaints).toEqual([])
  })
})
