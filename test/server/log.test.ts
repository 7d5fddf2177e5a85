import { expect, test } from 'vitest'
import { secretsOf } from '../../engine/model/secrets.ts'
import { createLog } from '../../server/http/log.ts'

test('the log keeps neither tokens in headers nor the password of a queue that refused it', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  log.info({ req: { headers: { 'x-auth-token': 'secret-1', authorization: 'secret-2', cookie: 'secret-3' } } }, 'asked')
  const command = { name: 'hello', args: ['3', 'AUTH', 'default', 'secret-4'] }
  log.warn({ err: Object.assign(new Error('WRONGPASS'), { command }) }, 'queue')
  expect(lines.join('')).toMatch(/redacted.*WRONGPASS/s)
  expect(lines.join('')).not.toContain('secret')
})

test('the password of a queue is in no line, whoever says it and however it is spelt', () => {
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

test('an address without a password is told as it is', () => {
  expect(['', 'redis://127.0.0.1:6379'].map(secretsOf)).toEqual([[], []])
})
