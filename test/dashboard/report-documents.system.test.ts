import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { canRun } from '../programs.ts'
import { axeFindings, expectNoOverflow, hasChromium, signIn, type Walk } from './browser.ts'
import { type DashboardServer, walkThrough } from './dashboard-server.ts'
import { rowsOf } from './rows.ts'
import { longNamesBundle } from './strange-bundles.ts'

/** The report as a Word document and as slides, as a browser saves them: what they have is what the page has. */
let service: DashboardServer
let walk: Walk
let page: Page
let items: string[]

const hasOffice = canRun('lowriter', '--version') && canRun('loimpress', '--version')
const OUT = fileURLToPath(new URL('out', import.meta.url))
const [FEW, STRANGE] = [0, 1]

await walkThrough(
  { demos: [{ participants: 8, items: 6, seconds: 4, hz: 30, seed: 1 }], bundles: [longNamesBundle] },
  async (opened) => {
    ;({ service, walk, page } = opened)
    items = await itemsOf(FEW)
    await signIn(page, service.url, service.write)
  },
)

async function itemsOf(study: number): Promise<string[]> {
  const answer = await service.get(`/api2/studies/${service.studyIds[study]}`)
  return ((await answer.json()) as { items: { id: string }[] }).items.map(({ id }) => id)
}

async function open(query: string, study = FEW): Promise<void> {
  await page.goto(`${service.url}/studies/${service.studyIds[study]}/report${query}`)
  await page.locator('article.report[aria-busy=false]').waitFor()
  // Figures load when their item is known.
  await page.waitForLoadState('networkidle')
  await page.locator('article.report[aria-busy=false]').waitFor()
}

type Parts = Map<string, Buffer>

/** Saves the report as the page shows it, keeps the file, and unpacks it. */
async function saved(kind: 'docx' | 'pptx', name: string): Promise<Parts> {
  const download = page.waitForEvent('download')
  await page.getByLabel('Save the report', { exact: true }).click()
  await page.getByRole('button', { name: kind === 'docx' ? 'Word (DOCX)' : 'PowerPoint (PPTX)' }).click()
  const bytes = await readFile(await (await download).path())
  await mkdir(OUT, { recursive: true })
  await writeFile(join(OUT, `${name}.${kind}`), bytes)
  const parts: Parts = new Map()
  const zip = await fromBufferPromise(bytes)
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    if (!entry.fileName.endsWith('/'))
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    parts.set(entry.fileName, Buffer.concat(chunks))
  }
  return parts
}

const textOf = (parts: Parts, name: string) => parts.get(name)!.toString()
const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0
const plain = (text: string) =>
  text
    .replace(
      /&(lt|gt|quot|apos|amp);/g,
      (_, name: string) => ({ lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' })[name]!,
    )
    .replace(/[\u2066-\u2069]/g, '')

/** Returns the texts of elements of a name, of each the texts in it joined. */
function textsIn(xml: string, element: string, text: string): string[] {
  const found = xml.match(new RegExp(`<${element}[ >].*?</${element}>`, 'gs')) ?? []
  return found.map((each) =>
    plain([...each.matchAll(new RegExp(`<${text}(?: [^>]*)?>([^<]*)</${text}>`, 'g'))].map(([, one]) => one).join('')),
  )
}

const slidesOf = (parts: Parts) =>
  [...parts.keys()]
    .filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name))
    .sort((a, b) => Number(/\d+/.exec(a)![0]) - Number(/\d+/.exec(b)![0]))
    .map((name) => textOf(parts, name))

/** Returns the cells of each table that print shows, as the page shows them. */
async function tablesOnPage(): Promise<string[][]> {
  return (await page.evaluate(`[...document.querySelectorAll('article.report table')].map((table) =>
    [...table.querySelectorAll('th, td')].map((cell) => {
      const own = cell.cloneNode(true)
      for (const tool of own.querySelectorAll('.explain, .no-print, button')) tool.remove()
      return own.textContent.replace(/\\s+/g, ' ').trim()
    }))`)) as string[][]
}

const headingsOnPage = async () =>
  ((await page.locator('article.report :is(h1, h2, h3):not(.no-print *)').allTextContents()) as string[]).map((text) =>
    plain(text).replace(/\s+/g, ' ').trim(),
  )

