import { expect, test } from 'vitest'
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
