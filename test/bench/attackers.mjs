// One attacker of a kind, in a process of its own, until it is ended: what a single machine that wishes us ill does to
// a service.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const PROGRAM = fileURLToPath(new URL('../../dist/bin/gazette.cjs', import.meta.url))

const isMain = process.argv[1] === fileURLToPath(import.meta.url)
const [kind, text] = isMain ? process.argv.slice(2) : [null, '{}']
const { port, token, collect, write, studyId, itemId, heavy, bomb } = JSON.parse(text)

// It has a group of processes of its own, which must not outlive a bench that is broken off.
const parent = process.ppid
const endWithParent = () => process.ppid !== parent && process.kill(-process.pid, 'SIGKILL')
if (isMain) setInterval(endWithParent, 1000).unref()

const ignore = (socket) => socket.on('error', () => {})
// From another address than the honest clients': what bounds one address must not be what they notice.
const FROM = '127.0.0.2'
const open = () => ignore(connectTls({ port, host: '127.0.0.1', localAddress: FROM, rejectUnauthorized: false }))
const request = (path, { method = 'GET', headers = '', as = token } = {}) =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-AUTH-TOKEN: ${as}\r\n${headers}\r\n`

/** Sends requests at a rate over some connections, without waiting for answers; one that breaks is made anew. */
async function flood(perSecond, requestOf) {
  const sockets = Array.from({ length: 16 }, () => null)
  for (let n = 0; ; n++) {
    const s = n % sockets.length
    if (sockets[s] === null || sockets[s].destroyed) sockets[s] = open().on('data', () => {})
    sockets[s].write(requestOf(n))
    await sleep(1000 / perSecond)
  }
}

/**
 * Resolves to whether an answer came before the connection ended. With `once` alone, an error of the socket would count
 * as one of the attacker.
 */
function answered(socket) {
  return new Promise((resolve) => {
    const settle = (isAnswered) => {
      socket.off('data', onData).off('close', onClose)
      resolve(isAnswered)
    }
    const [onData, onClose] = [() => settle(true), () => settle(false)]
    socket.once('data', onData).once('close', onClose)
  })
}

/** Sends a body again and again, over so many connections, each when the one before is answered. */
async function sendOn(connections, what, as, body, encoding = '') {
  const [method, path] = what.split(' ')
  const headers = `${encoding}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nIf-Match: *\r\n`
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (;;) {
        const socket = open()
        for (let left = true; left; ) {
          socket.write(request(path, { method, headers, as }))
          socket.write(body)
          left = await answered(socket)
        }
        await sleep(10)
      }
    }),
  )
}

/** A participant with so many samples, who is refused for the last of them. */
function participantOf(samples) {
  const times = Array.from({ length: samples }, (_, i) => i * 16)
  const gaze = times.map((t) => (t * 7) % 1900)
  const test = { item_id: itemId, samples: { t_ms: times, gaze_x_px: gaze, gaze_y_px: [...gaze.slice(1), 'x'] } }
  return Buffer.from(JSON.stringify({ participant: {}, tests: [test] }))
}

/** A participant of three texts of 15 MiB, which take 48 KB gzipped. */
function longTexts() {
  const text = 'x'.repeat(15 * 2 ** 20)
  const participant = { external_id: text, display_name: text, notes: text }
  return gzipSync(JSON.stringify({ participant, tests: [{ item_id: itemId }] }))
}

/** Opens so many connections, does to each what is wanted every second, and opens those anew that were closed. */
async function hold(count, begin, again = () => {}) {
  const sockets = []
  for (;;) {
    for (let i = 0; i < count; i++) {
      if (sockets[i] === undefined || sockets[i].destroyed) {
        sockets[i] = ignore(begin.open?.() ?? open())
        begin(sockets[i])
      } else again(sockets[i])
      if (i % 50 === 49) await sleep(10)
    }
    await sleep(1000)
  }
}

async function importAgain(directory) {
  for (;;) {
    const args = [PROGRAM, 'import', directory, '--dry-run', '--data', `${directory}-data`]
    await new Promise((resolve) => spawn(process.execPath, args, { stdio: 'ignore' }).once('exit', resolve))
  }
}

const study = `/api2/studies/${studyId}`
const fixations = `${study}/collected-data/eye-tracking/fixations`
const of = (name, value) => `${name}=${value}`

const halfHandshake = Object.assign((socket) => void socket.write(Buffer.from('160301', 'hex')), {
  open: () => connectPlain({ port, host: '127.0.0.1', localAddress: FROM }),
})

const ATTACKS = {
  'query strings of 11.5 KB, 40 a second': () => flood(40, () => request(`${fixations}?${'a&'.repeat(5750)}`)),
  'query strings of 2 KB and 32 names, 40 a second': () =>
    flood(40, (n) =>
      request(`${fixations}?${Array.from({ length: 32 }, (_, i) => of(`n${i}`, `${n}`.repeat(9))).join('&')}`),
    ),
  'filters of 1.5 KB, 20 a second': () =>
    flood(20, (n) =>
      request(
        `${fixations}?filter=${'('.repeat(40)}participant_age%20%3C%20${n}${')'.repeat(40)}${'%20OR%20participant_age%20%3E%201'.repeat(40)}`,
      ),
    ),
  'filters of LIKE with many wildcards, 20 a second': () =>
    flood(20, (n) => {
      const filter = `participant_display_name LIKE '${'%_'.repeat(40)}${n}' OR item_filename LIKE '${'%_'.repeat(40)}b'`
      return request(`${fixations}?filter=${encodeURIComponent(filter)}`)
    }),
  '300 TLS handshakes that never end': () => hold(300, halfHandshake),
  '500 connections that send a header a second': () =>
    hold(
      500,
      (socket) => void socket.write(`GET ${study} HTTP/1.1\r\nHost: x\r\n`),
      (socket) => void socket.write('X-A: b\r\n'),
    ),
  '500 bodies of a byte a second': () =>
    hold(
      500,
      (socket) => void socket.write(request('/api2/session', { method: 'POST', headers: 'Content-Length: 50000\r\n' })),
      (socket) => void socket.write('x'),
    ),
  '500 bodies of a byte a second that are too large': () =>
    hold(
      500,
      (socket) =>
        void socket.write(request('/api2/session', { method: 'POST', headers: 'Content-Length: 100000\r\n' })),
      (socket) => void socket.write('x'),
    ),
  'participants of 50 MB, two at a time': () =>
    sendOn(2, `POST ${study}/participants`, collect, participantOf(2_500_000)),
  'participants of three texts of 15 MiB, gzipped, two at a time': () =>
    sendOn(2, `POST ${study}/participants`, collect, longTexts(), 'Content-Encoding: gzip\r\n'),
  'a study of 100,000 points, sent two at a time': () =>
    sendOn(2, `PUT /api2/studies/${heavy.studyId}?dryRun=true`, write, readFileSync(`${heavy.directory}/study.json`)),
  'AOIs of 100,000 points, drawn two at a time': () => {
    const { items, aois } = JSON.parse(readFileSync(`${heavy.directory}/study.json`, 'utf8'))
    const drawn = `POST /api2/studies/${heavy.studyId}/charts/aois?itemId=${items[0].id}`
    return sendOn(2, drawn, token, Buffer.from(JSON.stringify(aois)))
  },
  '100 readers of pictures that do not read': () =>
    hold(100, (socket) => {
      socket.pause()
      socket.write(request(`${study}/items/${itemId}/image`).repeat(50))
    }),
  'one token that asks for 55 exports a second at once': () =>
    flood(55, (n) => request(`${fixations}?gazeVelocityThreshold=${(1 + (n % 398_000) / 1000).toFixed(3)}`)),
  'one token that asks for 50 jobs a second': () =>
    flood(50, (n) =>
      request(`${fixations}?gazeVelocityThreshold=${(1 + (n % 398_000) / 1000).toFixed(3)}`, {
        headers: 'Prefer: respond-async\r\n',
      }),
    ),
  'signing in, 100 a second': () =>
    flood(100, () => request('/api2/session', { method: 'POST', headers: 'Content-Length: 0\r\n' })),
  'guessing tokens, 100 a second': () =>
    flood(100, (n) => request('/api2/studies', { as: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` })),
  'what needs no token, 200 a second': () =>
    flood(200, (n) => request(['/api2/openapi.json', '/api2/exports', '/docs'][n % 3])),
  'exports of a study of 100 AOIs of 1000 points, 5 a second': () =>
    flood(5, (n) =>
      request(
        `/api2/studies/${heavy.studyId}/collected-data/eye-tracking/fixations-aois?gazeVelocityThreshold=${1 + (n % 399)}`,
      ),
    ),
  '200 streams of events of one token': () =>
    hold(200, (socket) => void socket.write(request(`/api2/jobs/${heavy.job}/events`))),
  'imports of a study of 100,000 points, one after the other': () => importAgain(heavy.directory),
  'imports of a gzip bomb, one after the other': () => importAgain(bomb),
}

export const ATTACK_NAMES = Object.keys(ATTACKS)
if (isMain) await ATTACKS[kind]()
