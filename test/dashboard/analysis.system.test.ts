import { readFile } from 'node:fs/promises'
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny'
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { pText } from '../../dashboard/pages/groups/measure-texts.ts'
import { quantile } from '../../engine/analysis/statistics/descriptive.ts'
import { holm } from '../../engine/analysis/statistics/holm.ts'
import { mannWhitney } from '../../engine/analysis/statistics/mann-whitney.ts'
import { axeFindings, expectNoOverflow, hasChromium, keepScreenshot, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { rowsOf, viewedRowsOf } from './rows.ts'

/** The pages that replay and compare, in a real browser: one server, one browser, one study for all of them. */
const DEMO = { participants: 66, items: 2, seconds: 6, hz: 60, seed: 3 }
let studyPath: string
let itemId: string

const { service, walk, page } = await walkThrough({ demos: [DEMO] }, async ({ service, page }) => {
  studyPath = `/studies/${service.studyIds[0]}`
  const study = (await (await service.get(`/api2${studyPath}`)).json()) as { items: { id: string }[] }
  itemId = study.items[1].id
  await signIn(page, service.url, service.ops)
})

const open = (path: string) => page.goto(service.url + studyPath + path)

/** A phone, a small laptop, a laptop at 200 %; and the width of all else. */
const WIDTHS = [390, 1080, 640, 1280]

describe.skipIf(!hasChromium)('replay in Chromium', () => {
  const clock = () => page.locator('.clock').textContent()
  const recordingOf = async <T>() => {
    const answer = await service.get(`/api2${studyPath}/charts/recording?itemId=${itemId}`)
    return ((await answer.json()) as { tests: T[] }).tests
  }
  /** The page draws it with its next frame, which may be late. */
  const clockShows = (text: RegExp) => expect.poll(clock).toMatch(text)

  test('does not start by itself where motion is reduced, and says what is looked at', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    // Slow, so that it does not come to its end between two keys.
    await open(`/items/${itemId}/replay?t=2000&speed=0.1`)
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await clockShows(/^2\.000 of /)
    await page.getByText(/^At 2\.000 s, of \d+ tests with gaze: /).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, WIDTHS)
    await keepScreenshot(page, 'replay', { fullPage: true })
  })

  test('counts who looks into an AOI as the CSV of fixations has it', async () => {
    const { tests } = (await (await service.get(`/api2${studyPath}/charts/fixations?itemId=${itemId}`)).json()) as {
      tests: { testId: string; fixations: number[][] }[]
    }
    const played = await recordingOf<{ testId: string; gaze: { tMs: number[] } }>()
    const viewing = new Set(played.filter(({ gaze }) => gaze.tMs.length > 0).map(({ testId }) => testId))
    expect([played.length >= tests.length, viewing.size < played.length]).toEqual([true, true])
    const counts = new Map<number, number>()
    for (const { fixations } of tests.filter(({ testId }) => viewing.has(testId)))
      for (const [, , startMs, endMs, , , , ...aois] of fixations)
        if (startMs <= 2000 && 2000 < endMs) for (const a of aois) counts.set(a, (counts.get(a) ?? 0) + 1)
    const told = (await page.locator('.said').textContent()) ?? ''
    expect(told).toContain(`of ${viewing.size} tests with gaze: `)
    const read = [...told.matchAll(/(\d+) in (\d+) /g)].map(([, n, a]) => [Number(a) - 1, Number(n)])
    expect(read).toEqual([...counts].sort(([one], [other]) => one - other))
    expect(read.length).toBeGreaterThan(0)
  })

  test('is played by keys alone: frames, samples, seconds, play and pause', async () => {
    await page.getByRole('button', { name: 'One frame forward' }).focus()
    await page.keyboard.press('.')
    await clockShows(/^2\.017 /)
    await page.keyboard.press(',')
    await page.keyboard.press('l')
    await clockShows(/^3\.000 /)
    await expect.poll(() => page.url()).toContain('t=3000')
    await page.getByRole('slider', { name: 'Time' }).focus()
    await page.keyboard.press('ArrowLeft')
    await clockShows(/^2\.983 /)
    await page.keyboard.press('k')
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    await expect.poll(async () => Number.parseFloat((await clock()) ?? '')).toBeGreaterThan(2.983)
    await page.keyboard.press('k')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  })

  test('plays 50 participants at once; the frames it draws stand in the output', async () => {
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    // Slow, so that it does not come to its end before it is looked at.
    await open(`/items/${itemId}/replay?speed=0.1`)
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    await page.locator('canvas.stage[data-draws]').waitFor({ state: 'attached' })
    const { draws, ms } = (await page.evaluate(`(async () => {
      const canvas = document.querySelector('canvas.stage')
      const [before, from] = [Number(canvas.dataset.draws), performance.now()]
      const drawn = () => Number(canvas.dataset.draws) - before
      // On a machine that is busy with others, one frame may take longer.
      while (performance.now() - from < 1500 || drawn() === 0) await new Promise((done) => setTimeout(done, 100))
      return { draws: drawn(), ms: performance.now() - from }
    })()`)) as { draws: number; ms: number }
    console.log(`replay of 50 participants: ${((1000 * draws) / ms).toFixed(1)} frames a second`)
    expect(draws).toBeGreaterThan(0)
  })

  test('saves a video of one participant as WebM and as MP4', async () => {
    const tests = await recordingOf<{ participantId: string }>()
    await open(`/items/${itemId}/replay?participant=${tests[0].participantId}&speed=4`)
    for (const [kind, mark] of [
      ['webm', '1a45dfa3'],
      ['mp4', '66747970'],
    ]) {
      await page.getByLabel('Format').selectOption(kind)
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save video' }).click()
      const download = await downloading
      expect(download.suggestedFilename()).toMatch(new RegExp(`^gazette-replay-.*\\.${kind}$`))
      const file = await readFile(await download.path())
      expect(file.subarray(0, 12).toString('hex')).toContain(mark)
      const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS })
      const track = await input.getPrimaryVideoTrack()
      const { packetCount } = await track!.computePacketStats()
      await clockShows(/ of /)
      const untilMs = 1000 * Number.parseFloat((await clock())!.split(' of ')[1])
      expect(Math.abs(packetCount - Math.ceil((untilMs / 1000 / 4) * 30))).toBeLessThanOrEqual(1)
      expect(await input.computeDuration()).toBeCloseTo(packetCount / 30, 1)
      input.dispose()
    }
  })
})

