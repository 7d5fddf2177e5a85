import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { smallBundle, uuid, writeBundle } from '../engine/import/bundles.ts'
import { mp4, webm } from '../engine/model/video/video-bytes.ts'
import { openContract, send } from './contract.ts'
import { openTestServer, type TestServer } from './test-server.ts'

const contract = openContract()
const PATH = '/studies/{studyId}/items/{itemId}/image'
const STUDY = smallBundle().study.id as string
const CLIP = mp4({ width: 1600, height: 1200, duration: 4000, frames: 100 })
const FILM = webm({ width: 800, height: 600, durationMs: 2500, frameNs: 20_000_000, framesMs: [0] })

let service: TestServer
beforeAll(async () => {
  service = await openTestServer({ VIDEO_MAX_MIB: '1' })
  const bundle = smallBundle()
  const [item] = bundle.study.items
  bundle.study.items = [
    { ...item, filename: 'clip.mp4', widthPx: 1600, heightPx: 1200 },
    { ...item, id: uuid('1', 2), filename: 'other.png', widthPx: 1600, heightPx: 1200 },
  ]
  bundle.study.aois = []
  await importing(bundle, 'clip.mp4', CLIP)
})
afterAll(() => service.close())

async function importing(bundle: ReturnType<typeof smallBundle>, name: string, bytes: Buffer) {
  const directory = await writeBundle(join(service.dataDir, `bundle-${Math.random()}`), bundle)
  await mkdir(join(directory, 'images'))
  await writeFile(join(directory, 'images', name), bytes)
  const options = { append: false, dryRun: false, now: new Date(), threads: 1, memoryMib: 128 }
  return importBundle({ dataDir: service.dataDir, directory, ...options })
}

const item = (n: number) => `/api2/studies/${STUDY}/items/${uuid('1', n)}`
const get = (path: string, headers: Record<string, string> = {}) =>
  send(service.url, { path, headers: { 'x-auth-token': service.read, ...headers } })
async function write(method: string, path: string, type: string, body: Buffer | string | null, match?: string) {
  const headers = { 'x-auth-token': service.write, 'content-type': type, ...(match ? { 'if-match': match } : {}) }
  const content = body === null || typeof body === 'string' ? body : new Uint8Array(body)
  const answer = await fetch(`${service.url}${path}`, { method, headers, body: content })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: bytes }
}
const put = (n: number, body: Buffer, type: string, query = '') => write('PUT', `${item(n)}/image${query}`, type, body)
const detailOf = (answer: { body: Buffer }) => JSON.parse(answer.body.toString()).detail

test('a video of a bundle is served whole, by ranges and as what it is', async () => {
  const whole = await get(`${item(1)}/image`)
  contract.check('GET', PATH, whole)
  expect([whole.status, whole.headers['content-type'], whole.body.equals(CLIP)]).toEqual([200, 'video/mp4', true])
  expect(whole.headers['content-security-policy']).toContain("media-src 'self'")
  const part = await get(`${item(1)}/image`, { range: 'bytes=4-7' })
  contract.check('GET', PATH, part)
  expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 4-7/${CLIP.length}`])
  expect(part.body.toString()).toBe('ftyp')
  const shown = await get(`${item(1)}/shown`)
  expect(JSON.parse(shown.body.toString())).toMatchObject({
    shown: { widthPx: 1600, heightPx: 1200 },
    misfit: null,
    video: { durationMs: 4000, frameRateHz: 25 },
  })
})

test('a video comes by PUT, stays when something else changes, and goes by undo', async () => {
  const sent = await put(2, FILM, 'video/webm', '?rename=true')
  contract.check('PUT', PATH, sent)
  expect(sent.status).toBe(200)
  expect((await get(`${item(2)}/image`)).headers['content-type']).toBe('video/webm')
  const path = `/api2/studies/${STUDY}/about`
  const about = await write('PUT', path, 'application/json', '{"license": "CC0-1.0"}', sent.headers.etag)
  expect([about.status, about.body.toString()]).toEqual([200, expect.anything()])
  expect((await get(`${item(2)}/image`)).body.equals(FILM)).toBe(true)
  const studyDir = join(service.dataDir, 'studies', STUDY)
  const places = (await readdir(studyDir)).map((name) => join(studyDir, name, 'images', 'other.webm'))
  const found = await Promise.all(places.map((path) => stat(path).catch(() => null)))
  // However many snapshots have it, its bytes are on the disk once.
  expect(new Set(found.flatMap((each) => (each === null ? [] : [each.ino]))).size).toBe(1)
  const undo = `/api2/studies/${STUDY}/undo`
  expect((await write('POST', undo, 'application/json', null, about.headers.etag)).status).toBe(200)
  expect((await get(`${item(2)}/image`)).body.equals(FILM)).toBe(true)
  expect((await readdir(service.dataDir)).filter((name) => name.startsWith('intake-'))).toEqual([])
})

test('an invalid or oversized video is refused in one sentence', async () => {
  expect(detailOf(await put(1, FILM, 'video/mp4'))).toBe('The body is no video of type video/mp4.')
  expect(detailOf(await put(1, CLIP.subarray(0, -1), 'video/mp4'))).toBe(
    'The video must be whole: it ends before its parts do.',
  )
  expect(detailOf(await put(1, FILM, 'video/webm'))).toMatch(/filename is "clip.mp4"/)
  const wide = mp4({ width: 1600, height: 900, duration: 4000, frames: 100 })
  expect(detailOf(await put(1, wide, 'video/mp4'))).toMatch(/has another shape/)
  const large = Buffer.concat([CLIP, Buffer.alloc(2 ** 20)])
  expect((await put(1, large, 'video/mp4')).status).toBe(413)
  expect((await get(`${item(1)}/image`)).body.equals(CLIP)).toBe(true)
})

test('a bundle with such a file is refused by its name', async () => {
  const bundle = smallBundle()
  bundle.study.items[0].filename = 'clip.mp4'
  await expect(importing(bundle, 'clip.mp4', FILM)).rejects.toMatchObject({
    message: expect.stringContaining('images/clip.mp4 must be what its ending says: it is of type video/webm'),
  })
  await expect(importing(bundle, 'clip.mp4', Buffer.from('no video'))).rejects.toMatchObject({
    message: expect.stringContaining('images/clip.mp4 must be an MP4 or a WebM video'),
  })
})
