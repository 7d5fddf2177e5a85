import { describe, expect, test } from 'vitest'
import type { FixationsData, PupilsData, PupilTracesData, QualityData } from '../../dashboard/core/api.ts'
import { uuid } from '../engine/import/bundles.ts'
import { axeFindings, expectNoOverflow, hasChromium, keepPicture, openMenu, resize, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { PUPIL_ITEM as ITEM, PUPIL_PEOPLE as PEOPLE, pupilBundle } from './pupil-bundle.ts'

let base: string

const { service, page } = await walkThrough({ demos: [], bundles: [pupilBundle] }, async ({ service, page }) => {
  base = `/studies/${service.studyIds[0]}/items/${ITEM}`
  await signIn(page, service.url, service.read)
})

const figure = (name: string) => page.getByRole('figure', { name, exact: true })
const answer = async <T>(path: string) =>
  (await (await service.get(`/api2/studies/${service.studyIds[0]}${path}`)).json()) as T

/** Returns the places of a drawn line. */
async function pointsOf(locator: string): Promise<[number, number][]> {
  const d = (await page.locator(locator).first().getAttribute('d')) ?? ''
  return [...d.matchAll(/[ML]([-\d.]+)[ ,]([-\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)])
}

/** Expects that places are on a straight line with numbers: y falls by the same px for each unit. */
function expectScaled(places: number[], values: number[]): void {
  expect(places.length).toBe(values.length)
  const [least, most] = [values.indexOf(Math.min(...values)), values.indexOf(Math.max(...values))]
  const pxPerUnit = (places[most] - places[least]) / (values[most] - values[least])
  for (const [i, value] of values.entries())
    expect(places[i]).toBeCloseTo(places[least] + (value - values[least]) * pxPerUnit, 0)
}

describe.skipIf(!hasChromium)('the page of pupils', () => {
  test('draws averages that are the numbers of the server, by group', async () => {
    const groups = new URLSearchParams({ group1: 'participant_age = 20', group2: 'participant_age = 30' })
    const times = 'pupilFromMs=0&pupilToMs=2000'
    await page.goto(`${service.url}${base}/pupils?${groups}&name1=Young&name2=Old&${times}`)
    await figure('Average pupil').getByText('2 participants in Young (2 tests), 2 participants in Old').waitFor()
    const data = await answer<PupilsData>(`/analysis/pupils?itemId=${ITEM}&${groups}&${times}`)
    const means = page.locator('.pupil-averages path.mean')
    expect(await means.count()).toBe(2)
    const both: { drawn: number[]; means: number[] } = { drawn: [], means: [] }
    for (const [g, group] of data.groups.entries()) {
      const d = (await means.nth(g).getAttribute('d')) ?? ''
      both.drawn.push(...[...d.matchAll(/[ML][-\d.]+[ ,]([-\d.]+)/g)].map(([, y]) => Number(y)))
      both.means.push(...group.aboveBaseline.mean.filter((mean) => mean !== null))
    }
    expectScaled(both.drawn, both.means)
    await figure('Average pupil')
      .getByText(/95 % interval over participants/)
      .waitFor()
  })

  test('draws the trace of a test with its steps and events, as the server has them', async () => {
    await page.goto(`${service.url}${base}/pupils`)
    await page.locator('.pupil-trace path.smoothed').waitFor()
    const { tests } = await answer<PupilTracesData>(`/charts/pupils?itemId=${ITEM}`)
    const [trace] = tests
    const smoothed = await pointsOf('.pupil-trace path.smoothed')
    const known = trace.size.flatMap((size, i) => (size === null ? [] : [[trace.tMs[i], size]]))
    expectScaled(
      smoothed.map(([, y]) => y),
      known.map(([, size]) => size),
    )
    expectScaled(
      smoothed.map(([x]) => x),
      known.map(([t]) => t),
    )
    expect(await page.locator('.pupil-trace .event text').allTextContents()).toEqual([expect.stringContaining('cue')])
    expect(await page.locator('.pupil-trace .blink').count()).toBe(trace.left.blinks.length + trace.right.blinks.length)
    await page.getByRole('checkbox', { name: 'Smoothed' }).uncheck()
    await page.locator('.pupil-trace path.smoothed').waitFor({ state: 'detached' })
    const key = figure('Pupil of a test').getByRole('list', { name: 'Lines' })
    await expect.poll(() => key.getByRole('listitem').allTextContents()).toEqual(['Left eye', 'Right eye'])
    for (const name of ['Recorded', 'Cleaned', 'Interpolated']) await page.getByRole('checkbox', { name }).uncheck()
    await figure('Pupil of a test')
      .getByText(/in one test: \d+ points;/)
      .waitFor()
    expect(await key.count()).toBe(0)
  })

  test('locks time to an event, and drags the baseline, also by a field', async () => {
    await page.goto(`${service.url}${base}/pupils?event=cue&pupilFromMs=-500&pupilToMs=1500`)
    await figure('Average pupil').getByText('4 participants (4 events)').waitFor()
    await page.getByText('Time from cue, s').waitFor()
    const drawing = page.locator('.pupil-averages')
    await drawing.scrollIntoViewIfNeeded()
    const box = (await drawing.boundingBox())!
    const band = (await page.locator('.pupil-averages .baseline-window').boundingBox())!
    const msPerPx = 2000 / (box.width - 62 - 14)
    await page.mouse.move(band.x + band.width, box.y + 100)
    await page.mouse.down()
    await page.mouse.move(band.x + band.width + 300 / msPerPx, box.y + 100, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/pupilBaselineToMs=3[345]0/)
    await page.getByLabel('Baseline to, exact value in ms').fill('100')
    await page.waitForURL(/pupilBaselineToMs=100/)
    await figure('Average pupil').getByText('Baseline 0 to 100 ms').waitFor()
  })

  test('compares groups of which one has no conditions', async () => {
    await page.goto(`${service.url}${base}/pupils?name1=Everybody&name2=Older&group2=participant_age+%3D+30`)
    await figure('Average pupil')
      .getByText(/4 participants in .*Everybody.*2 participants in .*Older/)
      .waitFor()
  })

  test('drops a dragged edge where it was if the page is scrolled instead', async () => {
    await page.goto(`${service.url}${base}/pupils?pupilBaselineToMs=300`)
    const status = figure('Average pupil').getByRole('status')
    await status.getByText('Baseline 0 to 300 ms').waitFor()
    const drawing = page.locator('.pupil-averages')
    await drawing.scrollIntoViewIfNeeded()
    const band = (await page.locator('.pupil-averages .baseline-window').boundingBox())!
    await page.mouse.move(band.x + band.width, band.y + 100)
    await page.mouse.down()
    await page.mouse.move(band.x + band.width + 40, band.y + 100, { steps: 4 })
    await expect.poll(() => status.textContent()).not.toContain('Baseline 0 to 300 ms')
    await page.locator('body').dispatchEvent('pointercancel')
    await status.getByText('Baseline 0 to 300 ms').waitFor()
    await page.mouse.move(band.x + band.width + 80, band.y + 100, { steps: 4 })
    await page.mouse.up()
    await page.waitForLoadState('networkidle')
    expect(await status.textContent()).toContain('Baseline 0 to 300 ms')
    expect(page.url()).toContain('pupilBaselineToMs=300')
  })

  test('is beside a page of the item whose charts mark events', async () => {
    await page.goto(`${service.url}${base}?figure=scarf`)
    await page.locator('path.events').waitFor({ state: 'attached' })
    const marks = (await page.locator('path.events').getAttribute('d')) ?? ''
    expect(marks.match(/M/g)).toHaveLength(PEOPLE.length)
    await page.goto(`${service.url}${base}?participant=${uuid('b', 1)}&figure=time`)
    await page.locator('.event text').filter({ hasText: 'cue' }).waitFor()
    await figure('Gaze over time').getByText('A dashed line is an event.').waitFor({ state: 'attached' })
  })

  test('is beside a page of groups whose time window reaches to the end of the longest test', async () => {
    const groups = new URLSearchParams({ group1: 'participant_age = 20', group2: 'participant_age = 30' })
    await page.goto(`${service.url}/studies/${service.studyIds[0]}/groups?${groups}&name1=Young&name2=Old`)
    const { tests } = await answer<FixationsData>(`/charts/fixations?itemId=${ITEM}`)
    const { longestTestMs } = await answer<{ longestTestMs: number }>(`/items/${ITEM}/shown`)
    expect(longestTestMs).toBeGreaterThan(
      Math.max(...tests.flatMap(({ fixations }) => fixations.map(([, , , end]) => end))),
    )
    const end = page.getByRole('group', { name: 'Time window' }).getByLabel('To', { exact: true })
    await expect.poll(() => end.getAttribute('max')).toBe(String(Math.ceil(longestTestMs)))
  })

  test('is beside a page of quality with the measures of each eye', async () => {
    await page.goto(`${service.url}/studies/${service.studyIds[0]}/quality`)
    const table = page.getByRole('table').filter({ hasText: 'Left eye: blinks, per minute' })
    await table.first().waitFor()
    const { measures } = await answer<QualityData>('/analysis/quality')
    const row = table.first().getByRole('row').filter({ hasText: 'Right eye: samples without a pupil' })
    const { median } = measures.find(({ column }) => column === 'right_pupil_loss_percents')!
    expect(Number(await row.locator('td').nth(1).getAttribute('data-value'))).toBeCloseTo(median!, 9)
    // A column of each for the participants, too.
    expect(await page.locator('table').filter({ hasText: 'Excluded tests' }).locator('tbody tr').count()).toBe(4)
  })

  test('is whole on a phone, in both themes, and without findings of axe', async () => {
    await page.goto(`${service.url}${base}/pupils`)
    await page.locator('.pupil-averages').waitFor()
    await page.locator('.pupil-trace').waitFor()
    for (const theme of ['light', 'dark']) {
      await openMenu(page)
      await page.getByLabel('Light or dark').selectOption(theme)
      await page.keyboard.press('Escape')
      expect(await axeFindings(page)).toEqual([])
      await keepPicture(page, `pupils-${theme}`, { fullPage: true })
    }
    await resize(page, 390, 844)
    await page.locator('.pupil-averages').waitFor()
    await expectNoOverflow(page, [390])
    await keepPicture(page, 'pupils-390', { fullPage: true })
    await resize(page, 1280, 900)
  })

  test('events are marks on the timeline of the replay, where they happened', async () => {
    await page.goto(`${service.url}${base}/replay`)
    const marks = page.locator('.timeline .event-mark')
    await marks.first().waitFor()
    expect(await marks.count()).toBe(PEOPLE.length)
    expect(await marks.first().getAttribute('title')).toBe('cue')
    const track = (await page.locator('.playhead-track').boundingBox())!
    const mark = (await marks.first().boundingBox())!
    // At 500 of 2,000 ms.
    expect((mark.x - track.x) / track.width).toBeCloseTo(0.25, 2)
  })

  test('is reached from the item, whose settings have the eye; a choice of it is in the address', async () => {
    await page.goto(`${service.url}${base}`)
    await page.getByText('More pages').waitFor()
    await page.getByLabel('Eye', { exact: true }).selectOption('left')
    await page.waitForURL(/eye=left/)
    await page.getByText('More pages').click()
    await page.getByRole('link', { name: 'Pupils' }).click()
    await page.waitForURL(/\/pupils\?.*eye=left/)
    await figure('Average pupil').getByText('4 participants (4 tests)').waitFor()
  })

  test('fields of settings show all digits of their numbers', async () => {
    await page.goto(`${service.url}${base}/pupils`)
    const fields = page.locator('.slider .value input')
    await fields.nth(3).waitFor()
    expect(await fields.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value))).toContain('5000')
    const cut = await fields.evaluateAll((fields) =>
      fields.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.id),
    )
    expect(cut).toEqual([])
  })

  test('the eye counts as a change of the settings, and goes back to its default with them', async () => {
    await page.goto(`${service.url}/studies/${service.studyIds[0]}/quality?eye=left`)
    await page.getByText('Settings: 1 change from the defaults').click()
    await page.getByRole('button', { name: 'Back to defaults' }).click()
    await page.waitForURL(({ searchParams }) => !searchParams.has('eye'))
    await page.getByText('Settings: defaults').waitFor()
  })

  test('the eye comes along to the page of an export, which has the choice, and to its file', async () => {
    const preview = page.waitForRequest((request) => /previews\/fixations\?.*eye=left/.test(request.url()))
    await page.goto(`${service.url}${base.replace(/\/items.*/, '')}/export?export=fixations&eye=left`)
    await preview
    await expect.poll(() => page.getByLabel('Eye', { exact: true }).inputValue()).toBe('left')
    const other = page.waitForRequest((request) => /previews\/fixations\?.*eye=right/.test(request.url()))
    await page.getByLabel('Eye', { exact: true }).selectOption('right')
    expect(await (await (await other).response())!.text()).toContain('; eye = right')
  })
})
