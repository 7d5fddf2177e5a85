import { describe, expect, test } from 'vitest'
import { READING_MEASURES } from '../../isomorphic/measures.ts'
import { TEXT_WORDS } from '../engine/analysis/charts/text-bundle.ts'
import { axeFindings, expectNoOverflow, hasChromium, keepPicture, resize, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { rowsOf } from './rows.ts'
import { TEXT_ITEM, WORDLESS_ITEM, writtenText } from './text-bundle.ts'

let study: string

/** The page of a text: its numbers are those of the rows of the export, and its drawing that of the numbers. */
const { service, walk, page } = await walkThrough({ demos: [], bundles: [writtenText] }, async ({ service, page }) => {
  study = service.studyIds[0]
  await signIn(page, service.url, service.read)
})

const SETTINGS = 'movingMedianRangeMs=20'
const open = (query = '') => page.goto(`${service.url}/studies/${study}/items/${TEXT_ITEM}/reading?${SETTINGS}${query}`)
const figure = () => page.getByRole('figure', { name: 'Text', exact: true })
const controls = () =>
  page.locator('a[href]:visible, button:visible, input:visible, select:visible, summary:visible').count()

describe.skipIf(!hasChromium)('the page of a text', () => {
  test('has the means of the rows of the export, word by word and measure by measure', async () => {
    await open()
    await figure().locator('svg.text-of-words .word').first().waitFor()
    const rows = await rowsOf(service, study, `eye-tracking/reading?itemId=${TEXT_ITEM}&${SETTINGS}`)
    await page.getByText(`Words: ${TEXT_WORDS.length}`).click()
    const cells = await page
      .getByRole('region', { name: 'Words', exact: true })
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td[title]')].map((cell) => cell.getAttribute('data-value'))),
      )
    expect(cells).toHaveLength(TEXT_WORDS.length)
    // Each column stands below its name.
    const heads = await page.getByRole('region', { name: 'Words', exact: true }).locator('thead th').allInnerTexts()
    expect(heads.slice(0, 3)).toEqual(['Word', 'First-pass time, ms', 'First fixation, ms'])
    expect(heads).toHaveLength(1 + cells[0].length)
    for (const [w, [line, place, text]] of TEXT_WORDS.entries())
      for (const [m, { column }] of READING_MEASURES.entries()) {
        const own = rows.filter((row) => row.aoi_name === `${line}.${place} ${text}` && row[column] !== '')
        const values = own.map((row) => ({ true: 100, false: 0 })[row[column]] ?? Number(row[column]))
        expect(Number(cells[w][m])).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 5)
      }
  })

  test('colours words from the least to the greatest mean, and underlines those that most skipped', async () => {
    await figure()
      .getByRole('combobox', { name: /^Colour shows/ })
      .selectOption({ label: 'Skipped, %' })
    await page.waitForURL(/measure=word_skipped/)
    const fillOf = (place: string) => figure().locator(`[data-word="${place}"] polygon`).getAttribute('fill')
    await expect
      .poll(() => figure().locator('[data-word="1.2"] title').textContent())
      .toMatch(/66\.7 % \(SD 57\.7, n = 3\)/)
    // 1.1 and 2.1 are skipped by 33 %, 1.3 and 2.2 by nobody, 1.2 by 67 %.
    expect(await fillOf('1.1')).toBe(await fillOf('2.1'))
    expect(await fillOf('1.3')).toBe(await fillOf('2.2'))
    expect(new Set(await Promise.all(['1.1', '1.2', '1.3'].map(fillOf))).size).toBe(3)
    expect(await figure().locator('.skipped').count()).toBe(1)
    expect(await figure().locator('[data-word="1.2"] .skipped').count()).toBe(1)
    await figure()
      .getByText(/Skipped of each of 5 words, .* of 3 participants/)
      .waitFor()
  })

  test('tells a word that is pressed or chosen, which the address keeps', async () => {
    const box = (await figure().locator('[data-word="1.3"] polygon').boundingBox())!
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    await page.waitForURL(/word=1\.3/)
    await figure()
      .getByText(/word 1\.3: skipped 0 % \(SD 0, n = 3\)/)
      .waitFor()
    await figure().getByRole('combobox', { name: /^Word/ }).selectOption({ label: '1.2 old' })
    await figure()
      .getByText(/word 1\.2: skipped 66\.7 %/)
      .waitFor()
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
    await keepPicture(page, 'reading', { fullPage: true })
    expect(await controls()).toBeLessThanOrEqual(60)
  })

  test('has the numbers of one reader, with lines as assigned, and says the settings', async () => {
    const people = (await (await service.get(`/api2/studies/${study}/participants`)).json()) as {
      participants: { id: string; externalId: string }[]
    }
    const second = people.participants.find(({ externalId }) => externalId === 'P2')!.id
    await open(`&participant=${second}&measure=word_skipped&lines=warp`)
    await figure()
      .getByText(/of 1 participant, in 1 of 1 test/)
      .waitFor()
    await expect.poll(() => figure().locator('[data-word="1.2"] title').textContent()).toMatch(/100 % \(n = 1\)/)
    await figure().getByRole('button', { name: 'Method and settings' }).click()
    await figure()
      .getByText(/Fixations were first assigned to lines by “warp”/)
      .waitFor()
    expect(await page.getByRole('combobox', { name: 'Lines of fixations' }).inputValue()).toBe('warp')
    await page.getByRole('link', { name: 'Charts of this item' }).click()
    await page.waitForURL(/lines=warp/)
  })

  test('lists items and readers left of the text in a wide window, instead of their choice', async () => {
    await resize(page, 1920, 1080)
    await open('&measure=word_skipped')
    await page.locator('.place-lists select').selectOption({ label: 'P2' })
    await figure()
      .getByText(/of 1 participant, in 1 of 1 test/)
      .waitFor()
    expect(new URL(page.url()).searchParams.get('measure')).toBe('word_skipped')
    expect(await page.getByRole('navigation', { name: 'Items' }).getByRole('link').count()).toBe(2)
    expect(await page.getByRole('combobox', { name: 'Participant', exact: true }).count()).toBe(0)
    expect(await axeFindings(page)).toEqual([])
    await resize(page, 1280, 860)
  })

  test('compares groups by a measure of words', async () => {
    const query = new URLSearchParams({
      ...{ group1: "participant_external_id = 'P1'", group2: "participant_external_id <> 'P1'" },
      measure: 'word_skipped',
    })
    await page.goto(`${service.url}/studies/${study}/groups?${query}`)
    await page.getByText(/^Skipped, of readers by AOI/).waitFor()
    expect(await axeFindings(page)).toEqual([])
  })

  test('is dark, narrow and printed without faults, and an item without words says how they come to be', async () => {
    await open('&word=1.2')
    await page.emulateMedia({ colorScheme: 'dark' })
    await figure()
      .getByText(/word 1\.2/)
      .waitFor()
    expect(await axeFindings(page)).toEqual([])
    await keepPicture(page, 'reading-dark', { fullPage: true })
    await page.emulateMedia({ colorScheme: 'light', media: 'print' })
    expect(await figure().locator('svg.text-of-words').isVisible()).toBe(true)
    expect(await page.locator('select:visible').count()).toBe(0)
    await page.emulateMedia({ media: 'screen' })
    await page.goto(`${service.url}/studies/${study}/items/${WORDLESS_ITEM}/reading`)
    await page.getByText('This item has no words').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.goto(`${service.url}/studies/${study}/items/${TEXT_ITEM}`)
    await page.getByText('More pages').click()
    await page.getByRole('link', { name: 'Reading' }).click()
    await page.waitForURL(/\/reading/)
    expect(walk.complaints).toEqual([])
  })
})
