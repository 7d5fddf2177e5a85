import { getJson, type Problem, problemFrom, request, type Upload } from '../../../core/api.ts'
import type { Parcel } from './pack.ts'
import { CannotTake } from './read-drop.ts'

/** Progress of an upload; `isWaiting`: the connection is lost and is being retried. */
export type Sent = { bytes: number; isWaiting: boolean }

const TUS = { 'Tus-Resumable': '1.0.0' }
const FIRST_CHUNK = 1 << 18
const CHUNK_MAX = 1 << 24
/** Target duration of a chunk; a request times out after 30 s. */
const CHUNK_MS = 2500
const TRIES = 5

/**
 * Uploads a parcel by tus 1.0, and resumes an earlier upload of the same files.
 *
 * @returns the id of the upload
 * @throws CannotTake if the files have changed; GazetteError if the server refuses the upload or stays unavailable;
 * AbortError
 */
export async function sendParcel(parcel: Parcel, signal: AbortSignal, tell: (sent: Sent) => void): Promise<string> {
  const { bytes: whole } = parcel
  let tried = 0
  let chunk = FIRST_CHUNK
  /** Runs a request, and backs off after a transient failure; returns null for one, so that the caller retries. */
  const withRetry = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      const result = await work()
      tried = 0
      return result
    } catch (error) {
      if (signal.aborted) throw error
      const problem = problemFrom(error)
      if (!isTransient(problem) || ++tried > TRIES) throw error
      tell({ bytes: at, isWaiting: true })
      await pause(500 * 2 ** tried, signal)
      return null
    }
  }
  let at = 0
  let href: string | null = null
  while (href === null) href = await withRetry(() => begun(parcel, signal))
  for (;;) {
    const offset = await withRetry(() => offsetOf(href, signal))
    if (offset === null) continue
    at = offset
    tell({ bytes: at, isWaiting: false })
    while (at < whole.size) {
      const piece = whole.slice(at, at + chunk)
      const since = performance.now()
      const next = await withRetry(() => put(href, at, piece, signal))
      if (next === null) {
        await checkReadable(piece, parcel)
        break
      }
      at = next
      tell({ bytes: at, isWaiting: false })
      const tookMs = performance.now() - since
      chunk =
        tookMs < CHUNK_MS / 2
          ? Math.min(CHUNK_MAX, chunk * 2)
          : tookMs > CHUNK_MS
            ? Math.max(FIRST_CHUNK, chunk / 2)
            : chunk
    }
    if (at === whole.size) return href.slice(href.lastIndexOf('/') + 1)
  }
}

/** Lists the uploads of the token that is signed in. */
async function listUploads(signal?: AbortSignal): Promise<Upload[]> {
  return (await getJson<{ uploads: Upload[] }>('/api2/uploads', signal)).uploads
}

export async function deleteUpload(id: string): Promise<void> {
  await request(`/api2/uploads/${id}`, { method: 'DELETE', headers: TUS }).catch((error) => {
    if (problemFrom(error).status !== 404) throw error
  })
}

/** Finds an earlier upload of these files, or creates one. @returns its address */
async function begun({ name, bytes, fingerprint }: Parcel, signal: AbortSignal): Promise<string> {
  const mark = `fingerprint ${base64(fingerprint)}`
  for (const upload of await listUploads(signal)) {
    if (upload.name !== name || upload.bytes !== bytes.size) continue
    const found = await request(upload.href, { method: 'HEAD', headers: TUS, signal })
    const isSame = (found.headers.get('Upload-Metadata') ?? '').split(',').some((pair) => pair.trim() === mark)
    if (isSame) return upload.href
  }
  const answer = await request('/api2/uploads', {
    method: 'POST',
    headers: { ...TUS, 'Upload-Length': String(bytes.size), 'Upload-Metadata': `filename ${base64(name)},${mark}` },
    signal,
  })
  return answer.headers.get('Location')!
}

async function offsetOf(href: string, signal: AbortSignal): Promise<number> {
  const answer = await request(href, { method: 'HEAD', headers: TUS, signal })
  return Number(answer.headers.get('Upload-Offset'))
}

async function put(href: string, offset: number, piece: Blob, signal: AbortSignal): Promise<number> {
  const answer = await request(href, {
    method: 'PATCH',
    headers: { ...TUS, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
    body: piece,
    signal,
  })
  return Number(answer.headers.get('Upload-Offset'))
}

/** Distinguishes a lost connection from a file that was deleted or changed: browsers report both alike. */
async function checkReadable(piece: Blob, { files, name }: Parcel): Promise<void> {
  try {
    await piece.slice(0, 1).arrayBuffer()
  } catch {
    const which = files.length === 1 ? name : `A file of ${name}`
    throw new CannotTake(`${which} was changed, moved or deleted during the upload: choose it again.`)
  }
}

function isTransient({ status, type }: Problem): boolean {
  return [0, 408, 409, 502, 503, 504].includes(status) || type === '/docs/problems/too-many-requests'
}

/** Waits for some time, or until the browser reports that the connection is back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = new AbortController()
    const end = (act: () => void) => () => {
      window.clearTimeout(timer)
      over.abort()
      act()
    }
    const timer = window.setTimeout(end(resolve), ms)
    window.addEventListener('online', end(resolve), { signal: over.signal })
    signal.addEventListener(
      'abort',
      end(() => reject(signal.reason)),
      { signal: over.signal },
    )
  })
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
