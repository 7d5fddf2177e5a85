import { type Ask, away, GazetteError } from './request.ts'
import type { Job, JobPart } from './types.ts'

/** Destination of the bytes of a file. */
export type Sink = {
  /** Writes bytes at offset `at`; 0 starts the file again. */
  write: (block: Uint8Array, at: number) => void | Promise<void>
  /** Returns the SHA-256 of all bytes, 32 bytes long. */
  sha256: () => Promise<Uint8Array>
}

export type Following = {
  /** Reports progress (percent, or bytes), and the total. */
  onProgress?: (stage: 'computing' | 'downloading', done: number, total: number) => void
  signal?: AbortSignal
}

/** Timeout for a server that has answered before and is unavailable now. */
const AWAY_MAX_MS = 120_000

/**
 * Downloads an export into a sink, and verifies the server's digest. Waits for the job, if there is one. Resumes the
 * download after a broken connection or a restart of the server.
 *
 * @param knownTag entity tag of the file that the caller has
 * @returns the entity tag of the file; null, with nothing written, if `knownTag` is still current
 * @throws GazetteError, and errors of the sink
 */
export async function download(
  ask: Ask,
  path: string,
  sink: Sink,
  { knownTag, onProgress, signal }: Following & { knownTag?: string } = {},
): Promise<string | null> {
  const patience = openPatience(signal)
  let tag = ''
  let done = 0
  let hasAnswered = false
  let isEmpty = false
  let isWrong = false
  for (;;) {
    try {
      const response = await ask(path, { headers: headersOf(done, tag, isEmpty, knownTag), signal })
      hasAnswered = true
      if (response.status === 304) return null
      if (response.status === 202) {
        await followJob(ask, response, { onProgress, signal })
        patience.begin()
        continue
      }
      if (response.status === 200) done = 0
      tag = response.headers.get('ETag') ?? ''
      const total = done + Number(response.headers.get('Content-Length'))
      if (total === 0) await sink.write(new Uint8Array(0), 0)
      for await (const block of blocksOf(response, signal)) {
        await sink.write(block, done)
        done += block.length
        patience.begin()
        onProgress?.('downloading', done, total)
      }
      if (done < total) throw away(new Error(`the connection broke after ${done} of ${total} bytes`))
      if (base64(await sink.sha256()) === /sha-256=:(.*?):/.exec(response.headers.get('Repr-Digest') ?? '')?.[1])
        return tag
    } catch (error) {
      if (!(error instanceof GazetteError)) throw error
      const isPassing = error.status === 429 || error.status === 503 || (error.status === 0 && hasAnswered)
      // A file without bytes has no range.
      if (error.status === 416 && !isEmpty) isEmpty = true
      else if (isPassing) await patience.wait(error)
      else throw error
      continue
    }
    const detail = 'Twice, the bytes that came were not those that the server had counted.'
    if (isWrong) throw new GazetteError({ status: 0, title: 'The download is damaged', detail })
    isWrong = true
    done = 0
  }
}

/**
 * Returns the headers that request the missing bytes of a file. Ranges count bytes of the plain file, so it requests
 * that; browsers do so by themselves for ranges.
 */
function headersOf(done: number, tag: string, isEmpty: boolean, knownTag?: string): Record<string, string> {
  return {
    'Accept-Encoding': 'identity',
    Prefer: 'wait=0',
    ...(isEmpty ? {} : { Range: `bytes=${done}-` }),
    ...(done > 0 ? { 'If-Range': tag } : knownTag === undefined ? {} : { 'If-None-Match': knownTag }),
  }
}

/** Yields the blocks of a body. @throws GazetteError if the connection breaks */
async function* blocksOf(response: Response, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  try {
    for (;;) {
      const read = await reader?.read().catch((error: unknown) => {
        throw signal?.aborted ? error : away(error)
      })
      if (!read || read.done) return
      yield read.value
    }
  } finally {
    reader?.cancel().catch(() => {})
  }
}

/** Requests an export in parts, and waits for its job. @returns the parts, in order @throws GazetteError */
export async function requestParts(ask: Ask, path: string, following: Following): Promise<JobPart[]> {
  const { signal } = following
  const response = await ask(path, { headers: { Prefer: 'wait=0' }, signal })
  const { parts, state, error } = await followJob(ask, response, following)
  if (parts === undefined) throw new GazetteError(error ?? { status: 410, title: `The job is ${state}` })
  return parts
}

/** Polls a job until it ends, as often as the server's Retry-After says. @returns the ended job */
async function followJob(ask: Ask, response: Response, { onProgress, signal }: Following): Promise<Job> {
  for (;;) {
    const job = (await response.json()) as Job
    if (job.state === 'failed' || job.state === 'canceled')
      throw new GazetteError(job.error ?? { status: 410, title: `The job was ${job.state}` })
    if (job.state !== 'queued' && job.state !== 'running') return job
    onProgress?.('computing', job.progress.percent, 100)
    await sleep(Number(response.headers.get('Retry-After') ?? 1) * 1000, signal)
    response = await ask(`/api2/jobs/${job.id}`, { signal })
  }
}

/** Returns a function that backs off between tries, longer each time, until no byte has come for AWAY_MAX_MS. */
function openPatience(signal?: AbortSignal): { begin: () => void; wait: (error: GazetteError) => Promise<void> } {
  let since = 0
  let pauseMs = 0
  const begin = () => {
    since = Date.now()
    pauseMs = 250
  }
  begin()
  return {
    begin,
    wait: async (error) => {
      if (Date.now() - since > AWAY_MAX_MS) throw error
      await sleep(Math.max(pauseMs, error.retryAfterSeconds * 1000), signal)
      pauseMs = Math.min(pauseMs * 2, 5000)
    },
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
