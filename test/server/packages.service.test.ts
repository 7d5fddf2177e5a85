import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { JobView } from '../../server/schemas/job.ts'
import { kept } from '../engine/kept.ts'
import { OTHER_STUDY, STUDY, shareTestServer, until } from './test-server.ts'

const service = kept(await shareTestServer({}, { hasWorker: true }))

const path = `/api2/studies/${STUDY}/package`

test('a package is a job whose file is a ZIP file, also where every table is small', async () => {
  const asked = await service.get(`${path}?exports=saccades,fixations&format=parquet`, { prefer: 'respond-async' })
  expect(asked.status).toBe(202)
  const { id } = (await asked.json()) as JobView
  const job = await until(async () => {
    const now = (await (await service.get(`/api2/jobs/${id}`)).json()) as JobView
    return now.finishedAt === null ? null : now
  })
  expect(job).toMatchObject({
    export: 'package',
    exports: ['fixations', 'saccades'],
    format: 'parquet',
    state: 'succeeded',
    progress: { percent: 100 },
    file: { name: `study-cafe-naive-2-${STUDY}-package.zip`, gzipBytes: null },
  })
  const file = await service.get(`/api2/jobs/${id}/file`)
  const bytes = Buffer.from(await file.arrayBuffer())
  expect(file.headers.get('content-type')).toBe('application/zip')
  expect(file.headers.get('content-encoding')).toBeNull()
  expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04')
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(job.file!.sha256)
  const listed = (await (await service.get('/api2/jobs?limit=1')).json()) as { jobs: JobView[] }
  expect(listed.jobs[0]).toEqual(job)
})

test('a package is held and answered 200, then 304, and resumed by range', async () => {
  const first = await service.get(path)
  expect(first.status).toBe(200)
  const bytes = Buffer.from(await first.arrayBuffer())
  const etag = first.headers.get('etag')!
  expect((await service.get(path, { 'if-none-match': etag })).status).toBe(304)
  const rest = await service.get(path, { range: 'bytes=1000-', 'if-range': etag })
  expect(rest.status).toBe(206)
  expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(1000))).toBe(true)
  const head = await service.get(path, {}, 'HEAD')
  expect(head.headers.get('content-length')).toBe(String(bytes.length))
  // All tables with rows: other bytes than those that were named, and no `exports` in the job.
  const job = (await (await service.get(`/api2/jobs/x${etag.slice(1, 65)}`)).json()) as JobView
  expect(job.exports).toBeUndefined()
  expect(job.file!.rows).toBeGreaterThan(10)
})

test('an invalid request is refused at once, and nothing is queued', async () => {
  const before = ((await (await service.get('/api2/jobs')).json()) as { jobs: JobView[] }).jobs.length
  const wrong = await service.get(`${path}?exports=fixations,sacades&format=arrow&binMs=1`)
  expect(wrong.status).toBe(400)
  const { errors } = (await wrong.json()) as { errors: { parameter: string; value: string; nearest?: string }[] }
  expect(errors.map(({ parameter, value, nearest }) => [parameter, value, nearest]).sort()).toEqual([
    ['binMs', '1', undefined],
    ['exports', 'sacades', 'saccades'],
    ['format', 'arrow', undefined],
  ])
  expect((await service.get(`${path}?exports=fixations,fixations`)).status).toBe(400)
  expect((await service.get(`${path}?exports=`)).status).toBe(400)
  expect((await service.get(`${path}?exports=fixations&exports=saccades`)).status).toBe(400)
  const narrow = { 'x-auth-token': service.narrow }
  expect((await service.get(`/api2/studies/${OTHER_STUDY}/package`, narrow)).status).toBe(404)
  const after = ((await (await service.get('/api2/jobs')).json()) as { jobs: JobView[] }).jobs.length
  expect(after).toBe(before)
})
