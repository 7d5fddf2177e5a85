import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { boxOf, cornersOf } from '../../dashboard/pages/aoi-editor/shapes/parts.ts'
import type { Aoi } from '../../engine/model/study.ts'
import { axeFindings, dropFiles, faded, hasChromium, keepScreenshot, signIn, signOut } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let study: string
let items: { id: string; filename: string; widthPx: number; heightPx: number }[]

/** AOIs are drawn, saved, merged and brought back in a real browser; what is shown is what the exports then say. */
const { service, walk, page } = await walkThrough(
  { demos: [{ participants: 12, items: 3, seconds: 8, hz: 30, seed: 3 }] },
  async ({ service }) => {
    study = service.studyIds[0]
    items = ((await (await service.get(`/api2/studies/${study}`)).json()) as { items: typeof items }).items
  },
)

const itemPath = (item = 0) => `/studies/${study}/items/${items[item].id}`
const enter = (token: string) => signIn(page, service.url, token)
const openEditor = async (item = 0) => {
  await page.goto(`${service.url}${itemPath(item)}/aois`)
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
  const { aois } = (await (await service.get(`/api2/studies/${study}`)).json()) as { aois: Aoi[] }
  return aois.filter(({ itemId }) => itemId === items[item].id)
}
const put = async (aois: object[], item = 0) => {
  const headers = { 'x-auth-token': service.write, 'if-match': '*', 'content-type': 'application/json' }
  const path = `${service.url}/api2/studies/${study}/items/${items[item].id}/aois`
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
  const [head, ...rows] = (await (await service.get(path)).text())
    .trim()
    .split('\n')
    .map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/))
  const row = rows.find((cells) => cells[head.indexOf('aoi_name')] === name) ?? []
  return Object.fromEntries(head.map((column, c) => [column, row[c]]))
}
const leftPx = () => page.getByRole('spinbutton', { name: /^Left/ }).inputValue()
const names = () => page.locator('.aoi-list bdi').allTextContents()

