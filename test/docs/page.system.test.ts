import { existsSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { VERSION } from '../../engine/model/version.ts'
import { openApiDocument } from '../../server/openapi/document.ts'
import { kept } from '../engine/kept.ts'
import { openContract } from '../server/contract.ts'
import { STUDY, shareTestServer } from '../server/test-server.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const ARGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'
const service = kept(await shareTestServer())

test('the page and all that it names need no token, come from here, and may be kept', async () => {
  const page = await fetch(`${service.url}/docs`)
  expect(page.status).toBe(200)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  const html = await page.text()
  const paths = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path)
  expect(paths.length).toBeGreaterThan(4)
  for (const path of paths) {
    expect(path).toMatch(/^\/[^/]/)
    const response = await fetch(service.url + path)
    expect([path, response.status]).toEqual([path, 200])
    if (path.startsWith('/docs/ui-')) expect(response.headers.get('cache-control')).toMatch(/immutable/)
  }
  expect((await fetch(`${service.url}/docs/ui-0.0.0/swagger-ui.css`)).status).toBe(404)
  expect((await fetch(`${service.url}/docs`, { method: 'POST' })).status).toBe(405)
})

test('in a browser it shows every operation, asks no other host, breaks no policy, and can be tried', async (context) => {
  if (!existsSync(CHROMIUM)) context.skip('skipped: Chromium is not installed here')
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS.split(' ') })
  try {
    const tab = await browser.newPage()
    const complaints: string[] = []
    const foreign: string[] = []
    tab.on('request', (request) => {
      if (!request.url().startsWith(`${service.url}/`) && !/^(data|blob):/.test(request.url()))
        foreign.push(request.url())
    })
    tab.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    tab.on('pageerror', (error) => complaints.push(String(error)))
    await tab.goto(`${service.url}/docs`)
    await tab.locator('.opblock').first().waitFor()
    const { operations } = openContract()
    const messages = Object.keys(openApiDocument().webhooks!)
    const shown = new Set<string>()
    const seeMore = async () => {
      for (const id of await idsFurtherDown(tab)) shown.add(id)
      return shown.size
    }
    await expect.poll(seeMore).toBe(operations.length + messages.length)
    await tab.evaluate(() => scrollTo(0, 0))

    expect(await tab.locator('.info').textContent()).toContain(`as Gazette ${VERSION} serves it`)

    const flow = tab.locator('#operations-Study_data-getFlow')
    await flow.locator('.opblock-summary-control').click()
    expect(await flow.locator('tr[data-param-name="studyId"]').count()).toBe(1)
    await flow.locator('tr[data-param-name="studyId"] input').first().fill(STUDY)
    await flow.locator('.execute').click()
    await flow.locator('.curl-command .curl').waitFor()
    expect(await flow.locator('.curl-command .curl').textContent()).toContain('-H "X-AUTH-TOKEN: $TOKEN"')
    await flow.locator('.live-responses-table .response .microlight').first().waitFor()
    expect(await flow.locator('.live-responses-table').first().textContent()).toContain('Unauthorized')
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')])

    await tab.locator('.authorize').first().click()
    await tab.locator('#api_key_value').fill(service.read)
    await tab.locator('.auth-btn-wrapper .authorize').first().click()
    await tab.locator('.btn-done').first().click()
    await flow.locator('.execute').click()
    await flow.locator('.live-responses-table .response', { hasText: 'isServiceBasicSurveyEnabled' }).waitFor()
    expect(await flow.locator('.curl-command .curl').textContent()).toContain(`-H 'X-AUTH-TOKEN: ${service.read}'`)
    expect(foreign).toEqual([])
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
})

/** Scrolls by half a window, at the end to the top, and returns the ids of the operations that are drawn there. */
function idsFurtherDown(tab: Page): Promise<string[]> {
  return tab.evaluate(async () => {
    const { scrollingElement: page } = document
    const isAtEnd = page!.scrollTop + innerHeight >= page!.scrollHeight - 1
    scrollTo(0, isAtEnd ? 0 : page!.scrollTop + innerHeight / 2)
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    return [...document.querySelectorAll('.opblock')].map(({ id }) => id)
  })
}
