import { connect } from 'node:net'
import { chance, pick, type Random, wholeBetween } from '../../demo/random.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { PARAMETER_NAMES } from '../../engine/model/parameters.ts'
import { ITEM, openTestServer, STUDY, type TestServer } from '../server/test-server.ts'
import { claim, damageBytes, type Fuzzer, NASTY } from './fuzzer.ts'

const FINE = [
  200, 202, 204, 206, 301, 302, 304, 307, 308, 400, 401, 404, 405, 406, 409, 410, 412, 414, 416, 429, 431, 503,
]
const SECRETS = ['root:x:', 'node_modules', 'SELECT "', 'Catalog Error', '\n    at ', '"sha256":"']

/** Paths of every kind: nothing outside of what is served, no stack, no 500. */
export const PATHS: Fuzzer = requests('paths of requests', (random) => {
  const known = [
    'api2',
    'studies',
    STUDY,
    'flow',
    'items',
    ITEM,
    'image',
    'jobs',
    'exports',
    'openapi.json',
    'collected-data',
  ]
  const pieces = [
    ...known,
    'eye-tracking',
    'fixations',
    'ops',
    'metrics',
    'queues',
    'docs',
    'problems',
    'assets',
    ...SAFE,
  ]
  const path = Array.from({ length: wholeBetween(random, 1, 7) }, () => piece(random, pick(random, pieces))).join(
    pick(random, ['/', '/', '/', '//', '/./', '/../', '%2f', '\\', '/%2e%2e/']),
  )
  return chance(random, 0.2) ? damaged(random, `/api2/studies/${STUDY}/flow`) : `/${path}`
})

/** Query strings of every kind: each is read as it is meant, or refused by name. */
export const QUERIES: Fuzzer = requests('query strings', (random) => {
  const names = [
    ...PARAMETER_NAMES,
    'variant',
    'format',
    'limit',
    'cursor',
    'state',
    'study',
    'chart',
    'participantId',
    ...SAFE,
  ]
  const values = [
    '1',
    '150',
    '80.5',
    'csv',
    'parquet',
    'velocity',
    ITEM,
    'participant_age < 30',
    'split',
    'queued',
    ...SAFE,
  ]
  const query = Array.from({ length: wholeBetween(random, 1, 9) }, () => {
    const name = piece(random, pick(random, names))
    return chance(random, 0.1) ? name : `${name}=${piece(random, pick(random, values))}`
  }).join(pick(random, ['&', '&', '&', ';', '&&', '&amp;']))
  const study = `/api2/studies/${STUDY}`
  const bases = [
    `${study}/collected-data/${pick(random, EXPORTS).path}`,
    '/api2/jobs',
    '/api2/studies',
    `${study}/participants`,
    '/docs',
  ]
  return `${pick(random, bases)}?${chance(random, 0.3) ? damaged(random, query) : query}`
})

const SAFE = NASTY.filter((text) => text.length < 5000)

/** Percent-encoded, twice, badly or not at all. */
function piece(random: Random, text: string): string {
  const kind = wholeBetween(random, 0, 9)
  const encoded = encodeURIComponent(Buffer.from(text).toString())
  if (kind < 6) return encoded
  if (kind === 6) return encodeURIComponent(encoded)
  if (kind === 7) return encoded.replaceAll('%', '%%')
  if (kind === 8) return encoded.toLowerCase().replace(/.$/, '%')
  return text.replaceAll(/[\s\0]/g, '+')
}

/** Bytes that still are one line of a request. */
function damaged(random: Random, text: string): string {
  const bytes = damageBytes(random, Buffer.from(text)).subarray(0, 6000)
  return `/${bytes
    .toString('latin1')
    .replaceAll(/[\r\n ]/g, '+')
    .replace(/^\//, '')}`
}

function requests(name: string, pathOf: (random: Random) => string): Fuzzer {
  return {
    name,
    open: async () => {
      const service = await openTestServer({
        HOLD_SECONDS: '0',
        REQUESTS_PER_MINUTE: '100000000',
        OPEN_JOBS_PER_TOKEN: '100',
      })
      const round = async (random: Random) => {
        const path = pathOf(random)
        const text = await answerTo(service, path)
        const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1])
        claim(FINE.includes(status), `${status} for ${JSON.stringify(path)}: ${text.slice(0, 600)}`)
        const told = [...SECRETS, service.dataDir].find((secret) => text.includes(secret))
        claim(told === undefined, `${told} is told for ${JSON.stringify(path)}`)
        if (status >= 400 && !text.endsWith('\r\n\r\n'))
          claim(/application\/problem\+json|text\/html/.test(text), text.slice(0, 600))
      }
      return { round, close: service.close }
    },
  }
}

/** Sends a line as it is, and returns the whole answer. */
function answerTo(service: TestServer, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket
      .setEncoding('latin1')
      .setTimeout(20_000, () => socket.destroy(new Error(`no answer to ${JSON.stringify(path)}`)))
    socket.on('data', (piece) => {
      text += piece
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    const head = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\nX-AUTH-TOKEN: ${service.read}\r\n\r\n`
    socket.write(Buffer.from(head, 'latin1'))
  })
}