const csv = (path: string) => rowsOf(service, service.studyIds[0], path)
/** Numbers over tests with valid gaze. */
const viewed = (path: string) => viewedRowsOf(service, service.studyIds[0], path)

/** The cells of a table on the page, row by row. */
async function cellsOf(label: string): Promise<string[][]> {
  return page
    .getByRole('region', { name: label })
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
}

describe.skipIf(!hasChromium)('groups in Chromium', () => {
  test('split by what is known of participants, and by conditions that are added and taken away as chips', async () => {
    await open(`/groups?item=${itemId}`)
    await page.getByText('No groups yet').waitFor()
    await page.getByRole('button', { name: 'condition', exact: true }).click()
    const first = page.getByRole('region', { name: 'Group 1: free' })
    const counted = (group: Locator) => group.getByText(/^n = \d+ participants/)
    await counted(page.getByRole('region', { name: 'Group 2: search' })).waitFor()
    await counted(first).waitFor()
    const before = await counted(first).textContent()
    await first.getByText('Add a condition').click()
    await first.getByLabel('free: column').selectOption({ label: 'Age' })
    await first.getByLabel('free: comparison').selectOption('<')
    await first.getByLabel('free: value').fill('forty')
    await page.keyboard.press('Enter')
    await first.getByRole('alert').getByText('Age needs a number').waitFor()
    await first.getByLabel('free: value').fill('40')
    await page.keyboard.press('Enter')
    await first.getByRole('button', { name: 'Remove age below 40' }).waitFor()
    expect(new URL(page.url()).searchParams.get('group1')).toBe(
      "external_data_condition = 'free' AND participant_age < 40",
    )
    await counted(first).filter({ hasNotText: before! }).waitFor()
    await first.getByRole('button', { name: 'Remove age below 40' }).click()
    await expect.poll(() => first.locator('.kept').textContent()).toBe(before)
  })

  test('n, medians, U and p of every AOI are those of the CSV', async () => {
    const label = 'Tests of the groups in each area of interest'
    const valuesOf = async (condition: string) => {
      const filter = encodeURIComponent(`external_data_condition = '${condition}'`)
      return viewed(`eye-tracking/aois-all/fixations-stats?itemId=${itemId}&filter=${filter}`)
    }
    const [a, b] = [await valuesOf('free'), await valuesOf('search')]
    const aoiIds = [...new Set(a.map((row) => row.aoi_id))]
    const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })
    const ps = aoiIds.map((id) => {
      const own = [a, b].map((rows) =>
        rows.filter(({ aoi_id }) => aoi_id === id).map((row) => Number(row.aoi_fixation_average_total_time_spent_ms)),
      )
      return { own, ...mannWhitney(own[0], own[1]) }
    })
    const corrected = holm(ps.map(({ p }) => p))
    const expected = ps.map(({ own, statistic, p }, i) => [
      ...own.map(({ length }) => String(length)),
      ...own.map((values) => whole.format(quantile(values, 0.5))),
      whole.format(statistic),
      pText(p),
      pText(corrected[i]),
    ])
    expect(expected.length).toBeGreaterThan(0)
    await expect.poll(async () => (await cellsOf(label)).map((row) => row.slice(2, 9))).toEqual(expected)
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, WIDTHS)
    await keepScreenshot(page, 'groups', { fullPage: true })
  })

  test('groups that share participants are not tested', async () => {
    await open(
      `/groups?item=${itemId}&group1=participant_age+%3E+1&name1=all&group2=participant_age+%3C+30&name2=young`,
    )
    await page.getByText(/participants are in more than one group/).waitFor()
    await page
      .getByText(/No test was computed/)
      .first()
      .waitFor()
  })

  test('participants of the study are found by tags and data, and chosen by conditions in the address', async () => {
    await open(`?filter=${encodeURIComponent("external_data_condition = 'search'")}`)
    const kept = page.locator('section[aria-labelledby=people] .kept')
    const rows = await csv(`keyboard-and-mouse/overall-per-participant?filter=external_data_condition+%3D+'search'`)
    const people = new Set(rows.map((row) => row.participant_id))
    await expect
      .poll(() => kept.textContent())
      .toMatch(new RegExp(`^${people.size} of \\d+ participants(?: with a test)? kept`))
    await page.getByRole('grid').getByRole('button', { name: 'condition' }).waitFor()
    await page.getByLabel('Find a participant').fill('glasses')
    await kept.getByText(/found/).waitFor()
    const tagged = new Set(
      rows.filter((row) => row.participant_tags.includes('glasses')).map((row) => row.participant_id),
    )
    expect(await kept.textContent()).toContain(`${tagged.size} found`)
    expect(await axeFindings(page)).toEqual([])
  })
})

