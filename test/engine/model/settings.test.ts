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
  [{ QUEUE_URL: 'redis://r:1/2', QUEUE_PASSWORD: 'p@s/s: "%' }, { queueUrl: 'redis://:p%40s%2Fs%3A%20%22%25@r:1/2' }],
  [{ QUEUE_URL: 'postgres://me@db/q', QUEUE_PASSWORD: 'a#b' }, { queueUrl: 'postgres://me:a%23b@db/q' }],
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
  [{ QUEUE_PASSWORD: 'x' }, 'QUEUE_PASSWORD needs a QUEUE_URL without a password'],
  [{ QUEUE_URL: 'redis://:y@r', QUEUE_PASSWORD: 'x' }, 'QUEUE_PASSWORD needs a QUEUE_URL without a password'],
  [{ CSV_FORMULA_GUARD: 'yes' }, 'CSV_FORMULA_GUARD must be on or off, got "yes"'],
  [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY must be a hop count of 1 to 9, or a list of CIDRs, got "true"'],
  [{ LOG_LEVEL: 'INFO' }, 'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent, got "INFO"'],
  [{ TLS_CERT_FILE: 'cert.pem' }, 'TLS_CERT_FILE and TLS_KEY_FILE must be set together'],
  [{ PORT: 'x', HOLD_SECONDS: '61' }, 'PORT must be 0 to 65535, got "x"; HOLD_SECONDS must be 0 to 60 s, got "61"'],
])('%j is refused: %s', (env, message) => {
  expect(() => readConfig(env)).toThrow(expect.objectContaining({ code: 'invalid_setting', message }))
})

test.each([
  [{ GAZETTE_PORT: '81' }, { port: 81 }],
  [{ GAZETTE_PORT: '81', PORT: '82' }, { port: 81 }],
  [{ GAZETTE_PORT: '', PORT: '82' }, { port: 82 }],
  [{ GAZETTE_HOST: 'gazette.local' }, { host: 'gazette.local' }],
  [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
  [
    { GAZETTE_TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' },
    { tlsCertFile: 'cert.pem', tlsKeyFile: 'key.pem' },
  ],
])('%j is read under either name, the one with the prefix first', (env, expected) => {
  expect(readConfig(env)).toMatchObject(expected)
})

test('what other programs set is no setting', () => {
  const others = {
    // Compilers of conda, and csh.
    HOST: 'x86_64-conda-linux-gnu',
    // Kubernetes, for services named gazette and gazette-redis.
    GAZETTE_PORT: 'tcp://10.0.0.7:80',
    GAZETTE_PORT_80_TCP: 'tcp://10.0.0.7:80',
    GAZETTE_PORT_80_TCP_ADDR: '10.0.0.7',
    GAZETTE_SERVICE_HOST: '10.0.0.7',
    GAZETTE_SERVICE_PORT_HTTP: '80',
    GAZETTE_REDIS_PORT: 'tcp://10.0.0.8:6379',
    // Our clients.
    GAZETTE_URL: 'http://127.0.0.1:8080',
    GAZETTE_TOKEN: 'secret',
  }
  expect(readConfig(others)).toEqual(readConfig({}))
})

test.each([
  [{ GAZETTE_PROT: '81' }, 'there is no setting GAZETTE_PROT; did you mean GAZETTE_PORT?'],
  [{ GAZETTE_COLOUR_OF_THE_LOG: 'red' }, 'there is no setting GAZETTE_COLOUR_OF_THE_LOG'],
  [{ GAZETTE_PORT: '65536' }, 'GAZETTE_PORT must be 0 to 65535, got "65536"'],
])('%j is refused: %s', (env, message) => {
  expect(() => readConfig(env)).toThrow(expect.objectContaining({ code: 'invalid_setting', message }))
})
