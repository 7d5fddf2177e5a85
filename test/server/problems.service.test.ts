import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { interestedIn } from '../../engine/jobs/interest.ts'
import { PROBLEMS, type ProblemCode } from '../../server/http/problems.ts'
import { kept } from '../engine/kept.ts'
import { type Answer, openContract, send } from './contract.ts'
import { openBeside, openTestServer, STUDY, shareTestServer, type TestServer, until } from './test-server.ts'

const contract = openContract()
const FIXATIONS = '/studies/{studyId}/collected-data/eye-tracking/fixations'
const fixations = `/api2${FIXATIONS.replace('{studyId}', STUDY)}`
/**
 * Server on which everything is a job and no worker runs; behind a proxy, so that each request has an address of its
 * own.
 */
const service = kept(
  await openTestServer({
    SYNC_MAX_BYTES: '0',
    HOLD_SECONDS: '60',
    TRUST_PROXY: '1',
    OPEN_JOBS_PER_TOKEN: '3',
  }),
)
/** A request that never ends, begun before all else, since it takes the server a while to lose patience. */
const unfinished = raw(service.url, 'GET /api2/exports HTTP/1.1\r\nHost: x\r\n', false)

/** Bytes as they are, to see what is answered. @param isWhole false never sends the blank line */
function raw(url: string, text: string, isWhole = true): Promise<Answer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(isWhole ? `${text}\r\n\r\n` : text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head, body] = answer.split('\r\n\r\n')
      const [line, ...lines] = head.split('\r\n')
      const headers = lines.map((each) => [
        each.slice(0, each.indexOf(':')).toLowerCase(),
        each.replace(/^[^:]*: */, ''),
      ])
      resolve({ status: Number(line.split(' ')[1]), headers: Object.fromEntries(headers), body: Buffer.from(body) })
    })
  })
}

const met = new Set<ProblemCode>()

/** Holds an answer to its problem, to the document, and to its page. */
async function expectProblem(code: ProblemCode, answer: Answer, path: string, method = 'GET'): Promise<void> {
  const { status, slug, title } = PROBLEMS[code]
  const body = JSON.parse(answer.body.toString()) as Record<string, unknown>
  expect(body).toMatchObject({
    type: `/docs/problems/${slug}`,
    status,
    title,
    instance: answer.headers['x-request-id'],
  })
  expect(answer.status).toBe(status)
  contract.check(method, path, answer)
  const page = await fetch(service.url + body.type)
  expect(page.status).toBe(200)
  met.add(code)
}

const get = (at: TestServer, path: string, headers: Record<string, string> = {}) =>
  send(at.url, { path, headers: { 'x-auth-token': at.read, ...headers } })

/** A job of its own that nobody works on. @param median tells it from others */
async function newJob(median: number): Promise<string> {
  const answer = await get(service, `${fixations}?movingMedianRangeMs=${median}`, { prefer: 'respond-async' })
  expect(answer.status).toBe(202)
  contract.check('GET', FIXATIONS, answer)
  return (JSON.parse(answer.body.toString()) as { id: string }).id
}

test('invalid requests', async () => {
  await expectProblem('invalid_param', await get(service, `${fixations}?x=1`), FIXATIONS)
  const raws = fixations.replace('fixations', 'gazes/raw')
  await expectProblem(
    'format_limit',
    await get(service, `${raws}?format=xlsx`),
    FIXATIONS.replace('fixations', 'gazes/raw'),
  )
  await expectProblem('bad_request', await get(service, '/api2/studies/%zz'), '/studies/{studyId}')
  await expectProblem('bad_request', await raw(service.url, 'NONSENSE'), '/studies')
  await expectProblem('unauthorized', await send(service.url, { path: fixations }), FIXATIONS)
  await expectProblem('https_required', await get(service, fixations, { 'x-forwarded-proto': 'http' }), FIXATIONS)
  await expectProblem('not_found', await get(service, fixations.replace(STUDY, 'x')), FIXATIONS)
  const post = await send(service.url, { method: 'POST', path: fixations, headers: { 'x-auth-token': service.read } })
  await expectProblem('method_not_allowed', post, FIXATIONS, 'POST')
  await expectProblem('body_too_large', await get(service, fixations, { 'content-length': '70000' }), FIXATIONS)
  await expectProblem('headers_too_large', await get(service, fixations, { 'x-large': 'x'.repeat(20_000) }), FIXATIONS)
})

