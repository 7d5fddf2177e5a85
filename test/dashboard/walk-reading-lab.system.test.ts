import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { cleanUp, writeFiles } from '../engine/recordings/converted.ts'
import { hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { film } from './film.ts'
import { rowsOf } from './rows.ts'

/**
 * The walk of a reading lab: from recordings and boxes of words to go-past times by group. Each mistake is made once;
 * pictures are in test/dashboard/out.
 */
const { service, walk, page } = await walkThrough({ demos: [] }, async ({ service, page }) => {
  await service.startWorker()
  await signIn(page, service.url, service.write)
})
afterAll(cleanUp)

/** Words of a page of 1000 × 500 px: line, text, left and top of a box of 180 × 80 px. */
const WORDS: [line: number, text: string, left: number, top: number][] = [
  [1, 'The', 100, 100],
  [1, 'old', 280, 100],
  [1, 'fox', 460, 100],
  [2, 'ran', 100, 300],
  [2, 'away', 280, 300],
]
const FOX = '1.3 fox'

/** Indexes of the words that a reader looks at for 250 ms each: skilled readers go on, others go back from the fox. */
const PATHS = { skilled: [0, 1, 2, 3, 4], struggling: [0, 1, 2, 0, 1, 2, 3, 4] }

function gaze(): string {
  const rows = Object.entries(PATHS).flatMap(([group, path], g) =>
    [1, 2, 3, 4].flatMap((n) =>
      path.flatMap((word, at) =>
        Array.from({ length: 25 }, (_, i) => {
          const [, , left, top] = WORDS[word]
          return [`${'KT'[g]}${n}`, group, 'page1', 250 * at + 10 * i, left + 80 + g, top + 30 + n].join(',')
        }),
      ),
    ),
  )
  return `${['reader,group,text,time_ms,gaze_x,gaze_y', ...rows].join('\n')}\n`
}

function textSvg(): string {
  const words = WORDS.map(([, text, left, top]) => `<text x="${left + 12}" y="${top + 56}">${text}</text>`).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="500" font-family="serif" font-size="48"><rect width="1000" height="500" fill="#fff"/>${words}</svg>`
}

/** Boxes of the words, of that width. */
const boxes = (width: number) =>
  `${['line,text,x,y,width,height', ...WORDS.map(([line, text, x, y]) => [line, text, x, y, width, 80].join(','))].join('\n')}\n`

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const link = (name: string) => page.getByRole('link', { name, exact: true })
const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

/** Returns the median of four numbers. */
const medianOf = (values: number[]) => {
  const [, low, high] = [...values].sort((one, other) => one - other)
  return (low + high) / 2
}

describe.skipIf(!hasChromium)('a reading lab', () => {
  test('reaches go-past times by group from recordings and boxes of words, over three mistakes', async () => {
    const folder = writeFiles({
      'texts/gaze.csv': gaze(),
      'texts/page1.svg': textSvg(),
      'boxes/wrong.csv': boxes(0),
      'boxes/words.csv': boxes(180),
    })
    const { click, choose, type, drop, decide, counted } = film(walk, 'walk-reading')
    await drop(join(folder, 'texts'))
    await page.getByText('The format is unknown.').waitFor()
    await decide('columns')
    await choose(page.getByLabel('text is', { exact: true }), 'item')
    await type(page.getByLabel('Width of the screen, px'), '1000')
    await type(page.getByLabel('Height, px'), '500')
    await page.locator('.before-change').waitFor({ state: 'detached' })
    await page.getByText('Ready to import.').waitFor()
    await decide('found')
    await click(button('Import'))
    await click(link('Open the study'))
    await heading('texts')
    await click(link('page1.svg'))
    await heading('page1.svg')
    // Groups are compared before the page knows any words: there is nothing to compare yet, and it says how that comes.
    await click(link('Groups'))
    await click(button('group'))
    await page.getByText('This item has no areas of interest').first().waitFor()
    await decide('no words')
    await click(link('Study'))
    await click(link('page1.svg'))
    await click(link('Draw AOIs'))
    await page.locator('svg.board').waitFor()
    // The file of another export of the program has no widths.
    await drop(join(folder, 'boxes', 'wrong.csv'))
    await page.getByText('width must be greater than 0 (line 2), not “0”.').waitFor()
    await decide('refused')
    await page.keyboard.press('Escape')
    await drop(join(folder, 'boxes', 'words.csv'))
    await page.getByText('5 AOIs: 1.1 The, 1.2 old, 1.3 fox, 2.1 ran, 2.2 away').waitFor()
    await decide('boxes')
    await click(button('Use them'))
    // It is left without saving: the study says so, and the draft is as it was.
    await click(link('texts'))
    await page.getByText('unsaved').first().waitFor()
    await decide('unsaved')
    await click(page.getByRole('link', { name: /page1\.svg/ }).first())
    await page.locator('svg.board').waitFor()
    await click(button('Save …'))
    await click(page.getByRole('dialog').getByRole('button', { name: 'Save' }))
    await page.getByText('All saved').waitFor()
    await click(link('Back to the item'))
    await click(page.getByText('More pages'))
    await click(link('Reading'))
    await page.locator('svg.text-of-words .word').first().waitFor()
    await choose(page.getByRole('combobox', { name: /^Colour shows/ }), { label: 'Go-past time, ms' })
    await decide('reading')
    await click(link('Groups'))
    await click(button('group'))
    await choose(page.getByLabel('Measure'), { label: 'Go-past time, of readers' })
    const figure = page.getByRole('figure', { name: 'Areas of interest' })
    await figure.getByText(/^Go-past time, of readers by AOI/).waitFor()
    await decide('groups')
    const row = figure.getByRole('row', { name: new RegExp(FOX) })
    const rows = await rowsOf(service, new URL(page.url()).pathname.split('/')[2], 'eye-tracking/reading')
    const goPast = (group: string) =>
      rows
        .filter((each) => each.aoi_name === FOX && each.external_data_group === group)
        .map((each) => Number(each.go_past_duration_ms))
    const medians = Object.keys(PATHS).map((group) => medianOf(goPast(group)))
    // Back to the first word, and over all three once more.
    expect(medians[1]).toBeGreaterThan(3 * medians[0])
    const cells = await row.getByRole('cell').allTextContents()
    for (const median of medians) expect(cells).toContain(new Intl.NumberFormat('en').format(median))
    expect(counted()).toEqual({ clicks: 26, decisions: 8, controlsAtMost: 49 })
    expect(walk.complaints).toEqual([])
  })
})