describe.skipIf(!hasChromium)('quality in Chromium', () => {
  test('says who falls out at a threshold, as the CSV has it, as a filter that keeps the others', async () => {
    const rows = await csv(`eye-tracking/quality-stats?itemId=${itemId}`)
    const losses = rows.map((row) => Number(row.data_loss_percents)).sort((one, other) => one - other)
    // A few fall out, so that the filter can name them.
    const limit = losses[losses.length - 8]
    await open(`/quality?item=${itemId}`)
    await page.getByRole('img', { name: new RegExp(`^Quality of ${rows.length} tests`) }).waitFor()
    await page.getByLabel('Samples without gaze, at most').fill(String(limit))
    await page.keyboard.press('Enter')
    const out = rows.filter((row) => Number(row.data_loss_percents) > limit || row.valid_sample_count === '0')
    await page.getByText(`${out.length} of ${rows.length} tests excluded`).waitFor()
    const results = page.getByRole('region', { name: 'Results with all tests, and without the excluded ones' })
    await results.waitFor()
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, WIDTHS)
    await keepScreenshot(page, 'quality', { fullPage: true })
    const exclusion = (await page.locator('.panel code.address').textContent()) ?? ''
    const kept = await csv(`eye-tracking/quality-stats?itemId=${itemId}&filter=${encodeURIComponent(exclusion)}`)
    expect(kept.map((row) => row.test_id).sort()).toEqual(
      rows
        .filter((row) => !out.includes(row))
        .map((row) => row.test_id)
        .sort(),
    )
    const [all, after] = await Promise.all(
      ['', `&filter=${encodeURIComponent(exclusion)}`].map((more) =>
        csv(`eye-tracking/aois-all/overall-stats?itemId=${itemId}${more}`),
      ),
    )
    const one = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
    const shown = await cellsOf('Results with all tests, and without the excluded ones')
    for (const [r, cells] of shown.entries()) {
      const [before, now] = [all[r], after[r]].map((row) => row.aoi_fixation_average_total_time_spent_ms)
      const text = (cell: string) => (cell === '' ? '–' : one.format(Number(cell)))
      expect(cells[2]).toMatch(new RegExp(`^${text(before)} → ${text(now)} `))
    }
  })

  test('loss over time is the mean over tests of the bins of the CSV', async () => {
    const bins = await csv(`eye-tracking/gazes-aois-binned?itemId=${itemId}&binMs=500`)
    await page.getByRole('figure', { name: 'Loss over time' }).getByRole('button', { name: 'Numbers' }).click()
    const shown = (await cellsOf('Loss over time, numbers')).map((row) => row.map(Number))
    const starts = [...new Set(bins.map((row) => Number(row.bin_starts_at_ms)))].sort((one, other) => one - other)
    expect(shown.map(([at]) => 1000 * at)).toEqual(starts)
    for (const [i, start] of starts.entries()) {
      const own = bins.filter((row) => Number(row.bin_starts_at_ms) === start)
      const lost = own.map((row) => {
        const [losses, gazes] = [Number(row.bin_trackloss_count), Number(row.bin_gaze_count)]
        return (100 * losses) / (losses + gazes)
      })
      expect(shown[i][2]).toBe(own.length)
      expect(shown[i][1]).toBeCloseTo(lost.reduce((sum, percents) => sum + percents, 0) / own.length, 9)
    }
  })

  test('writes the exclusion down in the methods once it is used', async () => {
    await page.getByRole('button', { name: 'Use this filter' }).click()
    await page.getByText(/^0 of \d+ tests excluded/).waitFor()
    expect(new URL(page.url()).searchParams.get('filter')).toMatch(/test_[a-z_]+ [<>]=/)
    await page.getByRole('button', { name: 'Write it' }).click()
    await page
      .locator('.paragraph')
      .getByText(/Excluding tests with more than [\d.]+ % of samples lost, or without samples \(\d+ of \d+\)/)
      .waitFor()
  })

  test('shows the tests of one participant', async () => {
    const [{ participant_id }] = await csv(`eye-tracking/quality-stats?itemId=${itemId}`)
    await open(`/quality?participant=${participant_id}`)
    const rows = await csv(`eye-tracking/quality-stats?filter=participant_id+%3D+'${participant_id}'`)
    await page.getByRole('region', { name: 'Tests of the participant' }).waitFor()
    const one = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
    const cells = await cellsOf('Tests of the participant')
    expect(cells.map((row) => row[2])).toEqual(rows.map((row) => one.format(Number(row.data_loss_percents))))
    expect(cells.map((row) => row[3])).toEqual(rows.map((row) => one.format(Number(row.sampling_rate_hz))))
  })
})

