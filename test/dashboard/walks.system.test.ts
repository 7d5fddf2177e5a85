import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readWorksheet } from '../engine/formats/read-worksheet.ts'
import { asc, end, gaze, msg, start } from '../engine/recordings/asc.ts'
import { cleanUp, shapeFiles, writeFiles } from '../engine/recordings/converted.ts'
import { SHAPES } from '../engine/recordings/shapes.ts'
import { hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { film } from './film.ts'
import { recordClip } from './record-clip.ts'
import { pictureSvg } from './two-sides.ts'

/**
 * Three walks of a person who does not program, from files to a figure and a table: each mistake is made once and
 * corrected. Clicks and decisions are counted, so that a walk that grows longer is seen; pictures are in
 * test/dashboard/out.
 */
const { service, walk, page } = await walkThrough({ demos: [] }, async ({ service, page }) => {
  await service.startWorker()
  await signIn(page, service.url, service.write)
})
afterAll(cleanUp)

const button = (name: string) => page.getByRole('button', { name, exact: true })
const link = (name: string) => page.getByRole('link', { name, exact: true })
const meaning = (column: string) => page.getByLabel(`${column} is`, { exact: true })
const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
/** Waits for the check of what was said last. */
const checked = async (words: string) => {
  await page.locator('.before-change').waitFor({ state: 'detached' })
  await page.getByText(words).waitFor()
}
/** Saves what a press downloads. @returns the name of the file and its bytes */
const saved = async (press: Promise<void>): Promise<{ name: string; bytes: Buffer }> => {
  const [download] = await Promise.all([page.waitForEvent('download'), press])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** Two people and two pictures, at 50 Hz on a screen of 1600 × 1200 px; the gaze rests at three places of each. */
function ownTable(): string {
  const rows = ['S10', 'S2'].flatMap((person, p) =>
    ['poster', 'logo'].flatMap((picture, k) =>
      Array.from({ length: 60 }, (_, i) => {
        const x = 300 + 400 * Math.floor(i / 20) + 10 * k
        return [person, p === 0 ? 'expert' : 'novice', picture, (i * 0.02).toFixed(2), x, 1000 - 50 * p].join(';')
      }),
    ),
  )
  return `${['subject;group;stimulus;time;gaze x;gaze y', ...rows].join('\n')}\n`
}

describe.skipIf(!hasChromium)('a person who does not program', () => {
  test('reaches a figure and a workbook from an own table with pictures, over four mistakes', async () => {
    const folder = writeFiles({
      'own/gaze.csv': ownTable(),
      'own/poster.svg': pictureSvg(800, 600),
      'own/IMG_2041.svg': pictureSvg(800, 600),
    })
    const { click, choose, type, drop, decide, counted } = film(walk, 'walk-own')
    await drop(join(folder, 'own'))
    await page.getByText('The format is unknown.').waitFor()
    await decide('columns')
    // A column is forgotten, x and y are mixed up, the screen is another, and a picture has no item.
    await choose(meaning('group'), '')
    await choose(meaning('gaze x'), 'y')
    await choose(meaning('gaze y'), 'x')
    await type(page.getByLabel('Width of the screen, px'), '640')
    await type(page.getByLabel('Height, px'), '480')
    await checked('Ready to import.')
    await page.getByText(/^More than half of the gaze lies outside of the window/).waitFor()
    await page.getByText('1 picture whose name fits no item, or several: own/IMG_2041.svg.').waitFor()
    await decide('wrong')
    await click(button('Import'))
    await link('Open the study').waitFor()
    await decide('report')
    await click(button('Import again with other choices'))
    await checked('Ready to replace the data of the study.')
    await choose(meaning('gaze x'), 'x')
    await choose(meaning('gaze y'), 'y')
    await choose(meaning('group'), 'external')
    await type(page.getByLabel('Width of the screen, px'), '1600')
    await type(page.getByLabel('Height, px'), '1200')
    await choose(page.getByLabel('Item of own/IMG_2041.svg'), 'logo')
    await expect.poll(() => page.getByText('More than half of the gaze').count()).toBe(0)
    await checked('Ready to replace the data of the study.')
    await decide('right')
    await click(button('Replace the data'))
    await click(link('Open the study'))
    await heading('own')
    // In the order of names, not of files: S2 before S10.
    await expect.poll(() => page.locator('table.people tbody th bdi').allTextContents()).toEqual(['S2', 'S10'])
    expect(await page.locator('.item-card h3').allTextContents()).toEqual(['poster.svg', 'logo.svg'])
    await decide('study')
    await click(link('poster.svg'))
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    await decide('item')
    await click(page.getByLabel('Save Stimulus', { exact: true }))
    const figure = await saved(click(button('Save Stimulus as PNG')))
    expect([figure.name, figure.bytes.subarray(1, 4).toString()]).toEqual(['gazette-stimulus-poster-svg.png', 'PNG'])
    await click(link('Export with these settings'))
    await choose(page.getByLabel('File format'), 'xlsx')
    await button('Download Excel').waitFor()
    await decide('export')
    const { name, bytes } = await saved(click(button('Download Excel')))
    expect(name).toMatch(/\.xlsx$/)
    const [columns, first] = await readWorksheet(bytes, 'xl/worksheets/sheet1.xml')
    expect(columns).toContain('external_data_group')
    expect(first).toContain('poster.svg')
    expect(counted()).toEqual({ clicks: 22, decisions: 7, controlsAtMost: 53 })
    expect(walk.complaints).toEqual([])
  })

  test('reaches a comparison and a wide table from the folder of a Tobii tracker, over three mistakes', async () => {
    const tobii = (person: string) => {
      const [head, ...rows] = String(shapeFiles(SHAPES['Tobii Pro Lab'])['export.tsv']).trim().split('\n')
      return `${[head, ...rows.filter((row) => row.split('\t').includes(person))].join('\n')}\n`
    }
    const folder = writeFiles({
      'tobii/Ada.tsv': tobii('Ada'),
      'tobii/cat.svg': pictureSvg(800, 600),
      'late/Bo.tsv': tobii('Bo'),
      'late/scan 7.svg': pictureSvg(400, 100),
    })
    const { click, choose, type, drop, decide, counted } = film(walk, 'walk-tobii')
    await page.goto(service.url)
    await link('Import data').waitFor()
    await drop(join(folder, 'tobii'))
    await checked('Ready to import.')
    await decide('found')
    await click(button('Import'))
    await click(link('Open the study'))
    await heading('tobii')
    // One of the files was forgotten: it is added.
    await click(link('Add recordings'))
    await page.getByText('Drop files or a folder here').waitFor()
    await drop(join(folder, 'late', 'Bo.tsv'))
    await checked('Ready to import.')
    await decide('added')
    await click(button('Import'))
    await click(link('Open the study'))
    await heading('tobii')
    // The name was that of the folder.
    await click(page.getByRole('radio', { name: 'Corrections' }))
    await click(button('Name and project'))
    await type(page.getByLabel('New name'), 'Cats and dogs')
    await click(button('Save'))
    await heading('Cats and dogs')
    await click(page.getByRole('radio', { name: 'Items and people' }))
    // A picture whose name tells nothing, and whose shape is another.
    await drop(join(folder, 'late', 'scan 7.svg'))
    await page.getByRole('dialog', { name: 'Add pictures' }).waitFor()
    await choose(page.getByLabel('Item of scan 7.svg'), { label: 'dog.png' })
    await page.getByText('with another aspect ratio').waitFor()
    await decide('picture')
    await choose(page.getByLabel('How dog.png was shown'), 'fill')
    await click(button('Add 1 picture'))
    await click(button('Done'))
    await expect.poll(() => page.locator('.item-card img').count()).toBe(2)
    expect(await page.locator('table.people tbody th bdi').allTextContents()).toEqual(['Ada', 'Bo'])
    await click(link('Export'))
    await click(page.getByText(/^\d+ more tables$/))
    await click(page.getByRole('radio', { name: /^Wide table of participants/ }))
    await choose(page.getByLabel('File format'), 'csv-semicolon')
    await decide('wide')
    const { bytes } = await saved(click(button('Download CSV')))
    expect(bytes.toString().trim().split('\n')).toHaveLength(3)
    expect(counted()).toEqual({ clicks: 22, decisions: 4, controlsAtMost: 70 })
    expect(walk.complaints).toEqual([])
  })

  test('has the messages of an EyeLink folder explained by choices', async () => {
    const file = (x: number) => {
      const trials = ['cat.png', 'dog.png'].flatMap((picture, k) => {
        const t = 1000 + 1000 * k
        return [
          msg(t - 20, `BEGIN TRIAL ${k + 1}`),
          ...start(t),
          msg(t + 100, `SHOW ${picture}`),
          ...gaze(t, 40, x),
          end(t + 400),
        ]
      })
      return asc(trials)
    }
    const folder = writeFiles({ 'eyelink/ada.asc': file(500), 'eyelink/bo.asc': file(700) })
    const { click, choose, drop, decide, counted } = film(walk, 'walk-eyelink')
    await page.goto(service.url)
    await link('Import data').waitFor()
    await drop(join(folder, 'eyelink'))
    await checked('Ready to import.')
    expect(await page.locator('.names bdi').allTextContents()).toContain('recording 1')
    await decide('messages')
    // The wrong message first: it begins a trial, and names no item.
    await choose(page.getByLabel('Meaning of BEGIN TRIAL 1'), 'itemMessage')
    await page.locator('.names bdi', { hasText: /^1$/ }).waitFor()
    await choose(page.getByLabel('Meaning of BEGIN TRIAL 1'), 'trialMessage')
    await choose(page.getByLabel('Meaning of SHOW cat.png'), 'shown')
    await page.locator('.names bdi', { hasText: 'dog.png' }).waitFor()
    await checked('Ready to import.')
    await decide('explained')
    await click(button('Import'))
    await click(link('Open the study'))
    await heading('eyelink')
    await expect.poll(() => page.locator('.item-card h3').allTextContents()).toEqual(['cat.png', 'dog.png'])
    expect(counted()).toEqual({ clicks: 6, decisions: 2, controlsAtMost: 15 })
    expect(walk.complaints).toEqual([])
  })

  test('replays a video frame by frame, moves an AOI with it, exports its numbers, and reports them', async () => {
    const clip = await recordClip(page, 'video/webm;codecs=vp8', { widthPx: 64, heightPx: 48, halfMs: 500 })
    const folder = writeFiles({
      'film/gaze.csv': ownTable()
        .replaceAll(';poster;', ';clip;')
        .replaceAll(/^.*;logo;.*\n/gm, ''),
      'film/take 3.webm': clip,
    })
    const { click, choose, type, drag, drop, decide, counted } = film(walk, 'walk-video')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(service.url)
    await link('Import data').waitFor()
    // The video is dropped with the recordings, which do not need it.
    await drop(join(folder, 'film'))
    await page.getByText('Add videos that were shown to participants on the page of the study').waitFor()
    await type(page.getByLabel('Width of the screen, px'), '1600')
    await type(page.getByLabel('Height, px'), '1200')
    await checked('Ready to import.')
    await decide('found')
    await click(button('Import'))
    await click(link('Open the study'))
    await heading('gaze')
    await page.locator('.item-card').waitFor()
    await drop(join(folder, 'film', 'take 3.webm'))
    await page.getByRole('dialog', { name: 'Add pictures' }).waitFor()
    await choose(page.getByLabel('Item of take 3.webm'), { label: 'clip' })
    await page.getByRole('cell', { name: 'as it is' }).waitFor()
    await decide('item')
    await click(button('Add 1 picture'))
    await click(button('Done'))
    await click(link('clip.webm'))
    await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
    await click(link('Replay'))
    const clock = page.locator('.clock')
    await click(button('One frame forward'))
    await expect.poll(async () => Number.parseFloat((await clock.textContent())!)).toBeGreaterThan(0.02)
    await decide('frame')
    await click(link('Charts of this item'))
    await click(link('Draw AOIs'))
    const board = page.locator('svg.board')
    await click(page.getByRole('toolbar').getByRole('button', { name: 'Rectangle', exact: true }))
    await drag(board, [0.1, 0.1], [0.3, 0.3])
    await type(page.getByLabel('Name'), 'ball')
    await type(page.getByLabel('Time at which AOIs are shown'), '600')
    await click(button('Begin a key frame at 600 ms'))
    await drag(board, [0.2, 0.2], [0.7, 0.7])
    // Steps of 40 ms are too coarse: back, and finer ones.
    await click(button('Move between key frames'))
    await decide('moved')
    const bars = page.locator('.timeline-bar')
    await expect.poll(() => bars.count()).toBe(16)
    await click(button('Back to key frames'))
    await expect.poll(() => bars.count()).toBe(2)
    await choose(page.getByLabel('Steps of at most, ms'), '20')
    await click(button('Move between key frames'))
    await expect.poll(() => bars.count()).toBe(31)
    await click(button('Save …'))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Save' }))
    await page.getByText('All saved').waitFor()
    await click(link('gaze'))
    await click(link('Export'))
    await click(page.getByRole('radio', { name: /^AOI fixations stats per participant/ }))
    await choose(page.getByLabel('File format'), 'xlsx')
    await decide('export')
    const { bytes } = await saved(click(button('Download Excel')))
    const [columns, first] = await readWorksheet(bytes, 'xl/worksheets/sheet1.xml')
    expect(first[columns.indexOf('aoi_name')]).toBe('ball')
    await click(link('Report'))
    await page.locator('article[aria-busy=false]').waitFor()
    await page.getByRole('img', { name: /^Bars of 1 area of interest/ }).waitFor()
    await decide('report')
    expect(counted()).toEqual({ clicks: 32, decisions: 6, controlsAtMost: 76 })
    expect(walk.complaints).toEqual([])
  })
})
