import { once } from 'node:events'
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { Agent, request as startRequest } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FIRST_DEMO, writeDemoBundle } from '../../demo/write-demo.ts'
import { uploadPath } from '../../engine/uploads/uploads.ts'
import type { ImportView } from '../../server/schemas/import.ts'
import { startSweep } from '../../worker/sweep.ts'
import { kept, keptDirectory } from '../engine/kept.ts'
import { mappingOf } from '../engine/recordings/mapping.ts'
import { type Put, tarGzOf, zipOf } from '../engine/uploads/archives.ts'
import { openContract } from './contract.ts'
import { openTestServer, STUDY, until } from './test-server.ts'
import { askImport, begin, imported, sendOn, upload } from './uploads.ts'

const contract = openContract()
const service = kept(await openTestServer({ UPLOADS_PER_TOKEN: '12', UPLOADS_MAX_GIB: '1' }, { hasWorker: true }))
const directory = await keptDirectory()
const size = { participants: 2, items: 2, seconds: 1, hz: 30, seed: 1 }
await writeDemoBundle({ directory: join(directory, 'demo'), ...size, memoryMib: 128 })
const files = await filesOf(join(directory, 'demo'))
const studyId = JSON.parse(String(files.find(({ name }) => name === 'study.json')!.bytes)).id

