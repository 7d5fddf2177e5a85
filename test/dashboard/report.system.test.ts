import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { axeFindings, expectNoOverflow, hasChromium, keepPicture, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'

let study: string

/** The report as it is printed: its pages, its sections, its own text. */
const { service, walk, page } = await walkThrough(
  { demos: [{ participants: 24, items: 6, seconds: 4, hz: 30, seed: 1 }] },
  async ({ service, page }) => {
    study = `/studies/${service.studyIds[0]}`
    await signIn(page, service.url, service.write)
  },
)

const OUT = fileURLToPath(new URL('out', import.meta.url))
const open = async (query = '') => {
  await page.goto(`${service.url}${study}/report${query}`)
  await page.locator('article.report[aria-busy=false]').waitFor()
}

/** Prints the page as a PDF of A4, which is kept, and counts its pages. */
async function pagesOf(name: string): Promise<number> {
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true })
  await mkdir(OUT, { recursive: true })
  await writeFile(join(OUT, `${name}.pdf`), pdf)
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)!.length
}

const heads = () => page.locator('article.report :is(h2, h3)').allTextContents()

describe.skipIf(!hasChromium)('the report', () => {
  test('of six items takes at most eight pages, and parts no table or figure', async () => {
    await open()
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: 688, height: 1000 })
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
    await keepPicture(page, 'report-print', { fullPage: true })
    await page.setViewportSize({ width: 1280, height: 860 })
    await page.emulateMedia({ media: null })
    const pages = await pagesOf('report-six-items')
    expect(pages).toBeLessThanOrEqual(8)
    // A page of A4 within its margins is 182 mm by 265 mm, which is 688 px by 1,002 px.
    expect(pages).toBeLessThanOrEqual(Math.ceil(height / 1002) + 2)
  })

  test('asks the server for what it shows alone', async () => {
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(new URL(request.url()).pathname.split('/').at(-1)!))
    await open('?sections=items&parts=table')
    expect([...asked].filter((name) => ['methods', 'quality', 'heatmap', 'transitions'].includes(name))).toEqual([])
    expect([asked.has('aois'), asked.has('fixations')]).toEqual([true, true])
    page.removeAllListeners('request')
    expect(await page.getByRole('button', { name: 'Print or save as PDF' }).isEnabled()).toBe(true)
  })

  test('has sections by choice and order, which its address keeps', async () => {
    await open()
    await page.getByText('Contents, own text and logo').click()
    await page.getByRole('button', { name: 'Move Sources up' }).click()
    await page.getByRole('checkbox', { name: 'Participants and exclusions' }).click()
    for (const name of ['Heatmap', 'AOIs as a table', 'AOIs as bars'])
      await page.getByRole('checkbox', { name }).click()
    for (const name of ['Scarf plot', 'Transitions', 'Time to first fixation'])
      await page.getByRole('checkbox', { name }).click()
    await page.getByLabel('Title', { exact: true }).fill('For the committee')
    await page.getByLabel(/^Own text, at most/).fill('First paragraph.\n\nSecond.')
    await page.setInputFiles('input[type=file]', {
      name: 'logo.svg',
      mimeType: 'image/svg+xml',
      buffer: Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><rect width="90" height="30"/></svg>',
      ),
    })
    await page.getByRole('img', { name: 'Logo' }).waitFor()
    await page.evaluate('scrollTo(0, 0)')
    await keepPicture(page, 'report-contents', { fullPage: true })
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
    const query = new URL(page.url()).search
    expect(new URLSearchParams(query).get('sections')).toBe('text.methods.quality.sources.items')
    expect(new URLSearchParams(query).get('parts')).toBe('scarf.transitions.survival')
    await open(query)
    await page.getByRole('heading', { level: 1, name: 'For the committee' }).waitFor()
    expect(await page.locator('.own-text').allTextContents()).toEqual(['First paragraph.', 'Second.'])
    const titles = await heads()
    const at = (text: string) => titles.findIndex((title) => title.startsWith(text))
    expect(at('Sources')).toBeLessThan(at('Item'))
    expect(at('Participants')).toBe(-1)
    expect(titles.filter((title) => title.startsWith('Heatmap'))).toEqual([])
    for (const title of ['Scarf plot of', 'Transitions', 'Time to first fixation'])
      expect([title, titles.filter((each) => each.startsWith(title)).length]).toEqual([title, 6])
    await page.getByText('Contents, own text and logo').click()
    await page.getByRole('button', { name: 'Remove the logo' }).click()
    expect(await page.getByRole('img', { name: 'Logo' }).count()).toBe(0)
  })

  test('has a text of as many letters as an address holds, and says so of one that is longer', async () => {
    await open()
    await page.getByText('Contents, own text and logo').click()
    const text = page.getByLabel(/^Own text, at most/)
    await text.fill('ü'.repeat(1300))
    await expect.poll(() => new URL(page.url()).searchParams.get('text')?.length).toBe(1300)
    await page.reload()
    await page.locator('.own-text').waitFor()
    await page.getByText('Contents, own text and logo').click()
    await text.fill('ü'.repeat(1900))
    await page.getByText(/^The report keeps the text from before: .* 11,\d+ bytes, .* at most 8,000\./).waitFor()
    expect(await page.locator('.own-text').textContent()).toHaveLength(1300)
    expect(await text.inputValue()).toHaveLength(1900)
    await text.fill('Short.')
    await page.getByText(/^The report keeps the text/).waitFor({ state: 'hidden' })
    expect(await page.locator('.own-text').textContent()).toBe('Short.')
  })

  test('compares the groups that the page of groups hands on', async () => {
    await page.goto(`${service.url}${study}/groups`)
    await page
      .getByRole('button', { name: /gender/i })
      .first()
      .click()
    await page.getByRole('link', { name: 'Put in report' }).click()
    await page.locator('article.report[aria-busy=false]').waitFor()
    await page.getByRole('heading', { name: 'Groups', exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Heatmaps', exact: true }).waitFor()
    await page.getByRole('region', { name: /^Tests of the groups/ }).waitFor()
    await keepPicture(page, 'report-groups', { fullPage: true })
    expect(await axeFindings(page)).toEqual([])
  })

  test('saves figures that are 180 mm wide: PNG of 300 pixels to an inch', async () => {
    await open()
    await page.getByRole('checkbox', { name: /^Tools of figures/ }).check()
    const save = async (kind: string) => {
      const download = page.waitForEvent('download')
      await page.getByLabel('Save Measures of the tests', { exact: true }).click()
      await page.getByRole('button', { name: `Save Measures of the tests as ${kind}` }).click()
      return readFile(await (await download).path())
    }
    const png = await save('PNG')
    expect(png.readUInt32BE(16)).toBe(2126)
    expect(png.subarray(37, 41).toString()).toBe('pHYs')
    expect(Math.round((png.readUInt32BE(16) / png.readUInt32BE(41)) * 1000)).toBe(180)
    const svg = (await save('SVG')).toString()
    const [, heightMm] = /^<svg[^>]* width="180mm" height="([0-9.]+)mm"/.exec(svg)!
    expect(png.readUInt32BE(20)).toBe(Math.round((Number(heightMm) / 25.4) * 300))
    expect(walk.complaints).toEqual([])
  })

  test('has a board of figures of several items, a group and a participant, which a link keeps and paper parts nowhere', async () => {
    const groups = 'group1=external_data_condition+%3D+%27free%27&name1=Free&group2=participant_age+%3E+0&name2=Others'
    await open(`?sections=text.sources&${groups}`)
    await page.getByText('Contents, own text and logo').click()
    const editor = page.getByRole('group', { name: 'Board' })
    const add = async (figure: string, item: number, who: string | number) => {
      await editor.getByRole('combobox', { name: /^Figure/ }).selectOption({ label: figure })
      await editor.getByRole('combobox', { name: /^Item/ }).selectOption({ index: item })
      await editor
        .getByRole('combobox', { name: /^Whose/ })
        .selectOption(typeof who === 'string' ? { label: who } : { index: who })
      await editor.getByRole('button', { name: 'Put on the board' }).click()
    }
    await add('Scarf plot', 0, 'All participants')
    await add('Heatmap', 1, 'Group: Free')
    // After all and two groups come the participants.
    await add('Heatmap', 0, 3)
    await add('AOIs as a table', 0, 'Group: Free')
    await editor.getByRole('button', { name: /^Move Heatmap.*Free up/ }).click()
    expect(new URL(page.url()).searchParams.get('sections')).toBe('text.board.sources')
    await open(new URL(page.url()).search)
    const figures = page.locator('.board-entry')
    await expect.poll(() => figures.locator('svg[role=img]').count()).toBeGreaterThanOrEqual(3)
    const titles = (await figures.locator('h2, h3').allTextContents()).map((title) => title.replace(/ of \S+\.svg/, ''))
    expect([titles[0], titles[1], titles[3]]).toEqual(['Heatmap, Free', 'Scarf plot', 'Areas of interest, Free'])
    expect(titles[2]).toMatch(/^Heatmap, ./)
    // The numbers are those of the group: half of the 24 participants looked freely.
    const study = new URL(page.url()).pathname.split('/')[2]
    const { items } = (await (await service.get(`/api2/studies/${study}`)).json()) as { items: { id: string }[] }
    const condition = new URLSearchParams({ itemId: items[1].id, filter: "external_data_condition = 'free'" })
    const answer = await service.get(`/api2/studies/${study}/charts/fixations?${condition}`)
    const { counted } = (await answer.json()) as { counted: { tests: number; participants: number } }
    await figures
      .nth(0)
      .getByText(new RegExp(`of ${counted.participants} participants, in ${counted.tests} of`))
      .first()
      .waitFor()
    await figures
      .nth(2)
      .getByText(/of 1 participant, in 1 of/)
      .first()
      .waitFor()
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
    await keepPicture(page, 'report-board', { fullPage: true })
    expect(await pagesOf('report-board')).toBeLessThanOrEqual(4)
    // Kept in the analysis, it is there without being in the address.
    await page.getByText('Contents, own text and logo').click()
    await page.getByRole('button', { name: 'Keep these contents in the analysis “default”' }).click()
    await page.waitForURL(/analysis=default/)
    await open('?analysis=default')
    await expect.poll(() => page.locator('.board-entry').count()).toBe(4)
  })
})
