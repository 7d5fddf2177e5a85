import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chance, pick, type Random, wholeBetween } from '../../demo/random.ts'
import { uploadPath, uploadsDirectory } from '../../engine/uploads/uploads.ts'
import { openTestServer } from '../server/test-server.ts'
import { claim, type Fuzzer, NASTY, type Round } from './fuzzer.ts'

const UPLOADS_MAX = 4
const PIECE_MAX = 200_000
/** So long a request that its client has left may go on. */
const SETTLED_MS = 20_000
const CHUNK = 'application/offset+octet-stream'
/** 503: it is being sent to at the same time. */
const REFUSED = [400, 403, 404, 405, 409, 410, 412, 413, 415, 429, 431, 503]

/** An upload that was accepted. */
type Begun = { id: string; token: string; size: number }

/**
 * Requests of the tus protocol by two tokens, some at once, broken off, with wrong offsets, lengths, names and headers,
 * and for uploads of the other: what is kept of an upload are the first bytes that were sent of it, never more than
 * announced; nobody has more uploads than allowed; what is removed leaves nothing on disk.
 */
export const UPLOADS: Fuzzer = {
  name: 'uploads',
  open: async () => {
    const service = await openTestServer({
      REQUESTS_PER_MINUTE: '100000000',
      UPLOADS_PER_TOKEN: String(UPLOADS_MAX),
      UPLOADS_MAX_GIB: '1',
    })
    const { url, dataDir } = service
    const tokens = [service.write, service.ops]

    const round: Round = async (random, tell) => {
      const all: Begun[] = []
      const words: string[] = []
      for (let steps = wholeBetween(random, 1, 12); steps > 0; steps--) {
        // Decided before, so that a round is the same whichever request is answered first.
        const requests = Array.from({ length: pick(random, [1, 1, 1, 2, 5]) }, () => requestOf(random, all, tokens))
        words.push(requests.map(({ word }) => word).join(' beside '))
        tell(words.join('; '))
        for (const begun of await Promise.all(requests.map(send))) if (begun) all.push(begun)
        await settled()
        await claimKept(all)
      }
      // Those that were begun by a request that was broken off are among them, and may come late.
      const giveUpAtMs = performance.now() + SETTLED_MS
      for (;;) {
        await removeListed()
        await settled()
        const left = await readdir(uploadsDirectory(dataDir)).catch(() => [])
        if (left.length === 0) return
        claim(performance.now() < giveUpAtMs, `${left} are left of uploads that were removed`)
      }
    }

    const removeListed = async () => {
      for (const token of tokens) {
        for (const { id } of await listed(token)) {
          const answer = await ask('DELETE', `/${id}`, { 'x-auth-token': token })
          claim(answer === 204, `${answer} for DELETE of an upload that is listed`)
        }
      }
    }

    /** Waits until the server has ended what was broken off. */
    const settled = async () => {
      const giveUpAtMs = performance.now() + SETTLED_MS
      for (;;) {
        const names = await readdir(uploadsDirectory(dataDir)).catch(() => [])
        const busy = names.filter((name) => !/^[0-9a-f-]+(\.json)?$/.test(name))
        if (busy.length === 0) return
        claim(performance.now() < giveUpAtMs, `${busy} stay after ${SETTLED_MS} ms`)
        await sleep(10)
      }
    }

    const listed = async (token: string): Promise<{ id: string; receivedBytes: number }[]> => {
      const answer = await fetch(`${url}/api2/uploads`, { headers: { 'x-auth-token': token } })
      return ((await answer.json()) as { uploads: { id: string; receivedBytes: number }[] }).uploads
    }

    /** Sends a request, and returns the upload that it began, if it did. */
    const send = async ({ method, path, headers, body, token, stopsAfterMs }: Sent): Promise<Begun | null> => {
      const stop = stopsAfterMs === null ? undefined : AbortSignal.timeout(stopsAfterMs)
      try {
        const answer = await fetch(`${url}/api2/uploads${path}`, {
          ...{ method, headers, signal: stop },
          ...(body && { body: new Uint8Array(body) }),
        })
        const text = await answer.text()
        const isFine = answer.status < 300 || REFUSED.includes(answer.status)
        claim(isFine, `${answer.status} for ${method} ${path}: ${text.slice(0, 500)}`)
        claim(!/\n {4}at |\/tmp\//.test(text), `it tells too much: ${text.slice(0, 500)}`)
        if (method !== 'POST' || answer.status !== 201) return null
        const id = answer.headers.get('location')!.split('/').at(-1)!
        return { id, token, size: Number(headers['upload-length']) }
      } catch (error) {
        if (stop?.aborted || error instanceof TypeError) return null
        throw error
      }
    }

    const ask = async (method: string, path: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`${url}/api2/uploads${path}`, { method, headers: { 'tus-resumable': '1.0.0', ...headers } })).status

    /** Claims that each upload holds the first of its bytes, and that each token has no more than it may. */
    const claimKept = async (all: Begun[]) => {
      for (const { id, size } of all) {
        const path = uploadPath(dataDir, id)
        const bytes = await readFile(path).catch(() => null)
        if (bytes === null) continue
        claim(bytes.length <= size, `${bytes.length} bytes are kept of an upload of ${size}`)
        claim(bytes.equals(contentOf(0, bytes.length)), 'an upload holds other bytes than were sent')
      }
      for (const token of tokens) {
        const uploads = await listed(token)
        claim(uploads.length <= UPLOADS_MAX, `a token has ${uploads.length} uploads`)
        for (const { id, receivedBytes } of uploads) {
          const facts = await stat(join(uploadsDirectory(dataDir), id)).catch(() => null)
          // A DELETE that was broken off may still be at work.
          if (facts === null)
            claim(
              (await listed(token)).every((one) => one.id !== id),
              `${id} is listed, and not there`,
            )
          else
            claim(facts.size >= receivedBytes, `${receivedBytes} bytes are said to have come of ${facts.size} on disk`)
        }
      }
    }
    return { round, close: service.close }
  },
}

