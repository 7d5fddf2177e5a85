import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kept } from '../engine/kept.ts'
import { openContract } from './contract.ts'
import { asLines, idOf, participantOf, zipped } from './participants.ts'
import { ITEM, OTHER_STUDY, openTestServer, STUDY, type TestServer, until } from './test-server.ts'

const contract = openContract()
const service = kept(await openTestServer({ PARTICIPANT_MAX_MIB: '2', COLLECT_ORIGINS: 'https://lab.test' }))
const now = new Date()
const collect = (await service.parts.tokens.create({ role: 'collect', studies: [STUDY], expiresAt: null, now })).token

type Headers = Record<string, string>
type Body = string | Buffer | object | undefined

/** Sends a request and holds the answer to the document. */
async function ask(method: string, path: string, given?: Body, headers: Headers = {}, at: TestServer = service) {
  const isText = typeof given === 'string' || Buffer.isBuffer(given) || given === undefined
  const response = await fetch(`${at.url}/api2${path}`, {
    method,
    headers: {
      'x-auth-token': at.write,
      ...(given === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isText ? (given as BodyInit | undefined) : JSON.stringify(given),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const sent = Object.fromEntries([...response.headers].filter(([name]) => name !== 'content-encoding'))
  contract.check(method, documented(path), { status: response.status, headers: sent, body: bytes })
  const isJson = (sent['content-type'] ?? '').includes('json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(bytes.toString()) : null }
}

function documented(path: string): string {
  return path
    .replace(/\?.*/, '')
    .replace(/^\/studies\/[^/]+/, '/studies/{studyId}')
    .replace(/\/items\/[^/]+/, '/items/{itemId}')
    .replace(/\/participants\/[^/]+/, '/participants/{participantId}')
    .replace(/\/analyses\/[^/]+/, '/analyses/{name}')
}

const people = `/studies/${STUDY}/participants`
const post = (body: Body, headers: Headers = {}) => ask('POST', people, body, headers)
const fixationsOf = async (study: string, at: TestServer = service) => {
  const response = await at.get(`/api2/studies/${study}/collected-data/eye-tracking/fixations`)
  return { csv: await response.text(), snapshot: response.headers.get('x-snapshot'), tag: response.headers.get('etag') }
}

describe('about of a study', () => {
  const own = `/studies/${OTHER_STUDY}`
  const ABOUT = {
    authors: [
      { givenName: 'Ada', familyName: 'Lovelace', orcid: '0000-0002-1825-0097', affiliation: 'Lab' },
      { name: 'The team' },
    ],
    license: 'CC-BY-4.0',
    doi: '10.1000/182',
    funding: ['Grant 1'],
  }
  const tag = async () => (await ask('GET', own)).headers.get('etag')!
  const put = async (body: Body, headers: Headers = {}) =>
    ask('PUT', `${own}/about`, body, { 'if-match': await tag(), ...headers })

  test('is read with the study and changed by PUT, over the same samples; {} removes it', async () => {
    const before = await ask('GET', own)
    expect(before.body).not.toHaveProperty('about')
    const csv = (await fixationsOf(OTHER_STUDY)).csv
    const dry = await ask('PUT', `${own}/about?dryRun=true`, ABOUT, { 'if-match': await tag() })
    expect(dry.body).toMatchObject({ isDryRun: true, affectedTestCount: 0, snapshot: before.body.snapshot })
    const changed = await put(ABOUT)
    expect(changed.status).toBe(200)
    const after = await ask('GET', own)
    expect(after.body.about).toEqual(ABOUT)
    expect(after.body.snapshot).toBe(changed.body.snapshot)
    expect(after.body.snapshot).not.toBe(before.body.snapshot)
    expect((await fixationsOf(OTHER_STUDY)).csv).toBe(csv)
    expect((await put({ ...ABOUT, ethics: [], references: null })).body.snapshot).toBe(after.body.snapshot)
    const { id, name, items, aois } = after.body
    const flow = (await ask('GET', `${own}/flow`)).body
    const { steps, isServiceBasicSurveyEnabled } = flow
    const described = { id, name, steps, isServiceBasicSurveyEnabled, aois, about: { license: 'CC0-1.0' } }
    const whole = { ...described, items: items.map(({ testCount: _, ...item }: { testCount: number }) => item) }
    expect((await ask('PUT', own, whole, { 'if-match': await tag() })).status).toBe(200)
    expect((await ask('GET', own)).body.about).toEqual({ license: 'CC0-1.0' })
    await put({})
    expect((await ask('GET', own)).body).not.toHaveProperty('about')
  })

  test('is refused where it breaks a rule, is not of the newest version, or the token may only read', async () => {
    const wrong = await put({ authors: [{ familyName: 'B', orcid: '0000-0002-1825-0098' }], license: 'CC-BY-4' })
    expect(wrong.status).toBe(400)
    const rules = JSON.stringify(wrong.body)
    expect(rules).toContain('its last digit does not fit')
    expect(rules).toContain('did you mean CC-BY-4.0?')
    expect((await put('null')).status).toBe(400)
    expect((await put([])).status).toBe(400)
    expect((await ask('PUT', `${own}/about`, ABOUT)).status).toBe(428)
    expect((await put(ABOUT, { 'if-match': `"${'0'.repeat(64)}"` })).status).toBe(412)
    expect((await put(ABOUT, { 'x-auth-token': service.read })).status).toBe(403)
    expect((await put(ABOUT, { 'x-auth-token': collect })).status).toBe(404)
  })
})

describe('a participant', () => {
  test('is in the next export once it is answered with 201, which says its snapshot', async () => {
    const before = await fixationsOf(STUDY)
    const added = await post(participantOf(1, [ITEM]), { 'x-auth-token': collect })
    expect(added.status).toBe(201)
    expect(added.body).toMatchObject({ participantId: idOf('participant 1'), testCount: 1, sampleCount: 40 })
    expect(added.headers.get('location')).toBe(`/api2/studies/${STUDY}/participants/${idOf('participant 1')}`)
    const after = await fixationsOf(STUDY)
    expect(after.snapshot).toBe(added.body.snapshot)
    expect(after.tag).not.toBe(before.tag)
    expect(after.csv).toContain(idOf('participant 1'))
    const unchanged = await service.get(`/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`, {
      'if-none-match': after.tag!,
    })
    expect(unchanged.status).toBe(304)
  })

  test('may come as columns, as rows, as lines, and gzipped', async () => {
    const [columns, rows, lines] = [participantOf(11, [ITEM]), participantOf(12, [ITEM]), participantOf(13, [ITEM])]
    const asRows = rows.tests.map(({ samples, ...own }) => ({
      ...own,
      samples: samples.t_ms.map((_, k) =>
        Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, all[k]])),
      ),
    }))
    const gzip = { 'content-encoding': 'gzip' }
    expect((await post(zipped(JSON.stringify(columns)), gzip)).status).toBe(201)
    expect((await post({ ...rows, tests: asRows })).status).toBe(201)
    expect((await post(asLines(lines), { 'content-type': 'application/x-ndjson' })).status).toBe(201)
  })

  test('whose ids are left out gets some', async () => {
    const { body, status } = await post({ participant: { age: 44 } })
    expect(status).toBe(201)
    expect(body.participantId).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('that comes again with its key is answered as before, and refused with other content or without', async () => {
    const key = { 'idempotency-key': 'a key' }
    const [first, second] = await Promise.all([
      post(participantOf(2, [ITEM]), key),
      post(participantOf(2, [ITEM]), key),
    ])
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect((await post(participantOf(2, [ITEM]), key)).body).toEqual(first.body)
    expect((await post(participantOf(3, [ITEM]), key)).status).toBe(409)
    const again = await post(participantOf(2, [ITEM]))
    expect(again.status).toBe(409)
    expect(again.body.detail).toContain(idOf('participant 2'))
    const stranger = { ...participantOf(3, [ITEM]), tests: participantOf(2, [ITEM]).tests }
    expect((await post(stranger)).body.detail).toContain(
      `the study already has the test ${idOf('test 2 0')}`.replace('the', 'The'),
    )
  })

  test('with problems is refused with all of them, and nothing is changed', async () => {
    const { id } = (await service.parts.studies.current(STUDY))!
    const wrong = participantOf(4, [ITEM]) as unknown as { participant: object; tests: Record<string, unknown>[] }
    Object.assign(wrong.participant, { age: 200, adge: 3, created_at: 'yesterday' })
    wrong.tests[0].item_id = idOf('no item')
    wrong.tests[0].samples = { t_ms: [0, null, 1e9], gaze_x_px: [1, 2], gaze_y_px: ['3', true, 5] }
    wrong.tests.push({ ...wrong.tests[0], samples: [{ t_ms: 0, gaze_x_px: 1e9 }, 7] })
    const { status, body } = await post(wrong)
    expect(status).toBe(400)
    expect(body.errors.map(({ parameter }: { parameter: string }) => parameter)).toEqual([
      'participant.adge',
      'participant.created_at',
      'participant.age',
      'tests[0].samples.gaze_x_px',
      'tests[1].samples[1]',
    ])
    expect(body.errors[0].rule).toContain('age is')
    const samples = { t_ms: [0, null, 1e9], gaze_x_px: [1, 2, 'NaN'], gaze_y_px: [3, 1e8, 5], is_click: [2, 0, true] }
    const further = await post({ ...participantOf(4, [ITEM]), tests: [{ item_id: ITEM, samples }] })
    expect(
      further.body.errors.map(({ parameter, value }: { parameter: string; value: string }) => [parameter, value]),
    ).toEqual([
      ['tests[0].samples.t_ms[2]', '1000000000'],
      ['tests[0].samples.t_ms[1]', ''],
      ['tests[0].samples.gaze_x_px[2]', 'NaN'],
      ['tests[0].samples.gaze_y_px[1]', '100000000'],
      ['tests[0].samples.is_click[0]', '2'],
    ])
    const unknown = await post({ ...participantOf(4, [idOf('no item')]) })
    expect(unknown.body.errors[0]).toMatchObject({ parameter: 'tests[0].item_id', value: idOf('no item') })
    const sizeless = await post({ participant: {}, tests: [{ item_id: ITEM, samples: { t_ms: [1] } }] })
    expect(sizeless.body.errors[0].parameter).toBe('tests[0].browser_width_px')
    expect((await service.parts.studies.current(STUDY))!.id).toBe(id)
  })

  test.each([
    ['what is no JSON', '{"participant": {"age": NaN}}', {}, 400],
    ['what is cut off', '{"participant": {', {}, 400],
    ['nothing', undefined, { 'content-type': 'application/json' }, 400],
    ['what is no object', '[]', {}, 400],
    ['what is nested too deep', `${'['.repeat(40)}${']'.repeat(40)}`, {}, 400],
    ['what is no UTF-8', Buffer.from('{"participant":{"notes":"\xff"}}', 'latin1'), {}, 400],
    ['gzip that is none', 'nonsense', { 'content-encoding': 'gzip' }, 400],
    ['gzip that is cut off', zipped('{"participant":{}}').subarray(0, 12), { 'content-encoding': 'gzip' }, 400],
    ['a bomb of gzip', zipped(Buffer.alloc(64 * 2 ** 20, ' ')), { 'content-encoding': 'gzip' }, 413],
    ['what is too large', Buffer.alloc(3 * 2 ** 20, ' '), {}, 413],
    ['another type', 'a,b', { 'content-type': 'text/csv' }, 415],
    ['another encoding', '{}', { 'content-encoding': 'br' }, 415],
    ['no token', '{}', { 'x-auth-token': 'x' }, 401],
    ['an empty key', '{"participant":{}}', { 'idempotency-key': '' }, 400],
    ['a line that is none', '{"participant":{}}\n{"nonsense":1}\n', { 'content-type': 'application/x-ndjson' }, 400],
    ['samples before a test', '{"participant":{}}\n{"sample":{}}\n', { 'content-type': 'application/x-ndjson' }, 400],
  ] as [string, Body, Headers, number][])('is not %s', async (_, body, headers, status) => {
    expect((await post(body, headers)).status).toBe(status)
  })

  test('whose body comes half is none, and the server goes on', async () => {
    const { hostname, port } = new URL(service.url)
    const { id } = (await service.parts.studies.current(STUDY))!
    await new Promise<void>((resolve) => {
      const head = `POST /api2${people} HTTP/1.1\r\nHost: x\r\nX-Auth-Token: ${service.write}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"participant"`
      const socket = connect(Number(port), hostname, () => socket.write(head, () => socket.destroy()))
      socket.on('close', () => resolve())
    })
    expect((await service.parts.studies.current(STUDY))!.id).toBe(id)
  })

  test('is sent, changed and deleted only by whom the study lets', async () => {
    const other = `/studies/${OTHER_STUDY}/participants`
    expect((await ask('POST', other, participantOf(5, [ITEM]), { 'x-auth-token': collect })).status).toBe(404)
    expect((await post(participantOf(5, [ITEM]), { 'x-auth-token': service.read })).status).toBe(403)
    const one = `${people}/${idOf('participant 1')}`
    for (const [method, body] of [
      ['PATCH', { age: 3 }],
      ['DELETE', undefined],
    ] as [string, Body][]) {
      expect((await ask(method, one, body, { 'x-auth-token': service.read })).status).toBe(403)
      expect((await ask(method, one, body, { 'x-auth-token': collect })).status).toBe(404)
      expect((await ask(method, `${people}/x`, body)).status).toBe(404)
      expect((await ask(method, `${people}/${idOf('nobody')}`, body)).status).toBe(404)
    }
  })

  test('may come from a page of another site, with its own token', async () => {
    const asked = await fetch(`${service.url}/api2${people}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://lab.test' },
    })
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-origin')).toBe('https://lab.test')
    expect(asked.headers.get('access-control-allow-headers')).toContain('X-Auth-Token')
    const read = await service.get(`/api2${people}`, { origin: 'https://lab.test' })
    expect(read.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('can be changed, and null makes an attribute unknown', async () => {
    const one = `${people}/${idOf('participant 1')}`
    const { status, body } = await ask('PATCH', one, { age: 77, display_name: 'Zoë', notes: null })
    expect(status).toBe(200)
    expect((await ask('PATCH', one, { age: 78 }, { 'if-match': `"${body.snapshot}"` })).status).toBe(200)
    expect((await ask('PATCH', one, { age: 79 }, { 'if-match': `"${body.snapshot}"` })).status).toBe(412)
    expect((await ask('PATCH', one, { age: 200, participant_id: 'x' })).body.errors).toHaveLength(2)
    const csv = await (await service.get(`/api2/studies/${STUDY}/collected-data/eye-tracking/gazes/raw`)).text()
    expect(csv).toMatch(new RegExp(`^${idOf('participant 1')},live-1,78,.*,Zoë,`, 'm'))
  })

  test('that is deleted is nowhere on the disk any more, and others are', async () => {
    const id = idOf('participant 1')
    expect((await ask('DELETE', `${people}/${id}`)).status).toBe(204)
    expect((await ask('DELETE', `${people}/${id}`)).status).toBe(404)
    const { csv } = await fixationsOf(STUDY)
    expect(csv).not.toContain(id)
    expect(csv).toContain(idOf('participant 2'))
    const directory = join(service.dataDir, 'studies', STUDY)
    expect((await readdir(directory)).filter((name) => /^[0-9a-f]{64}$/.test(name))).toHaveLength(1)
    const { manifest } = (await service.parts.studies.current(STUDY))!
    const own = [...Object.values(manifest.files), ...manifest.sampleFiles.map(({ sha256 }) => sha256)]
    expect((await readdir(join(directory, 'shared'))).filter((name) => !own.includes(name))).toEqual([])
    const { body } = await ask('GET', `/studies/${STUDY}/history`)
    expect(JSON.stringify(body)).not.toContain(id)
    expect(body.entries[0]).toMatchObject({ did: 'participant removed' })
    expect((await post(participantOf(6, [ITEM]))).status).toBe(201)
  })
})

describe('a study', () => {
  const NEW = idOf('a new study')
  const description = (change: object = {}) => ({
    id: NEW,
    name: 'Made by HTTP',
    isServiceBasicSurveyEnabled: false,
    steps: [],
    items: [
      {
        id: ITEM,
        filename: 'a.svg',
        cdnUrl: '',
        type: 'images',
        stimuliDurationMs: 1000,
        widthPx: 1000,
        heightPx: 800,
      },
      {
        id: idOf('item 2'),
        filename: 'b.png',
        cdnUrl: '',
        type: 'images',
        stimuliDurationMs: null,
        widthPx: null,
        heightPx: null,
      },
    ],
    aois: [],
    ...change,
  })
  const study = `/studies/${NEW}`
  const tagOf = async () => (await ask('GET', study)).headers.get('etag')!
  const rectangle = (id: string, rightPx: number) => ({
    id: idOf(id),
    name: id,
    parts: [{ areaPoints: { topLeft: { xPx: 0, yPx: 0 }, bottomRight: { xPx: rightPx, yPx: 800 } } }],
  })

  test('is made, once, by who may', async () => {
    expect((await ask('POST', '/studies', description(), { 'x-auth-token': service.read })).status).toBe(403)
    const limited = await service.parts.tokens.create({
      role: 'write',
      studies: [STUDY],
      expiresAt: null,
      now: new Date(),
    })
    expect((await ask('POST', '/studies', description(), { 'x-auth-token': limited.token })).status).toBe(403)
    expect((await ask('POST', '/studies', { ...description(), items: 3, id: 'x' })).body.errors).toHaveLength(2)
    expect((await ask('POST', '/studies', 'x')).status).toBe(400)
    expect((await ask('POST', '/studies', 'x', { 'content-type': 'text/plain' })).status).toBe(415)
    const made = await ask('POST', '/studies', description())
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`/api2${study}`)
    expect(made.headers.get('etag')).toBe(`"${made.body.snapshot}"`)
    expect((await ask('POST', '/studies', description())).status).toBe(409)
    expect((await fixationsOf(NEW)).csv.split('\n')).toHaveLength(2)
    const unchanged = await ask('GET', study, undefined, { 'if-none-match': made.headers.get('etag')! })
    expect(unchanged.status).toBe(304)
  })

  test('gets participants, and other AOIs over them, if nobody was faster', async () => {
    const added = await Promise.all(
      [1, 2, 3].map((n) => ask('POST', `${study}/participants`, participantOf(n, [ITEM]))),
    )
    expect(added.map(({ status }) => status)).toEqual([201, 201, 201])
    const aois = `${study}/items/${ITEM}/aois`
    const left = [rectangle('left', 300)]
    expect((await ask('PUT', aois, left)).status).toBe(428)
    expect((await ask('PUT', aois, left, { 'if-match': `"${'0'.repeat(64)}"` })).status).toBe(412)
    expect((await ask('PUT', aois, left, { 'if-match': 'W/"x"' })).status).toBe(412)
    const tag = await tagOf()
    const asked = await ask('PUT', `${aois}?dryRun=true`, left, { 'if-match': tag })
    expect(asked.body).toMatchObject({
      isDryRun: true,
      changedItemIds: [ITEM],
      affectedTestCount: 3,
      affectedParticipantCount: 3,
    })
    expect(await tagOf()).toBe(tag)
    const done = await ask('PUT', aois, left, { 'if-match': tag })
    expect(done.status).toBe(200)
    expect((await ask('PUT', aois, left, { 'if-match': tag })).status).toBe(412)
    expect(done.headers.get('etag')).toBe(await tagOf())
    expect((await fixationsOf(NEW)).snapshot).toBe(done.body.snapshot)
    const before = (await ask('GET', `${aois}/history`)).body
    expect(before).toMatchObject({ entries: [{ aois: [] }], nextCursor: null })
    const twice = await ask('PUT', aois, [rectangle('left', -3), { ...rectangle('x', 3), itemId: idOf('item 2') }], {
      'if-match': '*',
    })
    expect(twice.body.errors[0].parameter).toBe('aois[0].parts[0].areaPoints')
    const astray = await ask('PUT', aois, [{ ...rectangle('x', 3), itemId: idOf('item 3') }], { 'if-match': '*' })
    expect(astray.status).toBe(400)
    expect((await ask('PUT', `${study}/items/${idOf('item 3')}/aois`, left, { 'if-match': '*' })).status).toBe(404)
    expect((await ask('PUT', `${aois}?dryRun=perhaps`, left, { 'if-match': '*' })).status).toBe(400)
  })

  test('keeps the AOIs that were replaced, page by page, and nothing of other items', async () => {
    const aois = `${study}/items/${ITEM}/aois`
    const put = async (widthPx: number) =>
      ask('PUT', aois, [rectangle('left', widthPx)], { 'if-match': '*' }).then(({ status }) => expect(status).toBe(200))
    await put(400)
    const person = `${study}/participants/${idOf('participant 1')}`
    expect((await ask('PATCH', person, { age: 45 }, { 'if-match': '*' })).status).toBe(200)
    await put(400)
    await put(500)
    const rightOf = ({ aois: [aoi] }: { aois: ReturnType<typeof rectangle>[] }) =>
      aoi?.parts[0].areaPoints.bottomRight.xPx
    const { entries } = (await ask('GET', `${aois}/history`)).body
    expect(entries.map(rightOf)).toEqual([400, 300, undefined])
    expect(entries[0].tokenId).toMatch(/^[0-9a-f]{16}$/)
    const first = (await ask('GET', `${aois}/history?limit=2`)).body
    const rest = (await ask('GET', `${aois}/history?limit=2&cursor=${first.nextCursor}`)).body
    expect([...first.entries, ...rest.entries]).toEqual(entries)
    expect(rest.nextCursor).toBeNull()
    expect((await ask('GET', `${study}/items/${idOf('item 2')}/aois/history`)).body.entries).toEqual([])
    expect((await ask('GET', `${study}/items/${idOf('item 3')}/aois/history`)).status).toBe(404)
  })

  test('takes the words of a text as CSV', async () => {
    const aois = `${study}/items/${ITEM}/aois`
    const own = async () =>
      (await ask('GET', study)).body.aois.filter(({ itemId }: { itemId: string }) => itemId === ITEM)
    const before = await own()
    const headers = { 'if-match': '*', 'content-type': 'text/csv' }
    const words = 'line,text,x,y,width,height\n1,The,0,0,40,20\n1,fox,40,0,40,20\n'
    const tried = (await ask('PUT', `${aois}?dryRun=true`, words, headers)).body
    expect([tried.isDryRun, await own()]).toEqual([true, before])
    const { status, body } = await ask('PUT', aois, words, headers)
    expect([status, body.changedItemIds]).toEqual([200, [ITEM]])
    expect((await own()).map(({ name }: { name: string }) => name)).toEqual(['1.1 The', '1.2 fox'])
    expect([tried.aois, body.aois]).toEqual([await own(), await own()])
    const refused = await ask('PUT', aois, words.replace('40,20', '0,20'), headers)
    expect([refused.status, refused.body.errors[0]]).toMatchObject([
      400,
      { parameter: 'width', rule: 'must be greater than 0 (line 2)', value: '0' },
    ])
    expect((await ask('PUT', aois, words, { ...headers, 'content-type': 'text/plain' })).status).toBe(415)
    expect((await ask('PUT', aois, before, { 'if-match': '*' })).status).toBe(200)
  })

  test('tells the numbers of AOIs that are only drawn, which are those of the export once they are saved', async () => {
    const drawn = [rectangle('left', 250), rectangle('right', 900)]
    const charts = async (body: object, query = `?itemId=${ITEM}`) => {
      const headers = { 'x-auth-token': service.read, 'content-type': 'application/json' }
      const path = `${service.url}/api2${study}/charts/aois${query}`
      const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: answer.status, body: (await answer.json()) as { rows: string[][]; errors: unknown[] } }
    }
    const shown = await charts(drawn)
    expect(shown.status).toBe(200)
    expect((await ask('PUT', `${study}/items/${ITEM}/aois`, drawn, { 'if-match': '*' })).status).toBe(200)
    const path = `/api2${study}/collected-data/eye-tracking/aois-all/overall-stats?itemId=${ITEM}`
    const [, ...lines] = (await (await service.get(path)).text()).trim().split('\n')
    const plain = (cells: string[]) => cells.slice(0, -1).filter((cell) => !/[[",]/.test(cell))
    const id = shown.body.rows[0].indexOf(idOf('left'))
    expect(lines).toHaveLength(2)
    for (const [i, line] of lines.entries()) {
      expect(shown.body.rows[i][id]).toBe(drawn[i].id)
      for (const cell of plain(shown.body.rows[i])) expect(line).toContain(cell)
    }
    expect((await charts([rectangle('left', -3)])).body.errors).toMatchObject([
      { parameter: 'aois[0].parts[0].areaPoints', rule: 'must have a bottomRight beyond its topLeft, in x and y' },
    ])
    expect((await charts(drawn, '')).status).toBe(400)
  })

  test('refuses a hundred thousand AOIs with a sentence', async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => ({ id: idOf('x'), name: String(i), parts: [] }))
    const { status, body } = await ask('PUT', `${study}/items/${ITEM}/aois`, many, { 'if-match': '*' })
    expect(status).toBe(400)
    expect(body.errors[0].rule).toContain('at most')
  })

  test('is described anew, but keeps what tests show', async () => {
    const tag = await tagOf()
    const missing = await ask('PUT', study, description({ items: [description().items[1]] }), { 'if-match': tag })
    expect(missing.body.errors[0]).toMatchObject({ parameter: 'items', value: ITEM })
    const strange = await ask('PUT', study, description({ id: idOf('another') }), { 'if-match': tag })
    expect(strange.status).toBe(400)
    expect((await ask('PUT', study, description({ name: 'Renamed' }), { 'if-match': tag })).status).toBe(200)
    expect((await ask('GET', study)).body).toMatchObject({ name: 'Renamed', participantCount: 3, sampleCount: 120 })
  })

  test('gets pictures of the type that their names say, and an SVG that runs nothing', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const image = `${study}/items/${ITEM}/image`
    const type = { 'content-type': 'image/svg+xml' }
    expect((await ask('PUT', image, svg, type)).status).toBe(200)
    const served = await service.get(`/api2${image}`)
    expect(await served.text()).toBe(svg)
    expect(served.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/)
    expect((await ask('PUT', image, 'no picture', type)).status).toBe(400)
    expect((await ask('PUT', image, svg, { 'content-type': 'image/png' })).status).toBe(400)
    expect((await ask('PUT', image, svg, { 'content-type': 'image/bmp' })).status).toBe(415)
    expect((await ask('PUT', image, svg, { ...type, 'if-match': `"${'0'.repeat(64)}"` })).status).toBe(412)
    expect((await ask('PUT', `${study}/items/${idOf('x')}/image`, svg, type)).status).toBe(404)
    expect((await ask('POST', `${study}/participants`, participantOf(4, [ITEM]))).status).toBe(201)
    expect((await service.get(`/api2${image}`)).status).toBe(200)
    const nowhere = description({
      items: [{ ...description().items[0], filename: '../a.svg' }, description().items[1]],
    })
    expect((await ask('PUT', study, nowhere, { 'if-match': '*' })).status).toBe(200)
    expect((await ask('PUT', image, svg, type)).status).toBe(400)
  })

  test('tells its history', async () => {
    const { body } = await ask('GET', `/studies/${NEW}/history?limit=3`)
    expect(body.entries.map(({ did }: { did: string }) => did)).toEqual([
      'study changed',
      'participant added',
      'picture changed',
    ])
    const rest = (await ask('GET', `/studies/${NEW}/history?cursor=${body.nextCursor}`)).body
    expect(rest.entries.at(-1).did).toBe('study created')
    expect(rest.entries.filter(({ did }: { did: string }) => did === 'participant added')).toHaveLength(3)
    const tokens = await service.parts.tokens.list()
    const writer = tokens.find(({ role, studies }) => role === 'write' && studies === 'all')!
    expect(new Set([...body.entries, ...rest.entries].map(({ tokenId }) => tokenId))).toEqual(new Set([writer.id]))
    expect(service.logged.filter((line) => line.includes('study written')).length).toBeGreaterThan(8)
  })

  test('that is deleted is gone, and can be made anew', async () => {
    expect((await ask('DELETE', study, undefined, { 'x-auth-token': service.read })).status).toBe(403)
    expect((await ask('DELETE', study)).status).toBe(204)
    expect((await ask('DELETE', study)).status).toBe(404)
    await until(async () => !(await readdir(join(service.dataDir, 'studies'))).includes(NEW))
    expect((await ask('POST', '/studies', description())).status).toBe(201)
    expect((await ask('GET', `/studies/${NEW}/history`)).body.entries).toHaveLength(1)
  })
})

test('each kind of write has a line in the audit log: who, what, and which snapshot came of it', async () => {
  const id = idOf('audited')
  const study = `/studies/${id}`
  const size = { stimuliDurationMs: 1000, widthPx: 1000, heightPx: 800 }
  const item = { id: idOf('audited item'), filename: 'a.svg', cdnUrl: '', type: 'images', ...size }
  const described = { id, name: 'A', isServiceBasicSurveyEnabled: false, steps: [], aois: [], items: [item] }
  const any = { 'if-match': '*' }
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
  const person = `${study}/participants/${idOf('participant 1')}`
  const path = join(service.dataDir, 'audit.jsonl')
  const own = async () =>
    (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .flatMap((line) => (line.includes(id) ? [JSON.parse(line)] : []))
  const writer = (await service.parts.tokens.list()).find(({ role, studies }) => role === 'write' && studies === 'all')!
  const expected: object[] = []
  const write = async (did: string, asked: ReturnType<typeof ask>, participant?: string) => {
    const { headers, body, status } = await asked
    expect(status).toBeLessThan(300)
    const event = /deleted|removed/.test(did) ? 'removal' : 'change'
    const requestId = headers.get('x-request-id')
    const line = { event, by: { token: writer.id }, did, study: id, requestId }
    const current =
      did === 'participant removed' ? (await ask('GET', study)).headers.get('etag')!.slice(1, -1) : undefined
    const snapshot = body?.snapshot ?? current
    expected.push({
      time: expect.any(String),
      ...line,
      ...(participant && { participant }),
      ...(snapshot && { snapshot }),
    })
  }
  await write('study created', ask('POST', '/studies', described))
  const added = ask('POST', `${study}/participants`, participantOf(1, [item.id]))
  await write('participant added', added, idOf('participant 1'))
  await write('participant changed', ask('PATCH', person, { age: 40 }), idOf('participant 1'))
  await write('study changed', ask('PUT', study, { ...described, name: 'B' }, any))
  await write('study changed', ask('PUT', `${study}/items/${item.id}/aois`, [], any))
  await write(
    'picture changed',
    ask('PUT', `${study}/items/${item.id}/image`, svg, { 'content-type': 'image/svg+xml' }),
  )
  await write('participant removed', ask('DELETE', person))
  await write('study deleted', ask('DELETE', study))
  await until(async () => (await own()).length >= expected.length)
  expect(await own()).toEqual(expected)
})

test('paths that only write take nothing else, and say what they take', async () => {
  const allow = async (path: string) => (await service.get(`/api2/studies/${STUDY}${path}`)).headers.get('allow')
  expect(await allow(`/items/${ITEM}/aois`)).toBe('PUT')
  expect(await allow(`/participants/${STUDY}`)).toBe('PATCH, DELETE')
  const put = await fetch(`${service.url}/api2/studies`, { method: 'PUT', headers: { 'x-auth-token': service.write } })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
})

test('what a token may create is bounded', async () => {
  const bounded = await openTestServer({ TOKEN_MAX_PARTICIPANTS: '2', TOKEN_MAX_STUDIES: '0' })
  try {
    const send = (n: number) => ask('POST', people, participantOf(n, [ITEM]), {}, bounded)
    expect((await send(1)).status).toBe(201)
    expect((await send(2)).status).toBe(201)
    const { status, body } = await send(3)
    expect([status, body.detail]).toEqual([403, 'The token may create at most 2 participants.'])
    expect((await ask('POST', '/studies', {}, {}, bounded)).status).toBe(403)
  } finally {
    await bounded.close()
  }
})

test('eight clients at once create as many studies as a token may, no more and no fewer', async () => {
  const bounded = await openTestServer({ TOKEN_MAX_STUDIES: '3' })
  const description = (n: number) => ({
    ...{ id: idOf(`study ${n}`), name: `Study ${n}`, isServiceBasicSurveyEnabled: false },
    ...{ steps: [], items: [], aois: [] },
  })
  try {
    const all = Array.from({ length: 8 }, (_, n) => ask('POST', '/studies', description(n), {}, bounded))
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 201, 201, 403, 403, 403, 403, 403])
  } finally {
    await bounded.close()
  }
})

test('U+0000 and halves of surrogate pairs are refused in every text', async () => {
  for (const bad of ['a\0', '\ud83d']) {
    const refused = async (method: string, path: string, body: object) => {
      const { status, body: problem } = await ask(method, path, body, { 'if-match': '*' })
      expect([path, status, JSON.stringify(problem)]).toEqual([
        path,
        400,
        expect.stringContaining('must not contain U+0000'),
      ])
    }
    await refused('POST', '/studies', { name: bad, steps: [], items: [], aois: [] })
    await refused('PUT', `/studies/${STUDY}/about`, { keywords: [bad] })
    const parts = [{ shape: 'rectangle', x: 0, y: 0, width: 1, height: 1 }]
    await refused('PUT', `/studies/${STUDY}/items/${ITEM}/aois`, [{ name: bad, parts }])
    await refused('PUT', `/studies/${STUDY}/analyses/a`, { filter: bad })
    await refused('PATCH', `/studies/${STUDY}`, { name: bad })
    const person = participantOf(99, [ITEM])
    await refused('POST', people, { ...person, participant: { ...(person.participant as object), display_name: bad } })
  }
})
