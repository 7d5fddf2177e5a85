import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync, inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { JobView } from '../../server/schemas/job.ts'
import { kept, keptDirectory } from '../engine/kept.ts'
import { OTHER_STUDY, openTestServer, STUDY, type TestServer, until } from './test-server.ts'

/** Small exports at once, and a test server where everything is a job. */
const service = kept(await openTestServer())
const busy = kept(await openTestServer({ SYNC_MAX_BYTES: '0' }, { hasWorker: true }))
const idle = kept(await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '0' }))
const directory = await keptDirectory()

const fixations = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
const run = promisify(execFile)

type Answer = { status: number; headers: Record<string, string>; body: Buffer }

/** Result of curl: its dump of the headers, and the body as received. */
async function curl(at: TestServer, path: string, ...options: string[]): Promise<Answer> {
  const fixed = ['--silent', '--show-error', '--dump-header', '-', '--header', `X-AUTH-TOKEN: ${at.read}`]
  const args = [...fixed, ...options, at.url + path]
  const { stdout } = await run('curl', args, { encoding: 'buffer', maxBuffer: 2 ** 26 })
  const end = stdout.indexOf('\r\n\r\n')
  const [line, ...lines] = stdout.subarray(0, end).toString().split('\r\n')
  const headers = lines.map((each) => [each.slice(0, each.indexOf(':')).toLowerCase(), each.replace(/^[^:]*: */, '')])
  return { status: Number(line.split(' ')[1]), headers: Object.fromEntries(headers), body: stdout.subarray(end + 4) }
}

const digestOf = (bytes: Buffer) => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`

test('If-None-Match: curl keeps the ETag in a file, and gets 304', async () => {
  const tagFile = join(directory, 'tag')
  const first = await curl(service, fixations, '--etag-save', tagFile)
  expect(first.status).toBe(200)
  expect((await readFile(tagFile, 'utf8')).trim()).toBe(first.headers.etag)
  const second = await curl(service, fixations, '--etag-compare', tagFile)
  expect([second.status, second.body.byteLength, second.headers.etag]).toEqual([304, 0, first.headers.etag])
  const other = await curl(service, `${fixations}?gazeVelocityThreshold=150.5`, '--etag-compare', tagFile)
  expect(other.status).toBe(200)
})

test('If-None-Match: the tag of the gzip version is as good', async () => {
  const zipped = await curl(service, fixations, '--header', 'Accept-Encoding: gzip')
  const plain = await curl(service, fixations)
  expect(zipped.headers.etag).not.toBe(plain.headers.etag)
  for (const tag of [zipped.headers.etag, plain.headers.etag])
    for (const more of [[], ['--header', 'Accept-Encoding: gzip']])
      expect((await curl(service, fixations, '--header', `If-None-Match: ${tag}`, ...more)).status).toBe(304)
})

test('HEAD: the headers of the GET, and no more than is known', async () => {
  const path = `${fixations}?movingMedianRangeMs=444`
  const { status, headers } = await curl(service, path, '--head')
  expect(status).toBe(200)
  expect(headers['content-length']).toBeUndefined()
  const got = await curl(service, path)
  for (const name of ['etag', 'content-type', 'content-disposition', 'link', 'vary', 'cache-control'])
    expect([name, headers[name]]).toEqual([name, got.headers[name]])
  // Once there is a file, its length and digest are known.
  await curl(busy, path)
  const known = await curl(busy, path, '--head')
  expect(known.headers['content-length']).toBe(String(got.body.byteLength))
  expect(known.headers['repr-digest']).toBe(digestOf(got.body))
})

test('HEAD: queues nothing', async () => {
  const { status } = await curl(
    idle,
    `${fixations}?movingMedianRangeMs=445`,
    '--head',
    '--header',
    'Prefer: respond-async',
  )
  expect(status).toBe(200)
  expect(JSON.parse((await curl(idle, '/api2/jobs')).body.toString())).toEqual({ jobs: [], nextCursor: null })
})

test('gzip: one member, whose bytes are those of the plain file', async () => {
  for (const at of [service, busy]) {
    const plain = await curl(at, fixations)
    const zipped = await curl(at, fixations, '--header', 'Accept-Encoding: gzip')
    expect(zipped.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'Accept, Accept-Encoding',
      'content-length': String(zipped.body.byteLength),
    })
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true)
    // Ten bytes of header, one deflate stream, eight bytes behind it and nothing more: its length is the plain file's.
    expect([...zipped.body.subarray(0, 4)]).toEqual([0x1f, 0x8b, 8, 0])
    expect(inflateRawSync(zipped.body.subarray(10, -8)).equals(plain.body)).toBe(true)
    expect(zipped.body.readUInt32LE(zipped.body.byteLength - 4)).toBe(plain.body.byteLength)
    // And curl itself understands it.
    expect((await curl(at, fixations, '--compressed')).body.equals(plain.body)).toBe(true)
  }
})

test('Repr-Digest: the SHA-256 of the bytes as they are coded, of ranges too that of the whole', async () => {
  for (const more of [[], ['--header', 'Accept-Encoding: gzip']]) {
    const { headers, body } = await curl(service, fixations, ...more)
    expect(headers['repr-digest']).toBe(digestOf(body))
  }
  const whole = await curl(busy, fixations)
  const part = await curl(busy, fixations, '--range', '10-19')
  expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 10-19/${whole.body.byteLength}`])
  expect(part.body.equals(whole.body.subarray(10, 20))).toBe(true)
  expect(part.headers['repr-digest']).toBe(digestOf(whole.body))
})

