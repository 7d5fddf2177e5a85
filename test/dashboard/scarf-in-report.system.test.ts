import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { uuid, writeBundle } from '../engine/import/bundles.ts'
import { axeFindings, expectNoOverflow, hasChromium, keepPicture, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { rowsOf } from './rows.ts'
import { ITEM_ID, twoSides } from './two-sides.ts'

const N = 40
const NAMED = 'cue: go_1'
const OUT = fileURLToPath(new URL('out', import.meta.url))

/** Forty people look left for different times, then right; all but one hear a cue, each later than the last. */
async function cuedBundle(): Promise<string> {
  const bundle = twoSides(Array.from({ length: N }, (_, i) => ({ age: 20 + i, left: 5 + ((i * 7) % 50) })))
  bundle.study.items[0] = { ...bundle.study.items[0], filename: 'item-1.svg', widthPx: 1000, heightPx: 500 }
  bundle.events = Array.from({ length: N - 1 }, (_, i) => ({
    test_id: uuid('c', i + 2),
    t_ms: String(100 + 10 * i),
    name: NAMED,
    value: '',
  }))
  return writeBundle(await mkdtemp(join(tmpdir(), 'gazette-cued-')), bundle)
}

/** Scarf plots of a report and its board, in an order and from a moment that were chosen: page, paper and document. */
const { service, walk, page } = await walkThrough({ demos: [], bundles: [cuedBundle] }, ({ service, page }) =>
  signIn(page, service.url, service.write),
)

async function open(path: string): Promise<void> {
  await page.goto(`${service.url}/studies/${service.studyIds[0]}${path}`)
}
async function openReport(query: string): Promise<void> {
  await open(`/report?${query}`)
  await page.locator('article.report[aria-busy=false]').waitFor()
  await page.waitForLoadState('networkidle')
  await page.locator('article.report[aria-busy=false]').waitFor()
}
const plots = () => page.getByRole('figure', { name: /^Scarf plot/ })

/** Fixations of a participant in an AOI (from 1), in ms from the cue. */
type Expected = { name: string; dwellMs: number; cueMs: number | null; bars: { aoi: number; fromMs: number }[] }

/** Returns rows as the CSVs have them, by dwell time on the right half, from the cue; those without one are last. */
async function expectedRows(): Promise<Expected[]> {
  const [study] = service.studyIds
  const fixations = await rowsOf(service, study, `eye-tracking/fixations-aois?itemId=${ITEM_ID}`)
  const events = await rowsOf(service, study, `eye-tracking/events?itemId=${ITEM_ID}`)
  const names = Array.from({ length: N }, (_, i) => `P${i + 1}`)
  const rows = names.map((name): Expected => {
    const own = fixations.filter((row) => row.participant_external_id === name)
    const cue = events.find((row) => row.participant_external_id === name)?.t_ms
    const right = own.filter((row) => row.aoi_names.includes('Right half'))
    return {
      name,
      dwellMs: right.reduce((sum, row) => sum + Number(row.fixation_duration_ms), 0),
      cueMs: cue === undefined ? null : Number(cue),
      bars: own.map((row) => ({
        aoi: row.aoi_names.includes('Right half') ? 2 : 1,
        fromMs: Number(row.fixation_starts_at_ms) - Number(cue ?? Number.NaN),
      })),
    }
  })
  const isLast = ({ cueMs }: Expected) => (cueMs === null ? 1 : 0)
  return rows.sort((one, other) => isLast(one) - isLast(other) || other.dwellMs - one.dwellMs)
}

/** Drawing of a scarf plot: names in order, the axis as px of two of its ticks, and where bars begin in each row. */
type Read = { names: string[]; label: string; bars: { aoi: number; row: number; fromMs: number }[]; height: number }

const READ = `(svg) => {
  const ticks = [...svg.querySelectorAll('g[transform] > line')].map(({ parentNode: g }) => ({
    px: Number(/translate\\(([-\\d.]+)/.exec(g.getAttribute('transform'))[1]),
    s: Number(g.querySelector('text').textContent.replace('−', '-')),
  }))
  const [first, last] = [ticks[0], ticks.at(-1)]
  const msPerPx = (1000 * (last.s - first.s)) / (last.px - first.px)
  const paths = [...svg.querySelectorAll('path[data-aoi]')].map((path) => ({
    aoi: Number(path.dataset.aoi),
    bars: [...path.getAttribute('d').matchAll(/M([-\\d.]+) ([\\d.]+)h/g)].map(([, x, y]) => [Number(x), Number(y)]),
  }))
  const ys = [...new Set(paths.flatMap(({ bars }) => bars.map(([, y]) => y)))].sort((a, b) => a - b)
  return {
    names: [...svg.querySelectorAll('text[text-anchor=end]')].map((text) => text.textContent).map((text) =>
      text.replace(/[\\u2066-\\u2069]/g, '')).filter((text) => /^P\\d+$/.test(text)),
    label: [...svg.querySelectorAll('text')].map((text) => text.textContent).find((text) => text.startsWith('Time from')),
    bars: paths.flatMap(({ aoi, bars }) => bars.map(([x, y]) => ({
      aoi, row: ys.indexOf(y), fromMs: first.s * 1000 + (x - first.px) * msPerPx }))),
    height: svg.getBoundingClientRect().height,
  }
}`
const readPlot = async (at = 0) =>
  (await page.evaluate(
    `(${READ})([...document.querySelectorAll('figure .drawing svg')].filter((svg) => svg.querySelector('[data-aoi]'))[${at}])`,
  )) as Read

const rows = `rows=dwell&zero=${encodeURIComponent(`event:${NAMED}`)}&rowsAoi=2`
const CHOSEN = new URLSearchParams(rows)

/** Expects of a drawing the rows and the starts of the bars of the CSVs; a px is about a ms here. */
function expectRows(read: Read, expected: Expected[]): void {
  expect(read.names).toEqual(expected.map(({ name }) => name))
  const wanted = expected.filter(({ cueMs }) => cueMs !== null)
  expect(read.bars.length).toBe(wanted.flatMap(({ bars }) => bars).length)
  for (const [row, { name, bars }] of wanted.entries())
    for (const { aoi, fromMs } of bars) {
      const near = read.bars.filter((bar) => bar.row === row && bar.aoi === aoi && Math.abs(bar.fromMs - fromMs) <= 2)
      expect([name, aoi, fromMs, near.length]).toEqual([name, aoi, fromMs, 1])
    }
}

describe.skipIf(!hasChromium)('scarf plots of a report', () => {
  test('have the rows and times of the CSV in the chosen order, which the caption says', async () => {
    await openReport(`sections=items&parts=scarf&${rows}`)
    const expected = await expectedRows()
    expect(expected.at(-1)!.name).toBe('P1')
    const read = await readPlot()
    expectRows(read, expected)
    expect(read.label?.replace(/[\u2066-\u2069]/g, '')).toBe(`Time from the event ${NAMED}, s`)
    const caption = (await plots().locator('figcaption').textContent())!.replace(/[\u2066-\u2069]/g, '')
    expect(caption).toContain(`of ${N} participants, in ${N} of ${N} tests.`)
    expect(caption).toContain(
      `Rows by total dwell time on 2 Right half, longest first, from the event ${NAMED}. 1 test never looked at it: at the end. 1 test without that moment: at the end, empty.`,
    )
  })

  test('are told when an item cannot have the order, and drawn by name', async () => {
    await openReport('sections=items&parts=scarf&rows=first&rowsAoi=7&zero=event:gone')
    await plots()
      .getByText('The item has only 2 AOIs, no AOI 7. No test has the event', { exact: false })
      .first()
      .waitFor()
    await plots()
      .getByText(/gone.*\. Rows by name, from item onset\./)
      .first()
      .waitFor()
    expect((await readPlot()).names.slice(0, 3)).toEqual(['P1', 'P2', 'P3'])
    await openReport('sections=items&parts=scarf&rows=size')
    await page.getByRole('alert').getByText('rows', { exact: true }).waitFor()
  })

  test('are arranged below them, once tools are shown', async () => {
    await openReport('sections=items&parts=scarf')
    await page.getByRole('checkbox', { name: /^Tools of figures/ }).check()
    await page.getByText('Order and alignment of rows').click()
    await plots().getByRole('combobox', { name: 'Rows by' }).selectOption('dwell')
    await plots().getByRole('combobox', { name: 'AOI', exact: true }).selectOption('2')
    await plots().getByRole('combobox', { name: 'Time from' }).selectOption(`event:${NAMED}`)
    await expect.poll(() => new URL(page.url()).searchParams.get('zero')).toBe(CHOSEN.get('zero'))
    await expect.poll(async () => (await readPlot()).names.at(-1)).toBe('P1')
    expectRows(await readPlot(), await expectedRows())
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
  })

  test('are printed whole: all rows on one page with heading and caption', async () => {
    await openReport(`sections=items&parts=scarf&${rows}`)
    await page.emulateMedia({ media: 'print' })
    // A page of A4 within its margins is 182 mm by 265 mm, which is 688 px by 1,002 px.
    await page.setViewportSize({ width: 688, height: 1002 })
    const box = (await plots().boundingBox())!
    const drawing = (await plots().locator('.drawing svg').boundingBox())!
    expect(box.height).toBeLessThan(1002)
    expect(drawing.y + drawing.height).toBeLessThanOrEqual(box.y + box.height)
    expect(drawing.width).toBeLessThanOrEqual(688)
    await plots().getByRole('list', { name: 'Areas of interest' }).getByText('Right half').waitFor()
    const last = (await plots().locator('.drawing').getByText('P1', { exact: true }).boundingBox())!
    expect(last.y + last.height).toBeLessThanOrEqual(drawing.y + drawing.height)
    // A name is legible: of 5 points at least.
    expect((last.height * 72) / 96).toBeGreaterThanOrEqual(5)
    await mkdir(OUT, { recursive: true })
    await writeFile(join(OUT, 'scarf-in-report.pdf'), await page.pdf({ format: 'A4', preferCSSPageSize: true }))
    await page.emulateMedia({ media: null })
    await page.setViewportSize({ width: 1280, height: 860 })
  })
})

describe.skipIf(!hasChromium)('scarf plots of a board', () => {
  test('are each in an order of its own; from the page of an item they are put there as drawn', async () => {
    await open(`/items/${ITEM_ID}?figure=scarf&${rows}`)
    await page.getByRole('link', { name: 'Put this plot in a report' }).click()
    await page.locator('article.report[aria-busy=false]').waitFor()
    await expect.poll(() => plots().locator('.drawing svg').count()).toBe(1)
    expectRows(await readPlot(), await expectedRows())
    const board = new URL(page.url()).searchParams.get('board')!
    await openReport(new URLSearchParams({ sections: 'board', board: `${board}_scarf.${ITEM_ID}` }).toString())
    await expect.poll(() => plots().locator('.drawing svg').count()).toBe(2)
    expect((await readPlot(0)).names.at(-1)).toBe('P1')
    expect((await readPlot(1)).names.slice(0, 2)).toEqual(['P1', 'P2'])
    await page.getByRole('checkbox', { name: /^Tools of figures/ }).check()
    const second = plots().nth(1)
    await second.getByText('Order and alignment of rows').click()
    await second.getByRole('combobox', { name: 'Rows by' }).selectOption('first')
    await expect.poll(() => new URL(page.url()).searchParams.get('board')).toBe(`${board}_scarf.${ITEM_ID}~rows=first`)
    await page.getByText('Contents, own text and logo').click()
    const entries = page.getByRole('group', { name: 'Board' }).getByRole('listitem')
    await entries
      .nth(0)
      .getByText(/rows by dwell time on AOI 2, from the event/)
      .waitFor()
    await entries
      .nth(1)
      .getByText(/rows by first look at AOI 1, from item onset/)
      .waitFor()
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
    await keepPicture(page, 'scarf-on-board', { fullPage: true })
  })

  test('are kept by an analysis, and an entry that cannot be is told', async () => {
    const board = `scarf.${ITEM_ID}~${rows.replaceAll('_', '%5F')}`
    await openReport(new URLSearchParams({ sections: 'board', board, rows: 'first' }).toString())
    await page.getByText('Contents, own text and logo').click()
    await page.getByRole('button', { name: /^Keep these contents/ }).click()
    await page.waitForURL(/analysis=default/)
    await open('/report?analysis=default')
    await expect.poll(() => plots().locator('.drawing svg').count()).toBe(1)
    expectRows(await readPlot(), await expectedRows())
    expect(new URL(page.url()).searchParams.get('rows')).toBe('first')
    await openReport(new URLSearchParams({ sections: 'board', board: `heatmap.${ITEM_ID}~rows=first` }).toString())
    await page
      .getByRole('alert')
      .getByText(/must follow a scarf plot/)
      .waitFor()
    expect(walk.complaints).toEqual([])
  })

  test('are in Word as on the page, with all rows, in the colours of the AOIs at the times of the CSV', async () => {
    const board = `scarf.${ITEM_ID}~${rows.replaceAll('_', '%5F')}`
    await openReport(new URLSearchParams({ sections: 'board', board }).toString())
    const download = page.waitForEvent('download')
    await page.getByLabel('Save the report', { exact: true }).click()
    await page.getByRole('button', { name: 'Word (DOCX)' }).click()
    const parts = await unpacked(await readFile(await (await download).path()))
    const xml = parts.get('word/document.xml')!.toString()
    const [, cx, cy] = /<wp:extent cx="(\d+)" cy="(\d+)"/.exec(xml)!
    // 36,000 to a mm.
    expect([Number(cx) / 36_000 <= 182, Number(cy) / 36_000 <= 190, Number(cy) / 36_000 > 130]).toEqual([
      true,
      true,
      true,
    ])
    expect(xml.replace(/<[^>]+>/g, '')).toContain('longest first, from the event')
    const media = [...parts].filter(([name]) => name.includes('media/'))
    const [svg, png] = ['svg', 'png'].map((ending) => media.find(([name]) => name.endsWith(ending))![1])
    const expected = (await expectedRows()).filter(({ cueMs }) => cueMs !== null)
    const drawn = (await page.evaluate(`(async () => {
      const svg = new DOMParser().parseFromString(${JSON.stringify(svg.toString())}, 'image/svg+xml').documentElement
      const path = svg.querySelector('path[data-aoi="2"]')
      const outer = [...svg.querySelectorAll('g[transform]')].find((g) => g.contains(path))
      const [, left, top] = /translate\\(([\\d.]+),([\\d.]+)\\)/.exec(outer.getAttribute('transform'))
      const image = new Image()
      image.src = 'data:image/png;base64,${png.toString('base64')}'
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
      const pen = canvas.getContext('2d')
      pen.drawImage(image, 0, 0)
      const scale = image.width / Number(svg.getAttribute('viewBox').split(' ')[2])
      const fills = Object.fromEntries([...svg.querySelectorAll('path[data-aoi]')].map((each) => [each.dataset.aoi, each.getAttribute('fill')]))
      const ticks = [...svg.querySelectorAll('g[transform] > line')].map(({ parentNode: g }) => ({
        px: Number(/translate\\(([-\\d.]+)/.exec(g.getAttribute('transform'))[1]),
        s: Number(g.querySelector('text').textContent.replace('−', '-')),
      }))
      const perMs = (ticks.at(-1).px - ticks[0].px) / (1000 * (ticks.at(-1).s - ticks[0].s))
      const [each, first] = [13, 8]
      // The middle of a row's height, 8 ms into a bar: left of its number.
      const colorAt = (row, ms) => [...pen.getImageData(
        Math.round(scale * (Number(left) + ticks[0].px + (ms - 1000 * ticks[0].s) * perMs)),
        Math.round(scale * (Number(top) + first + (row + 0.5) * each)), 1, 1).data].slice(0, 3)
      return { fills, found: ${JSON.stringify(expected)}.map(({ bars }, row) => bars.map(({ aoi, fromMs }) => [aoi, colorAt(row, fromMs + 8)])) }
    })()`)) as { fills: Record<string, string>; found: [number, number[]][][] }
    expect(drawn.found.flat().length).toBeGreaterThan(60)
    for (const [aoi, [red, green, blue]] of drawn.found.flat())
      expect([aoi, `#${[red, green, blue].map((each) => each.toString(16).padStart(2, '0')).join('')}`]).toEqual([
        aoi,
        drawn.fills[aoi].toLowerCase(),
      ])
  })
})

async function unpacked(bytes: Buffer): Promise<Map<string, Buffer>> {
  const parts = new Map<string, Buffer>()
  const zip = await fromBufferPromise(bytes)
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    if (!entry.fileName.endsWith('/'))
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    parts.set(entry.fileName, Buffer.concat(chunks))
  }
  return parts
}