async function filesOf(bundle: string): Promise<Put[]> {
  const entries = await readdir(bundle, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(paths.map(async (path) => ({ name: path.slice(bundle.length + 1), bytes: await readFile(path) })))
}
const replaced = (name: string, bytes: string | Buffer): Put[] =>
  files.map((file) => (file.name === name ? { ...file, bytes } : file))
const tableOf = (who: string) => `participant,item,t_ms,x,y\n${who},a.png,0,5,6\n${who},a.png,16,7,8\n`
const MAPPING = mappingOf({
  participant: 'participant',
  item: 'item',
  time: { column: 't_ms', unit: 'ms', origin: 'item' },
})
const importsIn = async () => (await readdir(service.dataDir)).filter((name) => name.startsWith('intake-'))
const uploadsIn = () => readdir(join(service.dataDir, 'uploads'))

/** Asks again as the document has it, and holds the answer against it. */
async function check(method: string, path: string, answer: Response): Promise<Buffer> {
  const body = Buffer.from(await answer.arrayBuffer())
  const headers = Object.fromEntries(answer.headers)
  contract.check(method, path, { status: answer.status, headers, body })
  return body
}
const problemOf = async (method: string, path: string, answer: Response) =>
  JSON.parse((await check(method, path, answer)).toString())

describe('uploads', () => {
  test('are sent in pieces, of which a half-sent one is gone on with', async () => {
    const bytes = Buffer.from('participant,item,t_ms,x,y\n')
    const begun = await begin(service, service.write, 'gaze.csv', bytes.length)
    const path = begun.headers.get('location')!
    await check('POST', '/uploads', begun)
    expect(path).toMatch(/^\/api2\/uploads\/[0-9a-f]{16}-[0-9a-f]{32}$/)
    await check('PATCH', '/uploads/{uploadId}', await sendOn(service, service.write, path, 0, bytes.subarray(0, 10)))
    const tus = { 'tus-resumable': '1.0.0', 'x-auth-token': service.write }
    const looked = await service.get(path, tus, 'HEAD')
    expect([looked.headers.get('upload-offset'), looked.headers.get('upload-length')]).toEqual(['10', '26'])
    await check('HEAD', '/uploads/{uploadId}', looked)
    const wrong = await sendOn(service, service.write, path, 5, bytes)
    expect(wrong.status).toBe(409)
    expect(await problemOf('PATCH', '/uploads/{uploadId}', wrong)).toMatchObject({
      type: '/docs/problems/upload-conflict',
    })
    // Whoever imports it before it is whole is told how much has come.
    const id = path.split('/').at(-1)!
    const early = await askImport(service, service.write, { uploads: [id] })
    expect((await problemOf('POST', '/imports', early)).detail).toContain('only 10 of its 26 bytes have come')
    expect((await sendOn(service, service.write, path, 10, bytes.subarray(10))).status).toBe(204)
    const list = JSON.parse((await check('GET', '/uploads', await service.get('/api2/uploads', tus))).toString())
    expect(list.uploads).toMatchObject([{ id, name: 'gaze.csv', bytes: 26, receivedBytes: 26 }])
    expect((await readFile(uploadPath(service.dataDir, id))).equals(bytes)).toBe(true)
    for (const name of await uploadsIn())
      expect((await stat(join(service.dataDir, 'uploads', name))).mode & 0o777).toBe(0o600)
    expect((await stat(join(service.dataDir, 'uploads'))).mode & 0o777).toBe(0o700)
    await check('DELETE', '/uploads/{uploadId}', await service.get(path, tus, 'DELETE'))
    expect(await uploadsIn()).toEqual([])
  })

  test('whose first piece is refused take no room of the token', async () => {
    const headers = { 'tus-resumable': '1.0.0', 'x-auth-token': service.write, 'upload-length': '10' }
    const body = Buffer.alloc(100)
    const type = 'application/offset+octet-stream'
    const refused = await fetch(`${service.url}/api2/uploads`, {
      method: 'POST',
      headers: { ...headers, 'content-type': type },
      body,
    })
    await refused.arrayBuffer()
    expect(refused.status).toBeGreaterThanOrEqual(400)
    const tus = { 'tus-resumable': '1.0.0', 'x-auth-token': service.write }
    expect(await (await service.get('/api2/uploads', tus)).json()).toMatchObject({ uploads: [] })
    expect(await uploadsIn()).toEqual([])
  })

  test('that are refused leave their connection to the next request, however much of them is not read', async () => {
    const begun = await begin(service, service.write, 'gaze.csv', 26)
    const path = begun.headers.get('location')!
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = async (method: string, headers: Record<string, string>, body = Buffer.alloc(0)) => {
      const request = startRequest(`${service.url}${path}`, {
        agent,
        method,
        headers: { 'x-auth-token': service.write, ...headers },
      })
      const [answer] = await once(request.end(body), 'response')
      answer.resume()
      await once(answer, 'end')
      return [answer.statusCode, answer.headers['upload-offset']]
    }
    const tus = { 'tus-resumable': '1.0.0' }
    const piece = { ...tus, 'upload-offset': '5', 'content-type': 'application/offset+octet-stream' }
    expect(await ask('PATCH', piece, Buffer.alloc(1_000_000))).toEqual([409, undefined])
    expect(await ask('HEAD', tus)).toEqual([200, '0'])
    agent.destroy()
    await service.get(path, { ...tus, 'x-auth-token': service.write }, 'DELETE')
  })

  test('are for tokens that may write, each for its own', async () => {
    const id = await upload(service, service.write, 'a.csv', Buffer.from('a'))
    const tus = { 'tus-resumable': '1.0.0' }
    expect((await service.get('/api2/uploads')).status).toBe(403)
    expect((await begin(service, service.read, 'a', 1)).status).toBe(403)
    expect((await begin(service, 'nobody', 'a', 1)).status).toBe(401)
    for (const method of ['HEAD', 'DELETE'])
      expect((await service.get(`/api2/uploads/${id}`, { ...tus, 'x-auth-token': service.ops }, method)).status).toBe(
        404,
      )
    const others = await askImport(service, service.ops, { uploads: [id] })
    expect((await problemOf('POST', '/imports', others)).detail).toContain('must be an upload of this token')
    await service.get(`/api2/uploads/${id}`, { ...tus, 'x-auth-token': service.write }, 'DELETE')
  })

  test('are refused with names that lead elsewhere, without a length, too large, and when there are too many', async () => {
    for (const name of ['../../etc/passwd', 'a/b', '.hidden', 'new\nline', 'x'.repeat(300), 'C:evil']) {
      const answer = await begin(service, service.write, name, 1)
      expect((await problemOf('POST', '/uploads', answer)).type).toBe('/docs/problems/invalid-parameter')
    }
    const tus = { 'tus-resumable': '1.0.0', 'x-auth-token': service.write }
    const problems = [
      await service.get('/api2/uploads', tus, 'POST'),
      await service.get('/api2/uploads', { 'x-auth-token': service.write, 'upload-length': '1' }, 'POST'),
      await service.get('/api2/uploads', { ...tus, 'upload-defer-length': '1' }, 'POST'),
    ]
    for (const answer of problems)
      expect((await problemOf('POST', '/uploads', answer)).type).toBe('/docs/problems/invalid-upload')
    expect((await begin(service, service.write, 'large', 2 ** 30 + 1)).status).toBe(413)
    const own = { ...tus, 'x-auth-token': service.ops }
    const paths: string[] = []
    for (let i = 0; i < 12; i++)
      paths.push((await begin(service, service.ops, 'a', i === 0 ? 2 ** 30 - 11 : 1)).headers.get('location')!)
    const full = await begin(service, service.ops, 'a', 0)
    expect(full.status).toBe(429)
    expect(await problemOf('POST', '/uploads', full)).toMatchObject({ type: '/docs/problems/too-many-uploads' })
    await service.get(paths.pop()!, own, 'DELETE')
    expect((await begin(service, service.ops, 'a', 2)).status).toBe(429)
    for (const path of paths) await service.get(path, own, 'DELETE')
    expect(await uploadsIn()).toEqual([])
  })

  test('that are made at once are bounded as those that are made one after the other', async () => {
    const tus = { 'tus-resumable': '1.0.0', 'x-auth-token': service.ops }
    const many = await Promise.all(Array.from({ length: 30 }, () => begin(service, service.ops, 'a', 1)))
    const made = many.filter(({ status }) => status === 201).map(({ headers }) => headers.get('location')!)
    expect(many.map(({ status }) => status).sort()).toEqual([...Array(12).fill(201), ...Array(18).fill(429)])
    for (const path of made) await service.get(path, tus, 'DELETE')
    const large = await Promise.all(Array.from({ length: 5 }, () => begin(service, service.ops, 'a', 2 ** 29)))
    expect(large.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429])
    for (const { headers, status } of large)
      if (status === 201) await service.get(headers.get('location')!, tus, 'DELETE')
    expect(await uploadsIn()).toEqual([])
  })

  test('expire, with what killed processes left of them', async () => {
    const id = await upload(service, service.write, 'a.csv', Buffer.from('a'))
    await writeFile(join(service.dataDir, 'uploads', 'left.tmp'), '')
    const sweep = startSweep({ ...service.parts, now: () => new Date(Date.now() + 23 * 3_600_000) })
    await sweep.pass()
    expect(await uploadsIn()).toEqual(expect.arrayContaining([id, `${id}.json`]))
    await sweep.close()
    const later = startSweep({ ...service.parts, now: () => new Date(Date.now() + 25 * 3_600_000) })
    await later.pass()
    await later.close()
    expect(await uploadsIn()).toEqual([])
  })
})

