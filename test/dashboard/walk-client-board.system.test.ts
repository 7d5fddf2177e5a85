import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { cleanUp, writeFiles } from '../engine/recordings/converted.ts'
import { hasChromium, keepPicture, signIn, WITHIN_MS } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { film } from './film.ts'
import { recordClip } from './record-clip.ts'

/**
 * The walk of a team that tests products: from a video and recordings to a board that a client opens by a link, and
 * slides. Each mistake is made once; pictures are in test/dashboard/out.
 */
const { service, walk, page } = await walkThrough({ demos: [] }, async ({ service, page }) => {
  await service.startWorker()
  await signIn(page, service.url, service.write)
})
afterAll(cleanUp)

/** Three viewers of a clip of 1.2 s at 50 Hz, on a screen of 1600 × 1200 px, whose gaze goes from left to right. */
function gaze(): string {
  const rows = [1, 2, 3].flatMap((person) =>
    Array.from({ length: 60 }, (_, i) =>
      [`V${person}`, 'spot', (i * 0.02).toFixed(2), 300 + 400 * Math.floor(i / 20), 500 + 20 * person].join(';'),
    ),
  )
  return `${['participant;stimulus;time;gaze x;gaze y', ...rows].join('\n')}\n`
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const link = (name: string) => page.getByRole('link', { name, exact: true })
const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const loaded = (of: Page) => of.locator('article.report[aria-busy=false]').waitFor()

describe.skipIf(!hasChromium)('a team that tests products', () => {
  test('reaches a board for a client, and slides, from a video and recordings, over four mistakes', async () => {
    const clip = await recordClip(page, 'video/webm;codecs=vp8', { widthPx: 320, heightPx: 240, halfMs: 600 })
    const folder = writeFiles({ 'spot/gaze.csv': gaze(), 'spot/final cut.webm': clip })
    const { click, choose, type, drag, drop, decide, counted } = film(walk, 'walk-client')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(service.url)
    await link('Import data').waitFor()
    await drop(join(folder, 'spot'))
    await type(page.getByLabel('Width of the screen, px'), '1600')
    await type(page.getByLabel('Height, px'), '1200')
    await page.locator('.before-change').waitFor({ state: 'detached' })
    await page.getByText('Ready to import.').waitFor()
    await click(button('Import'))
    await click(link('Open the study'))
    await heading('gaze')
    await page.locator('.item-card').waitFor()
    await drop(join(folder, 'spot', 'final cut.webm'))
    await page.getByRole('dialog', { name: 'Add pictures' }).waitFor()
    await choose(page.getByLabel('Item of final cut.webm'), { label: 'spot' })
    await page.getByRole('cell', { name: 'as it is' }).waitFor()
    await click(button('Add 1 picture'))
    await click(button('Done'))
    await click(link('spot.webm'))
    await click(link('Draw AOIs'))
    const board = page.locator('svg.board')
    await click(page.getByRole('toolbar').getByRole('button', { name: 'Rectangle', exact: true }))
    await drag(board, [0.1, 0.2], [0.3, 0.7])
    await type(page.getByLabel('Name'), 'product')
    await type(page.getByLabel('Time at which AOIs are shown'), '800')
    await click(button('Begin a key frame at 800 ms'))
    await drag(board, [0.2, 0.4], [0.7, 0.4])
    await click(button('Move between key frames'))
    await decide('moved')
    await click(button('Save …'))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Save' }))
    await page.getByText('All saved').waitFor()
    // A still figure of what moves: the AOI where it is at the time of the frame that is shown.
    await click(link('Back to the item'))
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    await click(page.getByRole('checkbox', { name: 'AOIs' }))
    await page
      .getByText(/stand where they are at the time of the picture/)
      .first()
      .waitFor({ state: 'attached' })
    await decide('still')
    await click(link('Report'))
    await loaded(page)
    await click(page.getByText('Contents, own text and logo', { exact: true }))
    const editor = page.getByRole('group', { name: 'Board' })
    const put = async (figure: string) => {
      await choose(editor.getByRole('combobox', { name: /^Figure/ }), { label: figure })
      await click(editor.getByRole('button', { name: 'Put on the board' }))
    }
    await put('Heatmap')
    // A figure that says nothing to the client.
    await put('Transitions')
    await decide('too much')
    await click(editor.getByRole('button', { name: /^Remove Transitions/ }))
    await put('Gaze plots')
    await put('AOIs as a table')
    for (const section of ['Method', 'Participants and exclusions', 'Data quality', 'Items'])
      await click(page.getByRole('checkbox', { name: section, exact: true }))
    await type(page.getByLabel('Title', { exact: true }), 'Spott test')
    await type(page.getByLabel('Title', { exact: true }), 'Spot test')
    await decide('board')
    await loaded(page)
    await click(button('Menu'))
    await click(button('Share'))
    const dialog = page.getByRole('dialog', { name: 'Share by a link' })
    await type(dialog.getByLabel('Recipient or purpose'), 'Client')
    await decide('share')
    await click(dialog.getByRole('button', { name: 'Create a link' }))
    const first = await dialog.getByLabel('Copy the link now').inputValue()
    // The link was made too early: the title lacks its product. It is revoked, and another made.
    await click(dialog.getByRole('button', { name: /^Revoke/ }).first())
    await page.keyboard.press('Escape')
    await type(page.getByLabel('Title', { exact: true }), 'Spot test of the red product')
    await loaded(page)
    await click(button('Menu'))
    await click(button('Share'))
    await type(dialog.getByLabel('Recipient or purpose'), 'Client')
    await click(dialog.getByRole('button', { name: 'Create a link' }))
    const second = await dialog.getByLabel('Copy the link now').inputValue()
    const context = await walk.browser.newContext({ viewport: { width: 1280, height: 860 } })
    context.setDefaultTimeout(WITHIN_MS)
    const client = await context.newPage()
    await client.goto(first)
    await client.getByText('This link does not work.').waitFor()
    await keepPicture(client, 'walk-client-revoked')
    await client.goto(second)
    await client.getByRole('heading', { level: 1, name: 'Spot test of the red product' }).waitFor()
    await loaded(client)
    expect(await client.locator('.board-entry').count()).toBe(3)
    // Each choice that is shown says what is chosen.
    for (const choice of await client.locator('select:visible').all()) expect(await choice.inputValue()).not.toBe('')
    await keepPicture(client, 'walk-client-sees', { fullPage: true })
    const downloading = client.waitForEvent('download')
    await client.getByLabel('Save the report', { exact: true }).click()
    await client.getByRole('button', { name: 'PowerPoint (PPTX)' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/\.pptx$/)
    expect((await readFile(await download.path())).subarray(0, 2).toString()).toBe('PK')
    await context.close()
    expect(counted()).toEqual({ clicks: 49, decisions: 5, controlsAtMost: 76 })
    expect(walk.complaints).toEqual([])
  })
})
