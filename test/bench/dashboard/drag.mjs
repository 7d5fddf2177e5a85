// What a drag takes on the page: from each event of the mouse until its numbers, or newer ones, are painted.
import { median, quantile } from '../measure.mjs'

/**
 * Notes, frame by frame, which value of the slider each chart has drawn: its caption names the settings. A frame counts as painted
 * with the first task after it.
 */
const WATCH_SLIDER = `(() => {
  const slider = document.querySelector('input[aria-valuetext$="second"]') ?? document.querySelector('.sliders input[type=range]:nth-of-type(1)')
  const name = document.querySelector('.sliders label[for="' + slider.id + '"]').textContent
  const moves = []
  slider.addEventListener('input', (event) => moves.push({ at: event.timeStamp, value: Number(slider.value) }), true)
  const drawn = []
  const captions = () => [...document.querySelectorAll('figure')]
    .map((figure) => /fixations|aoi-overall|aoi-fix/.test(figure.querySelector('.caption-more p')?.textContent ?? '') && figure.querySelector('.caption-more p').textContent)
    .filter(Boolean)
  const look = () => {
    const values = captions().map((text) => Number(/gazeVelocityThreshold = ([\\d.]+)/.exec(text)?.[1]))
    const last = drawn.at(-1)
    if (last === undefined || last.values.join() !== values.join()) {
      const entry = { values, at: null }
      drawn.push(entry)
      const channel = new MessageChannel()
      channel.port1.onmessage = () => { entry.at = performance.now() }
      channel.port2.postMessage(null)
    }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  window.dragged = { moves, drawn, name }
})()`

/** Milliseconds from each move of a slider until charts of that value, or of one after it, were painted; and how often charts were. */
export async function dragSlider(page, { steps, everyMs = 16 }) {
  await page.evaluate(WATCH_SLIDER)
  const slider = page.getByRole('slider', { name: 'Velocity threshold' })
  await slider.scrollIntoViewIfNeeded()
  const { x, y, width, height } = await slider.boundingBox()
  const at = (share) => [x + 8 + share * (width - 16), y + height / 2]
  await page.mouse.move(...at(0.3))
  await page.mouse.down()
  await page.waitForTimeout(1500)
  await page.evaluate('window.dragged.moves.length = 0; window.dragged.drawn.length = 0')
  const started = Date.now()
  for (let step = 1; step <= steps; step++) {
    await page.mouse.move(...at(0.3 + (0.6 * step) / steps))
    const wait = started + step * everyMs - Date.now()
    if (wait > 0) await new Promise((done) => setTimeout(done, wait))
  }
  await page.waitForTimeout(2500)
  await page.mouse.up()
  const { moves, drawn } = await page.evaluate('window.dragged')
  const taken = moves.map(({ at: from, value }) => {
    const shown = drawn.find(({ values, at: painted }) => painted >= from && values.every((each) => each >= value))
    return (shown?.at ?? Number.NaN) - from
  })
  return {
    taken,
    moves: moves.length,
    redraws: drawn.length,
    lastMs: taken.at(-1),
    forMs: moves.at(-1).at - moves[0].at,
  }
}

export function described({ taken, moves, redraws, forMs }) {
  return `median ${median(taken).toFixed(0)} ms, p95 ${quantile(taken, 0.95).toFixed(0)} ms; ${redraws} redraws of ${moves} moves in ${(forMs / 1000).toFixed(1)} s`
}