describe('imports', () => {
  test('make a study of a packed bundle, the same as the command does, and leave nothing behind', async () => {
    const id = await upload(
      service,
      service.write,
      'demo.zip',
      zipOf(files.map((file) => ({ ...file, name: `demo/${file.name}` }))),
    )
    const dry = await imported(service, service.write, { uploads: [id], dryRun: true })
    expect(dry).toMatchObject({ state: 'succeeded', report: { study: { id: studyId }, published: false } })
    expect((await service.get(`/api2/studies/${studyId}`)).status).toBe(404)
    const done = await imported(service, service.write, { uploads: [id] })
    expect(done).toMatchObject({ state: 'succeeded', append: false, progress: { percent: 100 }, error: null })
    expect(done.report).toMatchObject({
      published: true,
      counts: { participants: 2, items: 2, tests: 4 },
      conversion: null,
    })
    expect(done.report!.snapshot).toBe(
      ((await (await service.get(`/api2/studies/${studyId}`)).json()) as { snapshot: string }).snapshot,
    )
    // Its end is written first: then it is tidied up, and comes into the audit log.
    await expect.poll(importsIn).toEqual([])
    // The file is kept, to be imported again with other choices.
    expect((await uploadsIn()).sort()).toEqual([id, `${id}.json`])
    const audited = async () => {
      const lines = (await readFile(join(service.dataDir, 'audit.jsonl'), 'utf8')).trim().split('\n')
      return lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'import')
    }
    await expect.poll(audited).toMatchObject([{ study: studyId, job: done.id }])
    const history = await (await service.get(`/api2/studies/${studyId}/history`)).json()
    expect(history).toMatchObject({ entries: [{ did: 'bundle imported', snapshot: done.report!.snapshot }] })
    const path = `/api2/imports/${done.id}`
    await check('GET', '/imports/{importId}', await service.get(path, { 'x-auth-token': service.write }))
    expect((await service.get(path)).status).toBe(404)
    // The same again, packed in another way, publishes nothing; other data is refused.
    const again = await upload(service, service.write, 'demo.tar.gz', tarGzOf(files))
    expect((await imported(service, service.write, { uploads: [again] })).report).toMatchObject({ published: false })
    const fewer = JSON.stringify({
      ...JSON.parse(String(files.find(({ name }) => name === 'study.json')!.bytes)),
      aois: [],
    })
    const other = await upload(service, service.write, 'demo.zip', zipOf(replaced('study.json', fewer)))
    const refused = await imported(service, service.write, { uploads: [other] })
    expect(refused.error).toMatchObject({
      status: 409,
      detail: expect.stringContaining('is there already, with other data'),
    })
    await check('DELETE', '/imports/{importId}', await service.get(path, { 'x-auth-token': service.write }, 'DELETE'))
    expect((await service.get(path, { 'x-auth-token': service.write })).status).toBe(404)
  })

  test('make a study of recordings, and add to it', async () => {
    const fresh = '5f0c1d9e-3c1b-4c57-9d0a-2f0f2b7c1a01'
    const one = await upload(service, service.write, 'P1.csv', Buffer.from(tableOf('P1')))
    const dry = await imported(service, service.write, { uploads: [one], dryRun: true })
    expect(dry).toMatchObject({
      state: 'failed',
      found: {
        formats: [],
        others: { files: ['P1.csv'], fileCount: 1 },
        table: {
          rows: [
            ['P1', 'a.png', '0', '5', '6'],
            ['P1', 'a.png', '16', '7', '8'],
          ],
          mapping: { screen: null },
        },
      },
    })
    expect(dry.found!.table!.mapping).toMatchObject({
      notes: expect.arrayContaining([expect.stringContaining('`screen`')]),
    })
    await check(
      'GET',
      '/imports/{importId}',
      await service.get(`/api2/imports/${dry.id}`, { 'x-auth-token': service.write }),
    )
    const first = await imported(service, service.write, {
      uploads: [one],
      studyId: fresh,
      name: 'Shelf',
      mapping: MAPPING,
    })
    expect(first.error).toMatchObject({ status: 422, type: '/docs/problems/unreadable-files' })
    const options = { mapping: MAPPING, screen: { widthPx: 800, heightPx: 600 } }
    const made = await imported(service, service.write, { uploads: [one], studyId: fresh, name: 'Shelf', ...options })
    expect(made.report!.conversion).toMatchObject({
      format: 'generic',
      files: ['P1.csv'],
      participants: [{ name: 'P1' }],
      items: ['a.png'],
    })
    expect(made.report!.conversion!.assumed.length).toBeGreaterThan(0)
    const names = await Promise.all(
      ['P2', 'P3'].map((who) => upload(service, service.write, `${who}.csv`, Buffer.from(tableOf(who)))),
    )
    // The mapping and the screen are the study's.
    const more = await imported(service, service.write, { uploads: names }, fresh)
    expect(more).toMatchObject({ state: 'succeeded', append: true, study: { id: fresh } })
    expect(more.report!.conversion!.assumed).toContain(
      'options that were not given are those of earlier imports of the study: its mapping, `screen` 800x600',
    )
    expect(more.report!.counts).toEqual({ participants: 3, items: 1, tests: 3, samples: 6 })
    const twice = await upload(service, service.write, 'P2.csv', Buffer.from(tableOf('P2')))
    const known = await imported(service, service.write, { uploads: [twice] }, fresh)
    expect(known).toMatchObject({ state: 'succeeded', report: { published: false } })
    expect(known.report!.nothingNew).toContain('P2.csv')
  })

  test('refuse recordings without any gaze, unless they are forced', async () => {
    const lost = tableOf('P9').replaceAll(/,[5-8],[5-8]\n/g, ',NA,NA\n')
    const uploads = [await upload(service, service.write, 'P9.csv', Buffer.from(lost))]
    const choices = { uploads, mapping: MAPPING, screen: { widthPx: 800, heightPx: 600 }, name: 'Lost' }
    const refused = await imported(service, service.write, choices)
    expect(refused.error).toMatchObject({
      status: 422,
      detail: expect.stringContaining('no test has a sample with gaze'),
    })
    const forced = await imported(service, service.write, { ...choices, force: true })
    expect(forced.report!.counts).toEqual({ participants: 1, items: 1, tests: 1, samples: 2 })
  })

  test('are refused with every problem of the data at once, and change nothing', async () => {
    const samples = files.find(({ name }) => name.startsWith('samples'))!
    expect(samples.name).toMatch(/^samples\.(csv|parquet)/)
    const tests = String(files.find(({ name }) => name === 'tests.csv')!.bytes).replace(/^([0-9a-f-]{36})/m, 'wrong-id')
    const testId = /^[0-9a-f-]{36}/m.exec(tests)![0]
    const rows = `test_id,t_ms,gaze_x_px,gaze_y_px\n${testId},NaN,1,2\n${testId},5,Infinity,2\n`
    const wrong = replaced('tests.csv', tests)
      .filter(({ name }) => name !== samples.name)
      .concat({ name: 'samples.csv', bytes: rows })
    const id = await upload(service, service.write, 'demo.zip', zipOf(wrong))
    const before = (await service.get(`/api2/studies/${studyId}`)).headers.get('etag')
    const { state, error } = await imported(service, service.write, { uploads: [id] })
    expect([state, error!.status]).toEqual(['failed', 422])
    expect(error!.problems).toEqual(
      expect.arrayContaining([
        { file: 'tests.csv', line: 2, column: 'test_id', value: 'wrong-id', rule: 'must be a UUID' },
        expect.objectContaining({ file: 'samples.csv', line: 2, column: 't_ms', value: 'NaN' }),
        expect.objectContaining({ file: 'samples.csv', line: 3, column: 'gaze_x_px', value: 'Infinity' }),
      ]),
    )
    expect((await service.get(`/api2/studies/${studyId}`)).headers.get('etag')).toBe(before)
    expect(await importsIn()).toEqual([])
  })

  test.each([
    [
      'a zip bomb',
      () => zipOf([{ name: 'samples.csv', bytes: Buffer.alloc(2 ** 27) }]),
      'bomb.zip',
      /200 times its size/,
    ],
    ['a zip that leads elsewhere', () => zipOf([{ name: '../../evil', bytes: 'x' }]), 'evil.zip', /leads elsewhere/],
    ['a spreadsheet', () => zipOf([{ name: '[Content_Types].xml', bytes: 'x' }]), 'gaze.xlsx', /^gaze\.xlsx /],
    ['a text', () => Buffer.from('hello'), 'notes.txt', /of no known format/],
  ])('refuse %s in one sentence', async (_what, make, name, sentence) => {
    const id = await upload(service, service.write, name, make())
    const { state, error } = await imported(service, service.write, { uploads: [id] })
    expect([state, error!.status]).toEqual(['failed', 422])
    expect(error!.detail).toMatch(sentence)
    expect(error!.detail).not.toContain(service.dataDir)
    expect(await importsIn()).toEqual([])
  })

  test('are refused at once when the request is wrong, with every fault', async () => {
    const wrong = {
      uploads: ['x', `${'0'.repeat(16)}-${'0'.repeat(32)}`],
      screen: { widthPx: 0, heightPx: 600 },
      formt: 'tobii',
      messages: { trial: '(' },
    }
    const answer = await askImport(service, service.write, wrong)
    expect(answer.status).toBe(400)
    const { detail: faults } = await problemOf('POST', '/imports', answer)
    expect(faults.split('; ').sort()).toEqual([
      'formt is no field of the body, got "tobii"',
      'screen.widthPx must be at least 1, got "0"',
      'uploads.0 must be the id of an upload, got "x"',
    ])
    const { detail: none } = await problemOf(
      'POST',
      '/imports',
      await askImport(service, service.write, { tags: '', aois: 1 }),
    )
    expect(none.split('; ').sort()).toEqual([
      'aois must be true or false, got "1"',
      'tags must be a list, got ""',
      'uploads must be given, got "nothing"',
    ])
    const next = await askImport(service, service.write, {
      uploads: wrong.uploads.slice(1),
      messages: wrong.messages,
      format: 'tobi',
    })
    const { detail } = await problemOf('POST', '/imports', next)
    expect(detail).toContain('did you mean tobii')
    expect(detail).toContain('messages.trial')
    expect(detail).toContain('must be an upload of this token')
    const post = (body: string, type = 'application/json') =>
      service.get('/api2/imports', { 'x-auth-token': service.write, 'content-type': type }, 'POST').then(() =>
        fetch(`${service.url}/api2/imports`, {
          method: 'POST',
          headers: { 'x-auth-token': service.write, 'content-type': type },
          body,
        }),
      )
    for (const answer of [await post('{"uploads": ['), await post('uploads', 'text/plain'), await post('"x"')])
      expect((await problemOf('POST', '/imports', answer)).type).toBe('/docs/problems/malformed-request')
    expect((await post(JSON.stringify({ name: 'x'.repeat(2 ** 23) }))).status).toBe(413)
  })

  test('are for tokens that may write the study, and new ones for tokens of all studies', async () => {
    const { tokens } = service.parts
    const make = (role: 'write' | 'collect') =>
      tokens.create({ role, studies: [STUDY], expiresAt: null, now: new Date() })
    const [{ token: narrow }, { token: collect }] = [await make('write'), await make('collect')]
    const body = { uploads: [`${'0'.repeat(16)}-${'0'.repeat(32)}`] }
    expect((await askImport(service, narrow, body)).status).toBe(403)
    expect((await askImport(service, narrow, body, studyId)).status).toBe(404)
    expect((await askImport(service, narrow, body, STUDY)).status).toBe(400)
    for (const token of [collect, service.read]) expect((await askImport(service, token, body, STUDY)).status).toBe(403)
    const id = await upload(service, narrow, 'demo.zip', zipOf(files))
    const { error } = await imported(service, narrow, { uploads: [id] }, STUDY)
    expect(error!.problems).toContainEqual({
      file: 'study.json',
      line: null,
      column: 'id',
      value: studyId,
      rule: `must be ${STUDY}, the study that this is for`,
    })
  })

  test('are stopped by DELETE while they wait, and put back when the queue has lost them', async () => {
    const idle = await openTestServer()
    try {
      const id = await upload(idle, idle.write, 'demo.zip', zipOf(files))
      const asked = await askImport(idle, idle.write, { uploads: [id] })
      const view = (await asked.json()) as ImportView
      expect(view.state).toBe('queued')
      const { bull } = idle.parts.queue
      await (await bull.getJob(`${view.id}-1`))!.remove()
      const { queue } = idle.parts
      const sweep = startSweep(idle.parts)
      await sweep.pass()
      await sweep.close()
      expect(await queue.state(view.id, 1)).toBe('waiting')
      const own = { 'x-auth-token': idle.write }
      expect((await idle.get(`/api2/imports/${view.id}`, own, 'DELETE')).status).toBe(204)
      const { startWorker } = await import('../../worker/worker.ts')
      const worker = await startWorker(idle.parts)
      const ended = await until(async () => {
        const seen = (await (await idle.get(`/api2/imports/${view.id}`, own)).json()) as ImportView
        return seen.finishedAt !== null && seen
      })
      await worker.close(2000)
      expect([ended.state, ended.report, ended.error]).toEqual(['canceled', null, null])
      expect((await idle.get(`/api2/studies/${studyId}`)).status).toBe(404)
    } finally {
      await idle.close()
    }
  })
})

