import { readFile, stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFindings, hasChromium, openWalk, type Walk } from '../dashboard/browser.ts'
import { ITEM, openTestServer, STUDY, type TestServer, until } from '../server/test-server.ts'

const root = new URL('../../', import.meta.url)

test('the script is small, and takes nothing along', async () => {
  const script = await readFile(new URL('clients/browser/gazette.js', root), 'utf8')
  expect((await stat(new URL('clients/browser/gazette.js', root))).size).toBeLessThanOrEqual(5 * 1024)
  expect(script).not.toMatch(/\b(import|require)\b|https?:/)
})

describe.skipIf(!hasChromium)('the example page, from another origin', () => {
  let service: TestServer
  let pages: Server
  let walk: Walk
  let address: string
  let token: string
  beforeAll(async () => {
    pages = createServer(async (req, res) => {
      const path = new URL(`.${new URL(req.url!, 'http://x').pathname}`, root)
      const bytes = await readFile(path).catch(() => null)
      res.setHeader(
        'Content-Type',
        { '.html': 'text/html', '.js': 'text/javascript' }[extname(path.pathname)] ?? 'text/plain',
      )
      res.writeHead(bytes === null ? 404 : 200).end(bytes)
    })
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    service = await openTestServer({ COLLECT_ORIGINS: `https://lab.example,${origin}` })
    const { tokens } = service.parts
    token = (await tokens.create({ role: 'collect', studies: [STUDY], expiresAt: null, now: new Date() })).token
    const query = new URLSearchParams({ url: service.url, study: STUDY, items: `${ITEM},${ITEM}` })
    address = `${origin}/examples/browser-experiment.html?${query}`
    walk = await openWalk(origin)
  })
  afterAll(async () => {
    await walk?.browser.close()
    await service?.close()
    pages?.close()
  })

  const people = async () => {
    const answer = await service.get(`/api2/studies/${STUDY}`)
    return ((await answer.json()) as { participantCount: number }).participantCount
  }
  const newcomers = async (before: number, more: number) => until(async () => (await people()) === before + more)
  const lastOf = async (column: string) => {
    const csv = await (await service.get(`/api2/studies/${STUDY}/collected-data/eye-tracking/gazes/raw`)).text()
    const [header, ...rows] = csv.trim().split('\n')
    expect(header).toContain(column)
    return rows
  }
  const says = () => walk.page.locator('#says').textContent()
  const open = async () => {
    await walk.page.goto('about:blank')
    await walk.page.goto(`${address}#${token}`)
  }
  const press = () => walk.page.locator('#next').click()
  /** Looks at a picture for a moment, by the mouse. */
  async function look(): Promise<void> {
    for (const x of [200, 500, 800]) {
      await walk.page.mouse.move(x, 400)
      await walk.page.waitForTimeout(60)
    }
  }
  const left = () => walk.page.evaluate(() => localStorage.length)
  const unsent = () =>
    walk.page.evaluate(
      () =>
        new Promise((resolve) => {
          const opening = indexedDB.open('gazette', 1)
          opening.onsuccess = () => {
            const asked = opening.result.transaction('unsent').objectStore('unsent').getAll()
            asked.onsuccess = () => {
              opening.result.close()
              resolve(asked.result.length)
            }
          }
        }),
    ) as Promise<number>

  test('sends a participant with the samples of each item, and nothing stays behind', async () => {
    await open()
    expect(await axeFindings(walk.page)).toEqual([])
    const before = await people()
    await press()
    await look()
    expect(await axeFindings(walk.page)).toEqual([])
    await press()
    await look()
    await press()
    await until(async () => (await says()) === 'Thank you: all was sent.')
    expect(await people()).toBe(before + 1)
    const rows = await lastOf('test_raw_data')
    expect(rows.length).toBe(4)
    expect(await unsent()).toBe(0)
  })

  test('sends what there is when the page is left, and again at the next visit, which counts once', async () => {
    await open()
    const before = await people()
    await press()
    await look()
    await walk.page.goto('about:blank')
    await newcomers(before, 1)
    await open()
    await press()
    await until(async () => (await left()) === 0 && (await unsent()) === 0)
    expect(await people()).toBe(before + 1)
    await walk.page.goto('about:blank')
    await newcomers(before, 2)
    await open()
    await walk.page.evaluate(() => localStorage.clear())
  })

  test('tries again when the server does not answer, and keeps for the next visit what it cannot send', async () => {
    await open()
    const before = await people()
    let failures = 0
    await walk.page.route('**/participants', (route) => (++failures < 2 ? route.abort() : route.continue()))
    for (const _ of [1, 2, 3]) {
      await press()
      await look()
    }
    await newcomers(before, 1)
    expect(failures).toBe(2)
    await walk.page.unroute('**/participants')
    // Nobody answers until the page is left: it is sent when it is opened again.
    await open()
    await walk.page.route('**/participants', (route) => route.abort())
    await press()
    await look()
    await press()
    await walk.page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide')))
    await until(async () => (await unsent()) === 1)
    expect(await people()).toBe(before + 1)
    await walk.page.unroute('**/participants')
    await open()
    await press()
    await newcomers(before, 2)
    await until(async () => (await unsent()) === 0)
  })

  test('loses nothing of 300 KB when the page is left in the middle of an item: the next visit sends it', async () => {
    await open()
    await walk.page.evaluate(
      ([url, study, token, item]) => {
        type Session = { item: (id: string) => void; gaze: (x: number, y: number) => void }
        const { Gazette } = globalThis as unknown as { Gazette: { start: (options: object) => Session } }
        const session = Gazette.start({ url, study, token })
        session.item(item)
        for (let i = 0; i < 6000; i++) session.gaze(640.5 + (i % 100), 360.5)
      },
      [service.url, STUDY, token, ITEM],
    )
    await walk.page.goto('about:blank')
    await open()
    await press()
    await until(async () => {
      const history = await service.get(`/api2/studies/${STUDY}/history?limit=10`, { 'x-auth-token': service.write })
      const { entries } = (await history.json()) as { entries: { sampleCount?: number }[] }
      return entries.some(({ sampleCount }) => sampleCount === 6000)
    })
    await until(async () => (await unsent()) === 0)
  })

  test('says why it was refused', async () => {
    await walk.page.goto('about:blank')
    await walk.page.goto(`${address.replace(ITEM, STUDY)}#${token}`)
    for (const _ of [1, 2, 3]) {
      await press()
      await look()
    }
    await until(async () => /^Not sent: 4\d\d /.test((await says())!))
  })

  test('no other page may send, and this token reads nothing', async () => {
    const ask = (origin: string, path = 'participants') =>
      fetch(`${service.url}/api2/studies/${STUDY}/${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'x-auth-token': token },
      })
    const lab = await ask('https://lab.example')
    expect([lab.status, lab.headers.get('access-control-allow-origin')]).toEqual([204, 'https://lab.example'])
    expect(lab.headers.get('vary')).toMatch(/Origin/)
    expect((await ask('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
    expect((await ask('https://lab.example', 'flow')).headers.get('access-control-allow-origin')).toBeNull()
    const read = await service.get(`/api2/studies/${STUDY}`, { 'x-auth-token': token, origin: 'https://lab.example' })
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([404, null])
    expect(walk.complaints.filter((line) => !/participants|Access to fetch/.test(line))).toEqual([])
  })
})
