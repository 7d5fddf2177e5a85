import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../engine/model/settings.ts'

test('settings have their defaults, also where the environment holds nothing but an empty text', () => {
  const config = readConfig({ PORT: '', QUEUE_URL: '', LOG_LEVEL: '' })
  expect(config).toEqual(readConfig({}))
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    dataDir: resolve('./data'),
    queueUrl: '',
    formulaGuard: true,
    trustProxy: '',
    logLevel: 'info',
  })
})

test.each([
  [{ PORT: '0' }, { port: 0 }],
  [{ PORT: '65535' }, { port: 65_535 }],
  [{ QUEUE_URL: 'rediss://example' }, { queueUrl: 'rediss://example' }],
  [{ QUEUE_URL: 'postgresql://example/queue' }, { queueUrl: 'postgresql://example/queue' }],
  [{ CSV_FORMULA_GUARD: 'off' }, { formulaGuard: false }],
  [{ TRUST_PROXY: '2' }, { trustProxy: '2' }],
  [{ TRUST_PROXY: '10.0.0.0/8,fd00::/8' }, { trustProxy: '10.0.0.0/8,fd00::/8' }],
  [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
])('%j is taken', (env, expected) => {
  expect(readConfig(env)).toMatchObject(expected)
})

test.each([
  [{ PORT: '65536' }, 'PORT must be 0 to 65535, got "65536"'],
  [{ PORT: '-1' }, 'PORT must be 0 to 65535, got "-1"'],
  [{ PORT: '80 ' }, 'PORT must be 0 to 65535, got "80 "'],
  [{ ENGINE_MEMORY_MIB: '63' }, 'ENGINE_MEMORY_MIB must be 64 to 1048576 MiB, got "63"'],
  [
    { QUEUE_URL: 'http://user:secret@example' },
    'QUEUE_URL must be redis://, rediss:// or postgres:// (a / in its password is written %2F), got "http:…"',
  ],
  [
    { QUEUE_URL: 'redis://:pa/ss@example' },
    'QUEUE_URL must be redis://, rediss:// or postgres:// (a / in its password is written %2F), got "redis:…"',
  ],
  [
    { QUEUE_URL: 'redis://' },
    'QUEUE_URL must be redis://, rediss:// or postgres:// (a / in its password is written %2F), got "redis:…"',
  ],
  [{ CSV_FORMULA_GUARD: 'yes' }, 'CSV_FORMULA_GUARD must be on or off, got "yes"'],
  [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY must be a hop count of 1 to 9, or a list of CIDRs, got "true"'],
  [{ LOG_LEVEL: 'INFO' }, 'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent, got "INFO"'],
  [{ TLS_CERT_FILE: 'cert.pem' }, 'TLS_CERT_FILE and TLS_KEY_FILE must be set together'],
  [{ PORT: 'x', HOLD_SECONDS: '61' }, 'PORT must be 0 to 65535, got "x"; HOLD_SECONDS must be 0 to 60 s, got "61"'],
])('%j is refused: %s', (env, message) => {
  expect(() => readConfig(env)).toThrow(expect.objectContaining({ code: 'invalid_setting', message }))
})