test('copies of a bundle are equal', async () => {
  // The fixture of this file is what the command imports: both ways give one snapshot.
  const own = join(directory, 'command')
  await cp(join(directory, 'demo'), own, { recursive: true })
  const { importBundle } = await import('../../engine/import/import-bundle.ts')
  const options = { append: false, dryRun: true, now: new Date(), threads: 1, memoryMib: 128 }
  const { snapshotId } = await importBundle({ dataDir: service.dataDir, directory: own, ...options })
  expect(await service.parts.studies.currentId(studyId)).toBe(snapshotId)
})

describe('the demo study', () => {
  const askDemo = (token: string) =>
    fetch(`${service.url}/api2/imports/demo`, { method: 'POST', headers: { 'x-auth-token': token } })
  const ended = (asked: Response) =>
    until(async () => {
      const path = asked.headers.get('location')!
      const view = (await (await service.get(path, { 'x-auth-token': service.write })).json()) as ImportView
      return view.finishedAt !== null && view
    })

  test('is made by an import of no uploads, once, with the bytes of `gazette demo`', async () => {
    const asked = await askDemo(service.write)
    expect(asked.status).toBe(202)
    const view = await ended(asked)
    expect(view).toMatchObject({ state: 'succeeded', uploads: [], report: { published: true } })
    const bundle = join(directory, 'first-demo')
    const { studyId: id, samples } = await writeDemoBundle({ directory: bundle, ...FIRST_DEMO, memoryMib: 128 })
    expect(view.report).toMatchObject({ study: { id }, counts: { participants: 24, items: 6, samples } })
    const again = await ended(await askDemo(service.write))
    expect(again).toMatchObject({ state: 'succeeded', report: { published: false, snapshot: view.report!.snapshot } })
  })

  test('is for tokens that may make studies', async () => {
    expect((await askDemo(service.read)).status).toBe(403)
    expect((await askDemo('nobody')).status).toBe(401)
    const { token } = await service.parts.tokens.create({
      role: 'write',
      studies: [STUDY],
      expiresAt: null,
      now: new Date(),
    })
    expect((await askDemo(token)).status).toBe(403)
  })
})
