import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromUrl, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { kept } from '../engine/kept.ts'
import { openContract, send } from './contract.ts'
import { STUDY, shareTestServer } from './test-server.ts'

const contract = openContract()
const fixations = '/studies/{studyId}/collected-data/eye-tracking/fixations'
const service = kept(await shareTestServer())

let median = 100
/** An export that nobody has asked for yet. */
const newQuery = (format: string) => `format=${format}&movingMedianRangeMs=${median++}`
const addressOf = (query: string) => `/api2${fixations.replace('{studyId}', STUDY)}?${query}`

/** Asks, and holds the answer against the document. */
async function ask(query: string, headers: Record<string, string> = {}, method = 'GET') {
  const path = addressOf(query)
  const answer = await send(service.url, { method, path, headers: { 'x-auth-token': service.read, ...headers } })
  contract.check(method, fixations, answer)
  return answer
}

test.each(['parquet', 'csv'])('a small export is read by ranges as DuckDB does, as %s', async (format) => {
  const query = newQuery(format)
  // Without a length, DuckDB fetches the whole; with one, it asks for ranges.
  const unknown = await ask(query, {}, 'HEAD')
  expect([unknown.status, unknown.headers['content-length']]).toEqual([200, undefined])
  const whole = await ask(query)
  const bytes = whole.body.length
  const head = await ask(query, {}, 'HEAD')
  expect(head.headers).toMatchObject({
    'content-length': String(bytes),
    'accept-ranges': 'bytes',
    etag: whole.headers.etag,
  })
  const part = async (start: number, end: number) => {
    const answer = await ask(query, { range: `bytes=${start}-${end - 1}` })
    expect(answer.status).toBe(206)
    expect(answer.headers).toMatchObject({
      'content-range': `bytes ${start}-${end - 1}/${bytes}`,
      'content-length': String(end - start),
      'repr-digest': whole.headers['repr-digest'],
    })
    return answer.body
  }
  const cut = [0, 1, Math.floor(bytes / 3), bytes - 8, bytes]
  const parts = []
  for (let i = 1; i < cut.length; i++) parts.push(await part(cut[i - 1], cut[i]))
  expect(Buffer.concat(parts)).toEqual(whole.body)
  expect(await ask(query, { range: 'bytes=-8' })).toMatchObject({ status: 206, body: whole.body.subarray(-8) })
})

test('a range of an answer is of its plain bytes, of this very answer, one, and within it', async () => {
  const query = newQuery('csv')
  const { body, headers } = await ask(query)
  const zipped = { 'accept-encoding': 'gzip' }
  const range = 'bytes=10-19'
  expect(await ask(query, { range, ...zipped })).toMatchObject({ status: 206, body: body.subarray(10, 20) })
  expect(await ask(query, { range, 'if-range': String(headers.etag) })).toMatchObject({ status: 206 })
  expect(await ask(query, { range, 'if-range': '"other"' })).toMatchObject({ status: 200, body })
  expect(await ask(query, { range: 'bytes=0-1,5-6' })).toMatchObject({ status: 200, body })
  expect(await ask(query, { range: 'lines=0-1' })).toMatchObject({ status: 200, body })
  const beyond = await ask(query, { range: `bytes=${body.length}-` })
  expect([beyond.status, beyond.headers['content-range']]).toEqual([416, `bytes */${body.length}`])
  const gzip = await ask(query, zipped)
  expect([gzip.headers['content-encoding'], gzip.headers['accept-ranges']]).toEqual(['gzip', undefined])
  expect((await ask(query, zipped, 'HEAD')).headers['content-length']).toBe(String(gzip.body.length))
  // Of one that was never asked for, a range is computed, too.
  expect(await ask(newQuery('csv'), { range: 'bytes=0-2' })).toMatchObject({ status: 206, body: body.subarray(0, 3) })
})

test('the end of an answer without a byte is all of it: no Content-Range could tell of none', async () => {
  const path = fixations.replace('fixations', 'aois-all/transitions')
  const query = 'format=ndjson&movingMedianRangeMs=20&gazeVelocityThreshold=1&dispersionThresholdPercent=0.5'
  const headers = { 'x-auth-token': service.read, range: 'bytes=-5' }
  const answer = await send(service.url, {
    method: 'GET',
    path: `/api2${path.replace('{studyId}', STUDY)}?${query}`,
    headers,
  })
  contract.check('GET', path, answer)
  expect([answer.status, answer.body.length]).toEqual([200, 0])
})

test('a reader of Parquet reads it over HTTP by ranges alone, once its length is known', async () => {
  const query = newQuery('parquet')
  await ask(query)
  const asked: (string | null)[] = []
  const counting: typeof fetch = (input, init) => {
    asked.push(new Headers(init?.headers).get('range'))
    return fetch(input, init)
  }
  const requestInit = { headers: { 'x-auth-token': service.read } }
  const file = await asyncBufferFromUrl({ url: service.url + addressOf(query), requestInit, fetch: counting })
  const rows = await parquetReadObjects({ file, columns: ['participant_external_id', 'fixation_index'] })
  expect(rows[0]).toMatchObject({ participant_external_id: 'p1', fixation_index: 1 })
  expect(asked[0]).toBe(null)
  expect(asked.slice(1).every((range) => range !== null)).toBe(true)
})

test('DuckDB takes the secret and the query of docs/examples.md', async () => {
  const page = await readFile(new URL('../../docs/examples.md', import.meta.url), 'utf8')
  const [, sql] = /^## SQL\n[\s\S]*?^```sql\n([\s\S]*?)^```$/m.exec(page)!
  const [secret, query] = sql.split(';\n')
  const path = join(service.dataDir, 'fixations.parquet')
  await writeFile(path, (await ask(newQuery('parquet'))).body)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(secret)
  const [known] = (await connection.runAndReadAll('SELECT * FROM duckdb_secrets()')).getRowObjectsJson()
  expect(known).toMatchObject({ type: 'http', scope: ['https://gazette.example'] })
  const address = /'(https:[^']*)'\)\n/.exec(query)![1]
  expect(address).toContain('/collected-data/eye-tracking/fixations?format=parquet')
  const rows = (await connection.runAndReadAll(query.replace(address, path))).getRowObjectsJson()
  expect(rows.map(({ participant_external_id }) => participant_external_id)).toEqual(['p1', 'p2'])
  connection.closeSync()
  instance.closeSync()
})
