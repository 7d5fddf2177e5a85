import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeBundle } from '../engine/import/bundles.ts'
import { axeFindings, hasChromium, keepPicture, resize, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { rowsOf } from './rows.ts'
import { ITEM_ID, pictureSvg, twoSides } from './two-sides.ts'

/** Looks left first and then right, ever earlier; the first participant never looks right. */
const LOOKERS = [60, 45, 30, 15].map((left) => ({ age: 20, left }))

/** Gaze is at 25 % of the width for 62.5 % of the mean viewing time, and at 75 % for the rest. */
async function picturedBundle(): Promise<string> {
  const bundle = twoSides(LOOKERS)
  const [item] = bundle.study.items
  bundle.study.items = [{ ...item, filename: 'item-1.svg', widthPx: 1000, heightPx: 500 }]
  bundle.participants = bundle.participants.map((person, i) => ({
    ...person,
    display_gender: i % 2 === 0 ? 'male' : 'female',
  }))
  const directory = await writeBundle(await mkdtemp(join(tmpdir(), 'gazette-fog-')), bundle)
  await mkdir(join(directory, 'images'))
  await writeFile(join(directory, 'images', 'item-1.svg'), pictureSvg(1000, 500))
  return directory
}

/** Fog and gaze plots over a picture that is red on the left and blue on the right, as drawn and saved. */
const { service, walk, page } = await walkThrough({ demos: [], bundles: [picturedBundle] }, ({ service, page }) =>
  signIn(page, service.url, service.read),
)

const open = (path: string) => page.goto(`${service.url}/studies/${service.studyIds[0]}${path}`)
const figure = (name: string | RegExp) => page.getByRole('figure', { name })
const FOG = [16, 24, 32]

async function saved(name: string | RegExp, format: 'PNG' | 'SVG'): Promise<Buffer> {
  const downloading = page.waitForEvent('download')
  await figure(name).locator('.dropdown summary').click()
  await figure(name)
    .getByRole('button', { name: new RegExp(`^Save .* as ${format}$`) })
    .click()
  return readFile(await (await downloading).path())
}

/** Returns the colours of a figure as saved as PNG, at shares of the drawing's width and height. */
async function savedColors(name: string | RegExp, places: [number, number][]): Promise<number[][]> {
  const png = (await saved(name, 'PNG')).toString('base64')
  // The SVG says where in the whole picture the drawing is.
  const svg = (await saved(name, 'SVG')).toString()
  return (await page.evaluate(
    `(async () => {
      const whole = new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml').documentElement
      const inner = whole.querySelector('svg')
      const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(inner.getAttribute(name)))
      const image = new Image()
      image.src = 'data:image/png;base64,${png}'
      await image.decode()
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: image.width, height: image.height })
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      const scale = image.width / whole.viewBox.baseVal.width
      return ${JSON.stringify(places)}.map(([across, down]) => [...context.getImageData(
        Math.round(scale * (x + across * width)), Math.round(scale * (y + down * height)), 1, 1).data].slice(0, 3))
    })()`,
  )) as number[][]
}

/** Returns the largest difference of two colours in a channel. */
const apart = (one: number[], other: number[]) => Math.max(...one.map((value, i) => Math.abs(value - other[i])))

describe.skipIf(!hasChromium)('a fog map', () => {
  test('is full where nobody looked, and leaves the picture untouched at the peak', async () => {
    await open(`/items/${ITEM_ID}`)
    await page.getByRole('checkbox', { name: 'Fog map' }).check()
    await page.waitForURL(/layers=fog/)
    expect(await page.getByRole('checkbox', { name: 'Heatmap' }).isChecked()).toBe(false)
    await page.getByRole('img', { name: /with a fog map/ }).waitFor()
    await page.getByRole('img', { name: /^Fog from 0 to .* % of viewing time per cell/ }).waitFor()
    const [peak, other, corner, middle] = await savedColors('Stimulus', [
      [0.25, 0.5],
      [0.75, 0.5],
      [0.02, 0.05],
      [0.52, 0.95],
    ])
    expect(apart(peak, [255, 0, 0])).toBeLessThanOrEqual(4)
    // 0.375 of 0.625 is 60 % of the peak, so 40 % of the fog is left.
    const thin = FOG.map((value, i) => 0.4 * value + 0.6 * [0, 0, 255][i])
    expect(apart(other, thin)).toBeLessThanOrEqual(6)
    expect([apart(corner, FOG), apart(middle, FOG)]).toEqual([0, 0])
  })

  test('says what full clarity means, with n and settings', async () => {
    await figure('Stimulus').getByRole('button', { name: 'Method and settings' }).click()
    const caption = (await figure('Stimulus').locator('figcaption').textContent())!
    expect(caption).toMatch(
      /^Fog map of each participant’s share of viewing time, of 4 participants, in 4 of 4 tests\./,
    )
    expect(caption).toMatch(/the picture is fully clear from the peak, [\d.]+ % of viewing time per cell; fog thickens/)
    expect(caption).toContain('to 100 % opacity at 0')
  })

  test('is light on request, and clears at a fixed maximum', async () => {
    await page.getByText('Colours, scale, smoothing, opacity').click()
    await page.getByRole('combobox', { name: 'Fog' }).selectOption('light')
    await page.waitForURL(/fog=light/)
    const corner: [number, number] = [0.02, 0.05]
    const right: [number, number] = [0.75, 0.5]
    expect(await savedColors('Stimulus', [corner])).toEqual([[244, 246, 248]])
    // Half of the peak is below the right side, which has 60 % of it.
    const peak = Number((await page.locator('.color-bar text').allTextContents())[2])
    await open(`/items/${ITEM_ID}?layers=fog&max=${peak / 2}`)
    await page.getByRole('img', { name: /with a fog map/ }).waitFor()
    const [full, clear] = await savedColors('Stimulus', [corner, right])
    expect([apart(full, FOG), apart(clear, [0, 0, 255]) <= 4]).toEqual([0, true])
    expect(await axeFindings(page)).toEqual([])
    await resize(page, 390, 844)
    await open(`/items/${ITEM_ID}?layers=fog.aois`)
    await page.getByRole('img', { name: /with a fog map/ }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await keepPicture(page, 'fog-map-390')
    await resize(page, 1280, 860)
    await page.emulateMedia({ colorScheme: 'dark' })
    await keepPicture(page, 'fog-map-dark')
    await page.emulateMedia({ colorScheme: 'light' })
  })

  test('is a part of the report, and goes on the board', async () => {
    const query = new URLSearchParams({ sections: 'board.items', parts: 'fog', board: `fog.${ITEM_ID}` })
    await open(`/report?${query}`)
    const maps = figure(/^Fog map of item-1\.svg/)
    await expect.poll(() => maps.locator('.drawing svg').count()).toBe(2)
    for (const n of [0, 1])
      expect(await maps.nth(n).locator('figcaption').textContent()).toMatch(/^Fog map of each participant/)
    expect(walk.complaints).toEqual([])
  })
})

/** Returns the number of fixations that the dashboard is given. */
async function fixationCount(): Promise<number> {
  const answer = await service.get(`/api2/studies/${service.studyIds[0]}/charts/fixations?itemId=${ITEM_ID}`)
  const { tests } = (await answer.json()) as { tests: { fixations: number[][] }[] }
  return tests.reduce((sum, { fixations }) => sum + fixations.length, 0)
}

describe.skipIf(!hasChromium)('gaze plots', () => {
  const legend = () => page.getByRole('list', { name: 'Participants with a gaze plot' })
  const circles = () => figure('Stimulus').locator('.drawing .fixation')

  test('are drawn of all shown, a colour and a letter for each, with the fixations of the answer', async () => {
    await open(`/items/${ITEM_ID}?layers=scanpath`)
    await page.getByText('Gaze plots of single participants').click()
    await page.getByRole('button', { name: 'All shown, up to 8' }).click()
    await page.waitForURL(/plots=all/)
    await page.getByRole('img', { name: /in gaze plots of 4 participants/ }).waitFor()
    expect(await circles().count()).toBe(await fixationCount())
    const colors = await circles().evaluateAll((all) => all.map((g) => g.querySelector('circle')?.getAttribute('fill')))
    expect(new Set(colors).size).toBe(4)
    const first = (await circles().allTextContents()).filter((text) => /^[A-H]1/.test(text.replace(/^.*%/, '')))
    expect(first).toHaveLength(4)
    expect(await legend().getByRole('button').allTextContents()).toEqual([
      'AP1 ×: remove',
      'BP2 ×: remove',
      'CP3 ×: remove',
      'DP4 ×: remove',
    ])
    expect(await axeFindings(page)).toEqual([])
  })

  test('of some stay after a reload, and the caption says who is drawn and who is not', async () => {
    await legend()
      .getByRole('button', { name: /^P2.*remove$/ })
      .press('Enter')
    await legend()
      .getByRole('button', { name: /^P3.*remove$/ })
      .press('Enter')
    await page.waitForURL((url) => url.searchParams.get('plots')?.split('.').length === 2)
    await page.reload()
    await page.getByRole('img', { name: /in gaze plots of 2 participants/ }).waitFor()
    const caption = await figure('Stimulus').locator('figcaption > p').first().textContent()
    expect(caption).toMatch(
      /^Gaze plots of 2 participants \(\d+ of \d+ fixations\), of 4 participants, in 4 of 4 tests\./,
    )
    expect(caption).toContain('Drawn: A P1, B P4. Not drawn: P2, P3.')
    await resize(page, 390, 844)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await keepPicture(page, 'gaze-plots-390')
    await resize(page, 1280, 860)
    await keepPicture(page, 'gaze-plots')
  })

  test('are a part of the report and of the board', async () => {
    const query = new URLSearchParams({ sections: 'board.items', parts: 'plots', board: `plots.${ITEM_ID}` })
    await open(`/report?${query}`)
    const plots = figure(/^Gaze plots of item-1\.svg/)
    await expect.poll(() => plots.locator('.drawing svg').count()).toBe(2)
    expect(await plots.first().locator('figcaption').textContent()).toMatch(/^Gaze plots of 4 participants/)
    expect(walk.complaints).toEqual([])
  })
})

describe.skipIf(!hasChromium)('the rows of a scarf plot', () => {
  const drawing = () => figure('Scarf plot').locator('.drawing svg')
  const namesShown = async () =>
    (await drawing().locator('text[text-anchor=end]').allTextContents()).filter((text) => /^P\d$/.test(text))

  /** Returns participants by a number of their fixations in the right half, as the CSV has them; those without last. */
  async function fromCsv(numberOf: (starts: number[], durations: number[]) => number): Promise<string[]> {
    const rows = await rowsOf(service, service.studyIds[0], `eye-tracking/fixations-aois?itemId=${ITEM_ID}`)
    const people = ['P1', 'P2', 'P3', 'P4'].map((name) => {
      const own = rows.filter((row) => row.participant_external_id === name && row.aoi_names.includes('Right half'))
      const [starts, durations] = ['fixation_starts_at_ms', 'fixation_duration_ms'].map((column) =>
        own.map((row) => Number(row[column])),
      )
      return { name, n: own.length === 0 ? Number.POSITIVE_INFINITY : numberOf(starts, durations) }
    })
    return people.sort((one, other) => one.n - other.n).map(({ name }) => name)
  }

  test('are sorted by first look and dwell time as the CSV has them, and the address keeps it', async () => {
    await open(`/items/${ITEM_ID}?figure=scarf`)
    await drawing().waitFor()
    expect(await namesShown()).toEqual(['P1', 'P2', 'P3', 'P4'])
    await page.getByText('Order and alignment of rows').click()
    await page.getByRole('combobox', { name: 'Rows by' }).selectOption('first')
    await page.getByRole('combobox', { name: 'AOI', exact: true }).selectOption('2')
    await page.waitForURL(/rows=first&rowsAoi=2/)
    const byLook = await fromCsv((starts) => Math.min(...starts))
    expect(byLook.at(-1)).toBe('P1')
    await expect.poll(namesShown).toEqual(byLook)
    await page.getByText('1 test never looked at it: at the end.').first().waitFor()
    await open(`/items/${ITEM_ID}?figure=scarf&rows=dwell&rowsAoi=2`)
    await drawing().waitFor()
    expect(await namesShown()).toEqual(await fromCsv((_, durations) => -durations.reduce((sum, ms) => sum + ms, 0)))
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('combobox', { name: 'Rows by' }).selectOption({ label: 'group: Gender' })
    await page.waitForURL(/rows=group/)
    await expect.poll(namesShown).toEqual(['P2', 'P4', 'P1', 'P3'])
    await page
      .getByText(/ Rows by Gender \(female, male\), then name, from item onset\./)
      .first()
      .waitFor()
  })

  test('begin at the first look on request: the first bar of each is at 0, and one without it is empty', async () => {
    await open(`/items/${ITEM_ID}?figure=scarf&zero=first&rowsAoi=2`)
    await drawing().getByText('Time from the first look at 2 Right half, s').waitFor()
    const path = (await drawing().locator('path[data-aoi="2"]').getAttribute('d'))!
    const bars = [...path.matchAll(/M([\d.]+) ([\d.]+)h/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }))
    const rows = [...new Set(bars.map(({ y }) => y))]
    const firsts = rows.map((y) => Math.min(...bars.filter((bar) => bar.y === y).map(({ x }) => x)))
    expect([rows.length, new Set(firsts).size]).toEqual([3, 1])
    await page.getByText('1 test without that moment: at the end, empty.').first().waitFor()
    expect((await namesShown()).at(-1)).toBe('P1')
    await open(`/items/${ITEM_ID}?figure=scarf&rows=group:Gone&zero=event:gone`)
    await page
      .getByText(
        / No test has the event .?gone.?\. Rows by name, since no attribute .?Gone.? makes groups here, from item onset\./,
      )
      .first()
      .waitFor()
    const chosen = (name: string) => page.getByRole('combobox', { name }).locator('option:checked').textContent()
    expect([await chosen('Rows by'), await chosen('Time from')]).toEqual(['group: Gone', 'event: gone'])
    await open(`/items/${ITEM_ID}?figure=scarf&zero=first&rowsAoi=2`)
    await resize(page, 390, 844)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await keepPicture(page, 'scarf-aligned-390')
    await resize(page, 1280, 860)
    await keepPicture(page, 'scarf-aligned')
    expect(walk.complaints).toEqual([])
  })
})

describe.skipIf(!hasChromium)('a replay of several', () => {
  test('says whose gaze is drawn at the time, in colours of tests or of groups', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await open(`/items/${ITEM_ID}/replay?t=300`)
    await page.getByText('Gaze of 4 of 4 tests at this time').waitFor()
    const colors = () =>
      page.locator('.played circle').evaluateAll((dots) => new Set(dots.map((dot) => dot.getAttribute('fill'))).size)
    expect(await colors()).toBe(4)
    await page.getByRole('combobox', { name: 'Colours of gaze' }).selectOption({ label: 'by Gender' })
    await page.waitForURL(/tint=/)
    await page.getByRole('list', { name: 'Colours by Gender' }).getByText('female, 2 played').waitFor()
    expect(await colors()).toBe(2)
    await page.reload()
    await page.getByRole('list', { name: 'Colours by Gender' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await keepPicture(page, 'replay-by-group')
    await page.getByRole('checkbox', { name: /^P2/ }).uncheck()
    await page.getByRole('list', { name: 'Colours by Gender' }).getByText('female, 1 played').waitFor()
    await open(`/items/${ITEM_ID}/replay?t=300&tint=Mood`)
    await page.getByRole('alert').getByText('tint must be an attribute that makes groups here').waitFor()
    expect(await colors()).toBe(4)
    expect(walk.complaints).toEqual([])
  })
})
