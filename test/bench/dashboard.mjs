// The dashboard in Chromium, against the real program: budgets of its pages, drags, replay.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { budgetRows } from './dashboard/budget.mjs'
import { dragAoi, dragRow, dragSlider, WATCH_ANSWERS } from './dashboard/drag.mjs'
import { OUT } from './data.mjs'
import { row } from './measure.mjs'
import { finished, gazette, stop } from './process.mjs'
import { startService } from './service.mjs'

const CHROMIUM = '/usr/bin/chromium'
const FEW = 8
const MANY = 50
/** As many as a replay plays. */
const CROWD = 300
const LENGTH = ['--seconds', '10', '--hz', '60']

export async function benchDashboard({ quick, wanted }) {
  if (!wanted('dashboard') || !existsSync(CHROMIUM)) return []
  const dataDir = join(OUT, 'dashboard')
  await rm(dataDir, { recursive: true, force: true })
  for (const [n, items] of [
    [FEW, 2],
    [MANY, 2],
    [CROWD, 1],
  ])
    await finished(gazette(['demo', '--participants', String(n), '--items', String(items), ...LENGTH], { dataDir }))
  const token = await finished(gazette(['token', 'create', '--name', 'bench', '--role', 'write'], { dataDir }))
  const { child, port } = await startService(dataDir, {})
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const url = `http://127.0.0.1:${port}`
    const state = await signIn(browser, url, token)
    const few = await firstItem(url, token, FEW)
    const many = await firstItem(url, token, MANY)
    const crowd = await firstItem(url, token, CROWD)
    const pages = [
      ['studies', '/'],
      ['study', many.study],
      ['item', many.item],
      ['participant', `${many.item}?participant=${many.participantId}`],
    ]
    const steps = quick ? 60 : 150
    return [
      ...(await budgetRows({ browser, state, url, pages, runs: quick ? 3 : 5 })),
      ...(await drags({ browser, state, url, item: few.item, participants: FEW, steps })),
      ...(await drags({ browser, state, url, item: many.item, participants: MANY, steps })),
      await replay({ browser, state, page: `${url}${many.item}/replay`, participants: MANY, seconds: quick ? 2 : 5 }),
      await replay({ browser, state, page: `${url}${crowd.item}/replay`, participants: CROWD, seconds: quick ? 2 : 5 }),
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

/** The paths of the study with so many participants and of its first item, and its first participant. */
async function firstItem(url, token, participants) {
  const ask = async (path) => (await fetch(url + path, { headers: { 'x-auth-token': token } })).json()
  const { studies } = await ask('/api2/studies')
  const { id } = studies.find(({ participantCount }) => participantCount === participants)
  const [item] = (await ask(`/api2/studies/${id}`)).items
  const [{ id: participantId }] = (await ask(`/api2/studies/${id}/participants?limit=1`)).participants
  return { study: `/studies/${id}`, item: `/studies/${id}/items/${item.id}`, participantId }
}

/** Drags a slider and an AOI on the pages of a study's first item. */
async function drags({ browser, state, url, item, participants, steps }) {
  const of = async (path, drag) => {
    const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 860 } })
    const page = await context.newPage()
    await page.addInitScript(WATCH_ANSWERS)
    await page.goto(url + path)
    const dragged = await drag(page, steps)
    await context.close()
    return dragged
  }
  const slider = await of(item, dragSlider)
  const aoi = await of(`${item}/aois`, dragAoi)
  const whom = `${participants} participants`
  return [
    dragRow(`a slider dragged, from each move until its charts are painted, ${whom}`, '≤ 60 ms', slider),
    dragRow(`an AOI dragged, from each move until its numbers are painted, ${whom}`, '≤ 60 ms', aoi),
    row(`the AOI itself, ${whom}`, '', 'each frame', { ours: aoi.drawn.map((ms) => ms / 1000) }),
  ]
}

/** Frames that are drawn, beside those of an empty loop in the same page, and the processor time of each. */
async function replay({ browser, state, page: address, participants, seconds }) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busySeconds = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value
  }
  const before = await busySeconds()
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
  const msPerFrame = (1000 * ((await busySeconds()) - before)) / drawn
  await context.close()
  return row(`replay of ${participants} participants`, "the browser's own frames", '60 a second', {
    detail: `${(drawn / seconds).toFixed(1)} drawn of ${(frames / seconds).toFixed(1)} frames a second, ${msPerFrame.toFixed(1)} ms of processor time each`,
  })
}