/** Looks that a document asks nobody for anything, and names no address but those of its formats. */
function expectNothingForeign(parts: Parts): void {
  for (const [name, bytes] of parts) {
    if (!/\.(xml|rels|svg)$/.test(name)) continue
    const xml = bytes.toString()
    expect([name, /TargetMode="External"/.test(xml)]).toEqual([name, false])
    const untold = xml.replace(/<(w:t|a:t)( [^>]*)?>[^<]*<\/\1>/g, '')
    const hosts = [...untold.matchAll(/https?:\/\/([^/"'< ]+)/g)].map(([, host]) => host)
    const formats = /^(schemas\.openxmlformats\.org|schemas\.microsoft\.com|www\.w3\.org|purl\.org)$/
    expect([name, hosts.filter((host) => !formats.test(host))]).toEqual([name, []])
  }
}

/** Returns of each PNG or SVG its size in px, how many colours it has (up to 9), and whether its corner is white. */
async function looked(parts: Parts, ending: 'png' | 'svg') {
  const found = [...parts].filter(([name]) => name.includes('media/') && name.endsWith(`.${ending}`))
  const type = ending === 'png' ? 'image/png' : 'image/svg+xml'
  return Promise.all(
    found.map(async ([name, bytes]) => {
      const of = (await page.evaluate(
        `(async () => {
          const image = new Image()
          image.src = 'data:${type};base64,${bytes.toString('base64')}'
          await image.decode()
          const canvas = document.createElement('canvas')
          canvas.width = image.naturalWidth
          canvas.height = image.naturalHeight
          const pen = canvas.getContext('2d')
          pen.drawImage(image, 0, 0)
          const { data } = pen.getImageData(0, 0, canvas.width, canvas.height)
          const all = new Uint32Array(data.buffer)
          const colors = new Set()
          for (let i = 0; i < all.length && colors.size < 9; i++) colors.add(all[i])
          return { width: canvas.width, height: canvas.height, colors: colors.size, corner: all[0] }
        })()`,
      )) as { width: number; height: number; colors: number; corner: number }
      return { name, bytes, ...of }
    }),
  )
}

const WHITE = 0xffffffff
const board = () =>
  [`heatmap.${items[0]}`, `scarf.${items[1]}`, `aois.${items[2]}`, `table.${items[0]}`, `transitions.${items[1]}`]
    .concat(`survival.${items[2]}`)
    .join('_')
const ALL = 'text.methods.people.quality.board.items.sources'

describe.skipIf(!hasChromium)('the report of six items and a board of six', () => {
  let docx: Parts
  let pptx: Parts

  test('is a Word document with the headings, figures and tables of the page, in order', async () => {
    await open(`?sections=${ALL}&text=First+%26+%3Cown%3E.%0A%0ASecond.&board=${board()}`)
    expect(await axeFindings(page)).toEqual([])
    await expectNoOverflow(page, [390, 1280])
    docx = await saved('docx', 'report')
    const xml = textOf(docx, 'word/document.xml')
    const figures = await page.locator('article.report figure').count()
    expect(figures).toBe(1 + 5 + 12)
    expect(count(xml, /<w:drawing>/g)).toBe(figures)
    const heads = xml.match(/<w:p>(?:(?!<\/w:p>).)*<w:pStyle w:val="(?:Title|Heading[12])"\/>.*?<\/w:p>/gs)!
    expect(heads.flatMap((head) => textsIn(head, 'w:p', 'w:t'))).toEqual(await headingsOnPage())
    const tables = xml.match(/<w:tbl>.*?<\/w:tbl>/gs)!
    expect(tables.map((table) => textsIn(table, 'w:tc', 'w:t'))).toEqual(await tablesOnPage())
    expect(textsIn(xml, 'w:p', 'w:t')).toEqual(expect.arrayContaining(['First & <own>.', 'Second.']))
    expectNothingForeign(docx)
  })

  test('has the numbers of the export in a table that is as wide as the page', async () => {
    const xml = textOf(docx, 'word/document.xml')
    const table = xml.match(/<w:tbl>.*?<\/w:tbl>/gs)!.find((each) => each.includes('Hit ratio'))!
    const rows = await rowsOf(service, service.studyIds[FEW], `eye-tracking/aois-all/overall-stats?itemId=${items[0]}`)
    const cells = textsIn(table, 'w:tc', 'w:t')
    expect(rows.length).toBe(cells.length / 5 - 1)
    for (const [r, row] of rows.entries()) {
      const [name, , dwell, ratio] = cells.slice(5 * (r + 1), 5 * (r + 2))
      expect(name).toBe(`${r + 1} ${row.aoi_name}`)
      for (const [own, exact] of [
        [dwell, row.aoi_fixation_average_total_time_spent_ms],
        [ratio, row.aoi_fixation_participant_ratio_percents],
      ])
        if (exact === '') expect(own).toBe('–')
        else expect(Math.abs(Number(own.replaceAll(',', '')) - Number(exact))).toBeLessThanOrEqual(0.06)
    }
    // A4 less its margins is 182 mm, of 1440 twips to an inch; columns are whole twips.
    const wide = [...table.matchAll(/<w:gridCol w:w="(\d+)"/g)].reduce((sum, [, w]) => sum + Number(w), 0)
    expect(Math.abs(wide - (182 / 25.4) * 1440)).toBeLessThan(20)
  })

  test('draws each figure at 300 pixels per inch, and none blank; lines are SVG, too', async () => {
    const xml = textOf(docx, 'word/document.xml')
    const targets = new Map(
      [...textOf(docx, 'word/_rels/document.xml.rels').matchAll(/Id="([^"]+)"[^>]*Target="([^"]+)"/g)].map(
        ([, id, target]) => [id, target],
      ),
    )
    const pngs = new Map((await looked(docx, 'png')).map((png) => [png.name, png]))
    const drawings = xml.match(/<w:drawing>.*?<\/w:drawing>/gs)!
    for (const drawing of drawings) {
      const [, cx, cy] = /<wp:extent cx="(\d+)" cy="(\d+)"/.exec(drawing)!.map(Number)
      const png = pngs.get(`word/${targets.get(/<a:blip r:embed="([^"]+)"/.exec(drawing)![1])}`)!
      // EMU: 914,400 to an inch. Word's sizes are whole px of 96 to an inch.
      expect(Math.abs(png.width - (cx / 914_400) * 300)).toBeLessThan(4)
      expect(Math.abs(png.height - (cy / 914_400) * 300)).toBeLessThan(5)
      expect(cx / 36_000).toBeLessThanOrEqual(182.3)
      expect(png.colors).toBe(9)
      expect(png.corner).toBe(WHITE)
      expect(png.bytes.subarray(37, 41).toString()).toBe('pHYs')
      expect(png.bytes.readUInt32BE(41)).toBe(11_811)
    }
    const svgs = await looked(docx, 'svg')
    // Heatmaps have a picture in them.
    expect(svgs.length).toBe(
      new Set(
        drawings
          .filter((drawing) => drawing.includes('svgBlip'))
          .map((d) => /svgBlip[^>]*r:embed="([^"]+)"/.exec(d)![1]),
      ).size,
    )
    expect(drawings.filter((drawing) => !drawing.includes('svgBlip')).length).toBe(7)
    for (const { colors, bytes } of svgs) {
      expect(colors).toBe(9)
      expect(bytes.toString()).not.toMatch(/<image|<svg[^>]*>.*<svg/s)
    }
  })

  test('parts no heading from what follows it, and breaks no row', async () => {
    const styles = textOf(docx, 'word/styles.xml')
    for (const style of ['Title', 'Heading1', 'Heading2'])
      expect(styles).toMatch(new RegExp(`w:styleId="${style}".*?<w:keepNext/>`, 's'))
    const xml = textOf(docx, 'word/document.xml')
    for (const own of xml.match(/<w:p>(?:(?!<\/w:p>).)*<w:drawing>/gs)!) expect(own).toContain('<w:keepNext/>')
    expect(count(xml, /<w:cantSplit\/>/g)).toBe(count(xml, /<w:tr>/g))
    expect(count(xml, /<w:tblHeader\/>/g)).toBe(count(xml, /<w:tbl>/g))
  })

  test('is slides, one of each figure with its caption, and real tables', async () => {
    pptx = await saved('pptx', 'report')
    const slides = slidesOf(pptx)
    const pictures = slides.filter((slide) => slide.includes('<p:pic>'))
    expect(pictures.map((slide) => count(slide, /<p:pic>/g))).toEqual(new Array(18).fill(1))
    const captions = (await page.locator('article.report figcaption > p').allTextContents()).map(plain)
    expect(captions.length).toBe(18)
    for (const [f, slide] of pictures.entries()) expect(textsIn(slide, 'a:p', 'a:t')).toContain(captions[f])
    const tables = slides.flatMap((slide) => slide.match(/<a:tbl>.*?<\/a:tbl>/gs) ?? [])
    expect(tables.map((table) => textsIn(table, 'a:tc', 'a:t'))).toEqual(await tablesOnPage())
    // Each slide says in its notes what the whole caption says.
    const notes = [...pptx].filter(([name]) => name.startsWith('ppt/notesSlides/notesSlide'))
    expect(notes.filter(([, xml]) => /n = \d+ participants/.test(xml.toString())).length).toBeGreaterThanOrEqual(18)
    for (const ending of ['png', 'svg'] as const)
      for (const { colors, corner } of await looked(pptx, ending)) expect([colors, corner]).toEqual([9, WHITE])
    for (const slide of pictures)
      for (const [, x, y, cx, cy] of slide.matchAll(
        /<a:off x="(-?\d+)" y="(-?\d+)"\/><a:ext cx="(\d+)" cy="(\d+)"\/>/g,
      )) {
        expect(Number(x) + Number(cx)).toBeLessThanOrEqual(12_192_000)
        expect(Number(y) + Number(cy)).toBeLessThanOrEqual(6_858_000)
      }
    expectNothingForeign(pptx)
    expect(walk.complaints).toEqual([])
  })

  test('is as light from a dark page', async () => {
    const light = [...docx].filter(([name]) => name.includes('media/'))
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html[data-theme=dark]').waitFor()
    const dark = await saved('docx', 'report-dark')
    await page.emulateMedia({ colorScheme: 'light' })
    expect(light.length).toBeGreaterThan(18)
    for (const [name, bytes] of light) expect([name, dark.get(name)?.equals(bytes)]).toEqual([name, true])
  })

  test.skipIf(!hasOffice)('opens in LibreOffice, a page of each slide', async () => {
    const home = `-env:UserInstallation=file://${join(OUT, 'office')}`
    const files = ['report.docx', 'report.pptx'].map((name) => join(OUT, name))
    const pagesOf = async (path: string) => {
      await promisify(execFile)('soffice', [home, '--headless', '--convert-to', 'pdf', '--outdir', OUT, path])
      const pdf = (await readFile(path.replace(/\.\w+$/, '.pdf'))).toString('latin1')
      return count(pdf, /\/Type\s*\/Page\b/g)
    }
    expect(await pagesOf(files[1])).toBe(slidesOf(pptx).length)
    const pages = await pagesOf(files[0])
    expect(pages).toBeGreaterThan(8)
    expect(pages).toBeLessThanOrEqual(20)
  })
})

describe.skipIf(!hasChromium)('a report', () => {
  test('with an empty board says so in both documents', async () => {
    await open('?sections=board')
    const docx = textOf(await saved('docx', 'report-empty'), 'word/document.xml')
    expect(textsIn(docx, 'w:p', 'w:t')).toContain('Nothing is on the board yet')
    const slides = slidesOf(await saved('pptx', 'report-empty'))
    expect(slides.length).toBe(2)
    expect(textsIn(slides[1], 'a:p', 'a:t')).toEqual(expect.arrayContaining(['Board', 'Nothing is on the board yet']))
  })

  test('of long names, from right to left and of emoji, has 24 figures of its board', async () => {
    const [first] = await itemsOf(STRANGE)
    const kinds = ['heatmap', 'aois', 'scarf', 'transitions']
    const all = Array.from({ length: 24 }, (_, i) => `${kinds[i % 4]}.${first}`).join('_')
    await open(`?sections=people.board&board=${all}`, STRANGE)
    const docx = await saved('docx', 'report-names')
    const xml = textOf(docx, 'word/document.xml')
    expect(count(xml, /<w:drawing>/g)).toBe(24)
    const pptx = await saved('pptx', 'report-names')
    expect(slidesOf(pptx).filter((slide) => slide.includes('<p:pic>')).length).toBe(24)
    for (const parts of [docx, pptx])
      for (const [name, bytes] of parts) {
        if (!/\.(xml|rels)$/.test(name)) continue
        const isWhole = await page.evaluate(
          `new DOMParser().parseFromString(${JSON.stringify(bytes.toString())}, 'text/xml').querySelector('parsererror') === null`,
        )
        expect([name, isWhole]).toEqual([name, true])
      }
    expect(walk.complaints).toEqual([])
  })

  test('cannot be saved before it is loaded, and says in a sentence that it could not be', async () => {
    await open('?sections=board')
    await page.route('**/assets/docx-*.js', (route) => route.abort())
    await page.getByLabel('Save the report', { exact: true }).click()
    await page.getByRole('button', { name: 'Word (DOCX)' }).click()
    await page.getByText('The DOCX could not be created. Try again, or print.').waitFor()
    await page.unroute('**/assets/docx-*.js')
  })
})
