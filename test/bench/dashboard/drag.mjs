// What a drag takes on the page: from each event of the mouse until what it led to, or something newer, is painted.
import { quantile, row } from '../measure.mjs'

/**
 * Notes when events came, and when the answers that they led to were painted: with the first task after the next frame.
 */
export const WATCH_ANSWERS = `
  window.dragged = { moves: [], answers: [], drawn: [] }
  const asks = new WeakMap()
  const ask = window.fetch
  window.fetch = async (address, options) => {
    const [, chart] = /charts\\/([a-z]+)/.exec(address.url ?? String(address)) ?? []
    const from = performance.now()
    const response = await ask(address, options)
    if (chart !== undefined) asks.set(response, { chart, from })
    return response
  }
  const painted = (then) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => then(performance.now())
    port2.postMessage(null)
  })
  const read = Response.prototype.json
  Response.prototype.json = async function () {
    const value = await read.call(this)
    const asked = asks.get(this)
    if (asked !== undefined) painted((at) => window.dragged.answers.push({ ...asked, at }))
    return value
  }
  for (const type of ['input', 'pointermove'])
    window.addEventListener(type, ({ timeStamp, target }) => {
      if (type === 'input' ? target.type !== 'range' : target.closest('.board') === null) return
      const move = { at: timeStamp, seen: performance.now() }
      window.dragged.moves.push(move)
      painted((at) => window.dragged.drawn.push(at - timeStamp))
    }, true)`

const EVERY_MS = 16

/** Drags the slider of the velocity threshold. */
export async function dragSlider(page, steps) {
  await page.getByRole('img', { name: /with a heatmap/ }).waitFor()
  await page.waitForLoadState('networkidle')
  const slider = page.getByRole('slider', { name: 'Velocity threshold' })
  await slider.scrollIntoViewIfNeeded()
  const { x, y, width, height } = await slider.boundingBox()
  return drag(page, steps, (share) => [x + 8 + (0.3 + 0.6 * share) * (width - 16), y + height / 2])
}

/** Drags the first AOI over the board. */
export async function dragAoi(page, steps) {
  await page.locator('[data-grip=part]').first().waitFor()
  await page.waitForLoadState('networkidle')
  const { x, y, width, height } = await page.locator('[data-grip=part]').first().boundingBox()
  const at = (share) => [x + width / 2 + 60 * Math.sin(6 * share), y + height / 2 + 40 * share]
  return drag(page, steps, at)
}

async function drag(page, steps, at) {
  await page.mouse.move(...at(0))
  await page.mouse.down()
  await page.mouse.move(...at(0.001))
  await page.waitForTimeout(1000)
  await page.evaluate('Object.assign(window.dragged, { moves: [], answers: [], drawn: [] })')
  const started = performance.now()
  for (let step = 1; step <= steps; step++) {
    await page.mouse.move(...at(step / steps))
    const wait = started + step * EVERY_MS - performance.now()
    if (wait > 0) await new Promise((done) => setTimeout(done, wait))
  }
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(500)
  await page.mouse.up()
  return taken(await page.evaluate('window.dragged'))
}

/** Milliseconds from each event until all charts that follow it were painted with it, or with a later one. */
function taken({ moves, answers, drawn }) {
  const charts = [...new Set(answers.map(({ chart }) => chart))]
  const millis = moves.map(({ at, seen }) => {
    const painted = charts.map((chart) => answers.find((answer) => answer.chart === chart && answer.from >= seen)?.at)
    return painted.includes(undefined) ? null : Math.max(...painted) - at
  })
  return {
    millis: millis.filter((ms) => ms !== null),
    answers: answers.length / charts.length,
    moves: moves.length,
    drawn,
  }
}

export function dragRow(what, goal, { millis, answers, moves }) {
  return row(what, '', goal, {
    ours: millis.map((ms) => ms / 1000),
    detail: `p95 ${quantile(millis, 0.95).toFixed(0)} ms; drawn anew ${answers} times in ${moves} moves`,
  })
}
