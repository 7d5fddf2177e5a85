import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { kept } from '../engine/kept.ts'
import { openDashboardServer } from './dashboard-server.ts'
import { ITEM_ID, LOOKERS, pictureSvg, twoSides, unsizedBundle } from './two-sides.ts'

const bundle = await unsizedBundle()
/** A study whose item has no size: its tests count as having shown it in the whole window, 1000 × 1000 px. */
const service = kept(await openDashboardServer([], {}, [bundle]))
await rm(bundle, { recursive: true })
const study = `${service.url}/api2/studies/${service.studyIds[0]}`

async function put(path: string, type: string, body: string, more: Record<string, string> = {}) {
  const headers = { 'x-auth-token': service.write, 'content-type': type, ...more }
  const answer = await fetch(study + path, { method: 'PUT', headers, body })
  return { status: answer.status, detail: ((await answer.json()) as { detail?: string }).detail ?? '' }
}
const putPicture = (widthPx: number, heightPx: number) =>
  put(`/items/${ITEM_ID}/image`, 'image/svg+xml', pictureSvg(widthPx, heightPx))
const shown = async () =>
  (await fetch(`${study}/items/${ITEM_ID}/shown`, { headers: { 'x-auth-token': service.read } })).json()

test('a picture with another aspect ratio than the displayed one is refused with advice', async () => {
  const refused = await putPicture(1000, 500)
  expect(refused.status).toBe(400)
  expect(refused.detail).toContain(
    'tests show it in 1000 × 1000 px, where the picture, 1000 × 500 px, has another shape',
  )
  expect(refused.detail).toContain(
    'Send the picture as it was shown or, if the item has no size and the picture was shown whole, say so',
  )
  expect((await putPicture(300, 300)).status).toBe(200)
  expect(await shown()).toEqual({
    shown: { widthPx: 1000, heightPx: 1000 },
    misfit: null,
    isVaried: false,
    video: null,
    longestTestMs: 1000,
  })
  // It fills any place.
  expect(
    (await put(`/items/${ITEM_ID}/image`, 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>')).status,
  ).toBe(200)
})

test('a picture that was shown whole gives an item its size, so that its tests are placed anew', async () => {
  const sized = await put(`/items/${ITEM_ID}/image?resize=true`, 'image/svg+xml', pictureSvg(400, 200))
  expect(sized.status).toBe(200)
  expect(await shown()).toEqual({
    shown: { widthPx: 400, heightPx: 200 },
    misfit: null,
    isVaried: false,
    video: null,
    longestTestMs: 1000,
  })
  expect((await putPicture(300, 300)).detail).toContain('The item is 400 × 200 px')
  const headers = { 'x-auth-token': service.write, 'if-match': '*' }
  expect((await fetch(`${study}/undo`, { method: 'POST', headers })).status).toBe(200)
  expect(await shown()).toMatchObject({ shown: { widthPx: 1000, heightPx: 1000 } })
})

test('an item that is given its size has its tests placed anew, and takes the picture', async () => {
  const described = twoSides(LOOKERS).study
  const [item] = described.items
  const sized = { ...described, items: [{ ...item, filename: 'item-1.svg' }] }
  expect((await put('', 'application/json', JSON.stringify(sized), { 'if-match': '*' })).status).toBe(200)
  expect(await shown()).toEqual({
    shown: { widthPx: 1000, heightPx: 500 },
    misfit: null,
    isVaried: false,
    video: null,
    longestTestMs: 1000,
  })
  expect((await putPicture(2000, 1000)).status).toBe(200)
  const refused = await putPicture(500, 500)
  expect(refused.status).toBe(400)
  expect(refused.detail).toMatch(/^The item is 1000 × 500 px, and the picture, 500 × 500 px, has another shape/)
  // Whole in the window of 1000 × 1000 px: gaze at 250 px from the upper edge is at its upper edge.
  const { tests } = (await (
    await fetch(`${study}/charts/recording?itemId=${ITEM_ID}`, { headers: { 'x-auth-token': service.read } })
  ).json()) as { tests: { gaze: { y: number[] } }[] }
  expect(tests[0].gaze.y[0]).toBe(0)
})