describe.skipIf(!hasChromium)('transitions in Chromium', () => {
  test('the matrix, the visits and the first fixations are those of the CSV', async () => {
    await open(`/items/${itemId}/transitions?view=all`)
    await page.getByRole('img', { name: /^Time to first fixation of \d+ areas/ }).waitFor()
    await page.getByRole('img', { name: /^The \d+ most frequent transitions/ }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, WIDTHS)
    await keepScreenshot(page, 'transitions', { fullPage: true })
    const rows = await csv(`eye-tracking/aois-all/transitions?itemId=${itemId}`)
    const total = rows.reduce((sum, row) => sum + Number(row.transition_count), 0)
    await page
      .getByText(new RegExp(`${new Intl.NumberFormat('en').format(total)} transitions from the AOI`))
      .first()
      .waitFor()
    const visits = await csv(`eye-tracking/aois-all/visits?itemId=${itemId}`)
    const stats = await viewed(`eye-tracking/aois-all/fixations-stats?itemId=${itemId}`)
    const aoiIds = [...new Set(stats.map((row) => row.aoi_id))]
    const [shownVisits, shownLooks] = [
      await cellsOf('Visits of each area of interest'),
      await cellsOf('Time to first fixation of each area of interest'),
    ]
    const one = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
    for (const [a, id] of aoiIds.entries()) {
      const own = visits.filter((row) => row.aoi_id === id)
      const dwell = own.reduce((sum, row) => sum + Number(row.visit_dwell_ms), 0) / own.length
      expect(shownVisits[a][2]).toBe(String(own.length))
      expect(shownVisits[a][4]).toBe(own.length === 0 ? '–' : one.format(dwell))
      const looks = stats.filter((row) => row.aoi_id === id)
      const looked = looks.filter((row) => row.aoi_fixation_ttff_ms !== '').length
      expect(shownLooks[a].slice(1, 4)).toEqual([looks.length, looked, looks.length - looked].map(String))
    }
    await page.getByLabel('Cells').selectOption('shares')
    await page
      .getByText(/as a percentage of all transitions from the AOI of the row/)
      .first()
      .waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})

describe.skipIf(!hasChromium)('all of these pages', () => {
  test('asked no other host, and complained of nothing', () => {
    expect(walk.complaints).toEqual([])
  })
})
