import { readFile } from 'node:fs/promises'
import { transformWithOxc } from 'vite'
import { describe, expect, test } from 'vitest'
import { mp4 } from '../engine/model/video/video-bytes.ts'
import { hasChromium, signIn } from './browser.ts'
import { walkThrough } from './dashboard-server.ts'
import { canRecord, recordClip } from './record-clip.ts'
import { ITEM_ID, pictureSvg, unsizedBundle } from './two-sides.ts'

/** A clip of 0.8 s, red at first and blue from its middle on, is the picture of an item whose tests last a second. */
const { service, walk, page } = await walkThrough(
  { demos: [], bundles: [() => unsizedBundle(pictureSvg(1000, 1000))] },
  ({ service, page }) => signIn(page, service.url, service.write),
)

const HALF_MS = 400
const SIDE_PX = 64
const CLIP = { widthPx: SIDE_PX, heightPx: SIDE_PX, halfMs: HALF_MS }

const image = () => `${service.url}/api2/studies/${service.studyIds[0]}/items/${ITEM_ID}`
const open = (path: string) => page.goto(`${service.url}/studies/${service.studyIds[0]}${path}`)

/** Returns which of the clip's colours an average of pixels has. */
function colorOf([red, , blue]: number[]): string {
  return red > blue + 40 ? 'red' : blue > red + 40 ? 'blue' : 'neither'
}

/** Colour of the replay at its lower left corner, where nobody looks. */
const replayed = async () =>
  colorOf(
    (await page.locator('canvas.stage').evaluate((node) => {
      const canvas = node as HTMLCanvasElement
      return [...canvas.getContext('2d')!.getImageData(4, canvas.height - 4, 1, 1).data]
    })) as number[],
  )

/** Colour of the frame below the charts. */
const charted = async () => {
  const figure = page.getByRole('figure', { name: 'Stimulus' })
  const href = await figure.locator('.drawing image').first().getAttribute('href')
  const found = (await page.evaluate(`(async () => {
    const image = new Image()
    image.src = ${JSON.stringify(href)}
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 1
    canvas.getContext('2d').drawImage(image, 0, 0, 1, 1)
    return [...canvas.getContext('2d').getImageData(0, 0, 1, 1).data]
  })()`)) as number[]
  return colorOf(found)
}