test('failed and missing jobs', async () => {
  const id = await newJob(301)
  const FILE = '/jobs/{jobId}/file'
  await expectProblem('not_ready', await get(service, `/api2/jobs/${id}/file`), FILE)
  const held = get(service, `${fixations}?movingMedianRangeMs=301`, { 'x-auth-token': service.narrow })
  const { jobs } = service.parts
  await until(async () => (await interestedIn(jobs, (await jobs.read(id))!)).length === 2)
  await send(service.url, { method: 'DELETE', path: `/api2/jobs/${id}`, headers: { 'x-auth-token': service.ops } })
  await expectProblem('canceled', await held, FIXATIONS)
  await expectProblem('gone', await get(service, `/api2/jobs/${id}/file`), FILE)
  const session = await fetch(`${service.url}/api2/session`, {
    method: 'POST',
    headers: { 'x-auth-token': service.read },
  })
  const cookie = (session.headers.get('set-cookie') ?? '').split(';')[0]
  const bare = await send(service.url, { method: 'DELETE', path: `/api2/jobs/${id}`, headers: { cookie } })
  await expectProblem('change_token_needed', bare, '/jobs/{jobId}', 'DELETE')
})

test('what a token asks too much of', async () => {
  await expectProblem('query_too_long', await get(service, `${fixations}?${'x'.repeat(9000)}`), FIXATIONS)
  for (const median of [311, 312, 313]) await newJob(median)
  await expectProblem('too_many_jobs', await get(service, `${fixations}?movingMedianRangeMs=314`), FIXATIONS)
  const limited = await openBeside(service, { REQUESTS_PER_MINUTE: '1' })
  try {
    await get(limited, '/api2/jobs')
    await expectProblem('too_many_requests', await get(limited, '/api2/jobs'), '/jobs')
  } finally {
    await limited.close()
  }
})

test('what a strange address asks too much of', async () => {
  const asks = Array.from({ length: 301 }, () =>
    send(service.url, { path: fixations, headers: { 'x-forwarded-for': '203.0.113.5' } }),
  )
  const answers = await Promise.all(asks)
  await expectProblem('too_many_requests', answers.find(({ status }) => status === 429)!, FIXATIONS)
})

test('what a file does not have', async () => {
  const working = await shareTestServer({}, { hasWorker: true })
  try {
    const job = JSON.parse((await get(working, fixations, { prefer: 'respond-async' })).body.toString()) as {
      id: string
    }
    await until(async () => (await working.parts.jobs.read(job.id))?.end)
    const range = { range: 'bytes=99999999-' }
    await expectProblem(
      'range_not_satisfiable',
      await get(working, `/api2/jobs/${job.id}/file`, range),
      '/jobs/{jobId}/file',
    )
    await expectProblem('range_not_satisfiable', await get(working, fixations, range), FIXATIONS)
    const part = await get(working, fixations, { range: 'bytes=0-9' })
    expect(part.status).toBe(206)
    contract.check('GET', FIXATIONS, part)
  } finally {
    await working.close()
  }
})

test('what the server lacks', async () => {
  const away = await openTestServer({ QUEUE_URL: 'redis://127.0.0.1:1' })
  const full = await openBeside(service, { DISK_FLOOR_MIB: '1000000000' })
  const narrow = await openBeside(service, { SYNC_CONCURRENCY: '1' })
  try {
    await expectProblem('queue_away', await get(away, fixations, { prefer: 'respond-async' }), FIXATIONS)
    await expectProblem('disk_full', await get(full, fixations, { prefer: 'respond-async' }), FIXATIONS)
    const asks = Array.from({ length: 60 }, (_, i) => get(narrow, `${fixations}?movingMedianRangeMs=${100 + i}`))
    const refused = (await Promise.all(asks)).find(({ status }) => status === 503)
    await expectProblem('overloaded', refused!, FIXATIONS)
  } finally {
    for (const each of [away, full, narrow]) await each.close()
  }
})

