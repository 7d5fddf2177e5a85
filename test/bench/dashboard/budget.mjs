// Budgets of a page that is opened with nothing in the browser's cache, as Lighthouse has them, each with whether it is
// met.
import { median, row } from '../measure.mjs'

/**
 * Notes when the first chart and the largest piece were painted, how much the page moved, and for how long it did not
 * answer.
 */
const WATCH = `
  window.seen = { chartMs: null, lcpMs: null, cls: 0, blockedMs: 0 }
  const look = () => {
    if (document.querySelector('figure svg[role=img]')) window.seen.chartMs = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  watch('largest-contentful-paint', ({ startTime }) => { window.seen.lcpMs = startTime })
  watch('longtask', ({ duration }) => { window.seen.blockedMs += duration - 50 })
  // As web vitals have it: the worst five seconds of shifts with less than a second between.
  let session = { from: 0, last: 0, sum: 0 }
  watch('layout-shift', ({ startTime, value, hadRecentInput }) => {
    if (hadRecentInput) return
    const goesOn = startTime - session.last < 1000 && startTime - session.from < 5000
    session = goesOn ? session : { from: startTime, sum: 0 }
    session = { ...session, last: startTime, sum: session.sum + value }
    window.seen.cls = Math.max(window.seen.cls, session.sum)
  })`

/** Budgets: what is measured, its unit, and the most it may be. */
const BUDGETS = [
  ['chartMs', 'first chart', 'ms', 700],
  ['lcpMs', 'largest contentful paint', 'ms', 2500],
  ['cls', 'cumulative layout shift', '', 0.1],
  ['blockedMs', 'total blocking time', 'ms', 200],
  ['kilobytes', 'scripts and styles, gzipped', 'KB', 90],
  ['requests', 'requests', '', 30],
  ['foreign', 'requests to other hosts', '', 0],
]

/** @param pages what they are called, and their paths; only those with a chart have a first one */
export async function budgetRows({ browser, state, url, pages, runs }) {
  const rows = []
  for (const [what, path] of pages) {
    const seen = []
    for (let run = -1; run < runs; run++) {
      const loaded = await load({ browser, state, url, path })
      if (run >= 0) seen.push(loaded)
    }
    for (const [name, label, unit, most] of BUDGETS) {
      const value = median(seen.map((each) => each[name] ?? Number.NaN))
      if (Number.isNaN(value)) continue
      const shown = `${Number(value.toFixed(name === 'cls' ? 3 : 1))} ${unit}`.trim()
      rows.push(
        row(`${what}: ${label}`, '', `≤ ${most} ${unit}`.trim(), {
          detail: `${shown}: ${value <= most ? 'met' : 'missed'}`,
        }),
      )
    }
  }
  return rows
}

async function load({ browser, state, url, path }) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  await page.goto(url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(300)
  const loaded = await page.evaluate(`(() => {
    const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    const files = all.filter(({ name }) => name.includes('/assets/'))
    return {
      ...window.seen,
      requests: all.length,
      foreign: all.filter(({ name }) => /^https?:/.test(name) && !name.startsWith(location.origin)).length,
      kilobytes: files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
    }
  })()`)
  await context.close()
  return loaded
}
