import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRandom } from '../../demo/random.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { kept } from '../engine/kept.ts'
import { openTestServer, STUDY, shareTestServer, until } from './test-server.ts'

const service = kept(await openTestServer({ SYNC_MAX_BYTES: '0', HOLD_SECONDS: '60' }, { hasWorker: true }))

const split = `/api2/studies/${STUDY}/collected-data/eye-tracking/gazes/raw-denoises-normalized-split`
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('five hundred equal requests at once are one computation and one file', async () => {
  const tokens = [service.read, service.narrow, service.ops]
  const answers = await Promise.all(
    Array.from({ length: 500 }, async (_, i) => {
      const response = await service.get(split, { 'x-auth-token': tokens[i % 3], 'accept-encoding': 'identity' })
      return [response.status, sha256(new Uint8Array(await response.arrayBuffer()))].join(' ')
    }),
  )
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toMatch(/^200 /)
  const { jobs } = (await (await service.get('/api2/jobs')).json()) as { jobs: JobView[] }
  expect(jobs).toHaveLength(1)
  // A dot for each time that it was begun.
  expect(await readFile(join(service.dataDir, 'exports', jobs[0].id, '1.tries'), 'utf8')).toBe('.')
})

/** Reads a range, and breaks off after so many bytes. */
function readCut(
  path: string,
  headers: Record<string, string>,
  most: number,
): Promise<{ status: number; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const req = request(
      service.url + path,
      { headers: { 'x-auth-token': service.read, ...headers } },
      (res: IncomingMessage) => {
        const pieces: Buffer[] = []
        const done = () => resolve({ status: res.statusCode ?? 0, bytes: Buffer.concat(pieces).subarray(0, most) })
        res.on('data', (piece: Buffer) => {
          pieces.push(piece)
          if (pieces.reduce((sum, { length }) => sum + length, 0) < most) return
          done()
          req.destroy()
        })
        res.on('end', done)
      },
    )
    req.on('error', reject)
    req.end()
  })
}

test('a download that is cut at a hundred random places and resumed is the same file', async () => {
  const job = await until(async () => {
    await (await service.get(split)).arrayBuffer()
    const page = (await (await service.get('/api2/jobs?state=succeeded')).json()) as { jobs: JobView[] }
    return page.jobs.find((each) => each.export === 'gazes-split')
  })
  const { href, bytes: total, sha256: wanted } = job.file!
  const random = createRandom(7)
  const cuts = new Set<number>()
  while (cuts.size < 100) cuts.add(1 + Math.floor(random.uniform() * (total - 1)))
  const pieces: Buffer[] = []
  let at = 0
  for (const cut of [...[...cuts].sort((a, b) => a - b), total]) {
    const headers = { range: `bytes=${at}-`, 'if-range': `"${job.id.slice(1)}"`, 'accept-encoding': 'gzip' }
    const { status, bytes } = await readCut(href, headers, cut - at)
    expect(status).toBe(206)
    pieces.push(bytes)
    at += bytes.length
    expect(at).toBe(cut)
  }
  expect(sha256(Buffer.concat(pieces))).toBe(wanted)
})

test('more than can be computed is refused with 503 and Retry-After, and the next one is served', async () => {
  const small = await openTestServer({ SYNC_CONCURRENCY: '1' })
  try {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => small.get(`${split}?movingMedianRangeMs=${20 + i}`)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    // One is computed and eight wait in line.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(9)
    for (const answer of answers) {
      const text = await answer.text()
      if (answer.status === 200) continue
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(JSON.parse(text)).toMatchObject({ type: '/docs/problems/overloaded' })
    }
    expect((await small.get(split)).status).toBe(200)
    expect(small.parts.pool.load()).toEqual({ running: 0, waiting: 0 })
  } finally {
    await small.close()
  }
})

test('a token that asks too often gets 429 and Retry-After, and another is served', async () => {
  const strict = await shareTestServer({ REQUESTS_PER_MINUTE: '20' })
  try {
    const answers = await Promise.all(Array.from({ length: 30 }, () => strict.get('/api2/studies')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    for (const { headers } of answers.filter(({ status }) => status === 429))
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await strict.get('/api2/studies', { 'x-auth-token': strict.narrow })).status).toBe(200)
  } finally {
    await strict.close()
  }
})