test('damage on disk', async () => {
  const broken = await openTestServer()
  try {
    const current = await broken.parts.studies.currentId(STUDY)
    await writeFile(join(broken.dataDir, 'studies', STUDY, current!, 'samples-00000.parquet'), 'nonsense')
    await expectProblem('corrupt', await get(broken, fixations), FIXATIONS)
    await writeFile(join(broken.dataDir, 'studies', STUDY, 'current'), 'nonsense')
    await expectProblem('corrupt', await get(broken, `/api2/studies/${STUDY}/flow`), '/studies/{studyId}/flow')
  } finally {
    await broken.close()
  }
})

test('refused changes', async () => {
  const bounded = await openBeside(service, { TOKEN_MAX_STUDIES: '0' })
  const STUDY_PATH = '/studies/{studyId}'
  const people = `/studies/${STUDY}/participants`
  const ask = async (method: string, path: string, body: string, headers: Record<string, string> = {}) => {
    const init = {
      method,
      body,
      headers: { 'x-auth-token': bounded.write, 'content-type': 'application/json', ...headers },
    }
    const response = await fetch(`${bounded.url}/api2${path}`, init)
    const sent = Object.fromEntries(response.headers)
    return { status: response.status, headers: sent, body: Buffer.from(await response.arrayBuffer()) }
  }
  try {
    const read = { 'x-auth-token': bounded.read }
    await expectProblem('forbidden', await ask('POST', '/studies', '{}', read), '/studies', 'POST')
    await expectProblem('bound_reached', await ask('POST', '/studies', '{}'), '/studies', 'POST')
    await expectProblem('precondition_needed', await ask('PUT', `/studies/${STUDY}`, '{}'), STUDY_PATH, 'PUT')
    await expectProblem(
      'moved_on',
      await ask('PUT', `/studies/${STUDY}`, '{}', { 'if-match': '"x"' }),
      STUDY_PATH,
      'PUT',
    )
    const PEOPLE = '/studies/{studyId}/participants'
    await expectProblem(
      'unsupported_type',
      await ask('POST', people, 'x', { 'content-type': 'text/csv' }),
      PEOPLE,
      'POST',
    )
    await expectProblem('invalid_body', await ask('POST', people, '{"participant":'), PEOPLE, 'POST')
    const person = JSON.stringify({ participant: { participant_id: STUDY } })
    await ask('POST', people, person)
    await expectProblem('conflict', await ask('POST', people, person), PEOPLE, 'POST')
  } finally {
    await bounded.close()
  }
})

test('a request that does not end gets a timeout', async () => {
  await expectProblem('request_timeout', await unfinished, '/exports')
})

/** An import that has failed tells these; test/server/imports.service.test.ts meets them, and those of uploads. */
const OF_IMPORTS = ['invalid_bundle', 'exists', 'unreadable_files']

test('every problem has a page that says what it means and what to do, and the document knows each that can be answered', async () => {
  const document = JSON.stringify(contract.document)
  for (const [code, { slug, title, meaning, advice, status }] of Object.entries(PROBLEMS)) {
    const html = await (await fetch(`${service.url}/docs/problems/${slug}`)).text()
    for (const text of [title, meaning, advice.replaceAll('`gazette ', '`npx gazette ')])
      expect(html).toContain(escaped(text))
    expect(html).toContain(`Status ${status}`)
    if (!OF_IMPORTS.includes(code)) expect(document, code).toContain(`/docs/problems/${slug}`)
  }
  const isElsewhere = (code: string) => OF_IMPORTS.includes(code) || /upload/.test(code)
  const unmet = Object.entries(PROBLEMS).filter(([code]) => !met.has(code as ProblemCode) && !isElsewhere(code))
  // Only a bug is an internal error; test/bin has servers on a store, and on another version's data,
  // test/worker/run-job a job that is set aside.
  const slugs = new Set(unmet.map(([, { slug }]) => slug))
  expect([...slugs].sort()).toEqual(['busy', 'internal-error', 'other-format', 'set-aside', 'store-away'])
})

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