/** The bytes of every upload from a place on, so that it shows whether pieces stand where they belong. */
function contentOf(offset: number, length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, i) => ((offset + i) * 2_654_435_761) >>> 24))
}

type Sent = {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | null
  token: string
  /** Breaks the request off after so many ms; null for never. */
  stopsAfterMs: number | null
  word: string
}

function requestOf(random: Random, all: Begun[], tokens: string[]): Sent {
  const method = pick(random, all.length === 0 ? ['POST'] : ['POST', 'PATCH', 'PATCH', 'PATCH', 'HEAD', 'DELETE'])
  const chosen = all.length === 0 ? null : pick(random, all)
  const token = chance(random, 0.15) || chosen === null ? pick(random, tokens) : chosen.token
  const headers: Record<string, string> = { 'x-auth-token': token, 'tus-resumable': '1.0.0' }
  const stopsAfterMs = chance(random, 0.1) ? wholeBetween(random, 0, 20) : null
  let body: Buffer | null = null
  let path = chosen === null ? '' : `/${chosen.id}`
  if (method === 'POST') {
    path = ''
    const size = pick(random, [0, 1, wholeBetween(random, 0, PIECE_MAX), 2 ** 30, 2 ** 30 + 1])
    headers['upload-length'] = String(size)
    headers['upload-metadata'] =
      `filename ${Buffer.from(chance(random, 0.3) ? pick(random, NASTY) : 'a.csv').toString('base64')}`
    if (chance(random, 0.3)) {
      headers['content-type'] = CHUNK
      body = contentOf(0, wholeBetween(random, 0, PIECE_MAX))
    }
  }
  if (method === 'PATCH') {
    const offset = pick(random, [0, wholeBetween(random, 0, PIECE_MAX), chosen?.size ?? 0])
    headers['upload-offset'] = String(offset)
    headers['content-type'] = CHUNK
    body = contentOf(offset, wholeBetween(random, 0, PIECE_MAX))
  }
  if (chance(random, 0.15)) spoil(random, headers)
  if (chance(random, 0.05)) path = `/${encodeURIComponent(Buffer.from(pick(random, NASTY)).toString())}`
  const { 'x-auth-token': _, ...shown } = headers
  const word = `${method} ${path} ${JSON.stringify(shown)} ${body?.length ?? 'no'} bytes`
  return { method, path, headers, body, token, stopsAfterMs, word: word.slice(0, 300) }
}

const HEADERS = [
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'upload-concat',
  'upload-defer-length',
  'upload-checksum',
  'tus-resumable',
  'content-type',
  'content-encoding',
  'x-http-method-override',
  'x-forwarded-host',
  'if-match',
  'range',
]

/** Removes a header, or gives it a value that something once took for more than text. */
function spoil(random: Random, headers: Record<string, string>): void {
  const name = pick(random, HEADERS)
  const value = pick(random, [
    ...NASTY,
    '-1',
    '1.5',
    '1e3',
    'final;/a /b',
    'DELETE',
    'sha1 AAAA',
    'filename',
    'a b,c d',
  ])
  const isSendable = value.length < 4000 && /^[\t\x20-\x7e]*$/.test(value)
  if (chance(random, 0.3) || !isSendable) delete headers[name]
  else headers[name] = value
}
