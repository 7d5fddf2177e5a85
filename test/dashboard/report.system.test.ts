import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasChromium, signIn, type Walk } from './browser.ts'
import { type DashboardHouse, walkThrough } from './house.ts'

/** The report as it is printed: its pages, its sections, its own text. */
let house: DashboardHouse
let walk: Walk
let page: Page
let study: string

walkThrough({ demos: [{ participants: 24, items: 6, seconds: 4, hz: 30, seed: 1 }] }, async (opened) => {
  ;({ house, walk, page } = opened)
  study = `/studies/${house.studyIds[0]}`
  await signIn(page, house.url, house.write)
})

const OUT = fileURLToPath(new URL('out', import.meta.url))
const open = async (query = '') => {
  await page.goto(`${house.url}${study}/report${query}`)
  await page.locator('article.report[aria-busy=false]').waitFor()
}

/** Prints the page as a PDF of A4, which is kept, and counts its pages. */
async function pagesOf(name: string): Promise<number> {
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true })
  await mkdir(OUT, { recursive: true })
  await writeFile(join(OUT, `${name}.pdf`), pdf)
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)!.length
}

describe.skipIf(!hasChromium)('the report', () => {
  test('of six items takes few pages', async () => {
    await open()
    expect(await pagesOf('report-six-items')).toBeLessThanOrEqual(3)
    expect(walk.complaints).toEqual([])
  })
})