describe.skipIf(!hasChromium)('a video of an item', () => {
  test('is stored, and its header says how large and long it is', async () => {
    const clip = await recordClip(page, 'video/webm;codecs=vp8', CLIP)
    const headers = { 'x-auth-token': service.write, 'content-type': 'video/webm' }
    const query = '?rename=true&resize=true'
    const answer = await fetch(`${image()}/image${query}`, { method: 'PUT', headers, body: new Uint8Array(clip) })
    expect([answer.status, await answer.text()]).toEqual([200, expect.anything()])
    const shown = await (await service.get(`/api2/studies/${service.studyIds[0]}/items/${ITEM_ID}/shown`)).json()
    expect(shown.shown).toEqual({ widthPx: SIDE_PX, heightPx: SIDE_PX })
    expect(shown.video.durationMs).toBeGreaterThan(1.5 * HALF_MS)
    expect(shown.video.durationMs).toBeLessThan(1000)
  })

  test('plays under the gaze, frame by frame, and rests on its last frame', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await open(`/items/${ITEM_ID}/replay`)
    await expect.poll(replayed).toBe('red')
    await page.getByRole('button', { name: 'One frame forward' }).click()
    const clock = page.locator('.clock')
    const first = Number.parseFloat((await clock.textContent())!)
    expect(first).toBeGreaterThan(0.02)
    await page.getByRole('button', { name: 'One frame back' }).click()
    await expect.poll(async () => Number.parseFloat((await clock.textContent())!)).toBe(0)
    expect(await replayed()).toBe('red')
    const note = page.locator('.film-note')
    expect(await note.textContent()).toBe('')
    await open(`/items/${ITEM_ID}/replay?t=1000`)
    await expect.poll(replayed).toBe('blue')
    expect(await note.textContent()).toMatch(/^The video ended at 0\.\d{3} s: its last frame is shown\.$/)
    expect(walk.complaints).toEqual([])
  })

  test('plays on its own to the end', async () => {
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await open(`/items/${ITEM_ID}/replay?speed=0.5`)
    await expect.poll(replayed).toBe('red')
    await expect.poll(replayed).toBe('blue')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    expect(await replayed()).toBe('blue')
    expect(walk.complaints).toEqual([])
  })

  test('gives charts the frame at the middle or the start of the time window, and captions say which', async () => {
    const figure = page.getByRole('figure', { name: 'Stimulus' })
    await open(`/items/${ITEM_ID}?fromMs=600&toMs=700`)
    await expect.poll(charted).toBe('blue')
    await figure
      .getByText('The picture is the frame of the video at 0.650 s, the middle of the time window.')
      .first()
      .waitFor()
    await open(`/items/${ITEM_ID}?fromMs=50&toMs=900&frame=start`)
    await expect.poll(charted).toBe('red')
    await figure.getByText('at 0.050 s, the start of the time window.').first().waitFor()
    expect(await page.getByLabel('Frame of the video').inputValue()).toBe('start')
    await open(`/items/${ITEM_ID}?fromMs=900&toMs=1000`)
    await expect.poll(charted).toBe('blue')
    await figure
      .getByText(/The picture is the last frame of the video, which ends at/)
      .first()
      .waitFor()
    expect(walk.complaints).toEqual([])
  })

  test('plays as MP4, too, and goes to a time', async ({ skip }) => {
    const type = 'video/mp4;codecs=vp9'
    if (!(await canRecord(page, type))) skip('this Chromium records no MP4')
    const clip = await recordClip(page, type, CLIP)
    expect(clip.subarray(4, 8).toString()).toBe('ftyp')
    const headers = { 'x-auth-token': service.write, 'content-type': 'video/mp4' }
    const body = new Uint8Array(clip)
    const answer = await fetch(`${image()}/image?rename=true`, { method: 'PUT', headers, body })
    expect([answer.status, await answer.text()]).toEqual([200, expect.anything()])
    const shown = await (await service.get(`/api2/studies/${service.studyIds[0]}/items/${ITEM_ID}/shown`)).json()
    expect(shown.video.durationMs).toBeGreaterThan(1.5 * HALF_MS)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await open(`/items/${ITEM_ID}/replay`)
    await expect.poll(replayed).toBe('red')
    // Forwards and back, by the timeline's own control.
    const slider = page.getByRole('slider', { name: 'Time', exact: true })
    await slider.fill('700')
    await expect.poll(replayed).toBe('blue')
    await slider.fill('100')
    await expect.poll(replayed).toBe('red')
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await open(`/items/${ITEM_ID}/replay?speed=0.5`)
    await expect.poll(replayed).toBe('blue')
    expect(walk.complaints).toEqual([])
  })

  test('shows the frame of the last of seeks that overlap', async () => {
    const source = await readFile(new URL('../../dashboard/figures/video/clip.ts', import.meta.url), 'utf8')
    const { code } = await transformWithOxc(source, 'clip.ts')
    const wrong = await page.evaluate(`(async () => {
      ${code.replaceAll(/^export /gm, '')}
      const found = await (await fetch('/api2/studies/${service.studyIds[0]}/items/${ITEM_ID}/image')).blob()
      const clip = await openClip(URL.createObjectURL(found), { durationMs: 800, frameRateHz: null }, new AbortController().signal)
      const isRed = () => {
        const canvas = document.createElement('canvas')
        const context = canvas.getContext('2d')
        context.drawImage(clip.video, 0, 0)
        const [red, , blue] = context.getImageData(4, 4, 1, 1).data
        return red > blue
      }
      let wrong = 0
      for (let i = 0; i < 60; i++) {
        const first = seekTo(clip, i % 2 ? 150 : 650)
        await new Promise((resolve) => setTimeout(resolve, i % 15))
        await seekTo(clip, i % 2 ? 600 : 100)
        if (isRed() !== (i % 2 === 0)) wrong++
        await first
      }
      return wrong
    })()`)
    expect(wrong).toBe(0)
  })

  test('that the browser cannot play leaves the gaze on grey, and says so', async () => {
    const unplayable = mp4({ width: SIDE_PX, height: SIDE_PX, duration: 800, frames: 20 })
    const headers = { 'x-auth-token': service.write, 'content-type': 'video/mp4' }
    const body = new Uint8Array(unplayable)
    expect((await fetch(`${image()}/image?rename=true`, { method: 'PUT', headers, body })).status).toBe(200)
    await open(`/items/${ITEM_ID}/replay`)
    await page.getByText(/This browser cannot play the video of .*Gaze is shown on grey\./).waitFor()
    await expect.poll(replayed).toBe('neither')
    await open(`/items/${ITEM_ID}`)
    await page.getByRole('figure', { name: 'Stimulus' }).getByText('This browser cannot play').first().waitFor()
    expect(walk.complaints).toEqual([])
  })
})
