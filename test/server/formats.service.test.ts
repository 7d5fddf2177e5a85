import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { FORMATS } from '../../engine/formats/formats.ts'
import type { ExportName } from '../../engine/model/export-names.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import { jobId, planId } from '../../engine/model/plan.ts'
import { runExport } from '../../engine/run/run-export.ts'
import type { JobView } from '../../server/schemas/job.ts'
import { kept } from '../engine/kept.ts'
import { send } from './contract.ts'
import { STUDY, shareTestServer, until } from './test-server.ts'

const service = kept(await shareTestServer({}, { hasWorker: true }))

const collected = `/api2/studies/${STUDY}/collected-data`
const fixations = `${collected}/eye-tracking/fixations`
const OTHERS = FORMATS.filter(({ name }) => name !== 'csv')

function pathOf(name: ExportName, format: FormatName): string {
  const { path, variant } = EXPORTS.find((entry) => entry.name === name)!
  return `${collected}/${path}?${variant === null ? '' : `variant=${variant}&`}format=${format}`
}

async function planFor(exportName: ExportName, format: FormatName) {
  const snapshot = (await service.parts.studies.current(STUDY))!
  const plan = makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true, format })
  return { plan, snapshot }
}

async function expected(exportName: ExportName, format: FormatName): Promise<Buffer> {
  const blocks: Uint8Array[] = []
  const run = { ...(await planFor(exportName, format)), pool: service.parts.pool, gzip: false }
  for await (const { bytes } of runExport({ ...run, signal: new AbortController().signal })) blocks.push(bytes.slice())
  return Buffer.concat(blocks)
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(service.url, { method, path, headers: { 'x-auth-token': service.read, ...headers } })

describe.each(OTHERS)('$name', ({ name: format, contentType, extension, hasGzip, mediaTypes }) => {
  test('is answered for every export, with its type, its name and a tag of its own', async () => {
    for (const { name, columns } of EXPORTS) {
      const answer = await get(pathOf(name, format))
      if (format === 'xlsx' && columns.some(({ nested }) => Array.isArray(nested))) {
        expect(answer.status).toBe(422)
        expect(JSON.parse(answer.body.toString())).toMatchObject({
          type: expect.stringContaining('format-limit'),
          detail: `A cell of XLSX cannot hold all samples of a test, as ${name} has them: choose another format.`,
        })
        continue
      }
      expect(answer.status).toBe(200)
      expect(answer.body.equals(await expected(name, format))).toBe(true)
      expect(answer.headers).toMatchObject({
        'content-type': contentType,
        'content-disposition': `attachment; filename="study-cafe-naive-2-${STUDY}-${name}.${extension}"`,
        'content-length': String(answer.body.length),
        etag: `"${planId((await planFor(name, format)).plan)}"`,
        vary: 'Accept, Accept-Encoding',
        'repr-digest': `sha-256=:${createHash('sha256').update(answer.body).digest('base64')}:`,
      })
    }
  })

  test('is what Accept asks for by any of its names, and its tag is not that of another format', async () => {
    const asked = await get(pathOf('fixations', format))
    for (const accept of mediaTypes.flatMap((type) => [type, `text/html, ${type};q=0.9, */*;q=0.8`, `*/*, ${type}`])) {
      const answer = await get(fixations, { accept })
      expect(answer.headers.etag).toBe(asked.headers.etag)
      expect(answer.headers['content-type']).toBe(contentType)
    }
    const etag = String(asked.headers.etag)
    expect((await get(fixations, { 'if-none-match': etag })).status).toBe(200)
    for (const accept of mediaTypes) expect((await get(fixations, { 'if-none-match': etag, accept })).status).toBe(304)
  })

  test(`${hasGzip ? 'is compressed for those who accept it' : 'is never compressed once more'}`, async () => {
    const answer = await get(pathOf('mouse', format), { 'accept-encoding': 'gzip' })
    expect(answer.headers['content-encoding']).toBe(hasGzip ? 'gzip' : undefined)
    const plain = hasGzip ? gunzipSync(answer.body) : answer.body
    expect(plain.equals(await expected('mouse', format))).toBe(true)
    const head = await get(pathOf('mouse', format), { 'accept-encoding': 'gzip' }, 'HEAD')
    expect(head.headers['content-encoding']).toBe(hasGzip ? 'gzip' : undefined)
    expect(head.headers.etag).toBe(answer.headers.etag)
  })

  test('goes through the queue to the same bytes, and is downloaded whole and in ranges', async () => {
    const path = pathOf('gazes-split', format)
    const accepted = await get(path, { prefer: 'respond-async' })
    expect(accepted.status).toBe(202)
    const id = jobId((await planFor('gazes-split', format)).plan)
    expect(accepted.headers.location).toBe(`/api2/jobs/${id}`)
    const job = await until(async () => {
      const view: JobView = JSON.parse((await get(`/api2/jobs/${id}`)).body.toString())
      return view.state === 'succeeded' ? view : null
    })
    const bytes = await expected('gazes-split', format)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const gzipBytes = hasGzip ? expect.any(Number) : null
    expect(job.file).toMatchObject({ bytes: bytes.length, sha256, gzipBytes })
    expect(job.file?.name.endsWith(`.${extension}`)).toBe(true)
    for (const at of [path, `/api2/jobs/${id}/file`]) {
      const answer = await get(at)
      expect(answer.headers['content-type']).toBe(contentType)
      expect(answer.body.equals(bytes)).toBe(true)
      const zipped = await get(at, { 'accept-encoding': 'gzip' })
      expect((hasGzip ? gunzipSync(zipped.body) : zipped.body).equals(bytes)).toBe(true)
      const part = await get(at, { range: 'bytes=10-29' })
      expect(part.status).toBe(206)
      expect(part.body.equals(bytes.subarray(10, 30))).toBe(true)
    }
    // Requested again, it is the same job with the same file.
    expect((await get(path, { prefer: 'respond-async' })).status).toBe(200)
    const again = await get(`/api2/jobs/${id}`, {}, 'DELETE')
    expect(again.status).toBe(204)
    expect((await get(`/api2/jobs/${id}/file`)).status).toBe(410)
    // Also without a file it says what it would be.
    expect(JSON.parse((await get(`/api2/jobs/${id}`)).body.toString()).format).toBe(format)
  })
})

test('format wins over Accept, and an Accept that names no format means CSV', async () => {
  const ndjson = FORMATS.find(({ name }) => name === 'ndjson')!
  const both = await get(`${fixations}?format=ndjson`, { accept: 'application/vnd.apache.parquet' })
  expect(both.headers['content-type']).toBe(ndjson.contentType)
  const csv = await get(`${fixations}?format=csv`, { accept: 'application/x-ndjson' })
  expect(csv.headers['content-type']).toMatch(/^text\/csv/)
  const plain = await get(fixations)
  expect(csv.headers.etag).toBe(plain.headers.etag)
  for (const accept of ['application/json', '*/*', 'text/*', 'image/png', ';;,', 'application/x-ndjson;q=0', '']) {
    expect((await get(fixations, { accept })).headers.etag, accept).toBe(plain.headers.etag)
  }
})

test('an unknown format is refused along with other faults, with the nearest name', async () => {
  const answer = await get(`${fixations}?format=parket&movingMedianRangeMs=1`)
  expect(answer.status).toBe(400)
  const { errors } = JSON.parse(answer.body.toString())
  expect(errors).toContainEqual({
    parameter: 'format',
    rule: 'must be one of csv, ndjson, arrow, parquet, xlsx, csv-semicolon',
    value: 'parket',
    nearest: 'parquet',
  })
  expect(errors).toHaveLength(2)
  const twice = await get(`${fixations}?format=csv&format=arrow`)
  expect(JSON.parse(twice.body.toString()).errors).toEqual([
    { parameter: 'format', rule: 'must be given once', value: 'csv,arrow' },
  ])
})