describe.skipIf(!hasChromium)('the AOI editor in Chromium', () => {
  test('is not offered to a token that only reads, whose address says why', async () => {
    await enter(service.read)
    await page.goto(service.url + itemPath())
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    expect(await page.getByRole('link', { name: /AOIs/ }).count()).toBe(0)
    await page.goto(`${service.url}${itemPath()}/aois`)
    await page.getByText('This token can view AOIs, but not change them').waitFor()
    expect(await board().count()).toBe(0)
    expect(await axeFindings(page)).toEqual([])
    await signOut(page)
    await page.getByLabel('Access token').waitFor()
  })

  test('draws two AOIs by mouse and one by keys, moves and undoes, and shows the numbers that the export has then', async () => {
    await put([])
    await enter(service.write)
    await page.goto(service.url + itemPath())
    await page.getByRole('link', { name: 'Draw AOIs' }).click()
    await tool('Rectangle')
    await drag([0.1, 0.1], [0.42, 0.48])
    await page.getByLabel('Name').fill('left')
    await tool('Ellipse')
    await drag([0.5, 0.2], [0.9, 0.7])
    await page.getByLabel('Name').fill('right')
    await board().focus()
    await page.keyboard.press('p')
    const walked = [
      'ArrowLeft',
      'ArrowLeft',
      'Enter',
      ...Array(5).fill('ArrowRight'),
      'Enter',
      'ArrowDown',
      'ArrowDown',
    ]
    for (const key of [...walked, 'ArrowDown', 'Enter', 'Enter'])
      await page.keyboard.press(key === 'Enter' ? key : `Control+${key}`)
    await page.getByLabel('Name').fill('by keys')
    await expect.poll(names).toEqual(['left', 'right', 'by keys'])

    await drag([0.2, 0.2], [0.3, 0.35])
    const moved = await leftPx()
    await button('Undo').click()
    await expect.poll(leftPx).toBe(String(Math.round(0.1 * items[0].widthPx)))
    await button('Redo').click()
    await expect.poll(leftPx).toBe(moved)
    await board().focus()
    await page.keyboard.press('.')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+ArrowLeft')
    await expect.poll(leftPx).toBe(String(Number(moved) - 20))
    await page.keyboard.press('Control+z')
    await expect.poll(leftPx).toBe(moved)
    await page.getByText(/^Now from \d/).waitFor({ state: 'attached' })

    const drawn = { left: await shown(), right: {}, 'by keys': {} } as Record<string, Record<string, string>>
    for (const name of ['right', 'by keys']) {
      await page.locator('.aoi-list').getByRole('button', { name }).click()
      drawn[name] = await shown()
    }
    expect(await axeFindings(page)).toEqual([])
    await page.evaluate('scrollTo(0, 0)')
    await keepScreenshot(page, 'aoi-editor', { fullPage: true })
    await button('Save …').click()
    await dialog()
      .getByText(/^12 participants saw this item, in 12 tests/)
      .waitFor()
    await keepScreenshot(page, 'aoi-editor-save')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await page.getByText('All saved').waitFor()
    for (const [name, numbers] of Object.entries(drawn)) {
      const row = await exported(name)
      expect(Number(row.aoi_fixation_total_count)).toBeGreaterThan(0)
      expect(Object.keys(numbers).length).toBeGreaterThan(8)
      for (const [column, value] of Object.entries(numbers))
        expect(`${column} ${value}`).toBe(`${column} ${row[column]}`)
    }
  })

  test('keeps what is not saved over a reload, and brings back an older set as the new one', async () => {
    await button('Remove AOI').click()
    await expect.poll(names).toEqual(['left', 'right'])
    const keys = () => page.evaluate('Object.keys(sessionStorage).join()')
    await expect.poll(keys).toContain('gazette-aois ')
    await page.reload()
    await page.getByText('These are your unsaved AOIs').waitFor()
    await expect.poll(names).toEqual(['left', 'right'])
    await save()
    await button('History …').click()
    await dialog().getByText('3 AOIs: left, right, by keys').waitFor()
    await keepScreenshot(page, 'aoi-editor-history')
    await button('Restore').first().click()
    await expect.poll(names).toEqual(['left', 'right', 'by keys'])
    await save()
    expect((await aoisOf()).map(({ name }) => name)).toEqual(['left', 'right', 'by keys'])
  })

  test('shows what somebody else has saved meanwhile, and loses neither', async () => {
    const [left, right, third] = await aoisOf()
    await page.locator('.aoi-list').getByRole('button', { name: 'left' }).click()
    await page.getByLabel('Name').fill('mine')
    await page.locator('.aoi-list').getByRole('button', { name: 'by keys' }).click()
    await button('Duplicate').click()
    await put([{ ...left, name: 'theirs' }, right, { ...third, name: 'renamed' }])
    await button('Save …').click()
    await dialog().getByText('Different AOIs have been saved in the meantime').waitFor()
    await dialog().getByRole('radio', { name: 'both, mine as a separate AOI' }).check()
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'aoi-editor-conflict')
    await dialog().getByRole('button', { name: 'Merge' }).click()
    const merged = ['theirs', 'mine (mine)', 'right', 'renamed', 'by keys copy']
    await expect.poll(names).toEqual(merged)
    await save()
    expect((await aoisOf()).map(({ name }) => name)).toEqual(merged)
    // A study that has only grown is no conflict.
    await page.locator('.aoi-list').getByRole('button', { name: 'right' }).click()
    await page.getByLabel('Name').fill('on the right')
    await put([], 2)
    await save()
    expect((await aoisOf())[2].name).toBe('on the right')
  })

  test('takes AOIs from an SVG or JSON file, or nothing and says why', async () => {
    await openEditor()
    await button('From a file …').click()
    const give = (name: string, text: string) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">${inside}</svg>`
    await give(
      'bad.svg',
      svg(
        '<text>a</text><path id="c" d="M0 0C1 1 2 2 3 3"/><rect width="1mm" height="2"/><rect id="fine" width="1" height="2"/>',
      ),
    )
    await dialog().getByText('Nothing was read from bad.svg').waitFor()
    expect(await dialog().locator('.trouble li').allTextContents()).toEqual([
      '<text> is not a rect, polygon, ellipse, circle or path of straight lines.',
      '<path> “c” is a path with a curve (C): only M, L, H, V and Z are read.',
      '<rect> has a length in a unit other than px.',
    ])
    await give('bad.json', '[{"name": 3, "parts": []}]')
    await dialog().getByText('aois[0].name must be text.').waitFor()
    await give('words.csv', 'line,text,x,y,width,height\n1,The,0,0,0,20\n')
    await dialog().getByText('width must be greater than 0 (line 2), not “0”.').waitFor()
    await give('words.csv', 'line,text,x,y,width,height\n1,The,0,0,40,20\n1,fox,40,0,40,20\n')
    await dialog().getByText('2 AOIs: 1.1 The, 1.2 fox').waitFor()
    expect(await button('Add AOIs').count()).toBe(0)
    await page.keyboard.press('Escape')
    const dropped = join(await mkdtemp(join(tmpdir(), 'boxes-')), 'two.csv')
    await writeFile(dropped, 'line,text,x,y,width,height\n1,A,0,0,40,20\n1,cat,40,0,40,20\n')
    await dropFiles(walk, dropped)
    await dialog().getByText('2 AOIs: 1.1 A, 1.2 cat').waitFor()
    const shapes =
      '<g transform="translate(10 10) scale(2)"><rect id="box" width="10" height="5"/></g><circle cx="80" cy="25" r="10"><title>Round</title></circle><path id="two" d="m50 10h10v10h-10z M70 10L80 10 80 20Z"/>'
    await give('shelf.svg', svg(shapes))
    await dialog().getByText('3 AOIs: box, Round, two').waitFor()
    await button(/^Replace the/).click()
    await expect.poll(names).toEqual(['box', 'Round', 'two'])
    await save()
    const [box, round, two] = await aoisOf()
    const corners = [
      [0.1, 0.2],
      [0.3, 0.2],
      [0.3, 0.4],
      [0.1, 0.4],
    ]
    expect(box.parts).toEqual([{ areaPoints: { points: corners.map(([x, y]) => ({ x, y })) } }])
    expect([round.parts.length, two.parts.length]).toEqual([1, 2])
    const downloading = page.waitForEvent('download')
    await button('To a file').click()
    const file = JSON.parse(await readFile(await (await downloading).path(), 'utf8'))
    expect(file).toEqual(await aoisOf())
  })

  test('makes a grid, splits, times and copies to other items', async () => {
    await button('Grid …').click()
    await page.getByLabel('Rows').fill('200')
    await dialog().getByText('Rows must be a whole number from 1 to 100, not “200”.').waitFor()
    await page.getByLabel('Rows').fill('2')
    await page.getByLabel('Columns').fill('2')
    await button('Add 4 AOIs').click()
    await page.locator('.aoi-list').getByRole('button', { name: 'Cell 1.1' }).click()
    await button('Split left and right').click()
    await tool('Split')
    await drag([0.05, 0.25], [0.9, 0.25])
    await page.getByLabel('Always counts').uncheck()
    await page.getByLabel('Until before').fill('900')
    await page.getByLabel('Until before').press('Tab')
    await save()
    const [half, ...others] = (await aoisOf()).filter(({ name }) => name.startsWith('Cell 1.1'))
    const { left, top, right, bottom } = boxOf(cornersOf(half.parts[0].areaPoints, items[0]))
    expect([left, top, right, bottom].map((value) => Math.round(value * 1000))).toEqual([0, 0, 250, 250])
    expect(half.parts[0].timeRange).toEqual({ fromMs: 0, toMs: 900 })
    expect(others.length).toBe(2)
    await button('Copy to other items …').click()
    await dialog().getByRole('checkbox').last().check()
    await button('Copy to 1 item').click()
    await dialog().getByText('copied').waitFor()
    await button('Done').click()
    const copied = (await aoisOf(2)).filter(({ name }) => name === half.name)
    expect(copied.map(({ parts }) => parts)).toEqual([half.parts])
  })

  test('says in the words of the server what breaks a rule while it is drawn', async () => {
    await page.getByLabel('Until before').fill('-5')
    await page.getByLabel('Until before').press('Tab')
    await page.getByText('Part 1: its time must have fromMs before toMs, to the microsecond.').waitFor()
    expect(await button('Save …').isDisabled()).toBe(true)
    await button('Undo').click()
    await expect.poll(() => page.locator('.aoi-list .refused').count()).toBe(0)
  })

  test('is drawn on by touch, on a phone, at 200 % and in the dark', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await openEditor(2)
    const n = (await names()).length
    await tool('Rectangle')
    await board().scrollIntoViewIfNeeded()
    const cdp = await walk.context.newCDPSession(page)
    const touch = async (type: string, ...points: XY[]) => {
      const { x, y, width, height } = (await board().boundingBox())!
      const touchPoints = points.map(([left, top], id) => ({ x: x + left * width, y: y + top * height, id }))
      await cdp.send('Input.dispatchTouchEvent', { type, touchPoints } as never)
    }
    await touch('touchStart', [0.2, 0.6])
    await touch('touchMove', [0.5, 0.8])
    await touch('touchMove', [0.7, 0.9])
    await touch('touchEnd')
    await expect.poll(async () => (await names()).length).toBe(n + 1)
    await touch('touchStart', [0.4, 0.2], [0.6, 0.2])
    await touch('touchMove', [0.2, 0.2], [0.8, 0.2])
    await touch('touchEnd')
    await expect.poll(() => button(/show the whole item/).textContent()).toBe('300 %')
    const widths = () =>
      page.evaluate('[document.documentElement.scrollWidth, document.documentElement.clientWidth]') as Promise<number[]>
    const [needed, there] = await widths()
    expect(needed).toBe(there)
    expect(await axeFindings(page)).toEqual([])
    await keepScreenshot(page, 'aoi-editor-phone', { fullPage: true })
    await page.setViewportSize({ width: 640, height: 430 })
    const [wide, room] = await widths()
    expect(wide).toBe(room)
    await page.setViewportSize({ width: 1280, height: 1080 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await faded(page)
    await page.locator('.aoi-list button').first().click()
    await shown()
    await page.evaluate('scrollTo(0, 0)')
    await keepScreenshot(page, 'aoi-editor-dark', { fullPage: true })
    expect(walk.complaints).toEqual([])
  })
})
