import type { Fault, Problem } from './types.ts'

/** A problem (RFC 9457) from the server; status 0 if the server does not answer. */
export class GazetteError extends Error {
  override name = 'GazetteError'
  readonly status: number
  readonly title: string
  readonly detail: string
  /** Address of a page that explains the problem and what to do. */
  readonly type: string | null
  /** Id of the request, as in the server's log. */
  readonly instance: string | null
  /** Every refused parameter; `nearest` is the closest known name. */
  readonly errors: Fault[]
  readonly retryAfterSeconds: number

  constructor(problem: Partial<Problem> & { status: number }, retryAfterSeconds = 0) {
    const { status, title = `Status ${status}`, detail = '', type = null, instance = null, errors = [] } = problem
    super(detail === '' ? title : `${title}: ${detail}`)
    this.status = status
    this.title = title
    this.detail = detail
    this.type = type
    this.instance = instance
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export type Server = {
  /** Address of the server, such as `http://127.0.0.1:8080`; empty on one of its own pages. */
  url: string
  /** A token, as `gazette token create` prints it; not needed on a page of the server after signing in. */
  token?: string
  /** Headers of every request. */
  headers?: Record<string, string>
}

/** Requests a path. Throws GazetteError for any status but 2xx and 304; an AbortError if aborted. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>

/** Returns a function that sends requests to a server. It follows no redirects, so the token goes nowhere else. */
export function openRequest({ url, token, headers = {} }: Server): Ask {
  const base = url.replace(/\/+$/, '')
  const own = token === undefined ? headers : { 'X-AUTH-TOKEN': token, ...headers }
  return async (path, init = {}) => {
    const given = { ...own, ...(init.headers as Record<string, string>) }
    const options: RequestInit = { ...init, headers: given, credentials: 'same-origin', redirect: 'error' }
    const response = await fetch(base + path, options).catch((error: unknown) => {
      throw init.signal?.aborted ? error : away(error, base)
    })
    if (response.ok || response.status === 304) return response
    throw await problemOf(response)
  }
}

/** Returns the error for a server that does not answer, or an answer that broke off. */
export function away(cause: unknown, url = ''): GazetteError {
  const at = url === '' ? '' : ` at ${url}`
  const detail = `The server${at} may have been stopped, or the network is away. Start it again with npm start, then retry.`
  return Object.assign(new GazetteError({ status: 0, title: 'Gazette does not answer', detail }), { cause })
}

/** Describes an answer that does not come from Gazette. */
const FOREIGN: Partial<Problem> = {
  detail: 'This is not the answer of Gazette, but of something before it, such as a proxy. Try again in a while.',
}

async function problemOf(response: Response): Promise<GazetteError> {
  const body = (await response.json().catch(() => FOREIGN)) as Partial<Problem>
  return new GazetteError({ ...body, status: response.status }, Number(response.headers.get('Retry-After') ?? 0))
}
