import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { secretsOf } from '../../engine/model/secrets.ts'
import { createLog } from '../../server/http/log.ts'
import { openTestServer, STUDY, until } from './test-server.ts'

test('the log keeps neither tokens in headers nor the password of a queue that refused it', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  log.info({ req: { headers: { 'x-auth-token': 'secret-1', authorization: 'secret-2', cookie: 'secret-3' } } }, 'asked')
  const command = { name: 'hello', args: ['3', 'AUTH', 'default', 'secret-4'] }
  log.warn({ err: Object.assign(new Error('WRONGPASS'), { command }) }, 'queue')
  expect(lines.join('')).toMatch(/redacted.*WRONGPASS/s)
  expect(lines.join('')).not.toContain('secret')
})

test('the password of a queue is in no line, whatever its source and spelling', () => {
  const urls = ['redis://:pa/ss"word@host', 'postgres://user:pa%2Fss%22word@host/db', 'redis://u:p@ss@host:6379/0']
  for (const url of urls) {
    const lines: string[] = []
    const log = createLog('info', { write: (line: string) => void lines.push(line) }, secretsOf(url))
    log.warn({ err: Object.assign(new TypeError('Invalid URL'), { input: url }) }, 'queue')
    log.warn(`${url.includes('p@ss') ? 'p@ss' : 'pa/ss"word, pa%2Fss%22word'} was refused at ${url}`)
    expect(lines.join('')).not.toContain(url.includes('p@ss') ? 'p@ss' : 'word')
    expect(lines.join('')).toMatch(/Invalid URL.*redacted/s)
  }
})

test('an address without a password is logged unchanged', () => {
  expect(['', 'redis://127.0.0.1:6379'].map(secretsOf)).toEqual([[], []])
})

test('a line names the token by its id, the client behind a proxy, and what data was sent', async () => {
  const service = await openTestServer({ TRUST_PROXY: '1' }, { hasWorker: true })
  try {
    const [{ id }] = await service.parts.tokens.list()
    const path = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
    const lineOf = async (at: string, headers: Record<string, string> = {}) => {
      const answer = await service.get(at, {
        'x-forwarded-for': '203.0.113.7',
        'accept-encoding': 'identity',
        ...headers,
      })
      const bytes = (await answer.arrayBuffer()).byteLength
      const requestId = answer.headers.get('x-request-id')!
      const line = await until(async () => service.logged.find((each) => each.includes(requestId)))
      return { bytes, line: JSON.parse(line) }
    }
    const small = await lineOf(path)
    expect(small.line).toMatchObject({
      token: id,
      req: { from: '127.0.0.1', client: '203.0.113.7' },
      sent: { study: STUDY, export: 'fixations', plan: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: small.bytes },
    })
    await lineOf(`${path}?movingMedianRangeMs=300`, { prefer: 'respond-async' })
    const [job] = await until(async () => {
      const { jobs } = (await (await service.get('/api2/jobs?state=succeeded')).json()) as { jobs: { id: string }[] }
      return jobs.length > 0 && jobs
    })
    const file = await lineOf(`/api2/jobs/${job.id}/file`)
    expect(file.line.sent).toMatchObject({ plan: job.id.slice(1), bytes: file.bytes })
    expect((await lineOf('/api2/studies')).line.sent).toBeUndefined()
    expect((await lineOf('/api2/studies', { 'x-auth-token': 'x' })).line.token).toBeUndefined()

    const auditFile = join(service.dataDir, 'audit.jsonl')
    const audited = await until(async () => {
      const lines = (await readFile(auditFile, 'utf8')).trimEnd().split('\n')
      return lines.length === 3 && lines.map((each) => JSON.parse(each))
    })
    const by = { token: id }
    expect(audited).toMatchObject([
      { event: 'export', by, study: STUDY, export: 'fixations', bytes: small.bytes, complete: true },
      { event: 'export', by, study: STUDY, export: 'fixations', job: job.id },
      { event: 'download', by, study: STUDY, export: 'fixations', job: job.id, bytes: file.bytes, complete: true },
    ])
    expect(audited[1].bytes).toBeUndefined()
    const used = await service.parts.tokens.lastUse(id)
    expect(Math.abs(used!.getTime() - Date.now())).toBeLessThan(60_000)
    expect(await service.parts.tokens.lastUse('another')).toBeNull()
  } finally {
    await service.close()
  }
})
