import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasChromium,
  keepPicture,
  keepTree,
  type Look,
  look as lookAt,
  openWalk,
  signIn,
  type Walk,
} from './browser.ts'
import { type DashboardServer, openDashboardServer } from './dashboard-server.ts'
import { emptyBundle, strangeBundle } from './strange-bundles.ts'

/**
 * Pages as they look where there is much of something, or nothing: kept as pictures in test/dashboard/out, for people
 * to look at.
 */
const AOIS = 60
const NAMES = [
  'price',
  'a very long name of an area of interest that nobody would give, but somebody will',
  'תיבת מחיר',
  'זה שם ארוך',
]

let service: DashboardServer
let walk: Walk
let page: Page
let item: string

beforeAll(async () => {
  if (!hasChromium) return
  const bundles = [await strangeBundle(), await emptyBundle()]
  service = await openDashboardServer([{ participants: 12, items: 2, seconds: 4, hz: 30, seed: 5 }], {}, bundles)
  for (const bundle of bundles) await rm(bundle, { recursive: true })
  const [study] = service.studyIds
  const { items } = (await (await service.get(`/api2/studies/${study}`)).json()) as {
    items: { id: string; widthPx: number; heightPx: number }[]
  }
  const [{ id, widthPx, heightPx }] = items
  const aois = Array.from({ length: AOIS }, (_, i) => {
    const [left, top] = [((i % 10) * widthPx) / 10, (Math.floor(i / 10) * heightPx) / 6]
    const topLeft = { xPx: left, yPx: top }
    const bottomRight = { xPx: left + widthPx / 10 - 4, yPx: top + heightPx / 6 - 4 }
    return {
      id: randomUUID(),
      name: `${NAMES[i % NAMES.length]} ${i + 1}`,
      parts: [{ areaPoints: { topLeft, bottomRight } }],
    }
  })
  const headers = { 'x-auth-token': service.write, 'if-match': '*', 'content-type': 'application/json' }
  const answer = await fetch(`${service.url}/api2/studies/${study}/items/${id}/aois`, {
    ...{ method: 'PUT', headers, body: JSON.stringify(aois) },
  })
  expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
  item = `/studies/${study}/items/${id}`
  walk = await openWalk(service.url)
  page = walk.page
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, service.url, service.write)
}, 120_000)
afterAll(async () => {
  await walk?.browser.close()
  await service?.close()
})

const itemsOf = async (id: string) =>
  ((await (await service.get(`/api2/studies/${id}`)).json()) as { items: { id: string }[] }).items

const look = (name: string, path: string, options?: Look) => lookAt(walk, service, name, path, options)

describe.skipIf(!hasChromium)('the dashboard looks', () => {
  test('well with 60 AOIs of long names and of names from right to left, light, dark, narrow and zoomed', async () => {
    await look('aois-60', item, { withAxe: true })
    await look('aois-60-dark', item, { isDark: true })
    await look('aois-60-phone', item, { width: 390, height: 844 })
    // What 1280 × 720 has at a zoom of 200 %.
    await look('aois-60-zoomed', item, { width: 640, height: 360 })
    await look('aois-60-transitions-dark', `${item}/transitions?view=all`, { isDark: true, withAxe: true })
    await look('aois-60-editor-dark', `${item}/aois`, { isDark: true })
    await look('aois-60-replay', `${item}/replay?t=1000`)
    await look('aois-60-quality', `${item.split('/items')[0]}/quality`)
    await look('aois-60-groups-phone', `${item.split('/items')[0]}/groups?item=${item.split('/').at(-1)}`, {
      width: 390,
    })
  }, 120_000)

  test('well where names run from right to left, a picture is none, and nobody took part', async () => {
    const [, strange, empty] = service.studyIds
    await look('names', `/studies/${strange}`)
    await look('no-picture', `/studies/${strange}/items/${(await itemsOf(strange))[1].id}`)
    await look('nobody', `/studies/${empty}`)
    await look('nobody-item', `/studies/${empty}/items/${(await itemsOf(empty))[0].id}`)
    await look('nobody-quality', `/studies/${empty}/quality`)
    expect(walk.complaints).toEqual([])
  })

  test('tells a screen reader what each figure, button and field is', async () => {
    await look('told', `${item}?figure=all`)
    const tree = await keepTree(page, 'looks-told')
    expect(tree.match(/- figure "[^"]+"/g)).toEqual(
      ['Stimulus', 'Scarf plot', 'Areas of interest', 'Gaze over time'].map((title) => `- figure "${title}"`),
    )
    const nameless = /^ *- (button|link|img|figure|textbox|combobox|checkbox|radio|slider|spinbutton)( \[.*\])?:?$/gm
    expect(tree.match(nameless)).toBeNull()
    await page.getByRole('button', { name: 'Method and settings' }).first().click()
    expect(await keepTree(page, 'looks-told-settings')).toMatch(/- term: movingMedianRangeMs\n *- definition: "200"/)
  })

  test('shows where the focus is: the first stop skips to the content, and each stop after it is outlined', async () => {
    await page.setViewportSize({ width: 1280, height: 860 })
    await page.goto(service.url + item)
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    const seen = new Set<string>()
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press('Tab')
      const [tag, outline] = (await page.evaluate(
        `(({ outerHTML }, style) => [outerHTML.slice(0, 60), style.outlineStyle])(document.activeElement, getComputedStyle(document.activeElement))`,
      )) as string[]
      expect([tag, outline]).toEqual([tag, 'solid'])
      seen.add(tag)
      if (stop === 0) expect(tag).toContain('class="skip"')
    }
    expect(seen.size).toBeGreaterThan(8)
    await keepPicture(page, 'looks-focus')
  })
})
