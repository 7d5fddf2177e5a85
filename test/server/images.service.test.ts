import { EventEmitter, once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { smallBundle, uuid, writeBundle } from '../engine/import/bundles.ts'
import { kept } from '../engine/kept.ts'
import { openContract, send } from './contract.ts'
import { openTestServer } from './test-server.ts'

const contract = openContract()
const PATH = '/studies/{studyId}/items/{itemId}/image'
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const STUDY = smallBundle().study.id as string

/**
 * A picture of each kind that is served, one of a kind that is not, one that the bundle does not bring, and one
 * outside.
 */
const FILES = {
  'a.svg': 'image/svg+xml',
  'B.PNG': 'image/png',
  'c.jpg': 'image/jpeg',
  'd.jpeg': 'image/jpeg',
  'e.gif': 'image/gif',
  'f.webp': 'image/webp',
  'g.avif': 'image/avif',
  'h.html': null,
  'none.png': null,
  '../study.json': null,
}
const names = Object.keys(FILES)
const LARGE_BYTES = 8 * 2 ** 20
const contentOf = (name: string) => (name === 'a.svg' ? SVG : name === 'B.PNG' ? 'x'.repeat(LARGE_BYTES) : name)
const service = kept(await openTestServer())
const bundle = smallBundle()
const [item] = bundle.study.items
bundle.study.items = names.map((filename, i) => ({ ...item, id: uuid('1', i + 1), filename }))
const directory = await writeBundle(join(service.dataDir, 'bundle'), bundle)
await mkdir(join(directory, 'images'))
for (const name of names.slice(0, 8)) await writeFile(join(directory, 'images', name), contentOf(name))
const options = { append: false, dryRun: false, now: new Date(), threads: 1, memoryMib: 128 }
await importBundle({ dataDir: service.dataDir, directory, ...options })

function get(name: string, headers: Record<string, string> = {}, query = '') {
  const path = `/api2/studies/${STUDY}/items/${uuid('1', names.indexOf(name) + 1)}/image${query}`
  return send(service.url, { path, headers: { 'x-auth-token': service.read, ...headers } })
}

test('the list of studies names the first item of each that has a picture', async () => {
  const answer = await send(service.url, { path: '/api2/studies', headers: { 'x-auth-token': service.read } })
  const { studies } = JSON.parse(answer.body.toString()) as { studies: { id: string; pictureItemId?: string }[] }
  expect(studies.find(({ id }) => id === STUDY)?.pictureItemId).toBe(uuid('1', 1))
  expect(studies.filter(({ id }) => id !== STUDY).map((study) => 'pictureItemId' in study)).toEqual([false, false])
})

test('pictures are served by their file name, as what their ending says, and never as anything else', async () => {
  for (const [name, type] of Object.entries(FILES).filter(([, each]) => each !== null)) {
    const answer = await get(name)
    contract.check('GET', PATH, answer)
    expect([name, answer.status, answer.headers['content-type']]).toEqual([name, 200, type])
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.body.toString() === contentOf(name)).toBe(true)
  }
})

test('listeners do not pile up on the answer with a picture', async () => {
  const piles: (Error & { emitter?: unknown })[] = []
  const warn = (warning: Error) => void piles.push(warning)
  const most = EventEmitter.defaultMaxListeners
  process.on('warning', warn)
  try {
    // Some fewer than Node warns of: how many there are depends on the connection.
    EventEmitter.defaultMaxListeners = 8
    expect((await get('B.PNG')).status).toBe(200)
  } finally {
    EventEmitter.defaultMaxListeners = most
    process.off('warning', warn)
  }
  expect(piles.filter(({ emitter }) => emitter instanceof ServerResponse)).toEqual([])
})

test('answers 404 for files that are not pictures, or not in the bundle', async () => {
  for (const name of ['h.html', 'none.png', '../study.json']) {
    const answer = await get(name)
    contract.check('GET', PATH, answer)
    expect([name, answer.status]).toEqual([name, 404])
  }
  expect((await get('unknown')).status).toBe(404)
})

test('an SVG opened on its own can run no script and send no request', async () => {
  const policy = String((await get('a.svg')).headers['content-security-policy'])
  expect(policy).toMatch(/default-src 'none'/)
  expect(policy).toMatch(/sandbox(;|$)/)
  expect(policy).not.toMatch(/script-src|connect-src/)
})

test('a picture has an ETag, and a request with it gets 304', async () => {
  const { headers } = await get('a.svg')
  for (const given of [headers.etag!, `W/${headers.etag}`, `"x", ${headers.etag}`, '*']) {
    const again = await get('a.svg', { 'if-none-match': given })
    contract.check('GET', PATH, again)
    expect(again.status).toBe(304)
  }
  expect((await get('a.svg', { 'if-none-match': '"x"' })).status).toBe(200)
})

test('a picture is sent in ranges', async () => {
  const etag = String((await get('a.svg')).headers.etag)
  const cases: [Record<string, string>, number, string][] = [
    [{ range: 'bytes=0-3' }, 206, SVG.slice(0, 4)],
    [{ range: 'bytes=-6' }, 206, '</svg>'],
    [{ range: 'bytes=-99999' }, 206, SVG],
    [{ range: 'bytes=5-', 'if-range': etag }, 206, SVG.slice(5)],
    [{ range: 'bytes=5-', 'if-range': '"x"' }, 200, SVG],
    [{ range: 'bytes=9-1' }, 200, SVG],
  ]
  for (const [headers, status, body] of cases) {
    const answer = await get('a.svg', headers)
    contract.check('GET', PATH, answer)
    expect([answer.status, answer.body.toString()]).toEqual([status, body])
  }
  const beyond = await get('a.svg', { range: 'bytes=999-' })
  contract.check('GET', PATH, beyond)
  expect([beyond.status, beyond.headers['content-range']]).toEqual([416, `bytes */${SVG.length}`])
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

test('readers that do not read hold no picture in memory', async () => {
  const held = () => {
    // What is only not yet collected is not held.
    collect()
    return process.memoryUsage().arrayBuffers
  }
  const before = held()
  const { hostname, port } = new URL(service.url)
  const path = `/api2/studies/${STUDY}/items/${uuid('1', names.indexOf('B.PNG') + 1)}/image`
  const lines = [`GET ${path} HTTP/1.1`, 'Host: x', `X-Auth-Token: ${service.read}`, '', '']
  const readers = Array.from({ length: 20 }, () =>
    connect(Number(port), hostname, function (this: Socket) {
      this.write(lines.join('\r\n'))
    }),
  )
  // What has come is left where it is; nothing more is read.
  await Promise.all(readers.map((reader) => once(reader, 'readable')))
  // V8 gives the memory of what it has collected back in the background.
  await expect.poll(() => held() - before, { timeout: 10_000 }).toBeLessThan(LARGE_BYTES * 4)
  for (const reader of readers) reader.destroy()
})

test('pictures need permission to read the study, and a wrong parameter is named', async () => {
  expect((await get('a.svg', { 'x-auth-token': service.narrow })).status).toBe(404)
  expect((await get('a.svg', { 'x-auth-token': 'x' })).status).toBe(401)
  expect((await get('a.svg', {}, '?width=100')).status).toBe(400)
  expect((await get('a.svg', { 'x-auth-token': service.narrow }, '?width=100')).status).toBe(404)
})
