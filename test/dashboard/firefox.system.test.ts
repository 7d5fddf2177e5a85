import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type DashboardServer, openDashboardServer } from './dashboard-server.ts'
import { type FirefoxPage, hasFirefox, openFirefox } from './firefox.ts'

/** One walk in Firefox, from signing in to an export; other tests walk in Chromium. */
let service: DashboardServer
let page: FirefoxPage

const OUT = fileURLToPath(new URL('out', import.meta.url))
const picture = async (name: string) => {
  await mkdir(OUT, { recursive: true })
  await page.picture(join(OUT, `firefox-${name}.png`))
}
const text = (selector: string) =>
  page.run<string>('return document.querySelector(arguments[0])?.textContent ?? ""', selector)
/** Waits until figures are drawn, of what the settings are now. */
const drawn = () =>
  page.waitFor(
    'document.querySelector("figure.figure .drawing svg") && !document.querySelector("[aria-busy=true], .spinner")',
  )

test.skipIf(!hasFirefox)(
  'in Firefox a study is opened, a setting changes the numbers, a figure is saved, groups are compared, and a table is seen',
  async () => {
    service = await openDashboardServer([{ participants: 8, items: 2, seconds: 3, hz: 30, seed: 1 }])
    page = await openFirefox()
    try {
      await page.goto(`${service.url}/sign-in`)
      // What a ResizeObserver puts off until the next frame is told without an error.
      await page.run(`window.faults = []
        addEventListener('error', ({ error, message }) => error && window.faults.push(message))`)
      await page.type('input', service.read)
      await page.click('button', 'Sign in')
      await page.click('.study-list a')
      await page.click('.item-list a')
      await drawn()
      const before = await text('.summary dd')
      await page.run(`const field = document.querySelector('.slider input[type=number]')
      field.value = '60'
      field.dispatchEvent(new Event('input', { bubbles: true }))`)
      await page.waitFor(`document.querySelector('.summary dd').firstChild.textContent !== ${JSON.stringify(before)}`)
      await page.waitFor("location.search.includes('gazeVelocityThreshold=60')")
      expect(await text('.analysis-strip')).toContain('60 %/s')
      await picture('item')
      await page.run(`window.saved = null
      const make = URL.createObjectURL
      URL.createObjectURL = (blob) => { window.saved = [blob.type, blob.size]; return make.call(URL, blob) }`)
      await page.click('.figure-tools summary', 'Save')
      await page.click('.dropdown button', 'PNG')
      await page.waitFor('window.saved')
      const [type, size] = await page.run<[string, number]>('return window.saved')
      expect(type).toBe('image/png')
      expect(size).toBeGreaterThan(10_000)
      for (const figure of ['Scarf plot', 'Areas of interest', 'Over time']) {
        await page.click('.segments label', figure)
        await page.waitFor(`document.querySelector('figure.figure h2')?.textContent !== 'Stimulus'`)
        await drawn()
      }
      await picture('over-time')
      await page.click('.nav a', 'Groups')
      await page.click('button', 'condition')
      await drawn()
      await picture('groups')
      await page.click('.nav a', 'Export')
      await page.waitFor(`document.querySelector('main table tbody tr')`)
      await picture('export')
      await page.click('.menu-button')
      await page.click('#main-menu button', 'Sign out')
      await page.waitFor(`document.querySelector('h1')?.textContent.trim() === 'Gazette'`)
      expect(await page.run('return window.faults')).toEqual([])
      expect(await page.run('return document.documentElement.scrollWidth - innerWidth <= 0')).toBe(true)
    } finally {
      await page.close()
      await service.close()
    }
  },
  300_000,
)