test('Content-Disposition: curl names the file, whatever script the study is named in', async () => {
  await curl(service, fixations, '--remote-name', '--remote-header-name', '--output-dir', directory)
  const other = fixations.replace(STUDY, OTHER_STUDY)
  await curl(service, other, '--remote-name', '--remote-header-name', '--output-dir', directory)
  expect(await readdir(directory)).toEqual(
    expect.arrayContaining([`study-cafe-naive-2-${STUDY}-fixations.csv`, `study--${OTHER_STUDY}-fixations.csv`]),
  )
})

test('Prefer: respond-async is 202 at once, and the same GET later the file', async () => {
  const path = `${fixations}?movingMedianRangeMs=446`
  const asked = await curl(busy, path, '--header', 'Prefer: respond-async')
  expect([asked.status, asked.headers['preference-applied']]).toEqual([202, 'respond-async'])
  const job = JSON.parse(asked.body.toString()) as JobView
  expect(asked.headers.location).toBe(`/api2/jobs/${job.id}`)
  await until(async () => (await busy.parts.jobs.read(job.id))?.end)
  const later = await curl(busy, path, '--header', 'Prefer: respond-async')
  expect([later.status, later.headers['preference-applied']]).toEqual([200, undefined])
  expect(later.body.equals((await curl(service, path)).body)).toBe(true)
})

test('Prefer: wait=N holds that long, and no other number counts', async () => {
  const held = await curl(busy, `${fixations}?movingMedianRangeMs=447`, '--header', 'Prefer: wait=60')
  expect([held.status, held.headers['preference-applied']]).toEqual([200, 'wait=60'])
  const ask = (value: string) => curl(idle, `${fixations}?movingMedianRangeMs=448`, '--header', `Prefer: ${value}`)
  expect((await ask('wait=0')).headers).toMatchObject({ 'preference-applied': 'wait=0', 'cache-control': 'no-store' })
  for (const value of ['wait=61', 'wait=-1', 'wait=soon', 'handling=strict']) {
    const { status, headers } = await ask(value)
    expect([value, status, headers['preference-applied']]).toEqual([value, 202, undefined])
  }
})

test('curl resumes a download that broke off', async () => {
  const whole = await curl(busy, fixations)
  const half = Math.floor(whole.body.byteLength / 2)
  const file = join(directory, 'resumed.csv')
  await run('curl', ['-s', '-H', `X-AUTH-TOKEN: ${busy.read}`, '-r', `0-${half - 1}`, '-o', file, busy.url + fixations])
  await run('curl', ['-s', '-H', `X-AUTH-TOKEN: ${busy.read}`, '-C', '-', '-o', file, busy.url + fixations])
  expect((await readFile(file)).equals(whole.body)).toBe(true)
})
