// The dashboard in Chromium, against the real program: the first chart, sliders, replay, and what the first page weighs.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { OUT } from './data.mjs'
import { median, quantile, row } from './measure.mjs'
import { finished, gazette, stop } from './process.mjs'
import { startService } from './service.mjs'

const CHROMIUM = '/usr/bin/chromium'
const PARTICIPANTS = 60

export async function benchDashboard({ quick, wanted }) {
  if (!wanted('dashboard') || !existsSync(CHROMIUM)) return []
  const dataDir = join(OUT, 'dashboard')
  await rm(dataDir, { recursive: true, force: true })
  const size = ['--participants', String(PARTICIPANTS), '--items', '2', '--seconds', '10', '--hz', '60']
  await finished(gazette(['demo', ...size], { dataDir }))
  const token = await finished(gazette(['token', 'create', '--name', 'bench'], { dataDir }))
  const { child, port } = await startService(dataDir, {})
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const url = `http://127.0.0.1:${port}`
    const state = await signIn(browser, url, token)
    const item = await firstItem(url, token)
    const runs = quick ? 3 : 7
    return [
      ...(await firstChart({ browser, state, page: url + item, runs })),
      await redraw({ browser, state, page: url + item, steps: quick ? 20 : 60 }),
      await replay({ browser, state, page: `${url}${item}/replay`, seconds: quick ? 2 : 5 }),
    ]
  } finally {
    await browser.close()
    await stop(child)
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function signIn(browser, url, token) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Access token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

async function firstItem(url, token) {
  const ask = async (path) => (await fetch(url + path, { headers: { 'x-auth-token': token } })).json()
  const [{ id }] = (await ask('/api2/studies')).studies
  return `/studies/${id}/items/${(await ask(`/api2/studies/${id}`)).items[0].id}`
}

/** Notes when the first chart stands on the page, how much the page moved, and for how long it did not answer. */
const WATCH = `
  window.seen = { chartMs: null, shift: 0, blockedMs: 0 }
  const look = () => {
    if (document.querySelector('figure svg[role=img]')) window.seen.chartMs = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.seen.shift += entry.value })
    .observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.seen.blockedMs += duration - 50 })
    .observe({ type: 'longtask', buffered: true })`

/** Each time with nothing in the browser's cache. */
async function firstChart({ browser, state, page: address, runs }) {
  const seen = []
  for (let run = -1; run < runs; run++) {
    const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 860 } })
    const page = await context.newPage()
    await page.addInitScript(WATCH)
    await page.goto(address)
    await page.locator('figure svg[role=img]').first().waitFor()
    await page.waitForLoadState('networkidle')
    const loaded = await page.evaluate(`(() => {
      const files = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/'))
      const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      return { ...window.seen, requests: all.length, bytes: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) }
    })()`)
    if (run >= 0) seen.push(loaded)
    await context.close()
  }
  const of = (name) => median(seen.map((each) => each[name]))
  return [
    row('first chart of an item, nothing cached', '', '≤ 0.7 s', { ours: seen.map(({ chartMs }) => chartMs / 1000) }),
    row('what that page takes', '', '≤ 90 KB of scripts and styles', {
      detail: `${(of('bytes') / 1000).toFixed(1)} KB gzipped, ${of('requests')} requests; moved by ${of('shift').toFixed(3)} (CLS), did not answer for ${of('blockedMs').toFixed(0)} ms (TBT)`,
    }),
  ]
}

/** From a slider's moving to the picture with the numbers of its new place. */
async function redraw({ browser, state, page: address, steps }) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
  await page.waitForLoadState('networkidle')
  const slider = await page.getByRole('slider', { name: 'Velocity threshold' }).elementHandle()
  const millis = await page.evaluate(
    async ([slider, steps]) => {
      const figure = document.querySelector('figure')
      const frame = () => new Promise((done) => requestAnimationFrame(done))
      const until = async (isBusy) => {
        while ((figure.getAttribute('aria-busy') === 'true') !== isBusy) await new Promise((done) => setTimeout(done))
      }
      const taken = []
      for (let step = 0; step < steps; step++) {
        const from = performance.now()
        slider.value = String(60 + step)
        slider.dispatchEvent(new Event('input', { bubbles: true }))
        await until(true)
        await until(false)
        await frame()
        taken.push(performance.now() - from)
      }
      return taken
    },
    [slider, steps],
  )
  await context.close()
  return row(`a slider's step until all of the picture is new, 0.22 s of rest included`, '', '≤ 60 ms', {
    ours: millis.map((ms) => ms / 1000),
    detail: `p95 ${quantile(millis, 0.95).toFixed(0)} ms`,
  })
}

/** Frames that are drawn, beside those of an empty loop in the same page. */
async function replay({ browser, state, page: address, seconds }) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  const { frames, drawn } = await page.evaluate(async (seconds) => {
    const { dataset } = document.querySelector('canvas.stage')
    const before = Number(dataset.draws ?? 0)
    let frames = 0
    const until = performance.now() + 1000 * seconds
    while (performance.now() < until) {
      await new Promise((done) => requestAnimationFrame(done))
      frames++
    }
    return { frames, drawn: Number(dataset.draws) - before }
  }, seconds)
  await context.close()
  return row('replay of 50 participants', "the browser's own frames", '60 a second', {
    detail: `${(drawn / seconds).toFixed(1)} drawn of ${(frames / seconds).toFixed(1)} frames a second`,
  })
}
